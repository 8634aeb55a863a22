// RUN: gnn-opt --gnn-slopes-to-maximum %s | FileCheck %s

// CHECK-LABEL: func @leaky_relu
// CHECK-SAME: (%[[X:.*]]: vector<4xf32>)
// CHECK: %[[Y:.*]] = arith.mulf %[[X]],
// CHECK: %[[LARGER:.*]] = arith.cmpf ogt, %[[X]], %[[Y]]
// CHECK: arith.select %[[LARGER]], %[[X]], %[[Y]]
func.func @leaky_relu(%x: vector<4xf32>) -> vector<4xf32> {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %slope = arith.constant dense<0.2> : vector<4xf32>
  %positive = arith.cmpf ogt, %x, %zero : vector<4xf32>
  %y = arith.mulf %x, %slope : vector<4xf32>
  %r = arith.select %positive, %x, %y : vector<4xi1>, vector<4xf32>
  return %r : vector<4xf32>
}

// The factor first; a slope of 1.
// CHECK-LABEL: func @scalar
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[Y:.*]] = arith.mulf %{{.*}}, %[[X]]
// CHECK: arith.cmpf ogt, %[[X]], %[[Y]]
func.func @scalar(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %slope = arith.constant 1.0 : f32
  %positive = arith.cmpf ogt, %x, %zero : f32
  %y = arith.mulf %slope, %x : f32
  %r = arith.select %positive, %x, %y : f32
  return %r : f32
}

// A slope above 1 or below 0, one of 0 (which makes NaN of infinity), one that
// is not known, another value.
// CHECK-LABEL: func @others
// CHECK-SAME: (%[[X:.*]]: f32, %{{.*}}: f32)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK: arith.cmpf ogt, %[[X]], %[[ZERO]]
// CHECK-NOT: arith.cmpf
func.func @others(%x: f32, %s: f32) -> (f32, f32, f32, f32, f32) {
  %zero = arith.constant 0.0 : f32
  %steep = arith.constant 1.5 : f32
  %falling = arith.constant -0.5 : f32
  %positive = arith.cmpf ogt, %x, %zero : f32
  %a = arith.mulf %x, %steep : f32
  %b = arith.mulf %x, %falling : f32
  %c = arith.mulf %x, %zero : f32
  %d = arith.mulf %x, %s : f32
  %ra = arith.select %positive, %x, %a : f32
  %rb = arith.select %positive, %x, %b : f32
  %rc = arith.select %positive, %x, %c : f32
  %rd = arith.select %positive, %x, %d : f32
  %re = arith.select %positive, %s, %a : f32
  return %ra, %rb, %rc, %rd, %re : f32, f32, f32, f32, f32
}
