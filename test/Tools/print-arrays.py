"""Prints the arrays of an .npz: name, dtype, shape, values.

    print-arrays.py FILE.npz [NAME...]
"""

import sys
import zipfile

import npz


def main():
    path, *wanted = sys.argv[1:]
    with zipfile.ZipFile(path) as archive:
        names = [n.removesuffix(".npy") for n in archive.namelist()]
    for name in wanted or names:
        print(name, *npz.read(path, name))


if __name__ == "__main__":
    main()
