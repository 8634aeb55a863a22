// RUN: %differential %s random hub one-node --emulate

// A product of two features of each edge and weights of two heads: what is summed
// up is last in the rows of edges and first in the weights.

#edge = affine_map<(h, f, k) -> (k)>
#weight = affine_map<(h, f, k) -> (k, h, f)>
#result = affine_map<(h, f, k) -> (h, f)>

func.func @projected(%g: !gnn.graph<csr>,
                     %x: tensor<?x6xf32> {gnn.name = "x",
                                         gnn.axis = "destination",
                                         gnn.graph = 0 : i64})
    -> tensor<?x2x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %v = tensor.extract_slice %x[0, 0] [%n, 2] [1, 1]
    : tensor<?x6xf32> to tensor<?x2xf32>
  %w = tensor.generate {
  ^bb0(%k: index, %h: index, %f: index):
    %c16 = arith.constant 16 : index
    %c8 = arith.constant 8 : index
    %0 = arith.muli %k, %c16 : index
    %1 = arith.muli %h, %c8 : index
    %2 = arith.addi %0, %1 : index
    %3 = arith.addi %2, %f : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.sitofp %4 : i32 to f32
    %6 = math.sin %5 : f32
    tensor.yield %6 : f32
  } : tensor<2x2x8xf32>
  %e = gnn.message %g dst(%v : tensor<?x2xf32>) src(%v : tensor<?x2xf32>)
      {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>,
                        affine_map<(k) -> (k)>],
       iterator_types = ["parallel"]} : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    gnn.yield %d : f32
  }
  %t = gnn.edges_to_tensor %g, %e
    : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  %stored = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  %m = gnn.message %g edge(%stored : !gnn.edges<2xf32>)
      uniform(%w : tensor<2x2x8xf32>)
      {indexing_maps = [#edge, #weight, #result],
       iterator_types = ["parallel", "parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2x8xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2x8xf32> -> tensor<?x2x8xf32>
  return %y : tensor<?x2x8xf32>
}
