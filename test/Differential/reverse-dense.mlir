// RUN: %differential %s square --emulate --topologies csr complete "window<3>" block_diagonal

// Values carried to the reverse, whose edges differ in both directions, and
// carried back.

#id = affine_map<(f) -> (f)>

func.func @reverse(%g: !gnn.graph<TOPOLOGY>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                       gnn.axis = "destination",
                                       gnn.graph = 0 : i64})
    -> (tensor<?x6xf32>, tensor<?xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %first = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %m = gnn.message %g dst(%x : tensor<?x6xf32>) src(%first : tensor<?xf32>)
      {indexing_maps = [#id, affine_map<(f) -> ()>, #id],
       iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %a : f32
    gnn.yield %1 : f32
  }
  %one = gnn.message %g dst(%first : tensor<?xf32>) {
       indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<TOPOLOGY> -> !gnn.edges<f32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %r, %rm, %r1 = gnn.reverse %g edges(%m, %one : !gnn.edges<6xf32>,
                                      !gnn.edges<f32>)
    : !gnn.graph<TOPOLOGY>
    -> !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32>, !gnn.edges<f32>
  // Weighted by the node at the other end, so that the place of each counts.
  %y = gnn.message_aggregate [sum] %r src(%x : tensor<?x6xf32>)
      edge(%rm : !gnn.edges<6xf32>) {indexing_maps = [#id, #id, #id],
       iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> tensor<?x6xf32> {
  ^bb0(%s: f32, %e: f32):
    %0 = arith.mulf %s, %e : f32
    gnn.yield %0 : f32
  }
  %z = gnn.aggregate [max] %r, %r1
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32> -> tensor<?xf32>
  %b, %bm = gnn.reverse %r edges(%rm : !gnn.edges<6xf32>)
    : !gnn.graph<TOPOLOGY> -> !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32>
  %u = gnn.aggregate [sum] %b, %bm
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  return %y, %z, %u : tensor<?x6xf32>, tensor<?xf32>, tensor<?x6xf32>
}
