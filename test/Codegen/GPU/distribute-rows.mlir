// RUN: gnn-opt --gnn-distribute-rows=max-vector=1 --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-distribute-rows="max-elements=1 max-vector=1" --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FEW
// RUN: gnn-opt --gnn-distribute-rows="max-lanes=16 max-vector=1" --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=LANES

// A lane has every 32nd feature, in two registers, and gathers, adds up and
// writes those.
// CHECK-LABEL: func @sum
// CHECK-SAME: (%[[COLUMNS:.*]]: tensor<?xindex>, %[[X:.*]]: tensor<?x64xf32>, %[[Y:.*]]: tensor<?x64xf32>,
// CHECK: scf.forall (%[[ROW:.*]], %[[LANE:.*]]) in (%{{.*}}, 32) shared_outs(%[[OUT:.*]] = %[[Y]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[LANE]], %c32
// CHECK: %[[SUMS:.*]]:2 = scf.for %[[E:.*]] = {{.*}} iter_args(%[[A:.*]] = %cst, %[[B:.*]] = %cst) -> (f32, f32) {
// CHECK: %[[J:.*]] = tensor.extract %[[COLUMNS]][%[[E]]]
// CHECK: %[[XA:.*]] = tensor.extract %[[X]][%[[J]], %[[LANE]]]
// CHECK: %[[XB:.*]] = tensor.extract %[[X]][%[[J]], %[[NEXT]]]
// CHECK: %[[SA:.*]] = arith.addf %[[A]], %[[XA]]
// CHECK: %[[SB:.*]] = arith.addf %[[B]], %[[XB]]
// CHECK: scf.yield %[[SA]], %[[SB]]
// CHECK: %[[OWN:.*]] = tensor.extract_slice %[[OUT]][%[[ROW]], %[[LANE]]] [1, 2] [1, 32]
// CHECK: %[[ONE:.*]] = tensor.insert %[[SUMS]]#0 into %[[OWN]][%c0, %c0]
// CHECK: %[[BOTH:.*]] = tensor.insert %[[SUMS]]#1 into %[[ONE]][%c0, %c1]
// CHECK: tensor.parallel_insert_slice %[[BOTH]] into %[[OUT]][%[[ROW]], %[[LANE]]] [1, 2] [1, 32]
// LANES-LABEL: func @sum
// LANES: scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 16)
// FEW-LABEL: func @sum
// FEW: scf.forall (%{{[^,]*}}) in
func.func @sum(%columns: tensor<?xindex>, %x: tensor<?x64xf32>, %y: tensor<?x64xf32>, %n: index) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?x64xf32> {
    %sum = scf.for %e = %c0 to %i step %c1 iter_args(%acc = %zeros) -> tensor<64xf32> {
      %j = tensor.extract %columns[%e] : tensor<?xindex>
      %row = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %next = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
          ins(%row : tensor<64xf32>) outs(%acc : tensor<64xf32>) {
      ^bb0(%a: f32, %b: f32):
        %1 = arith.addf %b, %a : f32
        linalg.yield %1 : f32
      } -> tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  return %0 : tensor<?x64xf32>
}

// -----

// Two heads of 8 features: eight lanes for each head, which exchange sums. The
// first lane of a head writes its score.
// CHECK-LABEL: func @scores
// CHECK-SAME: (%[[Q:.*]]: tensor<?x2x8xf32>, %[[Y:.*]]: tensor<?x2xf32>,
// CHECK: scf.forall (%[[ROW:.*]], %[[LANE:.*]]) in (%{{.*}}, 16) shared_outs(%[[OUT:.*]] = %[[Y]])
// CHECK: %[[FEATURE:.*]] = arith.remui %[[LANE]], %c8
// CHECK: %[[HEAD:.*]] = arith.divui %[[LANE]], %c8
// CHECK: %[[X:.*]] = tensor.extract %[[Q]][%[[ROW]], %[[HEAD]], %[[FEATURE]]]
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK: %[[P4:.*]], %{{.*}} = gpu.shuffle xor %[[P]], %c4_i32, %c16_i32
// CHECK: %[[S4:.*]] = arith.addf %[[P4]], %[[P]]
// CHECK: %[[P2:.*]], %{{.*}} = gpu.shuffle xor %[[S4]], %c2_i32, %c16_i32
// CHECK: %[[S2:.*]] = arith.addf %[[P2]], %[[S4]]
// CHECK: %[[P1:.*]], %{{.*}} = gpu.shuffle xor %[[S2]], %c1_i32, %c16_i32
// CHECK: %[[S1:.*]] = arith.addf %[[P1]], %[[S2]]
// CHECK: %[[SUM:.*]] = arith.addf %[[S1]], %cst
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[FEATURE]], %c0
// CHECK: %[[COUNT:.*]] = arith.select %[[FIRST]], %c1, %c0
// CHECK: %[[OWN:.*]] = tensor.extract_slice %[[OUT]][%[[ROW]], %[[HEAD]]] [%[[COUNT]], 1] [1, 2]
// CHECK: %[[WRITTEN:.*]] = scf.if %[[FIRST]]
// CHECK: tensor.insert %[[SUM]] into %[[OWN]]
// CHECK: tensor.parallel_insert_slice %[[WRITTEN]] into %[[OUT]][%[[ROW]], %[[HEAD]]] [%[[COUNT]], 1] [1, 2]
func.func @scores(%q: tensor<?x2x8xf32>, %y: tensor<?x2xf32>, %n: index) -> tensor<?x2xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2xf32>) -> tensor<2xf32>
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?x2xf32> {
    %row = tensor.extract_slice %q[%i, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> to tensor<2x8xf32>
    %score = linalg.generic {indexing_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>], iterator_types = ["parallel", "reduction"]}
        ins(%row : tensor<2x8xf32>) outs(%zeros : tensor<2xf32>) {
    ^bb0(%a: f32, %c: f32):
      %1 = arith.mulf %a, %a : f32
      %2 = arith.addf %1, %c : f32
      linalg.yield %2 : f32
    } -> tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %score into %out[%i, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<?x2xf32>
    }
  }
  return %0 : tensor<?x2xf32>
}

// -----

// The eighth lane has no feature: it reads that of the seventh, adds nothing to
// the sum, and writes nothing.
// CHECK-LABEL: func @ragged
// CHECK: %[[NOTHING:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: scf.forall (%[[ROW:.*]], %[[LANE:.*]]) in (%{{.*}}, 8)
// CHECK: %[[THERE:.*]] = arith.cmpi ult, %[[LANE]], %c7
// CHECK: %[[PLACE:.*]] = arith.minui %[[LANE]], %c6
// CHECK: %[[X:.*]] = tensor.extract %{{.*}}[%[[ROW]], %[[PLACE]]]
// CHECK: %[[OWN:.*]] = arith.select %[[THERE]], %[[X]], %[[NOTHING]]
// CHECK: gpu.shuffle xor %[[OWN]], %c4_i32
// CHECK: scf.if %[[THERE]]
func.func @ragged(%x: tensor<?x7xf32>, %y: tensor<?x7xf32>, %n: index) -> tensor<?x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %rows = tensor.empty() : tensor<7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?x7xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 7] [1, 1] : tensor<?x7xf32> to tensor<7xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>], iterator_types = ["reduction"]}
        ins(%row : tensor<7xf32>) outs(%zeros : tensor<f32>) {
    ^bb0(%a: f32, %c: f32):
      %1 = arith.addf %a, %c : f32
      linalg.yield %1 : f32
    } -> tensor<f32>
    %scaled = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
        ins(%row, %sum : tensor<7xf32>, tensor<f32>) outs(%rows : tensor<7xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %1 = arith.divf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<7xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %scaled into %out[%i, 0] [1, 7] [1, 1] : tensor<7xf32> into tensor<?x7xf32>
    }
  }
  return %0 : tensor<?x7xf32>
}

// -----

// Keys have other features than values, and both lie along the same lanes; weights
// of edges have heads as their inner dimension, and as rows of them are read, that
// is no reason to turn the lanes around. A lane has two of the values' features.
// CHECK-LABEL: func @attention
// CHECK-SAME: (%[[K:.*]]: tensor<?x2x8xf32>, %[[V:.*]]: tensor<?x2x16xf32>, %[[W:.*]]: tensor<8x2xf32>,
// CHECK: scf.forall (%[[ROW:.*]], %[[LANE:.*]]) in (%{{.*}}, 32)
// CHECK: %[[FEATURE:.*]] = arith.remui %[[LANE]], %c16
// CHECK: %[[HEAD:.*]] = arith.divui %[[LANE]], %c16
// CHECK: %[[THERE:.*]] = arith.cmpi ult, %[[FEATURE]], %c8
// CHECK: %[[TERM:.*]] = arith.minui %[[FEATURE]], %c7
// CHECK: tensor.extract %[[K]][%[[ROW]], %[[HEAD]], %[[TERM]]]
// CHECK: tensor.extract %[[W]][%[[TERM]], %[[HEAD]]]
// CHECK: %[[OWN:.*]] = arith.select %[[THERE]]
// CHECK: gpu.shuffle xor %[[OWN]], %c8_i32, %c32_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32
// CHECK-NOT: gpu.shuffle
// CHECK: tensor.extract %[[V]][%[[ROW]], %[[HEAD]], %[[FEATURE]]]
func.func @attention(%k: tensor<?x2x8xf32>, %v: tensor<?x2x16xf32>, %w: tensor<8x2xf32>, %y: tensor<?x2x16xf32>, %n: index) -> tensor<?x2x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2xf32>
  %rows = tensor.empty() : tensor<2x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2xf32>) -> tensor<2xf32>
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?x2x16xf32> {
    %key = tensor.extract_slice %k[%i, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> to tensor<2x8xf32>
    %score = linalg.generic {indexing_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (d, h)>, affine_map<(h, d) -> (h)>], iterator_types = ["parallel", "reduction"]}
        ins(%key, %w : tensor<2x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<2xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %1 = arith.mulf %a, %b : f32
      %2 = arith.addf %1, %c : f32
      linalg.yield %2 : f32
    } -> tensor<2xf32>
    %value = tensor.extract_slice %v[%i, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<?x2x16xf32> to tensor<2x16xf32>
    %scaled = linalg.generic {indexing_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>, affine_map<(h, d) -> (h, d)>], iterator_types = ["parallel", "parallel"]}
        ins(%value, %score : tensor<2x16xf32>, tensor<2xf32>) outs(%rows : tensor<2x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %1 = arith.mulf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<2x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %scaled into %out[%i, 0, 0] [1, 2, 16] [1, 1, 1] : tensor<2x16xf32> into tensor<?x2x16xf32>
    }
  }
  return %0 : tensor<?x2x16xf32>
}

// -----

// Features of an edge become those of two heads: a lane adds up all terms of what
// it has itself.
// CHECK-LABEL: func @projection
// CHECK-SAME: (%[[E:.*]]: tensor<?x3xf32>, %[[W:.*]]: tensor<3x2x8xf32>,
// CHECK: scf.forall (%[[ROW:.*]], %[[LANE:.*]]) in (%{{.*}}, 16)
// CHECK: %[[FEATURE:.*]] = arith.remui %[[LANE]], %c8
// CHECK: %[[HEAD:.*]] = arith.divui %[[LANE]], %c8
// CHECK: tensor.extract %[[E]][%[[ROW]], %c0]
// CHECK: tensor.extract %[[E]][%[[ROW]], %c2]
// CHECK: tensor.extract %[[W]][%c0, %[[HEAD]], %[[FEATURE]]]
// CHECK: tensor.extract %[[W]][%c2, %[[HEAD]], %[[FEATURE]]]
// CHECK-NOT: gpu.shuffle
// CHECK: scf.forall.in_parallel
func.func @projection(%e: tensor<?x3xf32>, %w: tensor<3x2x8xf32>, %y: tensor<?x2x8xf32>, %n: index) -> tensor<?x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x8xf32>) -> tensor<2x8xf32>
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?x2x8xf32> {
    %row = tensor.extract_slice %e[%i, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(h, f, d) -> (d)>, affine_map<(h, f, d) -> (d, h, f)>, affine_map<(h, f, d) -> (h, f)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%row, %w : tensor<3xf32>, tensor<3x2x8xf32>) outs(%zeros : tensor<2x8xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %1 = arith.mulf %a, %b : f32
      %2 = arith.addf %1, %c : f32
      linalg.yield %2 : f32
    } -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<2x8xf32> into tensor<?x2x8xf32>
    }
  }
  return %0 : tensor<?x2x8xf32>
}

// -----

// Three dimensions are more than lanes have sides, and a product of two elements
// is nothing that lanes compute together: both loops stay.
// CHECK-LABEL: func @stays
// CHECK: scf.forall (%{{[^,]*}}) in
// CHECK: scf.forall (%{{[^,]*}}) in
func.func @stays(%x: tensor<?x2x3x4xf32>, %y: tensor<?x2x3x4xf32>, %z: tensor<?xf32>, %n: index) -> (tensor<?x2x3x4xf32>, tensor<?xf32>) {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?x2x3x4xf32> {
    %row = tensor.extract_slice %x[%i, 0, 0, 0] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<?x2x3x4xf32> to tensor<2x3x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %out[%i, 0, 0, 0] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<2x3x4xf32> into tensor<?x2x3x4xf32>
    }
  }
  %1 = scf.forall (%i) in (%n) shared_outs(%out = %z) -> tensor<?xf32> {
    %row = tensor.extract_slice %x[%i, 0, 0, 0] [1, 1, 1, 4] [1, 1, 1, 1] : tensor<?x2x3x4xf32> to tensor<4xf32>
    %product = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>], iterator_types = ["reduction"]}
        ins(%row : tensor<4xf32>) outs(%ones : tensor<f32>) {
    ^bb0(%a: f32, %c: f32):
      %2 = arith.mulf %a, %c : f32
      linalg.yield %2 : f32
    } -> tensor<f32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %product into %out[%i] [1] [1] : tensor<f32> into tensor<?xf32>
    }
  }
  return %0, %1 : tensor<?x2x3x4xf32>, tensor<?xf32>
}

// -----

// A sum onto what may be anything is one onto zeros.
// CHECK-LABEL: func @unspecified
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.forall
// CHECK: gpu.shuffle xor
// CHECK: arith.addf %{{.*}}, %[[ZERO]]
func.func @unspecified(%x: tensor<?x8xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
    %empty = tensor.empty() : tensor<f32>
    %sum = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>], iterator_types = ["reduction"]}
        ins(%row : tensor<8xf32>) outs(%empty : tensor<f32>) {
    ^bb0(%a: f32, %c: f32):
      %1 = arith.addf %a, %c : f32
      linalg.yield %1 : f32
    } -> tensor<f32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i] [1] [1] : tensor<f32> into tensor<?xf32>
    }
  }
  return %0 : tensor<?xf32>
}
