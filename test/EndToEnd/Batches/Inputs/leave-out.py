"""Copies an .npz file without one of its arrays.

    leave-out.py IN.npz ARRAY OUT.npz
"""

import pathlib
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Tools"))
import npz


def main():
    source, name, target = sys.argv[1:]
    with zipfile.ZipFile(source) as archive:
        members = {member: archive.read(member)
                   for member in archive.namelist()}
    del members[f"{name}.npy"]
    npz.write_members(target, members)


if __name__ == "__main__":
    main()
