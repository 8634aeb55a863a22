// RUN: gnn-opt %s --gnn-fuse-epilogues --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-fuse-epilogues=only-products --split-input-file \
// RUN:   | FileCheck %s --check-prefix=PRODUCTS

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// A bias, then an activation: both overwrite the tile.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[BIAS:.*]]: tensor<8xf32>
// CHECK: %[[RESULT:.*]] = scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[X]]
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0] [1, 8] [1, 1]
// CHECK: %[[TILE:.*]] = linalg.exp ins(%[[ROW]] : {{.*}}) outs(%[[PLACE]] : {{.*}})
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[BIAS]] : tensor<8xf32>) outs(%[[TILE]] : tensor<1x8xf32>)
// CHECK: arith.addf
// CHECK: %[[DONE:.*]] = linalg.generic {{.*}} outs(%[[SUM]] : tensor<1x8xf32>)
// CHECK: arith.maximumf
// CHECK: tensor.parallel_insert_slice %[[DONE]] into %[[OUT]][%[[I]], 0] [1, 8] [1, 1]
// CHECK-NOT: linalg.generic
// CHECK: return %[[RESULT]]

// Where there is no product, nothing is fused if there must be one.
// PRODUCTS-LABEL: func.func @rows(
// PRODUCTS: scf.forall.in_parallel
// PRODUCTS: linalg.generic
func.func @rows(%x: tensor<?x8xf32>, %bias: tensor<8xf32>, %n: index)
    -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x8xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%o = %empty) -> tensor<?x8xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1]
      : tensor<?x8xf32> to tensor<1x8xf32>
    %place = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1]
      : tensor<?x8xf32> to tensor<1x8xf32>
    %r = linalg.exp ins(%row : tensor<1x8xf32>) outs(%place : tensor<1x8xf32>)
      -> tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i, 0] [1, 8] [1, 1]
        : tensor<1x8xf32> into tensor<?x8xf32>
    }
  }
  %z = linalg.generic {indexing_maps = [#id, #column, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y, %bias : tensor<?x8xf32>, tensor<8xf32>)
      outs(%empty : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<?x8xf32>) outs(%empty : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.maximumf %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %w : tensor<?x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>

// What is used twice, transposed, or added to something stays.
// CHECK-LABEL: func.func @left_alone(
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: scf.forall
// CHECK: return
func.func @left_alone(%x: tensor<8x8xf32>, %init: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %a = scf.forall (%i) in (8) shared_outs(%o = %empty) -> tensor<8x8xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1]
      : tensor<8x8xf32> to tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 8] [1, 1]
        : tensor<1x8xf32> into tensor<8x8xf32>
    }
  }
  %b = scf.forall (%i) in (8) shared_outs(%o = %empty) -> tensor<8x8xf32> {
    %row = tensor.extract_slice %x[0, %i] [8, 1] [1, 1]
      : tensor<8x8xf32> to tensor<8x1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[0, %i] [8, 1] [1, 1]
        : tensor<8x1xf32> into tensor<8x8xf32>
    }
  }
  %c = scf.forall (%i) in (8) shared_outs(%o = %init) -> tensor<8x8xf32> {
    %row = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1]
      : tensor<8x8xf32> to tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 8] [1, 1]
        : tensor<1x8xf32> into tensor<8x8xf32>
    }
  }
  %d = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %e = linalg.generic {indexing_maps = [#swapped, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %f = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %a, %d, %e, %f
    : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// What the body looks up, here made after the loop, moves before it.
// CHECK-LABEL: func.func @looked_up(
// CHECK: %[[TABLE:.*]] = linalg.exp
// CHECK: scf.forall
// CHECK: tensor.extract %[[TABLE]]
// CHECK: scf.forall.in_parallel
func.func @looked_up(%x: tensor<8x8xf32>, %t: tensor<2xf32>)
    -> tensor<8x8xf32> {
  %empty = tensor.empty() : tensor<8x8xf32>
  %y = scf.forall (%i) in (8) shared_outs(%o = %empty) -> tensor<8x8xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1]
      : tensor<8x8xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 8] [1, 1]
        : tensor<8xf32> into tensor<8x8xf32>
    }
  }
  %table = linalg.exp ins(%t : tensor<2xf32>) outs(%t : tensor<2xf32>)
    -> tensor<2xf32>
  %c1 = arith.constant 1 : index
  %z = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %f = tensor.extract %table[%c1] : tensor<2xf32>
    %s = arith.addf %p, %f : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// -----

// What follows a product may round it; the sums have a tile of their own then.
#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @product(
// CHECK: scf.forall.in_parallel
// CHECK: arith.truncf

// PRODUCTS-LABEL: func.func @product(
// PRODUCTS: scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<?x16xbf16>)
// PRODUCTS: %[[OWN:.*]] = tensor.empty() : tensor<1x16xf32>
// PRODUCTS: %[[SUMS:.*]] = linalg.matmul {{.*}} outs(%[[OWN]] : tensor<1x16xf32>)
// PRODUCTS: %[[PLACE:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0]
// PRODUCTS: %[[DONE:.*]] = linalg.generic {{.*}} ins(%[[SUMS]] : tensor<1x16xf32>) outs(%[[PLACE]] : tensor<1x16xbf16>)
// PRODUCTS: arith.truncf
// PRODUCTS: tensor.parallel_insert_slice %[[DONE]] into %[[OUT]]
func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %n: index) -> tensor<?x16xbf16> {
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%o = %empty) -> tensor<?x16xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1]
      : tensor<?x8xf32> to tensor<1x8xf32>
    %place = tensor.extract_slice %o[%i, 0] [1, 16] [1, 1]
      : tensor<?x16xf32> to tensor<1x16xf32>
    %r = linalg.matmul ins(%row, %w : tensor<1x8xf32>, tensor<8x16xf32>)
      outs(%place : tensor<1x16xf32>) -> tensor<1x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i, 0] [1, 16] [1, 1]
        : tensor<1x16xf32> into tensor<?x16xf32>
    }
  }
  %bits = tensor.empty(%n) : tensor<?x16xbf16>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x16xf32>) outs(%bits : tensor<?x16xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x16xbf16>
  return %z : tensor<?x16xbf16>
}
