// RUN: gnn-opt --gnn-align-vector-accesses --canonicalize --cse %s | FileCheck %s

// Arguments begin at multiples of 16 bytes, rows of 64 do, and so do columns that
// are multiples of 4, if the last of them is.
// CHECK-LABEL: func @aligned
// CHECK-SAME: (%[[X:.*]]: memref<?x64xf32>, %[[I:.*]]: index, %[[LANE:.*]]: index)
// CHECK: %[[PLACE:.*]] = arith.muli %[[LANE]], %c4
// CHECK: %[[COLUMN:.*]] = arith.minui %[[PLACE]], %c60
// CHECK: %[[V:.*]] = vector.load %[[X]][%[[I]], %[[COLUMN]]] {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
// CHECK: vector.store %[[V]], %[[X]][%[[I]], %[[PLACE]]] {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
func.func @aligned(%x: memref<?x64xf32>, %i: index, %lane: index) {
  %c4 = arith.constant 4 : index
  %c60 = arith.constant 60 : index
  %zero = arith.constant 0.0 : f32
  %place = arith.muli %lane, %c4 : index
  %column = arith.minui %place, %c60 : index
  %v = vector.transfer_read %x[%i, %column], %zero {in_bounds = [true]}
    : memref<?x64xf32>, vector<4xf32>
  vector.transfer_write %v, %x[%i, %place] {in_bounds = [true]}
    : vector<4xf32>, memref<?x64xf32>
  return
}

// Half of each row, which begins at its 32nd element.
// CHECK-LABEL: func @part
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<?x32xf32, strided<[64, 1], offset: 32>>, vector<2xf32>
func.func @part(%n: index, %i: index, %lane: index) -> vector<2xf32> {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc(%n) : memref<?x64xf32>
  %half = memref.subview %x[0, 32] [%n, 32] [1, 1]
    : memref<?x64xf32> to memref<?x32xf32, strided<[64, 1], offset: 32>>
  %column = arith.muli %lane, %c2 : index
  %v = vector.transfer_read %half[%i, %column], %zero {in_bounds = [true]}
    : memref<?x32xf32, strided<[64, 1], offset: 32>>, vector<2xf32>
  return %v : vector<2xf32>
}

// A tile of a row begins at a multiple of 512.
// CHECK-LABEL: func @tile
// CHECK: vector.load
// CHECK-SAME: alignment = 16
func.func @tile(%x: memref<?x1024xf32>, %i: index, %tile: index, %lane: index) -> vector<4xf32> {
  %c4 = arith.constant 4 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %first = arith.muli %tile, %c512 : index
  %place = arith.muli %lane, %c4 : index
  %column = affine.apply affine_map<()[a, b] -> (a + b)>()[%first, %place]
  %v = vector.transfer_read %x[%i, %column], %zero {in_bounds = [true]}
    : memref<?x1024xf32>, vector<4xf32>
  return %v : vector<4xf32>
}

// A part that begins at a multiple of 4 columns, whatever the row.
// CHECK-LABEL: func @begins
// CHECK: vector.load {{.*}} {alignment = 16 : i64}
func.func @begins(%x: memref<?x64xf32>, %row: index, %head: index, %i: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %first = arith.muli %head, %c8 : index
  %part = memref.subview %x[%row, %first] [16, 8] [1, 1]
    : memref<?x64xf32> to memref<16x8xf32, strided<[64, 1], offset: ?>>
  %v = vector.transfer_read %part[%i, %c0], %zero {in_bounds = [true]}
    : memref<16x8xf32, strided<[64, 1], offset: ?>>, vector<4xf32>
  return %v : vector<4xf32>
}

// Rows of a result of 3 columns, a part that begins anywhere, and a column that may
// be any: element by element.
// CHECK-LABEL: func @unaligned
// CHECK-NOT: vector.load
// CHECK-COUNT-6: memref.load
// CHECK-NOT: vector.load
func.func @unaligned(%x: memref<?x64xf32>, %y: memref<?x3xf32>, %first: index, %i: index, %lane: index) -> (vector<2xf32>, vector<2xf32>, vector<2xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = vector.transfer_read %y[%i, %c0], %zero {in_bounds = [true]}
    : memref<?x3xf32>, vector<2xf32>
  %part = memref.subview %x[0, %first] [8, 4] [1, 1]
    : memref<?x64xf32> to memref<8x4xf32, strided<[64, 1], offset: ?>>
  %b = vector.transfer_read %part[%i, %c0], %zero {in_bounds = [true]}
    : memref<8x4xf32, strided<[64, 1], offset: ?>>, vector<2xf32>
  %c = vector.transfer_read %x[%i, %lane], %zero {in_bounds = [true]}
    : memref<?x64xf32>, vector<2xf32>
  return %a, %b, %c : vector<2xf32>, vector<2xf32>, vector<2xf32>
}

// Results of 3 columns are written like that, and so are numbers of one bit.
// CHECK-LABEL: func @unaligned_writes
// CHECK-SAME: %[[V:.*]]: vector<2xf32>, %[[B:.*]]: vector<4xi1>, %[[Y:.*]]: memref<?x3xf32>, %[[Z:.*]]: memref<?x4xi1>, %[[I:.*]]: index
// CHECK-NOT: vector.store
// CHECK: %[[FIRST:.*]] = vector.extract %[[V]][0]
// CHECK: memref.store %[[FIRST]], %[[Y]][%[[I]], %c0]
// CHECK: %[[SECOND:.*]] = vector.extract %[[V]][1]
// CHECK: memref.store %[[SECOND]], %[[Y]][%[[I]], %c1]
// CHECK-COUNT-4: memref.store %{{.*}}, %[[Z]]
// CHECK-NOT: vector.store
func.func @unaligned_writes(%v: vector<2xf32>, %b: vector<4xi1>, %y: memref<?x3xf32>, %z: memref<?x4xi1>, %i: index) {
  %c0 = arith.constant 0 : index
  vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<2xf32>, memref<?x3xf32>
  vector.transfer_write %b, %z[%i, %c0] {in_bounds = [true]} : vector<4xi1>, memref<?x4xi1>
  return
}

// No vector of three numbers is aligned to its size, wherever it begins.
// CHECK-LABEL: func @threes
// CHECK-NOT: vector.load
// CHECK-COUNT-3: memref.load
func.func @threes(%x: memref<?x12xf32>, %i: index) -> vector<3xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]}
    : memref<?x12xf32>, vector<3xf32>
  return %v : vector<3xf32>
}
