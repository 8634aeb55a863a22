// RUN: gnn-opt --gnn-hoist-masks --split-input-file %s | FileCheck %s

#left = affine_map<(i, j, d) -> (i, d)>
#right = affine_map<(i, j, d) -> (j, d)>
#pair = affine_map<(i, j, d) -> (i, j)>

// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @scores
// CHECK-SAME: (%[[Q:.*]]: tensor<?x8xf32>, %[[K:.*]]: tensor<?x8xf32>, %[[M:.*]]: tensor<?x?xf32>, %[[ZERO:.*]]: tensor<?x?xf32>)
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-SAME: ins(%[[Q]], %[[K]] : {{.*}}) outs(%[[ZERO]] :
// CHECK-NOT: arith.select
// CHECK: linalg.yield
// CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#[[SAME]], #[[SAME]]], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME: ins(%[[M]] : {{.*}}) outs(%[[SUM]] :
// CHECK: %[[C:.*]] = arith.cmpf ogt
// CHECK: arith.select %[[C]], %{{.*}}, %{{.*}}
// CHECK: return %[[S]]
func.func @scores(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>,
                  %m: tensor<?x?xf32>, %zero: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %s = linalg.generic {indexing_maps = [#left, #right, #pair, #pair],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k, %m : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x?xf32>)
      outs(%zero : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %acc, %p : f32
    %is = arith.cmpf ogt, %c, %none : f32
    %r = arith.select %is, %t, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// -----

#left = affine_map<(i, d, j) -> (i, d)>
#right = affine_map<(i, d, j) -> (j, d)>
#pair = affine_map<(i, d, j) -> (i, j)>

// Loops get other numbers without the one that is summed over.
// CHECK-LABEL: func @causal
// CHECK: linalg.generic
// CHECK-NOT: linalg.index
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK-DAG: %[[I:.*]] = linalg.index 0
// CHECK-DAG: %[[J:.*]] = linalg.index 1
// CHECK: arith.cmpi ule, %[[J]], %[[I]]
func.func @causal(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>,
                  %zero: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %s = linalg.generic {indexing_maps = [#left, #right, #pair],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>)
      outs(%zero : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %acc, %p : f32
    %is = arith.cmpi ule, %j, %i : index
    %r = arith.select %is, %t, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// -----

#left = affine_map<(i, d) -> (i, d)>
#row = affine_map<(i, d) -> (i)>

// Masks of single steps, sums that may have none, other values than -inf.
// CHECK-LABEL: func @others
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
func.func @others(%x: tensor<?x8xf32>, %y: tensor<?x?xf32>, %m: tensor<?xf32>,
                  %zero: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#left, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%zero : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %t = arith.addf %acc, %a : f32
    %is = arith.cmpf ogt, %a, %none : f32
    %r = arith.select %is, %t, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#left, #row, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%y, %m : tensor<?x?xf32>, tensor<?xf32>)
      outs(%zero : tensor<?xf32>) {
  ^bb0(%a: f32, %c: f32, %acc: f32):
    %t = arith.addf %acc, %a : f32
    %is = arith.cmpf ogt, %c, %none : f32
    %r = arith.select %is, %t, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [#left, #row, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<?x8xf32>, tensor<?xf32>)
      outs(%zero : tensor<?xf32>) {
  ^bb0(%a: f32, %c: f32, %acc: f32):
    %t = arith.addf %acc, %a : f32
    %is = arith.cmpf ogt, %c, %none : f32
    %r = arith.select %is, %t, %none : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

#left = affine_map<(i, j, d) -> (i, d)>
#right = affine_map<(i, j, d) -> (j, d)>
#column = affine_map<(i, j, d) -> (j)>
#pair = affine_map<(i, j, d) -> (i, j)>

// Each term is masked; so is the sum, if it starts from a number.
// CHECK-LABEL: func @masked_terms
// CHECK-SAME: (%[[Q:.*]]: tensor<?x8xf32>, %[[K:.*]]: tensor<?x8xf32>, %[[M:.*]]: tensor<?xf32>,
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-SAME: ins(%[[Q]], %[[K]] :
// CHECK: arith.mulf
// CHECK-NOT: arith.select
// CHECK: linalg.yield
// CHECK: %[[S:.*]] = linalg.generic
// CHECK-SAME: ins(%[[M]] : tensor<?xf32>) outs(%[[SUM]] :
// CHECK: arith.select
// CHECK: return %[[S]]
func.func @masked_terms(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>,
                        %m: tensor<?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %zero = linalg.fill ins(%none : f32) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#left, #right, #column, #pair],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k, %m : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>)
      outs(%zero : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %is = arith.cmpf oeq, %c, %none : f32
    %r = arith.select %is, %p, %lowest : f32
    %t = arith.addf %acc, %r : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// -----

#left = affine_map<(i, j, d) -> (i, d)>
#column = affine_map<(i, j, d) -> (j)>
#pair = affine_map<(i, j, d) -> (i, j)>

// What is added to may be infinite.
// CHECK-LABEL: func @masked_terms_of_any_sum
// CHECK: linalg.generic
// CHECK: arith.select
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @masked_terms_of_any_sum(%q: tensor<?x8xf32>, %m: tensor<?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 0.0 : f32
  %s = linalg.generic {indexing_maps = [#left, #column, #pair],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %m : tensor<?x8xf32>, tensor<?xf32>) outs(%out : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %acc: f32):
    %is = arith.cmpf oeq, %c, %none : f32
    %r = arith.select %is, %a, %lowest : f32
    %t = arith.addf %acc, %r : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// -----

#element = affine_map<(i, d) -> (i, d)>
#row = affine_map<(i, d) -> (i)>
#kept = affine_map<(i, d) -> (i, 0)>

// A dimension of the result that is no loop.
// CHECK-LABEL: func @kept_dimension
// CHECK: linalg.generic
// CHECK: arith.select
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @kept_dimension(%x: tensor<?x4xf32>, %m: tensor<?xi1>,
                          %out: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %s = linalg.generic {indexing_maps = [#element, #row, #kept],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<?x4xf32>, tensor<?xi1>) outs(%out : tensor<?x1xf32>) {
  ^bb0(%a: f32, %is: i1, %acc: f32):
    %t = arith.addf %acc, %a : f32
    %u = arith.select %is, %t, %lowest : f32
    linalg.yield %u : f32
  } -> tensor<?x1xf32>
  return %s : tensor<?x1xf32>
}

// -----

#a = affine_map<(n, f, k) -> (n, f)>
#k = affine_map<(n, f, k) -> (k)>

// What nobody reads says how often numbers are added.
// CHECK-LABEL: func @unread
// CHECK-SAME: %[[X:.*]]: tensor<?x6xf32>, %[[M:.*]]: tensor<?x6xi1>, %[[W:.*]]: tensor<5xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] :
// CHECK-NOT: arith.select
// CHECK: linalg.generic {{.*}} ins(%[[M]] : {{.*}} outs(%[[SUM]] :
// CHECK: arith.select
func.func @unread(%x: tensor<?x6xf32>, %m: tensor<?x6xi1>, %w: tensor<5xf32>,
                  %o: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %r = linalg.generic {indexing_maps = [#a, #a, #k, #a],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %m, %w : tensor<?x6xf32>, tensor<?x6xi1>, tensor<5xf32>) outs(%o : tensor<?x6xf32>) {
  ^bb0(%a: f32, %c: i1, %b: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    %u = arith.select %c, %t, %lowest : f32
    linalg.yield %u : f32
  } -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}
