// RUN: gnn-opt --gnn-use-scalef %s | FileCheck %s

// What is subtracted in a loop is not scaled before it: a large one would be rounded
// by more than any exponent.
// CHECK-LABEL: func @difference
// CHECK-SAME: (%[[FORMER:[^:]*]]: vector<16xf32>, %[[M:[^:]*]]: vector<16xf32>,
// CHECK: %[[GROWTH:.*]] = arith.subf %[[FORMER]], %[[M]]
// CHECK: math.fma %[[GROWTH]],
// CHECK: scf.for
// CHECK: %[[S:.*]] = vector.load
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[S]], %[[M]]
// CHECK: %[[LOG2E:.*]] = arith.constant dense<1.442{{.*}}> : vector<16xf32>
// CHECK: %[[X:.*]] = arith.mulf %[[D]], %[[LOG2E]]
// CHECK: %[[DOWN:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"(%[[X]], %[[DOWN]],
// CHECK-COUNT-4: math.fma {{.*}}, %[[R]],
// CHECK: %[[P:.*]] = math.fma {{.*}}, %[[R]],
// CHECK: %[[Y:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%[[P]], %[[X]],
// CHECK: %[[NORMAL:.*]] = arith.cmpf uge, %[[X]],
// CHECK: arith.select %[[NORMAL]], %[[Y]],
func.func @difference(%former: vector<16xf32>, %m: vector<16xf32>,
                      %scores: memref<?x16xf32>, %n: index) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %growth = arith.subf %former, %m : vector<16xf32>
  %correction = math.exp %growth {gnn.never_positive} : vector<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %s = vector.load %scores[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    %d = arith.subf %s, %m : vector<16xf32>
    %w = math.exp %d {gnn.never_positive} : vector<16xf32>
    vector.store %w, %scores[%i, %c0] : memref<?x16xf32>, vector<16xf32>
  }
  return %correction : vector<16xf32>
}

// Alone, the fraction is not of a rounded product.
// CHECK-LABEL: func @alone
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
// CHECK: %[[SUM:.*]] = math.fma %[[X]], %[[LOG2E:[^,]*]], %[[LARGE:.*]] : vector
// CHECK: %[[N:.*]] = arith.subf %[[SUM]], %[[LARGE]]
// CHECK: %[[MINUS:.*]] = arith.negf %[[N]]
// CHECK: math.fma %[[X]], %[[LOG2E]], %[[MINUS]]
// CHECK-NOT: reduce.ps
// CHECK: "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %[[N]],
// CHECK: arith.cmpf uge, %[[X]],
func.func @alone(%x: vector<16xf32>) -> vector<16xf32> {
  %w = math.exp %x {gnn.never_positive} : vector<16xf32>
  return %w : vector<16xf32>
}

// Four registers.
// CHECK-LABEL: func @wide
// CHECK-COUNT-4: scalef.ps.512
// CHECK-NOT: scalef.ps.512
// CHECK: return
func.func @wide(%x: vector<64xf32>) -> vector<64xf32> {
  %w = math.exp %x {gnn.never_positive} : vector<64xf32>
  return %w : vector<64xf32>
}

// Neither what may be positive, nor parts of registers, numbers and other types.
// CHECK-LABEL: func @others
// CHECK-NOT: scalef
// CHECK: return
func.func @others(%x: vector<16xf32>, %y: vector<8xf32>, %z: f32,
                  %d: vector<16xf64>)
    -> (vector<16xf32>, vector<8xf32>, f32, vector<16xf64>) {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.exp %y {gnn.never_positive} : vector<8xf32>
  %2 = math.exp %z {gnn.never_positive} : f32
  %3 = math.exp %d {gnn.never_positive} : vector<16xf64>
  return %0, %1, %2, %3 : vector<16xf32>, vector<8xf32>, f32, vector<16xf64>
}
