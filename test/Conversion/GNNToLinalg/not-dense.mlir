// RUN: gnn-opt --convert-gnn-to-linalg --split-input-file %s | FileCheck %s

// Listed and block-diagonal graphs have rows; they are left to
// convert-gnn-to-scf.
// CHECK-LABEL: func @csr
// CHECK: gnn.message %
// CHECK: gnn.edge_softmax
// CHECK: gnn.aggregate
// CHECK-NOT: linalg
func.func @csr(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %w = gnn.edge_softmax %g, %m : !gnn.graph<csr>, !gnn.edges<4xf32>
  %y = gnn.aggregate [sum] %g, %w
    : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func @block_diagonal
// CHECK: gnn.message_aggregate
func.func @block_diagonal(%g: !gnn.graph<block_diagonal>, %x: tensor<?x4xf32>)
    -> tensor<?x4xf32> {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal> -> tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x4xf32>
}

// -----

// A message that reduces features, or gives no number of sources, needs a row
// loop.
// CHECK-LABEL: func @reduction
// CHECK-COUNT-2: gnn.message_aggregate
func.func @reduction(%g: !gnn.graph<complete>, %x: tensor<?x4xf32>)
    -> (tensor<?xf32>, tensor<?x4xf32>) {
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
       iterator_types = ["reduction"]}
      : !gnn.graph<complete> -> tensor<?xf32> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %a, %sum : f32
    gnn.yield %s : f32
  }
  %z = gnn.message_aggregate [sum] %g dst(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<complete> -> tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y, %z : tensor<?xf32>, tensor<?x4xf32>
}
