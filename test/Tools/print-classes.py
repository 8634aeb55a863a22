"""Prints which column of each row of an .npz file's matrix is the largest.

    print-classes.py FILE.npz ARRAY
"""

import sys

import npz

_, (rows, columns), values = npz.read(sys.argv[1], sys.argv[2])
print(*(max(range(columns), key=lambda i: values[row * columns + i])
        for row in range(rows)))
