// RUN: gnn-opt --gnn-distribute-rows --canonicalize --cse --split-input-file %s | FileCheck %s

// 16 lanes with four neighbours of 64 features each.
// CHECK-LABEL: func @fours
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[Y:.*]]: tensor<?x64xf32>,
// CHECK: scf.forall (%[[ROW:.*]], %[[LANE:.*]]) in (%{{.*}}, 16) shared_outs(%[[OUT:.*]] = %[[Y]])
// CHECK: %[[FIRST:.*]] = arith.muli %[[LANE]], %c4
// CHECK: %[[V:.*]] = vector.transfer_read %[[X]][%[[ROW]], %[[FIRST]]], {{.*}} : tensor<?x64xf32>, vector<4xf32>
// CHECK: %[[A:.*]] = vector.extract %[[V]][0]
// CHECK: %[[B:.*]] = arith.addf %[[A]], %[[A]]
// CHECK: %[[PLACE:.*]] = affine.apply #{{.*}}()[%[[LANE]]]
// CHECK: %[[OWN:.*]] = tensor.extract_slice %[[OUT]][%[[ROW]], %[[PLACE]]] [1, 4] [1, 1]
// CHECK: %[[ALL:.*]] = vector.from_elements %[[B]], %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: vector.transfer_write %[[ALL]], %[[OWN]][%c0, %c0] {in_bounds = [true]}
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[ROW]], %[[PLACE]]] [1, 4] [1, 1]
func.func @fours(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>, %n: index) -> tensor<?x64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?x64xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %twice = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
        ins(%row : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %a : f32
      linalg.yield %1 : f32
    } -> tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %twice into %out[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  return %0 : tensor<?x64xf32>
}

// -----

// 36 features in fours are nine vectors: the last lanes of 16 have none, read the
// last one that there is, and write nothing.
// CHECK-LABEL: func @ragged
// CHECK-SAME: (%[[X:.*]]: tensor<?x36xf32>, %[[Z:.*]]: tensor<?x40xf32>,
// CHECK: scf.forall (%[[ROW:.*]], %[[LANE:.*]]) in (%{{.*}}, 16)
// CHECK: %[[FIRST:.*]] = arith.muli %[[LANE]], %c4
// CHECK: %[[THERE:.*]] = arith.cmpi ult, %[[FIRST]], %c36
// CHECK: %[[PLACE:.*]] = arith.minui %[[FIRST]], %c32
// CHECK: vector.transfer_read %[[X]][%[[ROW]], %[[PLACE]]]
// CHECK: %[[IN:.*]] = affine.apply #{{[^(]*}}()[%[[PLACE]]]
// CHECK: vector.transfer_read %[[Z]][%[[ROW]], %[[IN]]]
// CHECK: %[[LEFT:.*]] = affine.max #{{.*}}()[%[[LANE]]]
// CHECK: %[[COUNT:.*]] = affine.min #{{.*}}()[%[[LEFT]]]
// CHECK: tensor.extract_slice %{{.*}}[%[[ROW]], %{{.*}}] [1, %[[COUNT]]] [1, 1]
// CHECK: scf.if %[[THERE]]
// CHECK: vector.transfer_write
func.func @ragged(%x: tensor<?x36xf32>, %z: tensor<?x40xf32>, %y: tensor<?x36xf32>, %n: index) -> tensor<?x36xf32> {
  %empty = tensor.empty() : tensor<36xf32>
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?x36xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 36] [1, 1] : tensor<?x36xf32> to tensor<36xf32>
    %part = tensor.extract_slice %z[%i, 3] [1, 36] [1, 1] : tensor<?x40xf32> to tensor<36xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
        ins(%row, %part : tensor<36xf32>, tensor<36xf32>) outs(%empty : tensor<36xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %1 = arith.addf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<36xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 36] [1, 1] : tensor<36xf32> into tensor<?x36xf32>
    }
  }
  return %0 : tensor<?x36xf32>
}

// -----

// What gnn-fuse-epilogues leaves: a row becomes one of another rank, with the same
// elements in the same lanes, before a bias is added.
// CHECK-LABEL: func @epilogue
// CHECK-SAME: (%[[X:.*]]: tensor<?x32xf32>, %[[BIAS:.*]]: tensor<32xf32>,
// CHECK: scf.forall (%[[ROW:.*]], %[[LANE:.*]]) in (%{{.*}}, 8)
// CHECK: %[[FIRST:.*]] = arith.muli %[[LANE]], %c4
// CHECK: %[[V:.*]] = vector.transfer_read %[[X]][%[[ROW]], %[[FIRST]]]
// CHECK: %[[A:.*]] = vector.extract %[[V]][0]
// CHECK: %[[W:.*]] = vector.transfer_read %[[BIAS]][%[[FIRST]]]
// CHECK: %[[B:.*]] = vector.extract %[[W]][0]
// CHECK: arith.addf %[[A]], %[[B]]
func.func @epilogue(%x: tensor<?x32xf32>, %bias: tensor<32xf32>, %y: tensor<?x32xf32>, %n: index) -> tensor<?x32xf32> {
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?x32xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 32] [1, 1] : tensor<?x32xf32> to tensor<32xf32>
    %place = tensor.extract_slice %out[%i, 0] [1, 32] [1, 1] : tensor<?x32xf32> to tensor<1x32xf32>
    %tile = tensor.insert_slice %row into %place[0, 0] [1, 32] [1, 1] : tensor<32xf32> into tensor<1x32xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, d) -> (d)>, affine_map<(i, d) -> (i, d)>], iterator_types = ["parallel", "parallel"]}
        ins(%bias : tensor<32xf32>) outs(%tile : tensor<1x32xf32>) {
    ^bb0(%b: f32, %a: f32):
      %1 = arith.addf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<1x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<?x32xf32>
    }
  }
  return %0 : tensor<?x32xf32>
}
