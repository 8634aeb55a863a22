"""Checks the flags of gnn-compile that leave passes out.

    check-switches.py --tools BIN --source ROOT --scratch PREFIX

Without a pass, the code of a model that it is for must be other than with it, or the
flag would leave nothing out. Without all of them a model must still compute what is
expected of it.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys

from commands import run
from switches import find_flags

# What is done behind the last pass.
ON_LLVM_IR = {"call-regions"}
# A processor that has all that passes ask for, whatever runs the test.
CPU = ["--target=x86_64-linux-gnu", "--target-cpu=sapphirerapids"]
AVX2 = ["--target=x86_64-linux-gnu", "--target-cpu=x86-64-v3"]
GPU = ["--target=gpu-emu"]

SUMS = """
func.func @sum(%x: tensor<?x16xf32> {gnn.name = "x", gnn.axis = "any"})
    -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16xf32>)
    -> tensor<16xf32>
  %y = linalg.reduce ins(%x : tensor<?x16xf32>) outs(%init : tensor<16xf32>)
    dimensions = [0] (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %y : tensor<16xf32>
}
"""

MULTIPLY = """{
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }"""


def multiply_parts(depth):
    """A product of each part of a row of %rows by a matrix."""
    return f"""
  %y = gnn.update node(%rows : tensor<?x4x{depth}xf32>) uniform(%w : tensor<4x{depth}x16xf32>)
      {{indexing_maps = [affine_map<(b, f, k) -> (b, k)>,
                        affine_map<(b, f, k) -> (b, k, f)>,
                        affine_map<(b, f, k) -> (b, f)>],
       iterator_types = ["parallel", "parallel", "reduction"]}}
      : tensor<?x4x16xf32> {MULTIPLY}
  return %y : tensor<?x4x16xf32>
}}
"""


BLOCKS = """
func.func @blocks(%rows: tensor<?x4x16xf32> {gnn.name = "x", gnn.axis = "any"},
                  %w: tensor<4x16x16xf32> {gnn.name = "w"})
    -> (tensor<?x4x16xf32> {gnn.axis = "any"}) {""" + multiply_parts(16)

TOWERS = """
func.func @towers(%g: !gnn.graph<csr>,
                  %x: tensor<?x4x512xf32> {gnn.name = "x", gnn.axis = "destination",
                                           gnn.graph = 0 : i64},
                  %w: tensor<4x512x16xf32> {gnn.name = "w"}) -> tensor<?x4x16xf32> {
  %rows = gnn.message_aggregate [sum] %g src(%x : tensor<?x4x512xf32>)
      {indexing_maps = [affine_map<(b, k) -> (b, k)>, affine_map<(b, k) -> (b, k)>],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> tensor<?x4x512xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }""" + multiply_parts(512)

# Weights of 16 KiB, none like another.
EDGE_PRODUCTS = """
func.func @products(%g: !gnn.graph<csr>,
                    %x: tensor<?x64xf32> {gnn.name = "x", gnn.axis = "edge",
                                          gnn.graph = 0 : i64}) -> tensor<?x64xf32> {
  %w = arith.constant dense<WEIGHTS> : tensor<64x64xf32>
  %e = gnn.edges_from_tensor %g, %x : !gnn.graph<csr>, tensor<?x64xf32> -> !gnn.edges<64xf32>
  %m = gnn.message %g edge(%e : !gnn.edges<64xf32>) uniform(%w : tensor<64x64xf32>)
      {indexing_maps = [affine_map<(f, k) -> (k)>, affine_map<(f, k) -> (k, f)>,
                        affine_map<(f, k) -> (f)>],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<64xf32> MULTIPLY
  %y = gnn.aggregate [max] %g, %m : !gnn.graph<csr>, !gnn.edges<64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
""".replace("MULTIPLY", MULTIPLY).replace(
    "WEIGHTS", str([[64.0 * k + f for f in range(64)] for k in range(64)]))


# A product with one column.
COLUMN = """\
func.func @column(%x: tensor<?x16xf32> {gnn.name = "x", gnn.axis = "any"})
    -> (tensor<?x1xf32> {gnn.axis = "any"}) {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<2.0> : tensor<16x1xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x1xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1xf32>)
    -> tensor<?x1xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x1xf32>)
    outs(%zeros : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
"""


class Models:
    def __init__(self, source, scratch):
        self.source = source
        self.scratch = scratch

    def write(self, name, text):
        path = pathlib.Path(f"{self.scratch}.{name}.mlir")
        path.write_text(text)
        return path

    def fill(self, name, **values):
        """A template of bench/kernels with its places filled."""
        text = (self.source / "bench/kernels" / f"{name}.mlir").read_text()
        for place, value in values.items():
            text = text.replace(f"$({place})", str(value))
        return self.write("-".join([name, *map(str, values.values())]), text)

    def layer(self, name):
        return self.source / "test" / "EndToEnd" / "Layers" / name

    def example(self, name):
        return self.source / "examples" / name


def list_cases(models):
    """Models, options, and what is left out of them."""
    fill = models.fill
    return [
        (fill("aggregate", KIND="max", D=16), CPU,
         "balance call-regions defer-nan divide-loops order-rows outline parallelize "
         "prefetch promote-loop-tensors relax-zero-signs serialize-small-loops "
         "split-preparation stream vectorize"),
        (fill("aggregate", KIND="sum", D=24), CPU, "split-vectors"),
        (fill("aggregate", KIND="max", D=256), AVX2, "tile-accumulators"),
        (models.layer("generalconv-softmax"), CPU, "two-pass-softmax"),
        (fill("gat-attention", H=8, D=8, TOPOLOGY="csr"), [*CPU, "--topology=sparse"],
         "approximate-math cluster-rows factor-exponentials fill-registers "
         "forward-rows free-early keep-costly slopes-to-maximum tabulate-exponentials "
         "tile-narrow-rows"),
        (fill("gat-attention", H=1, D=16, TOPOLOGY="csr"), [*CPU, "--topology=sparse"],
         "promote-unit-dimensions"),
        (fill("dot-attention", H=2, D=16, TOPOLOGY="block_diagonal"), CPU,
         "narrow-tiles share-segments"),
        (models.layer("knngraph"), CPU, "order-points top-k-tiles"),
        (fill("dot-attention", H=2, D=16, TOPOLOGY="complete"), CPU,
         "base-two-softmax bound-dot-products copy-tiles fuse-row-sums ignore-nan "
         "pair-maxima split-accesses"),
        (fill("layer", K=16, D=64), AVX2, "peel-products"),
        (models.source / "test/EndToEnd/Determinism/Inputs/few-rows.mlir", CPU,
         "divide-columns finish-panels mix-tiles"),
        (fill("layer", K=16, D=64), CPU, "apply-epilogues fold-descriptors reorder-linear "
         "separate-offsets"),
        (fill("sparse-linear", K=64, N=64), CPU, "sparse-features"),
        (models.write("column", COLUMN), CPU, "reduce-single-columns"),
        (fill("softmax", D=8), CPU, "fill-rows"),
        (fill("softmax", D=64), CPU, "fuse-row-loops reduce-extrema"),
        (fill("gemm", M=1024, N=1024, K=1024), [*CPU, "--precision=bf16"],
         "matrix-tiles pack"),
        (models.example("karate/gcn"), CPU,
         "fuse fuse-epilogues join-layouts slice-lookups"),
        (models.example("karate/gat"), CPU, "reduce-rows"),
        (models.layer("attention-padding-cross"), CPU, "hoist-masks"),
        (models.layer("set2set"), CPU, "specialize-readouts"),
        (models.layer("mixhopconv"), CPU, "forward-parts"),
        (models.layer("jumpingknowledge-cat"), CPU, "copy-rows"),
        (models.layer("jumpingknowledge-linear"), CPU, "split-concat"),
        (models.layer("edgeconv"), CPU, "fuse-edge-rows hoist-node-products"),
        (models.layer("gatconv-bipartite"), CPU, "fold-linear"),
        (models.layer("heteroconv"), CPU, "merge-linear"),
        (models.layer("edges-embedding-linear"), CPU, "fold-lookups fuse-lookups"),
        (models.layer("nnconv"), CPU, "sum-outer-products"),
        (models.layer("edgeconv-add"), CPU, "sum-edge-rows"),
        (models.write("edge-products", EDGE_PRODUCTS), CPU, "multiply-edge-rows"),
        (models.layer("rgcnconv-numbered"), CPU, "tabulate-products"),
        (models.layer("rgcnconv-numbered-many"), CPU, "group-edges"),
        (models.write("blocks", BLOCKS), CPU, "sum-rows"),
        (models.write("towers", TOWERS), CPU, "fuse-row-products split-batches"),
        (models.write("sums", SUMS), GPU, "split-long-sums"),
        (fill("softmax", D=64), GPU, "tile-row-reductions"),
        (fill("layer", K=16, D=64), GPU, "plan-memory tile-products"),
        (fill("dot-attention", H=2, D=64, TOPOLOGY="complete"),
         [*GPU, "--precision=bf16"], "skip-rescaling tile-attention"),
    ]


def compile_to_text(compiler, model, options, stage):
    command = [str(compiler), str(model), *options, f"--emit={stage}", "-o", "-"]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"$ {shlex.join(command)}\nexit status {done.returncode}")
    return done.stdout


def check_alone(compiler, model, options, flags):
    """Those of `flags` that leave nothing out."""
    def compile(flag, *more):
        if flag in ON_LLVM_IR:
            return compile_to_text(compiler, model, [*options, *more], "llvm-ir")
        more = [*options, "--plan-memory", "--elide-weights", *more]
        return compile_to_text(compiler, model, more, "llvm-dialect")

    return [flag for flag in flags
            if compile(flag) == compile(flag, f"--{flag}=false")]


def check_together(tools, models, flags):
    """Whether a model is what it was without all of them."""
    library = f"{models.scratch}.so"
    golden = models.source / "test/EndToEnd/Karate/gat/expected.npz"
    return run([str(tools / "gnn-compile"), str(models.example("karate/gat")),
                "-o", library, *(f"--{flag}=false" for flag in sorted(flags))]) \
        and run([str(tools / "gnn-run-library"), library, "--quiet", "--graph",
                 str(models.example("karate/karate.npz")), "--check", str(golden)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", required=True)
    arguments = parser.parse_args()

    compiler = arguments.tools / "gnn-compile"
    models = Models(arguments.source, arguments.scratch)
    flags, on_cpus = find_flags(compiler)
    has_failed = False
    checked = set()
    for model, options, names in list_cases(models):
        checked.update(names.split())
        for flag in check_alone(compiler, model, options, names.split()):
            print(f"--{flag}=false changes nothing of {model}")
            has_failed = True
    for flag in flags ^ checked:
        print(f"--{flag} is a flag, or is in the list of cases, but not both")
        has_failed = True
    # The rest of vectors is left out where there are none.
    for left_out in (on_cpus, on_cpus - {"vectorize"}):
        has_failed |= not check_together(arguments.tools, models, left_out)
    return has_failed


if __name__ == "__main__":
    sys.exit(main())
