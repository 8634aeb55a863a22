// RUN: gnn-opt --gnn-lower-vectors %s | FileCheck %s
// RUN: gnn-opt --gnn-lower-vectors=vector-width=8 %s \
// RUN:   | FileCheck %s --check-prefix=EIGHT

// CHECK-LABEL: func @reduction
// CHECK-NOT: vector.multi_reduction
// CHECK-COUNT-2: vector.reduction <add>
func.func @reduction(%v: vector<2x16xf32>, %acc: vector<2xf32>)
    -> vector<2xf32> {
  %0 = vector.multi_reduction <add>, %v, %acc [1]
    : vector<2x16xf32> to vector<2xf32>
  return %0 : vector<2xf32>
}

// CHECK-LABEL: func @transfer
// CHECK-NOT: vector<2x16xf32>, memref
// CHECK-COUNT-2: vector.load {{.*}} : memref<2x16xf32>, vector<16xf32>
func.func @transfer(%m: memref<2x16xf32>) -> vector<2x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %zero {in_bounds = [true, true]}
    : memref<2x16xf32>, vector<2x16xf32>
  return %0 : vector<2x16xf32>
}

// CHECK-LABEL: func @number
// CHECK: %[[X:.*]] = memref.load %{{.*}} : memref<8xi32>
// CHECK: vector.broadcast %[[X]] : i32 to vector<4xi32>
func.func @number(%m: memref<8xi32>, %i: index) -> vector<4xi32> {
  %zero = arith.constant 0 : i32
  %0 = vector.transfer_read %m[%i], %zero
    {in_bounds = [true], permutation_map = affine_map<(d0) -> (0)>}
    : memref<8xi32>, vector<4xi32>
  return %0 : vector<4xi32>
}

// CHECK-LABEL: func @transpose
// CHECK-NOT: vector.transpose
// CHECK: vector.shuffle
func.func @transpose(%v: vector<2x4xf32>) -> vector<4x2xf32> {
  %0 = vector.transpose %v, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  return %0 : vector<4x2xf32>
}

// Rows of 4 that are 4 apart fill a register of 8. Pairs of registers are
// interleaved, then take each other's halves of 4, and halves are rows.
// EIGHT-LABEL: func @steps
// EIGHT-DAG: %[[R0:.*]] = vector.extract %{{.*}}[0]
// EIGHT-DAG: %[[R1:.*]] = vector.extract %{{.*}}[1]
// EIGHT-DAG: %[[R4:.*]] = vector.extract %{{.*}}[4]
// EIGHT-DAG: %[[R5:.*]] = vector.extract %{{.*}}[5]
// EIGHT-DAG: %[[A:.*]] = vector.shuffle %[[R0]], %[[R4]] [0, 1, 2, 3, 4, 5, 6, 7]
// EIGHT-DAG: %[[B:.*]] = vector.shuffle %[[R1]], %[[R5]] [0, 1, 2, 3, 4, 5, 6, 7]
// EIGHT: %[[LOW:.*]] = vector.shuffle %[[A]], %[[B]] [0, 8, 1, 9, 4, 12, 5, 13]
// EIGHT: vector.shuffle %[[A]], %[[B]] [2, 10, 3, 11, 6, 14, 7, 15]
// EIGHT: %[[C:.*]] = vector.shuffle %[[LOW]], %{{.*}} [0, 1, 8, 9, 4, 5, 12, 13]
// EIGHT: %[[D:.*]] = vector.shuffle %[[LOW]], %{{.*}} [2, 3, 10, 11, 6, 7, 14, 15]
// EIGHT-NOT: vector.shuffle {{.*}}vector<32xf32>
// EIGHT: return
func.func @steps(%v: vector<8x4xf32>) -> vector<4x8xf32> {
  %0 = vector.transpose %v, [1, 0] : vector<8x4xf32> to vector<4x8xf32>
  return %0 : vector<4x8xf32>
}

// In the other direction, rows of a step are cut into columns.
// EIGHT-LABEL: func @columns
// EIGHT: %[[FIRST:.*]] = vector.shuffle {{.*}} [0, 1, 8, 9, 4, 5, 12, 13]
// EIGHT-DAG: vector.extract_strided_slice %[[FIRST]] {offsets = [0], sizes = [4], strides = [1]}
// EIGHT-DAG: vector.extract_strided_slice %[[FIRST]] {offsets = [4], sizes = [4], strides = [1]}
func.func @columns(%v: vector<4x8xf32>) -> vector<8x4xf32> {
  %0 = vector.transpose %v, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  return %0 : vector<8x4xf32>
}

// Rows of 4 that are 4 apart, four of them, follow each other.
// EIGHT-LABEL: func @four_rows
// EIGHT-DAG: %[[R0:.*]] = vector.extract %{{.*}}[0]
// EIGHT-DAG: %[[R4:.*]] = vector.extract %{{.*}}[4]
// EIGHT-DAG: %[[R8:.*]] = vector.extract %{{.*}}[8]
// EIGHT-DAG: %[[R12:.*]] = vector.extract %{{.*}}[12]
// EIGHT-DAG: %[[A:.*]] = vector.shuffle %[[R0]], %[[R4]] [0, 1, 2, 3, 4, 5, 6, 7]
// EIGHT-DAG: %[[B:.*]] = vector.shuffle %[[R8]], %[[R12]] [0, 1, 2, 3, 4, 5, 6, 7]
// EIGHT: vector.shuffle %[[A]], %[[B]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
func.func @four_rows(%v: vector<16x4xf32>) -> vector<4x16xf32> {
  %0 = vector.transpose %v, [1, 0] : vector<16x4xf32> to vector<4x16xf32>
  return %0 : vector<4x16xf32>
}

// What fits into a register is one shuffle of it.
// CHECK-LABEL: func @register
// CHECK: vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @register(%v: vector<4x4xf32>) -> vector<4x4xf32> {
  %0 = vector.transpose %v, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
  return %0 : vector<4x4xf32>
}

// Elements of other sizes do not fit the steps.
// CHECK-LABEL: func @wide
// CHECK: vector.shuffle {{.*}} : vector<64xf64>, vector<64xf64>
func.func @wide(%v: vector<8x8xf64>) -> vector<8x8xf64> {
  %0 = vector.transpose %v, [1, 0] : vector<8x8xf64> to vector<8x8xf64>
  return %0 : vector<8x8xf64>
}

// Indices of the parts are plain arithmetic: nothing would lower affine.apply
// after this pass.
// CHECK-LABEL: func @offset
// CHECK-SAME: (%{{.*}}: memref<?x16xf32>, %[[I:.*]]: index)
// CHECK-NOT: affine.apply
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: vector.load %{{.*}}[%[[NEXT]], %{{.*}}] : memref<?x16xf32>, vector<16xf32>
func.func @offset(%m: memref<?x16xf32>, %i: index) -> vector<2x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%i, %c0], %zero {in_bounds = [true, true]}
    : memref<?x16xf32>, vector<2x16xf32>
  return %0 : vector<2x16xf32>
}
