// The passes for softmaxes over all pairs can be switched off one by one; the one
// that needs AVX2 or AVX-512 is on where it is asked for.

// RUN: gnn-opt --gnn-to-llvm --dump-pass-pipeline %s 2>&1 >%t \
// RUN:   | FileCheck %s --implicit-check-not=gnn-tabulate-exponentials
// CHECK: gnn-bound-dot-products
// CHECK: attention-base-two=true
// CHECK: gnn-fuse-row-sums
// CHECK: gnn-pair-maxima
// RUN: gnn-opt --gnn-to-llvm="base-two-softmax=false fuse-row-sums=false pair-maxima=false tabulate-exponentials" \
// RUN:   --dump-pass-pipeline %s 2>&1 >%t \
// RUN:   | FileCheck %s --check-prefix=OFF --implicit-check-not=gnn-fuse-row-sums \
// RUN:     --implicit-check-not=gnn-pair-maxima
// OFF: attention-base-two=false
// OFF: gnn-tabulate-exponentials
// OFF: gnn-approximate-math

// Weights that are rounded are those of the softmax, and queries those of the model.
// RUN: gnn-opt --gnn-to-llvm="precision=bf16" --dump-pass-pipeline %s 2>&1 >%t \
// RUN:   | FileCheck %s --check-prefix=ROUNDED \
// RUN:     --implicit-check-not=gnn-bound-dot-products
// ROUNDED: attention-base-two=false
// ROUNDED: gnn-round-products

module {}
