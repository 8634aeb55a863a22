// RUN: gnn-opt --gnn-pair-maxima %s | FileCheck %s

// CHECK-LABEL: func @maximum
// CHECK-SAME: (%[[S:[^:]*]]: memref<?x16xf32>, %[[N:[^:]*]]: index, %[[LOWEST:[^:]*]]: vector<16xf32>)
// CHECK: %[[TWO:.*]] = arith.muli %{{.*}}, %c2
// CHECK: %[[PAIRS:.*]] = scf.for {{.*}} step %[[TWO]] iter_args(%[[BEFORE:.*]] = %[[LOWEST]])
// CHECK: %[[A:.*]] = vector.load
// CHECK: %[[B:.*]] = vector.load
// CHECK: %[[BOTH:.*]] = arith.maximumf %[[A]], %[[B]] {gnn.ignores_nan}
// CHECK: %[[NEXT:.*]] = arith.maximumf %[[BEFORE]], %[[BOTH]] {gnn.ignores_nan}
// CHECK: scf.yield %[[NEXT]]
// The last one of an odd number.
// CHECK: scf.for {{.*}} iter_args(%[[LAST:.*]] = %[[PAIRS]])
// CHECK: %[[C:.*]] = vector.load
// CHECK: arith.maximumf %[[LAST]], %[[C]] {gnn.ignores_nan}
func.func @maximum(%s: memref<?x16xf32>, %n: index, %lowest: vector<16xf32>)
    -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = scf.for %i = %c0 to %n step %c1 iter_args(%before = %lowest)
      -> (vector<16xf32>) {
    %a = vector.load %s[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    %next = arith.maximumf %before, %a {gnn.ignores_nan} : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  return %m : vector<16xf32>
}

// Which of two NaNs it is would matter; so would what else a loop does.
// CHECK-LABEL: func @others
// CHECK-COUNT-2: scf.for {{.*}} step %c1
// CHECK-NOT: scf.for
// CHECK: return
func.func @others(%s: memref<?x16xf32>, %n: index, %lowest: vector<16xf32>)
    -> (vector<16xf32>, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = scf.for %i = %c0 to %n step %c1 iter_args(%before = %lowest)
      -> (vector<16xf32>) {
    %a = vector.load %s[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    %next = arith.maximumf %before, %a : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %both:2 = scf.for %i = %c0 to %n step %c1
      iter_args(%before = %lowest, %sum = %lowest)
      -> (vector<16xf32>, vector<16xf32>) {
    %a = vector.load %s[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    %next = arith.maximumf %before, %a {gnn.ignores_nan} : vector<16xf32>
    %added = arith.addf %sum, %a : vector<16xf32>
    scf.yield %next, %added : vector<16xf32>, vector<16xf32>
  }
  return %m, %both#0 : vector<16xf32>, vector<16xf32>
}
