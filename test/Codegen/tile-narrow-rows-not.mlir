// RUN: gnn-opt --gnn-tile-narrow-rows %s | FileCheck %s

// CHECK-NOT: scf.forall
// CHECK-NOT: scf.if

#n = affine_map<(n) -> (n)>
#nh = affine_map<(n, h) -> (n, h)>
#h = affine_map<(n, h) -> (h)>

// A row fills a register.
// CHECK-LABEL: func @full
func.func @full(%x: tensor<?x16xf32>, %e: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = linalg.generic {indexing_maps = [#nh, #nh],
                       iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// A row that all nodes share.
// CHECK-LABEL: func @bias
func.func @bias(%x: tensor<4xf32>, %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = linalg.generic {indexing_maps = [#h, #nh],
                       iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Nothing is computed.
// CHECK-LABEL: func @copy
func.func @copy(%x: tensor<?x4xf32>, %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = linalg.generic {indexing_maps = [#nh, #nh],
                       iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// A sum of nodes.
// CHECK-LABEL: func @sum
func.func @sum(%x: tensor<?x4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [#nh, #h],
                       iterator_types = ["reduction", "parallel"]}
    ins(%x : tensor<?x4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// What depends on the number of a node.
// CHECK-LABEL: func @number
func.func @number(%e: tensor<?xi32>) -> tensor<?xi32> {
  %y = linalg.generic {indexing_maps = [#n],
                       iterator_types = ["parallel"]} outs(%e : tensor<?xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %s = arith.index_cast %i : index to i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// Rows whose number is known have vectors already.
// CHECK-LABEL: func @known
func.func @known(%x: tensor<8x4xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = linalg.generic {indexing_maps = [#nh, #nh],
                       iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Booleans.
// CHECK-LABEL: func @bytes
func.func @bytes(%x: tensor<?xf32>, %e: tensor<?xi1>) -> tensor<?xi1> {
  %y = linalg.generic {indexing_maps = [#n, #n],
                       iterator_types = ["parallel"]}
    ins(%x : tensor<?xf32>) outs(%e : tensor<?xi1>) {
  ^bb0(%a: f32, %o: i1):
    %s = arith.cmpf ogt, %a, %a : f32
    linalg.yield %s : i1
  } -> tensor<?xi1>
  return %y : tensor<?xi1>
}
