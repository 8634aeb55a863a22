# What the lit tests of gnn-mlir may use.
#
# Programs, by name: the project's tools and LLVM's FileCheck, not, count,
# split-file, llvm-readelf, llvm-nm and mlir-opt.
#
# Substitutions:
#   %check-model FOLDER   compile the model of an end-to-end test, compare its
#                         output on every graph of the folder's expected.npz;
#                         --run="OPTIONS" are for gnn-run as well
#   %check-accuracy REPORT.json PYG.json
#                         compare gnn-run's accuracies with PyTorch Geometric's
#   %graphs               the folder of the end-to-end graphs
#   %examples             the folder of the example models
#   %data                 the folder with cora.npz, ... (REQUIRES: cora, ...)
#   %minilm               the folder of all-MiniLM-L6-v2 (REQUIRES: minilm)
#   %source, %build       roots of the sources and of the build
#   %pyg                  Python with PyTorch Geometric and gnn_describe
#                         (REQUIRES: pyg)
#   %cc, %cxx, %cmake, %python
#   %runtime              what a C program links for the runtime
#
# Features: cora, citeseer, facebook, minilm (the data are there), sanitizers,
# benchmarks (they are built), numpy (Python has it), pyg (a Python has PyTorch
# Geometric), ptxas,
# x86_64, aarch64 (what models run on), emulated (it is not the host),
# llvm-target-NAME (backends of this LLVM).

import os
import shutil
import subprocess

import lit.formats
import lit.util

config.name = "gnn"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".c"]
config.excludes = ["Inputs", "Unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.gnn_binary_dir, "test")


def quote(*words):
    return " ".join(f'"{word}"' if " " in word else word for word in words)


# ------------------------------------------------------------------- programs

# Where models are compiled and run. `make check-aarch64` has tools of its own for
# that (foreign.py).
tools_dir = lit_config.params.get("tools", config.gnn_tools_dir)
config.environment["PATH"] = os.pathsep.join(
    [tools_dir, config.gnn_tools_dir, config.llvm_tools_dir,
     os.environ.get("PATH", "")])
for name in ("ASAN_OPTIONS", "CCACHE_DIR", "HOME", "LSAN_OPTIONS", "TMPDIR",
             "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# What users do not wait for.
config.environment["GNN_COMPILE_OPTIONS"] = "--verify-every=10"

# Tests run side by side, so idle OpenMP threads must not spin; two threads are
# enough to be more than one.
config.environment.setdefault("OMP_NUM_THREADS", "2")
config.environment["KMP_BLOCKTIME"] = "0"

if lit.util.pythonize_bool(config.gnn_sanitizers):
    config.available_features.add("sanitizers")

if lit.util.pythonize_bool(config.gnn_benchmarks):
    config.available_features.add("benchmarks")
else:
    lit_config.note(
        "the smoke test of the benchmarks is skipped, because they are not "
        "built; configure with -DGNN_ENABLE_BENCHMARKS=ON")

# The processor that models are for.
processor = lit_config.params.get("processor", config.host_processor)
config.available_features.add(processor)
if processor != config.host_processor:
    config.available_features.add("emulated")
# Whether code with these instructions runs here.
if processor == config.host_processor and os.path.isfile("/proc/cpuinfo"):
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        if " avx512_bf16" in cpuinfo.read():
            config.available_features.add("host-avx512bf16")
for target in config.targets_built.split(";"):
    config.available_features.add(f"llvm-target-{target.lower()}")

# ----------------------------------------------------------------------- data

data_dir = os.environ.get("GNN_DATA_DIR") or config.gnn_data_dir
if not data_dir:
    data_dir = os.path.join(config.gnn_source_dir, "..", "shared", "data")
data_dir = os.path.abspath(data_dir)
absent = []
for name in ("cora", "citeseer", "facebook"):
    if os.path.isfile(os.path.join(data_dir, name + ".npz")):
        config.available_features.add(name)
    else:
        absent.append(name + ".npz")
if absent:
    lit_config.note(
        f"tests on {', '.join(absent)} are skipped, because {data_dir} does "
        "not have them; set GNN_DATA_DIR to a folder that does (see "
        "examples/README.md)")

# all-MiniLM-L6-v2, where GNN_MINILM_DIR says or `make demo-sentences` puts it.
minilm = os.environ.get("GNN_MINILM_DIR") or os.path.join(
    config.gnn_binary_dir, "demo-sentences", "all-MiniLM-L6-v2")
if os.path.isfile(os.path.join(minilm, "model.safetensors")):
    config.available_features.add("minilm")
else:
    lit_config.note(
        f"the test on all-MiniLM-L6-v2 is skipped, because {minilm} does not "
        "have it; `make demo-sentences` fetches it, or set GNN_MINILM_DIR")

# The CUDA toolkit's assembler, where gnn-compile looks for it.
for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
toolkits = [os.environ.get(name) for name in
            ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")] + ["/usr/local/cuda"]
ptxas = shutil.which("ptxas") or next(
    (path for path in (os.path.join(folder, "bin", "ptxas")
                       for folder in toolkits if folder)
     if os.path.isfile(path)), None)
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
else:
    lit_config.note(
        "tests of machine code for GPUs are skipped, because there is no "
        "ptxas; install the CUDA toolkit and set CUDA_HOME")

# Debian's Python has the NumPy that `make deps` installs; the first on the PATH
# may be another one.
def has_numpy(python):
    return os.path.isfile(python) and subprocess.run(
        [python, "-c", "import numpy"], stderr=subprocess.DEVNULL,
        check=False).returncode == 0


python = next(filter(has_numpy, (config.python, "/usr/bin/python3")), None)
if python:
    config.python = python
    config.available_features.add("numpy")
else:
    lit_config.note(
        "tests that write arrays are skipped, because Python has no NumPy; "
        "install python3-numpy")

# Python with PyTorch Geometric, which gnn_describe reads models of.
def has_pyg(python):
    return os.path.isfile(python) and subprocess.run(
        [python, "-c", "import importlib.util, sys; sys.exit(not all(map("
         "importlib.util.find_spec, ['torch_geometric', 'safetensors', 'yaml'])))"],
        stderr=subprocess.DEVNULL, check=False).returncode == 0


pyg_python = os.environ.get("GNN_PYG_PYTHON") or os.path.join(
    config.gnn_source_dir, ".venv", "bin", "python")
if has_pyg(pyg_python):
    config.available_features.add("pyg")
    config.substitutions.append(("%pyg", quote(
        "env", "PYTHONPATH=" + os.path.join(config.gnn_source_dir, "tools",
                                            "gnn-describe"), pyg_python)))
else:
    lit_config.note(
        f"tests of gnn_describe are skipped, because {pyg_python} has no PyTorch "
        "Geometric; run bench/setup-venv.sh, or set GNN_PYG_PYTHON")

# -------------------------------------------------------------- substitutions

# Libraries by path or by name; those by path may be where the dynamic linker does
# not look.
libraries = config.runtime_libraries.split(";")
runtime = [os.path.join(config.gnn_binary_dir, "lib", "libgnn_runtime.a")]
for library in libraries:
    runtime.append(library if "/" in library else f"-l{library}")
for folder in sorted({os.path.dirname(name) for name in libraries} - {""}):
    runtime.append(f"-Wl,-rpath,{folder}")

# What models of the end-to-end tests run on. `make check-gpu` says cuda.
targets = lit_config.params.get("targets", "cpu,gpu-emu")
# Numbers of threads that they run on there, to the same bits.
threads = lit_config.params.get("threads", "")

tools = os.path.join(config.test_source_root, "Tools")
graphs = os.path.join(config.test_source_root, "EndToEnd", "Inputs", "graphs")
config.substitutions += [
    ("%check-model", quote(
        config.python, os.path.join(tools, "check-model.py"),
        "--tools", tools_dir, "--graphs", graphs,
        "--scratch", "%t", "--targets", targets,
        *(["--threads", threads] if threads else []))),
    ("%check-accuracy", quote(
        config.python, os.path.join(tools, "check-accuracy.py"))),
    ("%graphs", graphs),
    ("%examples", os.path.join(config.gnn_source_dir, "examples")),
    ("%data", data_dir),
    ("%minilm", minilm),
    ("%runtime", quote(*runtime)),
    ("%source", config.gnn_source_dir),
    ("%build/bin", tools_dir),
    ("%build", config.gnn_binary_dir),
    ("%python", config.python),
    ("%cmake", config.cmake),
    ("%cxx", config.cxx_compiler),
    ("%cc", config.c_compiler),
]
