// Rows side by side, of widths that vectors divide and do not, down to single numbers:
// some of which nobody else reads, and some that others gather.

// DEFINE: %{width} =
// DEFINE: %{three} =
// DEFINE: %{run} = sed -e s/WIDTH/%{width}/g -e s/THREE/%{three}/g %s > %t.mlir && %differential %t.mlir random hub no-edges --emulate

// REDEFINE: %{width} = 1
// REDEFINE: %{three} = 3
// RUN: %{run}
// REDEFINE: %{width} = 2
// REDEFINE: %{three} = 6
// RUN: %{run}
// REDEFINE: %{width} = 5
// REDEFINE: %{three} = 15
// RUN: %{run}
// REDEFINE: %{width} = 16
// REDEFINE: %{three} = 48
// RUN: %{run}
// REDEFINE: %{width} = 40
// REDEFINE: %{three} = 120
// RUN: %{run}

#n = affine_map<(n, f) -> (n)>
#nf = affine_map<(n, f) -> (n, f)>
#f = affine_map<(f) -> (f)>

func.func @rows(%g: !gnn.graph<csr>,
                %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                     gnn.graph = 0 : i64})
    -> (tensor<?xTHREExf32>, tensor<?xTHREExf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %column = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xWIDTHxf32>
  %p = linalg.generic {indexing_maps = [#n, #nf],
                       iterator_types = ["parallel", "parallel"]}
      ins(%column : tensor<?xf32>) outs(%empty : tensor<?xWIDTHxf32>) {
  ^bb0(%a: f32, %out: f32):
    %feature = linalg.index 1 : index
    %0 = arith.index_cast %feature : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    %cst = arith.constant 0.25 : f32
    %2 = arith.mulf %1, %cst : f32
    %3 = arith.addf %2, %a : f32
    linalg.yield %3 : f32
  } -> tensor<?xWIDTHxf32>
  %sum, %max = gnn.message_aggregate [sum, max] %g src(%p : tensor<?xWIDTHxf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?xWIDTHxf32>, tensor<?xWIDTHxf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %own = gnn.update node(%p : tensor<?xWIDTHxf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]} : tensor<?xWIDTHxf32> {
  ^bb0(%a: f32):
    %0 = math.tanh %a : f32
    gnn.yield %0 : f32
  }
  %y = tensor.concat dim(1) %sum, %max, %own
    : (tensor<?xWIDTHxf32>, tensor<?xWIDTHxf32>, tensor<?xWIDTHxf32>) -> tensor<?xTHREExf32>

  %second = gnn.message_aggregate [mean] %g src(%own : tensor<?xWIDTHxf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?xWIDTHxf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %z = tensor.concat dim(1) %p, %second, %p
    : (tensor<?xWIDTHxf32>, tensor<?xWIDTHxf32>, tensor<?xWIDTHxf32>) -> tensor<?xTHREExf32>
  return %y, %z : tensor<?xTHREExf32>, tensor<?xTHREExf32>
}
