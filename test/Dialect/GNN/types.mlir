// RUN: gnn-opt %s | gnn-opt | FileCheck %s
// RUN: gnn-opt %s --emit-bytecode | gnn-opt | FileCheck %s

// Every topology, every property, and the order in which they are printed.

// CHECK-LABEL: func.func private @topologies(
// CHECK-SAME: !gnn.graph<csr>, !gnn.graph<coo>, !gnn.graph<complete>,
// CHECK-SAME: !gnn.graph<causal>, !gnn.graph<window<3>>,
// CHECK-SAME: !gnn.graph<block_diagonal>)
func.func private @topologies(
  !gnn.graph<csr>, !gnn.graph<coo>, !gnn.graph<complete>,
  !gnn.graph<causal>, !gnn.graph<window<3>>, !gnn.graph<block_diagonal>)

// CHECK-LABEL: func.func private @properties(
// CHECK-SAME: !gnn.graph<csr, bipartite, sorted>,
// CHECK-SAME: !gnn.graph<csr, symmetric, self_loops, sorted, i64>,
// CHECK-SAME: !gnn.graph<coo>, !gnn.graph<window<0>, self_loops>)
func.func private @properties(
  !gnn.graph<csr, sorted, bipartite>,
  !gnn.graph<csr, i64, sorted, self_loops, symmetric>,
  !gnn.graph<coo, i32>, !gnn.graph<window<0>, self_loops>)

// CHECK-LABEL: func.func private @edges(
// CHECK-SAME: !gnn.edges<f32>, !gnn.edges<8x64xbf16>, !gnn.edges<0xi1>,
// CHECK-SAME: !gnn.edges<3xi32>)
func.func private @edges(
  !gnn.edges<f32>, !gnn.edges<8x64xbf16>, !gnn.edges<0xi1>, !gnn.edges<3xi32>)
