# The GoogleTest binaries of unittests/.

import os

import lit.formats

config.name = "gnn-unit"
config.test_source_root = config.unittest_dir
config.test_exec_root = config.unittest_dir
# Every program in that folder is a test.
config.test_format = lit.formats.GoogleTest("bin", "")

for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
