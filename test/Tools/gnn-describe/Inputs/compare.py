"""Compares the model.yaml in each folder of FOLDER with that in OTHER.

    compare.py FOLDER OTHER
"""

import pathlib
import sys

folder, other = map(pathlib.Path, sys.argv[1:])
names = sorted(path.parent.name for path in folder.glob("*/model.yaml"))
assert names == sorted(path.parent.name for path in other.glob("*/model.yaml"))
differ = [name for name in names
          if (folder / name / "model.yaml").read_text() !=
          (other / name / "model.yaml").read_text()]
sys.exit(f"other descriptions: {', '.join(differ)}" if differ or not names else 0)
