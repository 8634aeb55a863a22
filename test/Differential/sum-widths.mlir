// Rows of any size: parts of registers that share elements, rows shorter than a
// register, and rows of several.

// DEFINE: %{features} =
// DEFINE: %{run} = sed s/FEATURES/%{features}/g %s > %t.mlir && %differential %t.mlir random hub no-edges

// REDEFINE: %{features} = 7
// RUN: %{run}
// REDEFINE: %{features} = 31
// RUN: %{run}
// REDEFINE: %{features} = 100
// RUN: %{run}
// REDEFINE: %{features} = 150
// RUN: %{run}

#n = affine_map<(n, f) -> (n)>
#nf = affine_map<(n, f) -> (n, f)>
#f = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func @sums(%g: !gnn.graph<csr>,
                %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                     gnn.graph = 0 : i64})
    -> (tensor<?xFEATURESxf32>, tensor<?xFEATURESxf32>, tensor<?xFEATURESxf32>,
        tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %column = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xFEATURESxf32>
  %v = linalg.generic {indexing_maps = [#n, #nf],
                       iterator_types = ["parallel", "parallel"]}
      ins(%column : tensor<?xf32>) outs(%empty : tensor<?xFEATURESxf32>) {
  ^bb0(%a: f32, %out: f32):
    %feature = linalg.index 1 : index
    %0 = arith.index_cast %feature : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    %step = arith.constant 0.05 : f32
    %2 = arith.mulf %1, %step : f32
    %3 = arith.addf %2, %a : f32
    %4 = math.sin %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?xFEATURESxf32>

  %sum, %max = gnn.message_aggregate [sum, max] %g
      src(%v : tensor<?xFEATURESxf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?xFEATURESxf32>, tensor<?xFEATURESxf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %softmax = gnn.message_aggregate [softmax] %g
      src(%v : tensor<?xFEATURESxf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?xFEATURESxf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  // The sum of all features of each node.
  %zero = arith.constant 0.0 : f32
  %numbers = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%numbers : tensor<?xf32>)
    -> tensor<?xf32>
  %all = linalg.generic {indexing_maps = [#nf, #n],
                         iterator_types = ["parallel", "reduction"]}
      ins(%sum : tensor<?xFEATURESxf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %sum, %max, %softmax, %all
    : tensor<?xFEATURESxf32>, tensor<?xFEATURESxf32>, tensor<?xFEATURESxf32>,
      tensor<?xf32>
}
