"""Prints the arrays of an .npz: name, dtype, shape, values.

    print-arrays.py FILE.npz [NAME...]
"""

import sys

import npz


def main():
    path, *wanted = sys.argv[1:]
    for name in wanted or npz.names(path):
        print(name, *npz.read(path, name))


if __name__ == "__main__":
    main()
