// RUN: gnn-opt --gnn-fill-registers --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-fill-registers=vector-width=8 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=EIGHT

// Values of four heads of eight features, each times its head's weight.
// CHECK-LABEL: func @weighted
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x4x8xf32>, %[[WEIGHTS:[a-z0-9]+]]: memref<?xf32>, %[[Y:[a-z0-9]+]]: memref<?x4x8xf32, strided<[32, 8, 1], offset: ?>>
// CHECK-DAG: %[[FROM:.*]] = memref.collapse_shape %[[X]] {{\[\[}}0], [1, 2]] : memref<?x4x8xf32> into memref<?x32xf32>
// CHECK-DAG: %[[TO:.*]] = memref.collapse_shape %[[Y]] {{\[\[}}0], [1, 2]]
// CHECK-DAG: %[[V:.*]] = vector.transfer_read %[[FROM]][%[[I:[a-z0-9]+]], %{{[a-z0-9]+}}]{{.*}} vector<32xf32>
// CHECK: %[[H:.*]] = vector.transfer_read %[[WEIGHTS]][%[[I]]]{{.*}} vector<4xf32>
// CHECK: %[[W:.*]] = vector.shuffle %[[H]], %[[H]] [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3]
// CHECK: %[[P:.*]] = arith.mulf %[[V]], %[[W]] fastmath<contract> : vector<32xf32>
// CHECK: vector.transfer_write %[[P]], %[[TO]][%[[I]], %{{.*}}]
// CHECK-NOT: vector<4x8xf32>

// Rows of eight fill registers of eight.
// EIGHT-LABEL: func @weighted
// EIGHT-NOT: collapse_shape
// EIGHT: return
#column = affine_map<(d0) -> (d0, 0)>
func.func @weighted(%x: memref<?x4x8xf32>, %weights: memref<?xf32>,
                    %y: memref<?x4x8xf32, strided<[32, 8, 1], offset: ?>>,
                    %i: index) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%i, %c0, %c0], %pad {in_bounds = [true, true]}
    : memref<?x4x8xf32>, vector<4x8xf32>
  %w = vector.transfer_read %weights[%i], %pad
    {in_bounds = [true, true], permutation_map = #column}
    : memref<?xf32>, vector<4x8xf32>
  %p = arith.mulf %v, %w fastmath<contract> : vector<4x8xf32>
  vector.transfer_write %p, %y[%i, %c0, %c0] {in_bounds = [true, true]}
    : vector<4x8xf32>, memref<?x4x8xf32, strided<[32, 8, 1], offset: ?>>
  return
}

// -----

// Numbers of heads that are vectors already, constants, and choices.
// CHECK-LABEL: func @scaled
// CHECK: %[[S:.*]] = vector.shuffle %{{.*}} [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
// CHECK: %[[IS:.*]] = arith.cmpf oeq, %[[S]], %{{.*}} : vector<16xf32>
// CHECK: arith.select %[[IS]], %{{.*}}, %[[S]] : vector<16xi1>, vector<16xf32>
// CHECK-NOT: vector<4x4xi1>
func.func @scaled(%heads: vector<4xf32>, %y: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<4x4xf32>
  %one = arith.constant dense<1.0> : vector<4x4xf32>
  %rows = vector.broadcast %heads : vector<4xf32> to vector<4x4xf32>
  %s = vector.transpose %rows, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
  %is = arith.cmpf oeq, %s, %zero : vector<4x4xf32>
  %c = arith.select %is, %one, %s : vector<4x4xi1>, vector<4x4xf32>
  vector.transfer_write %c, %y[%c0, %c0] {in_bounds = [true, true]}
    : vector<4x4xf32>, memref<4x4xf32>
  return
}

// -----

// The matrix remains for what has no other form.
// CHECK-LABEL: func @sums
// CHECK: %[[F:.*]] = arith.mulf %{{.*}} : vector<16xf32>
// CHECK: %[[M:.*]] = vector.shape_cast %[[F]] : vector<16xf32> to vector<2x8xf32>
// CHECK: vector.multi_reduction <add>, %[[M]]
func.func @sums(%x: memref<?x2x8xf32>, %i: index, %zero: vector<2xf32>)
    -> vector<2xf32> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%i, %c0, %c0], %pad {in_bounds = [true, true]}
    : memref<?x2x8xf32>, vector<2x8xf32>
  %p = arith.mulf %v, %v : vector<2x8xf32>
  %s = vector.multi_reduction <add>, %p, %zero [1]
    : vector<2x8xf32> to vector<2xf32>
  return %s : vector<2xf32>
}

// -----

// Rows that fill registers, matrices that fill none, parts of rows, and rows
// that do not follow each other.
// CHECK-LABEL: func @others
// CHECK-NOT: collapse_shape
// CHECK-NOT: shape_cast
func.func @others(%x: memref<?x2x16xf32>, %y: memref<?x3x4xf32>,
                  %z: memref<?x2x24xf32>,
                  %w: memref<?x2x8xf32, strided<[32, 16, 1]>>, %i: index)
    -> (vector<2x16xf32>, vector<3x4xf32>, vector<2x8xf32>, vector<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%i, %c0, %c0], %pad {in_bounds = [true, true]}
    : memref<?x2x16xf32>, vector<2x16xf32>
  %b = vector.transfer_read %y[%i, %c0, %c0], %pad {in_bounds = [true, true]}
    : memref<?x3x4xf32>, vector<3x4xf32>
  %c = vector.transfer_read %z[%i, %c0, %c0], %pad {in_bounds = [true, true]}
    : memref<?x2x24xf32>, vector<2x8xf32>
  %d = vector.transfer_read %w[%i, %c0, %c0], %pad {in_bounds = [true, true]}
    : memref<?x2x8xf32, strided<[32, 16, 1]>>, vector<2x8xf32>
  return %a, %b, %c, %d
    : vector<2x16xf32>, vector<3x4xf32>, vector<2x8xf32>, vector<2x8xf32>
}

// -----

// Three rows fill a register and a half.
// CHECK-LABEL: func @half
// CHECK: %[[VIEW:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : memref<?x3x8xf32> into memref<?x24xf32>
// CHECK: vector.transfer_read %[[VIEW]][%{{.*}}, %{{.*}}]{{.*}} vector<24xf32>
func.func @half(%x: memref<?x3x8xf32>, %i: index) -> vector<3x8xf32> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%i, %c0, %c0], %pad {in_bounds = [true, true]}
    : memref<?x3x8xf32>, vector<3x8xf32>
  return %v : vector<3x8xf32>
}

// -----

// The view that the model has of what is written comes first then.
// CHECK-LABEL: func @view_after
// CHECK: %[[Y:.*]] = memref.alloc
// CHECK-NEXT: %[[VIEW:.*]] = memref.collapse_shape %[[Y]]
// CHECK: scf.for
// CHECK: vector.transfer_write %{{.*}}, %[[VIEW]]
// CHECK-NOT: memref.collapse_shape
// CHECK: return %[[VIEW]]
func.func @view_after(%v: vector<4x8xf32>, %n: index) -> memref<?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : vector<32xf32>
  %y = memref.alloc(%n) : memref<?x4x8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %ones = vector.shape_cast %one : vector<32xf32> to vector<4x8xf32>
    %s = arith.addf %v, %ones : vector<4x8xf32>
    vector.transfer_write %s, %y[%i, %c0, %c0] {in_bounds = [true, true]}
      : vector<4x8xf32>, memref<?x4x8xf32>
  }
  %view = memref.collapse_shape %y [[0], [1, 2]]
    : memref<?x4x8xf32> into memref<?x32xf32>
  return %view : memref<?x32xf32>
}

// -----

// Some whole rows of many, one after the other; parts of rows are left.
// CHECK-LABEL: func @some_rows
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x4xf32>, %[[Y:[a-z0-9]+]]: memref<?x4xf32>, %[[Z:[a-z0-9]+]]: memref<?x8xf32>, %[[I:[a-z0-9]+]]: index
// CHECK-DAG: %[[FROM:.*]] = memref.collapse_shape %[[X]] {{\[\[}}0, 1]] : memref<?x4xf32> into memref<?xf32>
// CHECK-DAG: %[[TO:.*]] = memref.collapse_shape %[[Y]] {{\[\[}}0, 1]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %{{.*}}
// CHECK: %[[V:.*]] = vector.transfer_read %[[FROM]][%[[FIRST]]]{{.*}} vector<16xf32>
// CHECK: %[[S:.*]] = arith.addf %[[V]], %[[V]] : vector<16xf32>
// CHECK: %[[FIRSTTO:.*]] = arith.muli %[[I]], %{{.*}}
// CHECK: vector.transfer_write %[[S]], %[[TO]][%[[FIRSTTO]]]
// CHECK: vector.transfer_write %{{.*}}, %[[Z]][%[[I]], %{{.*}}] {{.*}} : vector<4x4xf32>
func.func @some_rows(%x: memref<?x4xf32>, %y: memref<?x4xf32>,
                     %z: memref<?x8xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true, true]}
    : memref<?x4xf32>, vector<4x4xf32>
  %s = arith.addf %v, %v : vector<4x4xf32>
  vector.transfer_write %s, %y[%i, %c0] {in_bounds = [true, true]}
    : vector<4x4xf32>, memref<?x4xf32>
  vector.transfer_write %s, %z[%i, %c0] {in_bounds = [true, true]}
    : vector<4x4xf32>, memref<?x8xf32>
  return
}
