"""The flags of gnn-compile that leave passes out."""

import re
import subprocess

# Flags without a value that leave no pass out.
OTHERS = {"elide-weights", "help", "help-list", "pack-kernels", "verify-each",
          "version"}


def find_flags(compiler):
    """All of them, and those that make a difference on CPUs."""
    text = subprocess.run([compiler, "--help"], text=True, stdout=subprocess.PIPE,
                          check=True).stdout
    flags = set(re.findall(r"^ +--([\w-]+) +- ", text, re.MULTILINE)) - OTHERS
    on_gpus = set(re.findall(r"^ +--([\w-]+) +- For GPUs", text, re.MULTILINE))
    return flags, flags - on_gpus
