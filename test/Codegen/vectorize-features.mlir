// RUN: gnn-opt --gnn-vectorize-features --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-vectorize-features=max-elements=63 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FEW

#id = affine_map<(f) -> (f)>

// A row is read from the tensor of all rows, without a copy.
// CHECK-LABEL: func @row
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[I:.*]]: index, %[[ACC:.*]]: tensor<64xf32>)
// CHECK-DAG: %[[A:.*]] = vector.transfer_read %[[X]][%[[I]], %{{.*}}], %{{.*}} {in_bounds = [true]} : tensor<?x64xf32>, vector<64xf32>
// CHECK-DAG: %[[B:.*]] = vector.transfer_read %[[ACC]]
// CHECK: %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<64xf32>
// CHECK: vector.transfer_write %[[S]]

// FEW-LABEL: func @row
// FEW-NOT: vector.
// FEW: linalg.generic
func.func @row(%x: tensor<?x64xf32>, %i: index, %acc: tensor<64xf32>)
    -> tensor<64xf32> {
  %row = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1]
    : tensor<?x64xf32> to tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%row : tensor<64xf32>) outs(%acc : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Loops of unknown extent, and bodies that gather, stay.
// CHECK-LABEL: func @dynamic
// CHECK-NOT: vector.
// CHECK: linalg.generic
func.func @dynamic(%x: tensor<?xf32>, %acc: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%acc : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func @gather
// CHECK-NOT: vector.
// CHECK: linalg.generic
func.func @gather(%x: tensor<?xf32>, %indices: tensor<8xindex>,
                  %out: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%indices : tensor<8xindex>) outs(%out : tensor<8xf32>) {
  ^bb0(%i: index, %o: f32):
    %a = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// A transpose of vectors longer than registers would move single elements.
// CHECK-LABEL: func @wide_transpose
// CHECK: linalg.transpose
func.func @wide_transpose(%x: tensor<32x6xf32>, %e: tensor<6x32xf32>)
    -> tensor<6x32xf32> {
  %t = linalg.transpose ins(%x : tensor<32x6xf32>)
    outs(%e : tensor<6x32xf32>) permutation = [1, 0]
  return %t : tensor<6x32xf32>
}

// -----

// As many additions as there are elements, of which none is read.
// CHECK-LABEL: func @repeated
// CHECK-NOT: vector.
// CHECK: linalg.generic
func.func @repeated(%x: tensor<6xf32>, %init: tensor<f32>) -> tensor<f32> {
  %one = arith.constant 1.0 : f32
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                        affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<6xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %one : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

#id = affine_map<(f) -> (f)>

// Booleans of a tensor take a byte each, those of a vector a bit.
// CHECK-LABEL: func @booleans
// CHECK-NOT: vector.
// CHECK: linalg.generic
func.func @booleans(%mask: tensor<16xi1>, %x: tensor<16xf32>, %out: tensor<16xf32>)
    -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %y = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%mask, %x : tensor<16xi1>, tensor<16xf32>) outs(%out : tensor<16xf32>) {
  ^bb0(%m: i1, %a: f32, %o: f32):
    %s = arith.select %m, %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}
