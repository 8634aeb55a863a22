// Neighbours that are found in another order of the nodes, of which tiles that are far
// away are left out, are the same ones.

// RUN: sed s/TOPOLOGY/complete/ %S/top-k-graph.mlir > %t.complete.mlir
// RUN: gnn-opt %t.complete.mlir -o %t.complete-ordered.mlir \
// RUN:   --gnn-order-points="min-nodes=1 max-channels=6"
// RUN: FileCheck %s < %t.complete-ordered.mlir
// RUN: %differential %t.complete-ordered.mlir isolated one-node empty large \
// RUN:   --oracle %t.complete.mlir

// RUN: sed s/TOPOLOGY/block_diagonal/ %S/top-k-graph.mlir > %t.blocks.mlir
// RUN: gnn-opt %t.blocks.mlir -o %t.blocks-ordered.mlir \
// RUN:   --gnn-order-points="min-nodes=1 max-channels=6"
// RUN: FileCheck %s < %t.blocks-ordered.mlir
// RUN: %differential %t.blocks-ordered.mlir isolated one-node empty large \
// RUN:   --oracle %t.blocks.mlir

// CHECK: gnn.top_k_graph {{.*}} order(
