// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-lower-matmul{vector-width=8 column-vectors=1},canonicalize,cse))' \
// RUN:   | FileCheck %s
// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-lower-matmul{vector-width=8 column-vectors=1 apply-epilogues=false},canonicalize,cse))' \
// RUN:   | FileCheck %s --check-prefix=WITHOUT

#place = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// What follows is applied to sums in registers: what is as large as the result
// is read at its place, a bias along the row, and a factor of a row is spread.
// CHECK-LABEL: func @bias_and_activation
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: tensor<8xf32>, %[[SCALE:[a-z0-9]+]]: tensor<3xf32>, %[[MORE:[a-z0-9]+]]: tensor<3x8xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK: %[[SUMS:.*]]:3 = scf.for
// CHECK: %[[B:.*]] = vector.transfer_read %[[BIAS]][%c0]
// CHECK: %[[S:.*]] = arith.addf %[[SUMS]]#0, %[[B]] : vector<8xf32>
// CHECK: %[[POSITIVE:.*]] = arith.maximumf %[[S]], %[[ZERO]] : vector<8xf32>
// CHECK: %[[FACTOR:.*]] = tensor.extract %[[SCALE]][%c0]
// CHECK: %[[FACTORS:.*]] = vector.broadcast %[[FACTOR]] : f32 to vector<8xf32>
// CHECK: %[[M:.*]] = vector.transfer_read %[[MORE]][%c0, %c0]
// CHECK: %[[P:.*]] = arith.mulf %[[POSITIVE]], %[[FACTORS]] : vector<8xf32>
// CHECK: %[[Y:.*]] = arith.addf %[[P]], %[[M]] : vector<8xf32>
// CHECK: vector.transfer_write %[[Y]]
// CHECK-NOT: linalg.generic
// WITHOUT-LABEL: func @bias_and_activation
// WITHOUT: scf.for
// WITHOUT: linalg.generic
// WITHOUT: linalg.generic
func.func @bias_and_activation(%x: tensor<4x3x16xf32>, %w: tensor<16x8xf32>,
                               %bias: tensor<8xf32>, %scale: tensor<3xf32>,
                               %more: tensor<3x8xf32>, %init: tensor<4x3x8xf32>)
    -> tensor<4x3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %y = scf.forall (%i) in (4) shared_outs(%out = %init) -> (tensor<4x3x8xf32>) {
    %a = tensor.extract_slice %x[%i, 0, 0] [1, 3, 16] [1, 1, 1] : tensor<4x3x16xf32> to tensor<3x16xf32>
    %empty = tensor.empty() : tensor<3x8xf32>
    %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x8xf32>) -> tensor<3x8xf32>
    %p = linalg.matmul ins(%a, %w : tensor<3x16xf32>, tensor<16x8xf32>)
      outs(%filled : tensor<3x8xf32>) -> tensor<3x8xf32>
    %b = linalg.generic {indexing_maps = [#column, #place, #place],
                         iterator_types = ["parallel", "parallel"]}
      ins(%bias, %p : tensor<8xf32>, tensor<3x8xf32>) outs(%empty : tensor<3x8xf32>) {
    ^bb0(%c: f32, %s: f32, %o: f32):
      %t = arith.addf %s, %c : f32
      %r = arith.maximumf %t, %zero : f32
      linalg.yield %r : f32
    } -> tensor<3x8xf32>
    %m = linalg.generic {indexing_maps = [#place, #row, #place, #place],
                         iterator_types = ["parallel", "parallel"]}
      ins(%b, %scale, %more : tensor<3x8xf32>, tensor<3xf32>, tensor<3x8xf32>)
      outs(%empty : tensor<3x8xf32>) {
    ^bb0(%s: f32, %f: f32, %c: f32, %o: f32):
      %t = arith.mulf %s, %f : f32
      %r = arith.addf %t, %c : f32
      linalg.yield %r : f32
    } -> tensor<3x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %out[%i, 0, 0] [1, 3, 8] [1, 1, 1] : tensor<3x8xf32> into tensor<4x3x8xf32>
    }
  }
  return %y : tensor<4x3x8xf32>
}

// The sums themselves are read as well, and what needs the others of a row
// waits for them.
// CHECK-LABEL: func @others
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK: scf.for
// CHECK: linalg.generic
func.func @others(%x: tensor<4x3x16xf32>, %w: tensor<16x8xf32>,
                  %init: tensor<4x3x8xf32>) -> (tensor<4x3x8xf32>, tensor<4x3x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %y:2 = scf.forall (%i) in (4) shared_outs(%out = %init, %other = %init)
      -> (tensor<4x3x8xf32>, tensor<4x3x8xf32>) {
    %a = tensor.extract_slice %x[%i, 0, 0] [1, 3, 16] [1, 1, 1] : tensor<4x3x16xf32> to tensor<3x16xf32>
    %empty = tensor.empty() : tensor<3x8xf32>
    %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x8xf32>) -> tensor<3x8xf32>
    %p = linalg.matmul ins(%a, %w : tensor<3x16xf32>, tensor<16x8xf32>)
      outs(%filled : tensor<3x8xf32>) -> tensor<3x8xf32>
    %b = linalg.generic {indexing_maps = [#place, #place],
                         iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<3x8xf32>) outs(%empty : tensor<3x8xf32>) {
    ^bb0(%s: f32, %o: f32):
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<3x8xf32>
    %added = arith.addf %p, %b : tensor<3x8xf32>
    %w2 = tensor.extract_slice %w[0, 0] [8, 8] [1, 1] : tensor<16x8xf32> to tensor<8x8xf32>
    %q = linalg.matmul ins(%added, %w2 : tensor<3x8xf32>, tensor<8x8xf32>)
      outs(%filled : tensor<3x8xf32>) -> tensor<3x8xf32>
    %start = tensor.empty() : tensor<3xf32>
    %from = linalg.fill ins(%zero : f32) outs(%start : tensor<3xf32>) -> tensor<3xf32>
    %sums = linalg.generic {indexing_maps = [#place, #row],
                            iterator_types = ["parallel", "reduction"]}
      ins(%q : tensor<3x8xf32>) outs(%from : tensor<3xf32>) {
    ^bb0(%s: f32, %o: f32):
      %r = arith.addf %o, %s : f32
      linalg.yield %r : f32
    } -> tensor<3xf32>
    %spread = linalg.broadcast ins(%sums : tensor<3xf32>) outs(%empty : tensor<3x8xf32>) dimensions = [1]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %added into %out[%i, 0, 0] [1, 3, 8] [1, 1, 1] : tensor<3x8xf32> into tensor<4x3x8xf32>
      tensor.parallel_insert_slice %spread into %other[%i, 0, 0] [1, 3, 8] [1, 1, 1] : tensor<3x8xf32> into tensor<4x3x8xf32>
    }
  }
  return %y#0, %y#1 : tensor<4x3x8xf32>, tensor<4x3x8xf32>
}

// In a parallel loop over blocks of rows, other operands are read at the row of
// all. An exponential for each vector of a tile would be too much code.
// CHECK-LABEL: func @parallel
// CHECK-SAME: %[[MORE:[a-z0-9]+]]: tensor<?x8xf32>
// CHECK: %[[P:.*]] = scf.forall (%[[FIRST:.*]]) = (0)
// CHECK: scf.for %[[TILE:[a-z0-9]+]] =
// CHECK: %[[SUM:.*]]:{{[0-9]+}} = scf.for
// CHECK: scf.yield
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %{{.*}} : index
// CHECK: %[[OTHER:.*]] = vector.transfer_read %[[MORE]][%[[ROW]], %c0]
// CHECK: arith.addf %[[SUM]]#0, %[[OTHER]]
// CHECK: scf.forall.in_parallel
// CHECK: linalg.generic {{.*}} ins(%[[P]]
// CHECK: math.exp
func.func @parallel(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>,
                    %more: tensor<?x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %filled = linalg.fill ins(%zero : f32) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>)
    outs(%filled : tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = linalg.generic {indexing_maps = [#place, #place, #place],
                       iterator_types = ["parallel", "parallel"]}
    ins(%p, %more : tensor<?x8xf32>, tensor<?x8xf32>) outs(%init : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %e = linalg.generic {indexing_maps = [#place, #place],
                       iterator_types = ["parallel", "parallel"]}
    ins(%s : tensor<?x8xf32>) outs(%init : tensor<?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %e : tensor<?x8xf32>
}

// Booleans of a tensor take a byte each, those of a vector a bit.
// CHECK-LABEL: func @booleans
// CHECK: vector.fma
// CHECK: linalg.generic
// CHECK: arith.select
func.func @booleans(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %mask: tensor<8xi1>,
                    %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %filled = linalg.fill ins(%zero : f32) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>)
    outs(%filled : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [#place, #column, #place],
                       iterator_types = ["parallel", "parallel"]}
    ins(%p, %mask : tensor<?x8xf32>, tensor<8xi1>) outs(%init : tensor<?x8xf32>) {
  ^bb0(%s: f32, %m: i1, %o: f32):
    %r = arith.select %m, %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
