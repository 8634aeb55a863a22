// RUN: gnn-opt --gnn-split-accesses=vector-width=8 --split-input-file %s | FileCheck %s

// What is stored as two registers and read as one is stored by registers.

// CHECK-LABEL: func @store(
// CHECK-SAME: %[[SUM:[^:]*]]: vector<16xf32>, %[[TILE:[^:]*]]: memref<8x16xf32>, %[[I:[^:]*]]: index
// CHECK-DAG: %[[LOW:.*]] = vector.extract_strided_slice %[[SUM]] {offsets = [0], sizes = [8], strides = [1]}
// CHECK-DAG: %[[HIGH:.*]] = vector.extract_strided_slice %[[SUM]] {offsets = [8], sizes = [8], strides = [1]}
// CHECK: vector.store %[[LOW]], %[[TILE]][%[[I]], %[[C0:.*]]] {alignment = 64 : i64} : memref<8x16xf32>, vector<8xf32>
// CHECK: %[[NEXT:.*]] = arith.addi %[[C0]], %{{.*}} : index
// CHECK: vector.store %[[HIGH]], %[[TILE]][%[[I]], %[[NEXT]]] {alignment = 32 : i64} : memref<8x16xf32>, vector<8xf32>
// CHECK: vector.load %[[TILE]]
func.func @store(%sum: vector<16xf32>, %tile: memref<8x16xf32>, %i: index) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  vector.store %sum, %tile[%i, %c0] {alignment = 64} : memref<8x16xf32>, vector<16xf32>
  %a = vector.load %tile[%i, %c8] : memref<8x16xf32>, vector<8xf32>
  return %a : vector<8xf32>
}

// -----

// And the other way round, also where one of them has a part of the buffer.

// CHECK-LABEL: func @load(
// CHECK: %[[LOW:.*]] = vector.load %{{.*}} : memref<8x16xf32>, vector<8xf32>
// CHECK: %[[HIGH:.*]] = vector.load %{{.*}} : memref<8x16xf32>, vector<8xf32>
// CHECK: %[[FIRST:.*]] = vector.insert_strided_slice %[[LOW]], %{{.*}} {offsets = [0], strides = [1]}
// CHECK: %[[BOTH:.*]] = vector.insert_strided_slice %[[HIGH]], %[[FIRST]] {offsets = [8], strides = [1]}
// CHECK: return %[[BOTH]]
func.func @load(%a: vector<8xf32>, %tile: memref<8x16xf32>, %i: index) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %half = memref.subview %tile[0, 8] [8, 8] [1, 1]
    : memref<8x16xf32> to memref<8x8xf32, strided<[16, 1], offset: 8>>
  vector.store %a, %half[%i, %c0] : memref<8x8xf32, strided<[16, 1], offset: 8>>, vector<8xf32>
  %v = vector.load %tile[%i, %c0] : memref<8x16xf32>, vector<16xf32>
  return %v : vector<16xf32>
}

// -----

// A register of 16 bits holds twice as many.

// CHECK-LABEL: func @half(
// CHECK-COUNT-2: vector.store %{{.*}} : memref<32xbf16>, vector<16xbf16>
// CHECK-NOT: vector.store
func.func @half(%v: vector<32xbf16>, %x: memref<32xbf16>) -> vector<16xbf16> {
  %c0 = arith.constant 0 : index
  vector.store %v, %x[%c0] : memref<32xbf16>, vector<32xbf16>
  %a = vector.load %x[%c0] : memref<32xbf16>, vector<16xbf16>
  return %a : vector<16xbf16>
}

// -----

// A store past the caches stays one.

// CHECK-LABEL: func @nontemporal(
// CHECK-COUNT-2: vector.store %{{.*}} {nontemporal = true} : memref<16xf32>, vector<8xf32>
func.func @nontemporal(%v: vector<16xf32>, %a: vector<8xf32>, %x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  vector.store %a, %x[%c0] : memref<16xf32>, vector<8xf32>
  vector.store %v, %x[%c0] {nontemporal = true} : memref<16xf32>, vector<16xf32>
  return
}

// -----

// Buffers that are accessed in one way stay as they are, and so do sizes that
// are not whole registers.

// CHECK-LABEL: func @same(
// CHECK: vector.load %{{.*}} vector<16xf32>
// CHECK: vector.store %{{.*}} vector<16xf32>
// CHECK: vector.store %{{.*}} vector<12xf32>
func.func @same(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<12xf32>,
                %a: vector<12xf32>, %b: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
  vector.store %v, %y[%c0] : memref<16xf32>, vector<16xf32>
  vector.store %a, %z[%c0] : memref<12xf32>, vector<12xf32>
  vector.store %b, %z[%c0] : memref<12xf32>, vector<8xf32>
  return
}
