// RUN: gnn-opt --gnn-tabulate-exponentials %s | FileCheck %s
// RUN: gnn-opt --gnn-tabulate-exponentials=vector-width=8 %s \
// RUN:   | FileCheck %s --check-prefix=AVX

// 32nds of the exponent, in the last bits of a sum; what is left, of which the
// product is not rounded; and a number of the table, to which other bits are added.
// CHECK-LABEL: func @never_positive
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
// CHECK: %[[STEPS:.*]] = math.fma %[[X]], %[[LOG2E:[^,]*]], %{{.*}} : vector
// CHECK: %[[N:.*]] = arith.subf %[[STEPS]],
// CHECK: %[[MINUS:.*]] = arith.negf %[[N]]
// CHECK: %[[F:.*]] = math.fma %[[X]], %[[LOG2E]], %[[MINUS]]
// CHECK: %[[P:.*]] = math.fma %[[F]], %[[F]],
// CHECK-NOT: math.fma
// CHECK: %[[BITS:.*]] = arith.bitcast %[[STEPS]] : vector<16xf32> to vector<16xi32>
// CHECK: %[[T:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"(%{{.*}}, %[[BITS]], %{{.*}})
// CHECK: %[[C18:.*]] = arith.constant dense<18> : vector<16xi32>
// CHECK: %[[E:.*]] = arith.shli %[[BITS]], %[[C18]]
// CHECK: %[[ENTRY:.*]] = arith.bitcast %[[T]]
// CHECK: %[[SUM:.*]] = arith.addi %[[ENTRY]], %[[E]]
// CHECK: %[[POWER:.*]] = arith.bitcast %[[SUM]] : vector<16xi32> to vector<16xf32>
// CHECK: %[[Y:.*]] = arith.mulf %[[P]], %[[POWER]]
// CHECK: %[[NORMAL:.*]] = arith.cmpf uge, %[[X]],
// CHECK: %[[W:.*]] = arith.select %[[NORMAL]], %[[Y]],
// CHECK: return %[[W]]

// Registers of eight are left to polynomials where results may be small.
// AVX-LABEL: func @never_positive
// AVX-NOT: vpermilvar
// AVX: return
func.func @never_positive(%x: vector<16xf32>) -> vector<16xf32> {
  %w = math.exp %x {gnn.never_positive} : vector<16xf32>
  return %w : vector<16xf32>
}

// No result is too small.
// CHECK-LABEL: func @bounded
// CHECK: vpermi2var
// CHECK: %[[Y:.*]] = arith.mulf
// CHECK: return %[[Y]]

// A cubic by its root, and four numbers in each half.
// AVX-LABEL: func @bounded
// AVX: %[[X:.*]] = vector.extract_strided_slice
// AVX: %[[N:.*]] = arith.subf
// AVX: %[[W:.*]] = math.fma %[[N]], %{{.*}}, %{{.*}} : vector<8xf32>
// AVX: %[[SQUARE:.*]] = math.fma %[[W]], %[[W]],
// AVX: %[[ROOT:.*]] = arith.addf %[[W]],
// AVX: %[[P:.*]] = arith.mulf %[[SQUARE]], %[[ROOT]]
// AVX: llvm.call_intrinsic "llvm.x86.avx.vpermilvar.ps.256"
// AVX: arith.constant dense<21> : vector<8xi32>
// AVX: arith.mulf %[[P]],
// AVX: llvm.call_intrinsic "llvm.x86.avx.vpermilvar.ps.256"
// AVX-NOT: vpermilvar
// AVX: return
func.func @bounded(%x: vector<16xf32>) -> vector<16xf32> {
  %w = math.exp %x {gnn.bounded} : vector<16xf32>
  return %w : vector<16xf32>
}

// Of powers of 2, three sums instead of two multiply-adds.
// CHECK-LABEL: func @bounded_power
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
// CHECK: %[[STEPS:.*]] = arith.addf %[[X]],
// CHECK: %[[N:.*]] = arith.subf %[[STEPS]],
// CHECK: %[[F:.*]] = arith.subf %[[X]], %[[N]]
// CHECK: %[[P:.*]] = math.fma %[[F]], %[[F]],
// CHECK-NOT: math.fma
// CHECK: vpermi2var
// CHECK: %[[Y:.*]] = arith.mulf %[[P]],
// CHECK: return %[[Y]]

// AVX-LABEL: func @bounded_power
// AVX: %[[X:.*]] = vector.extract_strided_slice
// AVX: %[[STEPS:.*]] = arith.addf %[[X]],
// AVX: %[[N:.*]] = arith.subf %[[STEPS]],
// AVX: %[[W:.*]] = arith.subf %[[X]], %[[N]]
// AVX: %[[SQUARE:.*]] = math.fma %[[W]], %[[W]],
// AVX: %[[ROOT:.*]] = arith.addf %[[W]],
// AVX: arith.mulf %[[SQUARE]], %[[ROOT]]
// AVX: vpermilvar
// AVX: return
func.func @bounded_power(%x: vector<16xf32>) -> vector<16xf32> {
  %w = math.exp2 %x {gnn.bounded} : vector<16xf32>
  return %w : vector<16xf32>
}

// Numbers of the table are above 1 where results may be small: x is counted by fours.
// CHECK-LABEL: func @never_positive_power
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
// CHECK: %[[FOURTH:.*]] = arith.constant dense<2.500000e-01>
// CHECK: %[[STEPS:.*]] = math.fma %[[X]], %[[FOURTH]],
// CHECK: math.fma %[[X]], %[[FOURTH]],
// CHECK: vpermi2var
// CHECK: %[[SMALLEST:.*]] = arith.constant dense<-1.260000e+02>
// CHECK: arith.cmpf uge, %[[X]], %[[SMALLEST]]
// AVX-LABEL: func @never_positive_power
// AVX-NOT: vpermilvar
// AVX: return
func.func @never_positive_power(%x: vector<16xf32>) -> vector<16xf32> {
  %w = math.exp2 %x {gnn.never_positive} : vector<16xf32>
  return %w : vector<16xf32>
}

// Four registers.
// CHECK-LABEL: func @wide
// CHECK-COUNT-4: vpermi2var
// CHECK-NOT: vpermi2var
// CHECK: return
func.func @wide(%x: vector<64xf32>) -> vector<64xf32> {
  %w = math.exp %x {gnn.never_positive} : vector<64xf32>
  return %w : vector<64xf32>
}

// Neither what may be infinite, nor parts of registers, numbers and other types.
// CHECK-LABEL: func @others
// CHECK-NOT: vpermi2var
// CHECK: return
func.func @others(%x: vector<16xf32>, %y: vector<8xf32>, %z: f32,
                  %d: vector<16xf64>)
    -> (vector<16xf32>, vector<8xf32>, f32, vector<16xf64>) {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.exp %y {gnn.never_positive} : vector<8xf32>
  %2 = math.exp %z {gnn.bounded} : f32
  %3 = math.exp %d {gnn.never_positive} : vector<16xf64>
  return %0, %1, %2, %3 : vector<16xf32>, vector<8xf32>, f32, vector<16xf64>
}
