// RUN: %differential %s random hub isolated

// NaN and infinities in some features of some sources. Maxima of rows look for
// NaN after their edges, in a sum (which is NaN for infinities of both signs as
// well) or in masks.

#row = affine_map<(f) -> (f)>
#column = affine_map<(i, f) -> (i)>
#element = affine_map<(i, f) -> (i, f)>

func.func @special(%g: !gnn.graph<csr>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                       gnn.axis = "destination",
                                       gnn.graph = 0 : i64})
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>,
        tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %v = tensor.extract_slice %x[0, 1] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?x32xf32>
  %t = linalg.generic {indexing_maps = [#column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<?xf32>) outs(%empty : tensor<?x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %nan = arith.constant 0x7FC00000 : f32
    %inf = arith.constant 0x7F800000 : f32
    %neg = arith.constant 0xFF800000 : f32
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %seven = arith.constant 7 : index
    %many = arith.constant 101 : index
    %i = linalg.index 0 : index
    %f = linalg.index 1 : index
    %i7 = arith.muli %i, %seven : index
    %sum = arith.addi %i7, %f : index
    %k = arith.remui %sum, %many : index
    %is1 = arith.cmpi eq, %k, %one : index
    %is2 = arith.cmpi eq, %k, %two : index
    %is3 = arith.cmpi eq, %k, %three : index
    %0 = arith.select %is1, %nan, %a : f32
    %1 = arith.select %is2, %inf, %0 : f32
    %2 = arith.select %is3, %neg, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x32xf32>
  %max = gnn.message_aggregate [max] %g src(%t : tensor<?x32xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x32xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %both:2 = gnn.message_aggregate [max, min] %g src(%t : tensor<?x32xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x32xf32>, tensor<?x32xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %all:3 = gnn.message_aggregate [sum, max, min] %g src(%t : tensor<?x32xf32>)
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      : !gnn.graph<csr>
        -> tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %max, %both#0, %both#1, %all#0, %all#1, %all#2
    : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>,
      tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}
