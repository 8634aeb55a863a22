// RUN: gnn-opt %s --gnn-resolve-loop-dims | FileCheck %s

// CHECK-LABEL: func.func @write(
// CHECK-SAME: %[[X:.*]]: tensor<?x16xf32>, %{{.*}}: vector<16xf32>, %[[ROWS:.*]]: index, %{{.*}}: index)
func.func @write(%x: tensor<?x16xf32>, %v: vector<16xf32>, %rows: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slice = tensor.extract_slice %x[0, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %slice) -> (tensor<?x16xf32>) {
    %u = vector.transfer_write %v, %t[%i, %c0] {in_bounds = [true]} : vector<16xf32>, tensor<?x16xf32>
    scf.yield %u : tensor<?x16xf32>
  }
  %dim = tensor.dim %r, %c0 : tensor<?x16xf32>
  // CHECK: return %[[ROWS]]
  return %dim : index
}

// Loops in loops, slices that are inserted, parallel loops; sizes asked inside.
// CHECK-LABEL: func.func @nest(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x16xf32>
func.func @nest(%x: tensor<?x16xf32>, %row: tensor<1x16xf32>, %n: index) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<?x16xf32>) {
    %all = scf.forall (%j) in (%n) shared_outs(%o = %t) -> (tensor<?x16xf32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %row into %o[%j, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<?x16xf32>
      }
    }
    %rows = tensor.dim %all, %c0 : tensor<?x16xf32>
    // CHECK: %[[ROWS:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x16xf32>
    // CHECK: scf.for %{{.*}} = %{{.*}} to %[[ROWS]]
    %s = scf.for %j = %c0 to %rows step %c1 iter_args(%u = %all) -> (tensor<?x16xf32>) {
      %w = tensor.insert_slice %row into %u[%j, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<?x16xf32>
      scf.yield %w : tensor<?x16xf32>
    }
    scf.yield %s : tensor<?x16xf32>
  }
  return %r : tensor<?x16xf32>
}

// Tensors that change places, or are others in each iteration, may have other sizes.
// CHECK-LABEL: func.func @swap(
func.func @swap(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[SWAPPED:.*]]:3 = scf.for
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %x) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
    %d = tensor.empty(%i) : tensor<?xf32>
    scf.yield %b, %a, %d : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
  // CHECK: tensor.dim %[[SWAPPED]]#0
  %first = tensor.dim %r#0, %c0 : tensor<?xf32>
  // CHECK: tensor.dim %[[SWAPPED]]#2
  %third = tensor.dim %r#2, %c0 : tensor<?xf32>
  return %first, %third : index, index
}
