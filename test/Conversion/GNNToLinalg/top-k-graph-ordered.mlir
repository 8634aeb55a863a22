// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-linalg="top-k-lanes=16 attention-column-tile=32" %s | FileCheck %s

#d = affine_map<(d) -> (d)>
#none = affine_map<(d) -> ()>

// Nodes are taken in the order given. Of each tile of sources the smallest and
// largest coordinates are known, of which the square of the distance is made that
// no source is nearer than; a tile is left out where that is too far for all
// destinations. Tiles are half as large, and the number of a source decides between
// equal scores.
// CHECK-LABEL: func @nearest
// CHECK-SAME: %[[X:[^ ]*]]: tensor<?x3xf32>, %[[ORDER:.*]]: tensor<?xi32>)
// CHECK: linalg.generic {{.*}} ins(%[[ORDER]] : tensor<?xi32>)
// CHECK: tensor.extract %[[X]]
// CHECK: %[[BOXES:.*]]:2 = scf.forall
// CHECK: arith.minimumf
// CHECK: arith.maximumf
// CHECK: scf.forall {{.*}} step (8)
// CHECK: scf.for %[[NUMBER:.*]] = %{{.*}} to %{{.*}} step %c1 iter_args({{.*}}) -> (tensor<4x8xf32>, tensor<4x8xi32>)
// CHECK: %[[LOW:.*]] = tensor.extract_slice %[[BOXES]]#0[%[[TILE:.*]], 0] [1, 3] [1, 1]
// CHECK: %[[HIGH:.*]] = tensor.extract_slice %[[BOXES]]#1[%[[TILE]], 0] [1, 3] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[LOW]], %[[HIGH]] : tensor<3x8xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[L:.*]]: f32, %[[H:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-DAG: %[[LEAST:.*]] = arith.subf %[[L]], %[[A]]
// CHECK-DAG: %[[MOST:.*]] = arith.subf %[[H]], %[[A]]
// CHECK: %[[BACK:.*]] = arith.negf %[[MOST]]
// CHECK: %[[NEAREST:.*]] = arith.maximumf %[[LEAST]], %[[BACK]]
// CHECK: %[[DISTANCE:.*]] = arith.maximumf %[[NEAREST]], %{{.*}}
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[DISTANCE]], %[[DISTANCE]]
// CHECK: arith.subf %[[SUM]], %[[SQUARE]]
// CHECK: arith.cmpf uge
// CHECK: arith.cmpf une
// CHECK: scf.if
// CHECK: scf.for
// CHECK: %[[SOURCE:.*]] = tensor.extract %[[ORDER]]
// CHECK: arith.cmpi slt, %[[SOURCE]]
func.func @nearest(%g: !gnn.graph<complete>, %x: tensor<?x3xf32>,
                   %order: tensor<?xi32>) -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g dst(%x : tensor<?x3xf32>) src(%x : tensor<?x3xf32>)
      order(%order : tensor<?xi32>)
      {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.subf %b, %a : f32
    %1 = arith.mulf %0, %0 : f32
    %s = arith.subf %sum, %1 : f32
    gnn.yield %s : f32
  }
  return %h : !gnn.graph<csr>
}

// Scores below a limit are none: neither are tiles all of whose scores are.
// CHECK-LABEL: func @within
// CHECK: %[[REDUCED:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<3x8xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[REDUCED]] : tensor<8xf32>)
// CHECK-NEXT: ^bb0(%[[BOUND:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[FARTHER:.*]] = arith.subf %{{.*}}, %[[BOUND]]
// CHECK: %[[ALL:.*]] = arith.cmpf ogt, %[[FARTHER]]
// CHECK: arith.select %[[ALL]], %{{.*}}, %[[BOUND]]
func.func @within(%g: !gnn.graph<complete>, %x: tensor<?x3xf32>,
                  %order: tensor<?xi32>) -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g dst(%x : tensor<?x3xf32>) src(%x : tensor<?x3xf32>)
      order(%order : tensor<?xi32>)
      {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.subf %b, %a : f32
    %1 = arith.mulf %0, %0 : f32
    %s = arith.subf %sum, %1 : f32
    %r = gnn.reduced %s : f32
    %lowest = arith.constant -4.0 : f32
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0xFF800000 : f32
    %less = arith.subf %lowest, %r : f32
    %far = arith.cmpf ogt, %less, %zero : f32
    %t = arith.select %far, %none, %r : f32
    gnn.yield %t : f32
  }
  return %h : !gnn.graph<csr>
}
