"""The flags of gnn-compile that leave passes out, and which of them matter."""

import re
import subprocess

# Flags without a value that leave no pass out.
OTHERS = {"elide-weights", "help", "help-list", "pack-kernels", "version"}


def find_flags(compiler):
    """All of them, and those that make a difference on CPUs."""
    text = subprocess.run([compiler, "--help"], text=True, stdout=subprocess.PIPE,
                          check=True).stdout
    flags = set(re.findall(r"^ +--([\w-]+) +- ", text, re.MULTILINE)) - OTHERS
    on_gpus = set(re.findall(r"^ +--([\w-]+) +- For GPUs", text, re.MULTILINE))
    return flags, flags - on_gpus


def minimise(off, fails):
    """Switches of `off` that fail still, but not without any of them."""
    size = len(off)
    while size:
        for begin in range(len(off) - 1, -1, -size):
            fewer = off[:max(begin + 1 - size, 0)] + off[begin + 1:]
            if fails(fewer):
                off = fewer
        size //= 2
    return off
