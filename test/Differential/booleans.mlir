// RUN: %differential %s karate isolated no-edges empty --emulate

// Booleans for each feature: of nodes, made by one op and read by others, behind a
// product and elsewhere, and of all nodes.

#nf = affine_map<(n, f) -> (n, f)>
#f = affine_map<(f) -> (f)>

func.func @masks(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                        gnn.graph = 0 : i64})
    -> (tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>) {
  %w = arith.constant dense<
    [[0.5, 1.0, -0.5, -2.0, 0.75, 0.25, 1.5, -1.0, 2.0, -0.25, -1.5, 0.125, 1.25],
     [-1.0, 0.5, 0.25, 1.5, -0.75, 2.0, -0.5, 1.0, -0.125, 0.5, 0.25, -1.5, 0.375],
     [0.25, -0.5, 1.0, 0.5, 1.5, -0.25, 0.75, -0.5, 0.5, 1.0, -1.0, 0.25, -0.75],
     [1.5, 0.25, -1.0, 0.75, 0.5, -0.5, -0.25, 0.125, -1.0, -0.75, 0.5, 1.0, 0.25],
     [-0.25, -1.5, 0.5, 1.0, -0.5, 0.75, 0.25, 0.5, 0.25, -0.5, 0.75, -0.125, 1.0],
     [0.75, 0.5, -0.25, -0.75, 0.25, 1.0, -1.5, 0.5, 0.75, 0.25, -0.5, 0.5, -1.0]]>
    : tensor<6x13xf32>
  %half = arith.constant dense<[true, false, false, true, true, false, true, false,
                                false, true, false, true, true]> : tensor<13xi1>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %empty = tensor.empty(%n) : tensor<?x13xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x13xf32>) -> tensor<?x13xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x6xf32>, tensor<6x13xf32>)
    outs(%init : tensor<?x13xf32>) -> tensor<?x13xf32>
  %masks = tensor.empty(%n) : tensor<?x13xi1>
  %mask = linalg.generic {indexing_maps = [#nf, #nf], iterator_types = ["parallel", "parallel"]}
    ins(%h : tensor<?x13xf32>) outs(%masks : tensor<?x13xi1>) {
  ^bb0(%a: f32, %o: i1):
    %m = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %m : i1
  } -> tensor<?x13xi1>
  // Behind a product.
  %p = linalg.matmul ins(%x, %w : tensor<?x6xf32>, tensor<6x13xf32>)
    outs(%init : tensor<?x13xf32>) -> tensor<?x13xf32>
  %chosen = linalg.generic {indexing_maps = [#nf, #nf, #nf],
                            iterator_types = ["parallel", "parallel"]}
    ins(%p, %mask : tensor<?x13xf32>, tensor<?x13xi1>) outs(%empty : tensor<?x13xf32>) {
  ^bb0(%a: f32, %m: i1, %o: f32):
    %s = arith.select %m, %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<?x13xf32>
  // Of all nodes.
  %some = gnn.update node(%h : tensor<?x13xf32>) uniform(%half : tensor<13xi1>)
      {indexing_maps = [#f, #f, #f], iterator_types = ["parallel"]} : tensor<?x13xf32> {
  ^bb0(%a: f32, %m: i1):
    %s = arith.select %m, %a, %zero : f32
    gnn.yield %s : f32
  }
  // Of sources.
  %sum = gnn.message_aggregate [sum] %g src(%h, %mask : tensor<?x13xf32>, tensor<?x13xi1>)
      {indexing_maps = [#f, #f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x13xf32> {
  ^bb0(%a: f32, %m: i1):
    %s = arith.select %m, %a, %zero : f32
    gnn.yield %s : f32
  }
  return %chosen, %some, %sum : tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>
}
