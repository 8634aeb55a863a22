// RUN: gnn-opt --gnn-reduce-extrema --split-input-file %s | FileCheck %s
// RUN: not gnn-opt --gnn-reduce-extrema="vector-width=12" --split-input-file %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WIDTH

// WIDTH: error: vector-width must be a power of two

// Two registers, of which one comparison says whether there is NaN, then halves.
// CHECK-LABEL: func @maximum
// CHECK-SAME: (%[[X:[^:]*]]: vector<32xf32>)
// CHECK: %[[A:.*]] = vector.extract_strided_slice %[[X]] {offsets = [0], sizes = [16], strides = [1]}
// CHECK: %[[B:.*]] = vector.extract_strided_slice %[[X]] {offsets = [16], sizes = [16], strides = [1]}
// CHECK: %[[UNORDERED:.*]] = arith.cmpf uno, %[[A]], %[[B]] : vector<16xf32>
// CHECK: %[[HAS_NAN:.*]] = vector.reduction <or>, %[[UNORDERED]]
// CHECK: %[[GREATER:.*]] = arith.cmpf ogt, %[[A]], %[[B]]
// CHECK: %[[REGISTER:.*]] = arith.select %[[GREATER]], %[[A]], %[[B]]
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[REGISTER]] {offsets = [0], sizes = [8], strides = [1]}
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[REGISTER]] {offsets = [8], sizes = [8], strides = [1]}
// CHECK: arith.cmpf ogt, %[[LOW]], %[[HIGH]] : vector<8xf32>
// CHECK: arith.cmpf ogt, {{.*}} : vector<4xf32>
// CHECK: arith.cmpf ogt, {{.*}} : vector<2xf32>
// CHECK: arith.cmpf ogt, {{.*}} : vector<1xf32>
// CHECK: %[[NAN:.*]] = arith.constant 0x7FC00000
// CHECK: %[[ONE:.*]] = vector.extract %{{.*}}[0]
// CHECK: %[[M:.*]] = arith.select %[[HAS_NAN]], %[[NAN]], %[[ONE]] : f32
// CHECK-NOT: arith.maximumf
// CHECK: return %[[M]]
func.func @maximum(%x: vector<32xf32>) -> f32 {
  %lowest = arith.constant 0xFF800000 : f32
  %m = vector.multi_reduction <maximumf>, %x, %lowest [0]
    : vector<32xf32> to f32
  return %m : f32
}

// -----

// A row that is no power of two has a part of its own size, and what the minimum
// starts from counts.
// CHECK-LABEL: func @minimum
// CHECK-SAME: (%[[X:[^:]*]]: vector<1x24xf64>, %[[START:[^:]*]]: vector<1xf64>)
// CHECK: %[[ROW:.*]] = vector.shape_cast %[[X]] : vector<1x24xf64> to vector<24xf64>
// CHECK: %[[A:.*]] = vector.extract_strided_slice %[[ROW]] {offsets = [0], sizes = [16]
// CHECK: arith.cmpf uno, %[[A]], %[[A]]
// CHECK: %[[HALF:.*]] = arith.select {{.*}} : vector<8xi1>, vector<8xf64>
// CHECK: %[[B:.*]] = vector.extract_strided_slice %[[ROW]] {offsets = [16], sizes = [8]
// CHECK: arith.cmpf uno, %[[B]], %[[B]]
// CHECK: arith.ori
// CHECK: arith.cmpf olt, %[[B]], %[[HALF]] : vector<8xf64>
// CHECK: %[[M:.*]] = arith.select %{{.*}} : f64
// CHECK: %[[VECTOR:.*]] = vector.broadcast %[[M]] : f64 to vector<1xf64>
// CHECK: %[[RESULT:.*]] = arith.minimumf %[[START]], %[[VECTOR]] fastmath<nsz>
// CHECK: return %[[RESULT]]
func.func @minimum(%x: vector<1x24xf64>, %start: vector<1xf64>)
    -> vector<1xf64> {
  %m = vector.multi_reduction <minimumf>, %x, %start [1]
    : vector<1x24xf64> to vector<1xf64>
  return %m : vector<1xf64>
}

// -----

// Sums, and maxima of several rows, are left alone.
// CHECK-LABEL: func @others
// CHECK: vector.multi_reduction <add>
// CHECK: vector.multi_reduction <maximumf>
func.func @others(%x: vector<16xf32>, %y: vector<4x16xf32>,
                  %start: vector<4xf32>) -> (f32, vector<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = vector.multi_reduction <add>, %x, %zero [0] : vector<16xf32> to f32
  %m = vector.multi_reduction <maximumf>, %y, %start [1]
    : vector<4x16xf32> to vector<4xf32>
  return %sum, %m : f32, vector<4xf32>
}
