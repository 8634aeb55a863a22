"""Describes the modules of the end-to-end tests, and compares with their model.yaml.

    check-arguments.py
"""

import inspect
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "test" / "EndToEnd"))

import reference  # noqa: E402
from gnn_describe import DescribeError  # noqa: E402
from gnn_describe.arguments import IRRELEVANT  # noqa: E402
from gnn_describe.layers import layer_of  # noqa: E402
from goldens import VARIANTS  # noqa: E402

# Arguments of `forward`, and such as make no difference to the module: what is
# learned is in the state_dict, and a network of one layer has no norm.
OTHERS = (reference.WIRING | IRRELEVANT | {"initial", "pos", "deg", "train_eps", "t",
                                           "norm", "theta", "layer"}) - {"type"}


def comparable(layer, module):
    parameters = inspect.signature(type(module).__init__).parameters
    result = {}
    for key, value in layer.items():
        default = parameters[key].default if key in parameters else None
        if key in OTHERS or value == (list(default) if isinstance(default, tuple)
                                      else default):
            continue
        if isinstance(value, list) and value and isinstance(value[0], dict):
            # Of an MLP, whose layers have names.
            value = [{k: v for k, v in each.items() if k != "name"} for each in value]
        if key == "normalized_shape" and isinstance(value, list):
            value, = value
        result[key] = value
    if "aggregators" in result:
        result["aggregators"] = ["add" if each == "sum" else each
                                 for each in result["aggregators"]]
    return result


def main():
    count = differ = 0
    for name, (_, description, _, _) in VARIANTS.items():
        if "node_types" in description:
            continue
        for layer, module in reference.Model(description).eval().steps:
            if (not type(module).__module__.startswith(("torch.", "torch_geometric."))
                    or "weights" in layer or
                    # Of functions, which the reference has modules for.
                    layer["type"] in ("AggregateEdges", "InnerProductDecoder")):
                continue
            count += 1
            try:
                found = comparable(layer_of(module), module)
            except DescribeError as error:
                found = error
            if found != comparable(layer, module):
                differ += 1
                print(f"{name}: {found}, and is {comparable(layer, module)}")
    print(f"{count} modules, {differ} of which are described in another way")


main()
