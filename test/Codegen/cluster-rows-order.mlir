// What is computed once for a graph, by the interpreter: the order of its rows.
// Rows have 8 bytes, and three of them fit into the cache.

// RUN: gnn-opt %s --gnn-cluster-rows='min-row-bytes=8 cache-bytes=24 min-row-edges=1' \
// RUN:   --gnn-split-preparation -o %t.prepared.mlir
// RUN: sed "/^}/d" %t.prepared.mlir > %t.mlir
// RUN: cat %S/Inputs/cluster-rows-graphs.mlir >> %t.mlir
// RUN: echo '}' >> %t.mlir
// RUN: gnn-interpret --entry=even_and_odd %t.mlir | FileCheck %s
// RUN: gnn-interpret --entry=ring %t.mlir | FileCheck %s --check-prefix=RING
// RUN: gnn-interpret --entry=no_communities %t.mlir \
// RUN:   | FileCheck %s --check-prefix=SAME
// RUN: gnn-interpret --entry=no_edges %t.mlir | FileCheck %s --check-prefix=NONE

// Nodes that keep their own labels are in no community.
// RUN: gnn-opt %s --gnn-cluster-rows='min-row-bytes=8 cache-bytes=24 min-row-edges=1 sweeps=0' \
// RUN:   --gnn-split-preparation -o %t.prepared-alone.mlir
// RUN: sed "/^}/d" %t.prepared-alone.mlir > %t.alone.mlir
// RUN: cat %S/Inputs/cluster-rows-graphs.mlir >> %t.alone.mlir
// RUN: echo '}' >> %t.alone.mlir
// RUN: gnn-interpret --entry=even_and_odd %t.alone.mlir \
// RUN:   | FileCheck %s --check-prefix=ALONE
// ALONE: result 2: tensor<8xi32> = [0, 1, 2, 3, 4, 5, 6, 7]
// ALONE: result 3: index = 16

// Results are the number of nodes, how many edges read from far away as rows
// are and sorted, the sorted rows, and what loops read.

// Of 24 edges 16 read again what was read more than three edges ago: one
// community after the other only 4 do.
// CHECK: result 0: index = 8
// CHECK: result 1: index = 16
// CHECK: result 2: tensor<8xi32> = [0, 2, 4, 6, 1, 3, 5, 7]
// CHECK: result 3: index = 4
// CHECK: result 4: tensor<24xi32> = [2, 4, 6, 0, 4, 6, 0, 2, 6, 0, 2, 4, 3, 5, 7, 1, 5, 7, 1, 3, 7, 1, 3, 5]
// CHECK: result 5: tensor<9xi32> = [0, 3, 6, 9, 12, 15, 18, 21, 24]

// Nothing is far away: rows are not sorted, and nothing is copied.
// RING: result 0: index = 5
// RING: result 1: index = 0
// RING: result 2: tensor<0xi32> = []
// RING: result 4: tensor<0xi32> = []

// There is another order, which is no better: nothing is copied.
// SAME: result 1: index = 5
// SAME: result 2: tensor<6xi32> = [3, 1, 2, 4, 5, 0]
// SAME: result 3: index = 5
// SAME: result 4: tensor<0xi32> = []
// SAME: result 5: tensor<1xi32> = [0]

// Without edges nothing is looked at.
// NONE: result 0: index = 0
// NONE: result 2: tensor<0xi32> = []

module {
  func.func @sum(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
                 %columns: tensor<?xi32> {gnn.fixed = "graph"},
                 %x: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %size = tensor.dim %pointer, %c0 : tensor<?xi32>
    %n = arith.subi %size, %c1 : index
    %empty = tensor.empty(%n) : tensor<?x2xf32>
    %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?x2xf32>) {
      %first = tensor.extract %pointer[%i] : tensor<?xi32>
      %begin = arith.index_cast %first : i32 to index
      %next = arith.addi %i, %c1 : index
      %last = tensor.extract %pointer[%next] : tensor<?xi32>
      %end = arith.index_cast %last : i32 to index
      %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<2xf32>) {
        %column = tensor.extract %columns[%e] : tensor<?xi32>
        %j = arith.index_cast %column : i32 to index
        %row = tensor.extract_slice %x[%j, 0] [1, 2] [1, 1] : tensor<?x2xf32> to tensor<2xf32>
        %s = arith.addf %acc, %row : tensor<2xf32>
        scf.yield %s : tensor<2xf32>
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<?x2xf32>
      }
    }
    return %y : tensor<?x2xf32>
  }
}
