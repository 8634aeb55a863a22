"""Turns molecules, written as SMILES, into a graph file that holds them all.

    python -m pip install rdkit
    python examples/molecules/smiles.py MOLECULES OUT.npz

MOLECULES has one molecule per line ("-": standard input); after a comma or a
blank there may be a number, which becomes the molecule's row of `y`. Lines that
start with # are comments. What RDKit cannot read is left out, and said to be.

OUT.npz has the arrays of PyTorch Geometric's Batch: `x` [atoms, 22],
`edge_index` [2, 2 * bonds], each bond in both directions, `edge_attr`
[2 * bonds, 5], and `ptr` [molecules + 1], where each molecule's atoms begin.
"""

import argparse
import sys

try:
    import numpy as np  # which RDKit brings with it
    from rdkit import Chem, RDLogger
except ImportError:
    sys.exit("smiles.py reads molecules with RDKit, which is not installed; "
             "install it with 'python -m pip install rdkit'")

ELEMENTS = ["C", "N", "O", "S", "P", "F", "Cl", "Br", "I"]
BONDS = [Chem.BondType.SINGLE, Chem.BondType.DOUBLE, Chem.BondType.TRIPLE,
         Chem.BondType.AROMATIC]


def one_of(value, count):
    """A one in the place of `value`; what is larger than all is the last."""
    return [float(min(value, count - 1) == i) for i in range(count)]


def describe_atom(atom):
    symbol = atom.GetSymbol()
    element = ELEMENTS.index(symbol) if symbol in ELEMENTS else len(ELEMENTS)
    return (one_of(element, len(ELEMENTS) + 1) + one_of(atom.GetDegree(), 5) +
            one_of(atom.GetTotalNumHs(), 4) +
            [float(atom.GetFormalCharge()), float(atom.GetIsAromatic()),
             float(atom.IsInRing())])


def describe_bond(bond):
    return [float(bond.GetBondType() == kind) for kind in BONDS] + [
        float(bond.IsInRing())]


def parse(line):
    """The molecule and its number, either of which may be None."""
    smiles, _, rest = line.replace(",", " ").strip().partition(" ")
    try:
        number = float(rest.split()[0])
    except (IndexError, ValueError):
        number = None
    return Chem.MolFromSmiles(smiles.strip()), number


def read(lines):
    """The arrays of all molecules."""
    x, sources, destinations, attributes, numbers = [], [], [], [], []
    pointers = [0]
    for count, line in enumerate(lines, 1):
        if line.startswith("#") or not line.strip():
            continue
        molecule, number = parse(line.replace("\t", " "))
        if molecule is None:
            print(f"line {count} is left out: RDKit cannot read "
                  f"'{line.strip()}'", file=sys.stderr)
            continue
        first = pointers[-1]
        x += map(describe_atom, molecule.GetAtoms())
        for bond in molecule.GetBonds():
            ends = (first + bond.GetBeginAtomIdx(), first + bond.GetEndAtomIdx())
            sources += ends
            destinations += reversed(ends)
            attributes += [describe_bond(bond)] * 2
        pointers.append(len(x))
        numbers.append(number)
    arrays = {
        "x": np.array(x, np.float32).reshape(-1, 22),
        "edge_index": np.array([sources, destinations], np.int64),
        "edge_attr": np.array(attributes, np.float32).reshape(-1, 5),
        "ptr": np.array(pointers, np.int64),
    }
    if numbers and None not in numbers:
        arrays["y"] = np.array(numbers, np.float32)[:, None]
    return arrays


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("molecules")
    parser.add_argument("output")
    arguments = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    try:
        if arguments.molecules == "-":
            arrays = read(sys.stdin)
        else:
            with open(arguments.molecules) as file:
                arrays = read(file)
    except OSError as error:
        sys.exit(f"'{arguments.molecules}' cannot be read: {error.strerror}")
    np.savez(arguments.output, **arrays)
    print(f"{len(arrays['ptr']) - 1} molecules, {len(arrays['x'])} atoms, "
          f"{arrays['edge_index'].shape[1] // 2} bonds")


if __name__ == "__main__":
    main()
