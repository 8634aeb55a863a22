// RUN: %differential %s random hub no-edges one-node empty large

// Linear layers around aggregations: some move to the other side of it, and
// their kernels meet widths that fill no vector and no tile.

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func private @weights(%scale: f32) -> tensor<6x50xf32> {
  %empty = tensor.empty() : tensor<6x50xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<6x50xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seven = arith.constant 7 : index
    %0 = arith.muli %i, %seven : index
    %1 = arith.addi %0, %j : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %scale : f32
    %5 = math.sin %4 : f32
    linalg.yield %5 : f32
  } -> tensor<6x50xf32>
  return %w : tensor<6x50xf32>
}

func.func @linear(%g: !gnn.graph<csr>,
                  %x: tensor<?x6xf32> {gnn.name = "x",
                                       gnn.axis = "destination",
                                       gnn.graph = 0 : i64},
                  %edge_weight: tensor<?xf32> {gnn.name = "edge_weight"})
    -> (tensor<?x50xf32>, tensor<?x3xf32>, tensor<?x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %s = arith.constant 0.37 : f32
  %w = func.call @weights(%s) : (f32) -> tensor<6x50xf32>
  %e = gnn.edges_from_tensor %g, %edge_weight
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>

  // Widening: aggregated first.
  %empty0 = tensor.empty(%n) : tensor<?x50xf32>
  %init0 = linalg.fill ins(%zero : f32) outs(%empty0 : tensor<?x50xf32>)
    -> tensor<?x50xf32>
  %h0 = linalg.matmul ins(%x, %w : tensor<?x6xf32>, tensor<6x50xf32>)
    outs(%init0 : tensor<?x50xf32>) -> tensor<?x50xf32>
  %m0 = gnn.message %g src(%h0 : tensor<?x50xf32>) edge(%e : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<50xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %y0 = gnn.aggregate [sum] %g, %m0
    : !gnn.graph<csr>, !gnn.edges<50xf32> -> tensor<?x50xf32>

  // Narrowing: aggregated last.
  %m1 = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %a1 = gnn.aggregate [mean] %g, %m1
    : !gnn.graph<csr>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %w1 = tensor.extract_slice %w[0, 4] [6, 3] [1, 1]
    : tensor<6x50xf32> to tensor<6x3xf32>
  %empty1 = tensor.empty(%n) : tensor<?x3xf32>
  %init1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<?x3xf32>)
    -> tensor<?x3xf32>
  %y1 = linalg.matmul ins(%a1, %w1 : tensor<?x6xf32>, tensor<6x3xf32>)
    outs(%init1 : tensor<?x3xf32>) -> tensor<?x3xf32>

  // One column, added to what is there.
  %w2 = tensor.extract_slice %w[0, 20] [6, 1] [1, 1]
    : tensor<6x50xf32> to tensor<6x1xf32>
  %init2 = tensor.extract_slice %y0[0, 7] [%n, 1] [1, 1]
    : tensor<?x50xf32> to tensor<?x1xf32>
  %y2 = linalg.matmul ins(%x, %w2 : tensor<?x6xf32>, tensor<6x1xf32>)
    outs(%init2 : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y0, %y1, %y2 : tensor<?x50xf32>, tensor<?x3xf32>, tensor<?x1xf32>
}
