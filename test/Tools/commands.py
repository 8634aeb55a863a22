"""Runs a command of which a test says more only if it fails."""

import shlex
import subprocess


def run(command, is_quiet=False):
    """Whether `command` succeeds; unless `is_quiet`, prints it and its output if it
    does not."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if done.returncode and not is_quiet:
        print(f"$ {shlex.join(command)}\n{done.stdout}"
              f"exit status {done.returncode}")
    return done.returncode == 0
