// RUN: gnn-opt --gnn-split-long-sums --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-split-long-sums="max-results=2" --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FEW
// RUN: gnn-opt --gnn-split-long-sums="max-parts=8" --canonicalize --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FEWER-PARTS
// FEWER-PARTS: #[[MAP:.*]] = affine_map<()[s0] -> (s0 ceildiv 8)>
// FEWER-PARTS-LABEL: func @sum
// FEWER-PARTS: %[[MOST:.*]] = affine.apply #[[MAP]]()
// FEWER-PARTS: arith.maxui %[[MOST]], %c64

// Parts of 64 rows, or more where these would be more than 1024 parts; a part
// starts from nothing, and the parts are added to what there was, in their order.
// CHECK-LABEL: func @sum
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[INIT:.*]]: tensor<4xf32>)
// CHECK: %[[SIZE:.*]] = tensor.dim %[[X]]
// CHECK: %[[MOST:.*]] = affine.apply #{{.*}}()[%[[SIZE]]]
// CHECK: %[[STEP:.*]] = arith.maxui %[[MOST]], %c64
// CHECK: %[[COUNT:.*]] = arith.ceildivui %[[SIZE]], %[[STEP]]
// CHECK: %[[PARTS:.*]] = scf.forall (%[[P:.*]]) in (%[[COUNT]]) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<?x4xf32>)
// CHECK: %[[FIRST:.*]] = arith.muli %[[P]], %[[STEP]]
// CHECK: %[[REST:.*]] = arith.subi %[[SIZE]], %[[FIRST]]
// CHECK: %[[ROWS:.*]] = arith.minui %[[STEP]], %[[REST]]
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[FIRST]], 0] [%[[ROWS]], 4] [1, 1]
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%cst : f32)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[PART]] : {{.*}}) outs(%[[ZEROS]] :
// CHECK: tensor.parallel_insert_slice %[[SUM]] into %[[OUT]][%[[P]], 0] [1, 4] [1, 1]
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]} ins(%[[PARTS]] : {{.*}}) outs(%[[INIT]] :
// CHECK: arith.addf
// FEW-LABEL: func @sum
// FEW-NOT: scf.forall
// FEW-LABEL: func @maximum
// FEW: scf.forall
func.func @sum(%x: tensor<?x4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, d) -> (n, d)>, affine_map<(n, d) -> (d)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %b, %a : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A maximum of one number, whose terms depend on where they are: parts begin at
// other places, and with the lowest number there is.
// CHECK-LABEL: func @maximum
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: scf.forall (%[[P:.*]]) in
// CHECK: %[[FIRST:.*]] = arith.muli %[[P]]
// CHECK: linalg.fill ins(%[[LOWEST]] : f32)
// CHECK: %[[INDEX:.*]] = linalg.index 0
// CHECK: affine.apply #{{[^(]*}}(%[[FIRST]])[%[[INDEX]]]
// CHECK: linalg.generic {{.*}}["reduction"]}
// CHECK: arith.maximumf
func.func @maximum(%x: tensor<?xf32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %p = arith.mulf %a, %f : f32
    %1 = arith.maximumf %b, %p : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A row for each node has enough threads, and 64 terms are soon added up.
// CHECK-LABEL: func @stays
// CHECK-NOT: scf.forall
func.func @stays(%x: tensor<?x64xf32>, %y: tensor<64xf32>, %i: tensor<?xf32>, %j: tensor<f32>) -> (tensor<?xf32>, tensor<f32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, d) -> (n, d)>, affine_map<(n, d) -> (n)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x64xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.addf %b, %a : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>], iterator_types = ["reduction"]}
      ins(%y : tensor<64xf32>) outs(%j : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.addf %b, %a : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  return %0, %1 : tensor<?xf32>, tensor<f32>
}

// -----

// No results have no parts: slices without elements begin where they end.
// CHECK-LABEL: func @no_results
// CHECK-NOT: scf.forall
// CHECK: return
func.func @no_results(%x: tensor<0x?xf32>, %y: tensor<?x4xf32>,
                      %init: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = linalg.matmul ins(%x, %y : tensor<0x?xf32>, tensor<?x4xf32>)
    outs(%init : tensor<0x4xf32>) -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}
