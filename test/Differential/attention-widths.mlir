// Heads and features of them that neither fill registers nor divide them: rows
// with a rest, rows that start within a register, and rows of several registers.

// DEFINE: %{heads} =
// DEFINE: %{features} =
// DEFINE: %{run} = sed -e s/HEADS/%{heads}/g -e s/FEATURES/%{features}/g %s > %t.mlir && %differential %t.mlir random hub no-edges

// REDEFINE: %{heads} = 1
// REDEFINE: %{features} = 100
// RUN: %{run}
// REDEFINE: %{heads} = 1
// REDEFINE: %{features} = 31
// RUN: %{run}
// REDEFINE: %{heads} = 2
// REDEFINE: %{features} = 150
// RUN: %{run}
// REDEFINE: %{heads} = 3
// REDEFINE: %{features} = 20
// RUN: %{run}
// REDEFINE: %{heads} = 6
// REDEFINE: %{features} = 4
// RUN: %{run}
// REDEFINE: %{heads} = 8
// REDEFINE: %{features} = 10
// RUN: %{run}
// REDEFINE: %{heads} = 5
// REDEFINE: %{features} = 13
// RUN: %{run}
// REDEFINE: %{heads} = 12
// REDEFINE: %{features} = 5
// RUN: %{run}
// REDEFINE: %{heads} = 17
// REDEFINE: %{features} = 3
// RUN: %{run}

#n = affine_map<(n, h, f) -> (n)>
#nhf = affine_map<(n, h, f) -> (n, h, f)>
#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

func.func @attention(%g: !gnn.graph<csr>,
                     %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                          gnn.graph = 0 : i64})
    -> (tensor<?xHEADSxFEATURESxf32>, tensor<?xHEADSxFEATURESxf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %column = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xHEADSxFEATURESxf32>
  %v = linalg.generic {indexing_maps = [#n, #nhf],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%column : tensor<?xf32>)
      outs(%empty : tensor<?xHEADSxFEATURESxf32>) {
  ^bb0(%a: f32, %out: f32):
    %head = linalg.index 1 : index
    %feature = linalg.index 2 : index
    %width = arith.constant FEATURES : index
    %0 = arith.muli %head, %width : index
    %1 = arith.addi %0, %feature : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %step = arith.constant 0.05 : f32
    %4 = arith.mulf %3, %step : f32
    %5 = arith.addf %4, %a : f32
    %6 = math.sin %5 : f32
    // Scores stay small, so that weights of many edges count.
    %small = arith.constant 0.2 : f32
    %7 = arith.mulf %6, %small : f32
    linalg.yield %7 : f32
  } -> tensor<?xHEADSxFEATURESxf32>

  // Dot products.
  %dot = gnn.attention %g
    score dst(%v : tensor<?xHEADSxFEATURESxf32>)
        src(%v : tensor<?xHEADSxFEATURESxf32>) {
    ^bb0(%i: f32, %j: f32, %acc: f32):
      %p = arith.mulf %i, %j : f32
      %s = arith.addf %acc, %p : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?xHEADSxFEATURESxf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?xHEADSxFEATURESxf32>

  // As in GATv2, with slopes of what has both ends.
  %additive = gnn.attention %g
    score dst(%v : tensor<?xHEADSxFEATURESxf32>)
        src(%dot : tensor<?xHEADSxFEATURESxf32>) {
    ^bb0(%i: f32, %j: f32, %acc: f32):
      %slope = arith.constant 0.2 : f32
      %0 = arith.addf %i, %j : f32
      %1 = arith.mulf %0, %slope : f32
      %2 = arith.maximumf %0, %1 : f32
      %3 = arith.mulf %2, %i : f32
      %s = arith.addf %acc, %3 : f32
      gnn.yield %s : f32
    }
    value src(%dot : tensor<?xHEADSxFEATURESxf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?xHEADSxFEATURESxf32>
  return %dot, %additive
    : tensor<?xHEADSxFEATURESxf32>, tensor<?xHEADSxFEATURESxf32>
}
