"""Runs a command of which a test says more only if it fails."""

import shlex
import subprocess


def run(command):
    """Whether `command` succeeds; prints it and its output if it does not."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if done.returncode:
        print(f"$ {shlex.join(command)}\n{done.stdout}"
              f"exit status {done.returncode}")
    return done.returncode == 0
