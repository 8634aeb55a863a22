// RUN: gnn-opt --gnn-finish-panels --split-input-file %s | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// Two ops behind a loop over panels, one of which reads a row, become ops on the
// columns of each.
// CHECK-LABEL: func @two_ops(
// CHECK-SAME: %[[B:.*]]: tensor<128xf32>
// CHECK: scf.forall
// CHECK: %[[LOOP:.*]] = scf.for %[[C:.*]] = %c0 to %c128 step %c64 iter_args(%[[Y:.*]] = %{{.*}}) -> (tensor<?x128xf32>)
// CHECK: %[[P:.*]] = vector.transfer_write %{{.*}}, %[[Y]]
// CHECK: %[[BIAS:.*]] = tensor.extract_slice %[[B]][%[[C]]] [64] [1]
// CHECK: %[[COLUMNS:.*]] = tensor.extract_slice %[[P]][0, %[[C]]] [%[[ROWS:.*]], 64] [1, 1]
// CHECK: %[[ADDED:.*]] = linalg.generic {{.*}} ins(%[[BIAS]] : tensor<64xf32>) outs(%[[COLUMNS]] : tensor<?x64xf32>)
// CHECK: %[[Q:.*]] = tensor.insert_slice %[[ADDED]] into %[[P]][0, %[[C]]] [%[[ROWS]], 64] [1, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x64xf32>)
// CHECK: math.erf
// CHECK: %[[DONE:.*]] = tensor.insert_slice %{{.*}} into %[[Q]][0, %[[C]]]
// CHECK: scf.yield %[[DONE]]
// CHECK-NOT: linalg.generic
// CHECK: tensor.parallel_insert_slice %[[LOOP]]
func.func @two_ops(%b: tensor<128xf32>, %y: tensor<?x128xf32>, %n: index)
    -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  %r = scf.forall (%i) = (0) to (%n) step (8) shared_outs(%o = %y) -> (tensor<?x128xf32>) {
    %size = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 8)>(%i)[%n]
    %block = tensor.extract_slice %o[%i, 0] [%size, 128] [1, 1]
      : tensor<?x128xf32> to tensor<?x128xf32>
    %p = scf.for %c = %c0 to %c128 step %c64 iter_args(%t = %block) -> (tensor<?x128xf32>) {
      %q = vector.transfer_write %v, %t[%c0, %c] {in_bounds = [true]}
        : vector<16xf32>, tensor<?x128xf32>
      scf.yield %q : tensor<?x128xf32>
    }
    %biased = linalg.generic {indexing_maps = [#column, #all],
                              iterator_types = ["parallel", "parallel"]}
        ins(%b : tensor<128xf32>) outs(%p : tensor<?x128xf32>) {
    ^bb0(%bias: f32, %in: f32):
      %0 = arith.addf %in, %bias : f32
      linalg.yield %0 : f32
    } -> tensor<?x128xf32>
    %done = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
        outs(%biased : tensor<?x128xf32>) {
    ^bb0(%in: f32):
      %0 = math.erf %in : f32
      linalg.yield %0 : f32
    } -> tensor<?x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %done into %o[%i, 0] [%size, 128] [1, 1]
        : tensor<?x128xf32> into tensor<?x128xf32>
    }
  }
  return %r : tensor<?x128xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// A panel that writes columns of the next one is not finished behind it.
// CHECK-LABEL: func @writes_too_far(
// CHECK: scf.for
// CHECK-NOT: math.erf
// CHECK: }
// CHECK: math.erf
func.func @writes_too_far(%y: tensor<?x128xf32>, %n: index) -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  %r = scf.forall (%i) = (0) to (%n) step (8) shared_outs(%o = %y) -> (tensor<?x128xf32>) {
    %block = tensor.extract_slice %o[%i, 0] [8, 128] [1, 1]
      : tensor<?x128xf32> to tensor<8x128xf32>
    %p = scf.for %c = %c0 to %c128 step %c64 iter_args(%t = %block) -> (tensor<8x128xf32>) {
      %d = arith.addi %c, %c56 : index
      %q = vector.transfer_write %v, %t[%c0, %d] : vector<16xf32>, tensor<8x128xf32>
      scf.yield %q : tensor<8x128xf32>
    }
    %done = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
        outs(%p : tensor<8x128xf32>) {
    ^bb0(%in: f32):
      %0 = math.erf %in : f32
      linalg.yield %0 : f32
    } -> tensor<8x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %done into %o[%i, 0] [8, 128] [1, 1]
        : tensor<8x128xf32> into tensor<?x128xf32>
    }
  }
  return %r : tensor<?x128xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// Each panel reads what the one before wrote.
// CHECK-LABEL: func @reads_other_columns(
// CHECK: scf.for
// CHECK-NOT: math.erf
// CHECK: }
// CHECK: math.erf
func.func @reads_other_columns(%y: tensor<?x128xf32>, %n: index) -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.forall (%i) = (0) to (%n) step (8) shared_outs(%o = %y) -> (tensor<?x128xf32>) {
    %block = tensor.extract_slice %o[%i, 0] [8, 128] [1, 1]
      : tensor<?x128xf32> to tensor<8x128xf32>
    %p = scf.for %c = %c0 to %c128 step %c64 iter_args(%t = %block) -> (tensor<8x128xf32>) {
      %v = vector.transfer_read %t[%c0, %c0], %zero : tensor<8x128xf32>, vector<16xf32>
      %q = vector.transfer_write %v, %t[%c0, %c] : vector<16xf32>, tensor<8x128xf32>
      scf.yield %q : tensor<8x128xf32>
    }
    %done = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
        outs(%p : tensor<8x128xf32>) {
    ^bb0(%in: f32):
      %0 = math.erf %in : f32
      linalg.yield %0 : f32
    } -> tensor<8x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %done into %o[%i, 0] [8, 128] [1, 1]
        : tensor<8x128xf32> into tensor<?x128xf32>
    }
  }
  return %r : tensor<?x128xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// The last panel leaves another matrix.
// CHECK-LABEL: func @yields_another(
// CHECK: scf.for
// CHECK-NOT: math.erf
// CHECK: }
// CHECK: math.erf
func.func @yields_another(%y: tensor<?x128xf32>, %n: index) -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  %other = arith.constant dense<2.0> : tensor<8x128xf32>
  %r = scf.forall (%i) = (0) to (%n) step (8) shared_outs(%o = %y) -> (tensor<?x128xf32>) {
    %block = tensor.extract_slice %o[%i, 0] [8, 128] [1, 1]
      : tensor<?x128xf32> to tensor<8x128xf32>
    %p = scf.for %c = %c0 to %c128 step %c64 iter_args(%t = %block) -> (tensor<8x128xf32>) {
      %q = vector.transfer_write %v, %t[%c0, %c] : vector<16xf32>, tensor<8x128xf32>
      scf.yield %other : tensor<8x128xf32>
    }
    %done = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
        outs(%p : tensor<8x128xf32>) {
    ^bb0(%in: f32):
      %0 = math.erf %in : f32
      linalg.yield %0 : f32
    } -> tensor<8x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %done into %o[%i, 0] [8, 128] [1, 1]
        : tensor<8x128xf32> into tensor<?x128xf32>
    }
  }
  return %r : tensor<?x128xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// Behind the panels it is computed as often as another loop runs, or not at all.
// CHECK-LABEL: func @in_a_loop(
// CHECK: scf.for
// CHECK-NOT: math.erf
// CHECK: }
// CHECK: math.erf
func.func @in_a_loop(%y: tensor<?x128xf32>, %n: index) -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  %r = scf.forall (%i) = (0) to (%n) step (8) shared_outs(%o = %y) -> (tensor<?x128xf32>) {
    %block = tensor.extract_slice %o[%i, 0] [8, 128] [1, 1]
      : tensor<?x128xf32> to tensor<8x128xf32>
    %p = scf.for %c = %c0 to %c128 step %c64 iter_args(%t = %block) -> (tensor<8x128xf32>) {
      %q = vector.transfer_write %v, %t[%c0, %c] : vector<16xf32>, tensor<8x128xf32>
      scf.yield %q : tensor<8x128xf32>
    }
    %done = scf.for %k = %c0 to %n step %c64 iter_args(%t = %block) -> (tensor<8x128xf32>) {
    %e = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
        outs(%p : tensor<8x128xf32>) {
    ^bb0(%in: f32):
      %0 = math.erf %in : f32
      linalg.yield %0 : f32
    } -> tensor<8x128xf32>
    scf.yield %e : tensor<8x128xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %done into %o[%i, 0] [8, 128] [1, 1]
        : tensor<8x128xf32> into tensor<?x128xf32>
    }
  }
  return %r : tensor<?x128xf32>
}
