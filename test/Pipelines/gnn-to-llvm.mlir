// RUN: gnn-opt --gnn-to-llvm %s | FileCheck %s
// RUN: gnn-opt --gnn-to-llvm=parallelize=false %s \
// RUN:   | FileCheck %s --check-prefix=SERIAL
// RUN: gnn-opt --gnn-to-llvm=vectorize=false %s \
// RUN:   | FileCheck %s --check-prefix=SCALAR
// RUN: gnn-opt --gnn-to-llvm=vector-width=8 %s \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: gnn-opt --gnn-to-llvm="vector-width=8 vector-registers=16" %s \
// RUN:   | FileCheck %s --check-prefix=FEW

// The stages are the pipeline.
// RUN: gnn-opt --gnn-to-llvm %s -o %t.whole
// RUN: gnn-opt --gnn-stage-optimize --gnn-stage-lower --gnn-stage-vectorize \
// RUN:   --gnn-stage-bufferize --gnn-stage-to-llvm-dialect %s -o %t.stages
// RUN: cmp %t.whole %t.stages

// Vector code and threads, and nothing but the LLVM and OpenMP dialects.
// CHECK-LABEL: llvm.func @gcn
// CHECK-NOT: {{(arith|cf|gnn|linalg|math|memref|scf|tensor|vector)\.}}
// CHECK: omp.parallel
// CHECK: llvm.call @omp_get_num_threads
// CHECK: llvm.intr.fmuladd{{.*}}vector<16xf32>
// CHECK-NOT: {{(arith|cf|gnn|linalg|math|memref|scf|tensor|vector)\.}}
// CHECK: llvm.return

// SERIAL-NOT: omp.
// SERIAL: llvm.func @gcn
// SERIAL-NOT: omp.
// SERIAL: llvm.return

// SCALAR-NOT: vector<
// SCALAR: llvm.func @gcn
// SCALAR-NOT: vector<
// SCALAR: omp.parallel
// SCALAR-NOT: vector<
// SCALAR: llvm.return

// 24 accumulators in 32 registers, 12 in 16.
// NARROW-LABEL: llvm.func @gcn
// NARROW-COUNT-24: llvm.intr.fmuladd({{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>)
// NARROW-NOT: llvm.intr.fmuladd
// NARROW: llvm.br
// FEW-LABEL: llvm.func @gcn
// FEW-COUNT-12: llvm.intr.fmuladd({{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>)
// FEW-NOT: llvm.intr.fmuladd
// FEW: llvm.br

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// A GCN layer as the frontend writes it, with its weights as an argument.
func.func @gcn(%g: !gnn.graph<csr>, %x: tensor<?x16xf32>,
               %weight: tensor<16x24xf32>, %norm: tensor<?xf32>)
    -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %empty = tensor.empty(%n) : tensor<?x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x24xf32>)
    -> tensor<?x24xf32>
  %h = linalg.matmul ins(%x, %weight : tensor<?x16xf32>, tensor<16x24xf32>)
    outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32>
  %m = gnn.message %g dst(%norm : tensor<?xf32>)
      src(%h, %norm : tensor<?x24xf32>, tensor<?xf32>)
      {indexing_maps = [#none, #id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<24xf32> {
  ^bb0(%d: f32, %a: f32, %s: f32):
    %0 = arith.mulf %a, %s : f32
    %1 = arith.mulf %0, %d : f32
    gnn.yield %1 : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<24xf32> -> tensor<?x24xf32>
  return %y : tensor<?x24xf32>
}
