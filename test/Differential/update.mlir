// RUN: %differential %s random one-node empty large

// A node's own state with what it received: in place, with a reduction, with
// exchanged dimensions, with f64 and integers.

#id = affine_map<(f) -> (f)>
#fk = affine_map<(f, k) -> (f)>
#kf = affine_map<(f, k) -> (k, f)>
#k = affine_map<(f, k) -> (k)>

func.func @update(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x"})
    -> (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?xi32>) {
  %m = gnn.message_aggregate [sum] %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %half = arith.constant 0.5 : f32
  %y0 = gnn.update node(%x, %m : tensor<?x6xf32>, tensor<?x6xf32>)
      uniform(%half : f32)
      {indexing_maps = [#id, #id, affine_map<(f) -> ()>, #id],
       iterator_types = ["parallel"]} : tensor<?x6xf32> {
  ^bb0(%a: f32, %b: f32, %e: f32):
    %0 = arith.mulf %a, %e : f32
    %1 = arith.addf %0, %b : f32
    %2 = math.tanh %1 : f32
    gnn.yield %2 : f32
  }
  %w = arith.constant dense<[[ 0.5, -1.0, 0.25, 1.0, 0.0, 2.0],
                             [ 1.5,  0.5, 0.75, 0.0, 1.0, 0.5],
                             [-0.5,  1.0, 1.25, 2.0, 0.5, 1.0],
                             [ 2.5, -2.0, 0.25, 1.0, 0.0, 0.0],
                             [ 0.5,  1.0, 1.75, 0.5, 1.0, 2.0],
                             [ 3.5, -1.0, 0.25, 1.0, 0.5, 0.5]]>
    : tensor<6x6xf32>
  // A linear layer.
  %y1 = gnn.update node(%x : tensor<?x6xf32>) uniform(%w : tensor<6x6xf32>)
      {indexing_maps = [#k, #kf, #fk],
       iterator_types = ["parallel", "reduction"]} : tensor<?x6xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    gnn.yield %1 : f32
  }
  // What the region does with the accumulator is no sum.
  %y2 = gnn.update node(%x : tensor<?x6xf32>) uniform(%w : tensor<6x6xf32>)
      {indexing_maps = [#k, #kf, #fk],
       iterator_types = ["parallel", "reduction"]} : tensor<?x6xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %h = arith.constant 0.5 : f32
    %1 = arith.mulf %sum, %h : f32
    %2 = arith.subf %0, %1 : f32
    gnn.yield %2 : f32
  }
  %degree = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?xi32>
  %y3 = gnn.update node(%degree : tensor<?xi32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : tensor<?xi32> {
  ^bb0(%a: i32):
    %three = arith.constant 3 : i32
    %0 = arith.muli %a, %three : i32
    gnn.yield %0 : i32
  }
  return %y0, %y1, %y2, %y3
    : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?xi32>
}
