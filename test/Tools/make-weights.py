"""Makes a model.safetensors of random float32 weights.

    make-weights.py OUT.safetensors [--seed S] NAME:SHAPE...

SHAPE is as in 16x8. The values are uniform in +-sqrt(3 / last dimension), which
keeps what passes through a linear layer at its magnitude.
"""

import argparse
import array
import json
import math
import random


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("weights", nargs="+")
    arguments = parser.parse_args()

    generator = random.Random(arguments.seed)
    entries, data = {}, bytearray()
    for weight in arguments.weights:
        name, _, text = weight.rpartition(":")
        shape = [int(extent) for extent in text.split("x")]
        bound = math.sqrt(3 / shape[-1])
        values = array.array("f", (generator.uniform(-bound, bound)
                                   for _ in range(math.prod(shape))))
        begin = len(data)
        data += values.tobytes()
        entries[name] = {"dtype": "F32", "shape": shape,
                         "data_offsets": [begin, len(data)]}
    header = json.dumps(entries).encode()
    header += b" " * (-len(header) % 8)
    with open(arguments.output, "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header + data)


if __name__ == "__main__":
    main()
