// RUN: gnn-opt --split-input-file --gnn-cluster-rows --canonicalize --cse %s \
// RUN:   | FileCheck %s

// Destinations two at a time. They are taken in order; what is read of one of
// them, or has its edges' numbers, and where its values go is asked for.

// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[POINTER:[a-z0-9]+]]: tensor<?xi32> {gnn.fixed = "graph"}
// CHECK-SAME: %[[COLUMNS:[a-z0-9]+]]: tensor<?xi32> {gnn.fixed = "graph"}
// CHECK-SAME: %[[N:[a-z0-9]+]]: index {gnn.fixed = "graph"}
// CHECK-SAME: %[[OWN:[a-z0-9]+]]: tensor<?x64xf32>
// CHECK-SAME: %[[WEIGHTS:[a-z0-9]+]]: tensor<?xf32>
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x64xf32>
// A row of %x, which is read twice.
// CHECK-DAG: %[[BYTES:.+]] = arith.constant 256 : index
// CHECK: arith.muli %{{.*}}, %[[BYTES]]
// CHECK: %[[BOUNDS:.+]] = arith.select %[[SORTED:.+]], %{{.*}}, %[[POINTER]]
// CHECK: %[[SOURCES:.+]] = arith.select %[[SORTED]], %{{.*}}, %[[COLUMNS]]
// CHECK: %[[PLACED:.+]] = scf.forall (%[[I:[a-z0-9]+]]) = (0) to (%[[N]]) step (2) shared_outs(%[[OUT:[a-z0-9]+]] =
// CHECK:   %[[COUNT:.+]] = arith.subi %{{.*}}, %[[I]]
// CHECK:   tensor.extract_slice %[[OUT]][%[[I]], 0] [%[[COUNT]], 64]
// CHECK:   %[[ROWS:.+]] = scf.for %[[P:[a-z0-9]+]] = %[[I]]
// CHECK:     %[[DESTINATION:.+]] = scf.if %[[SORTED]]
// CHECK:       tensor.extract %[[ORDER:[a-z0-9]+#0]][%[[P]]]
// CHECK:       scf.yield %[[P]]
// CHECK:     tensor.extract %[[BOUNDS]][%[[P]]]
// CHECK:     tensor.extract_slice %[[OWN]][%[[DESTINATION]], 0] [1, 64]
// CHECK:     scf.for %[[Q:[a-z0-9]+]] =
// CHECK:       %[[EDGE:.+]] = scf.if %[[SORTED]]
// CHECK:         scf.yield %[[Q]]
// CHECK:       tensor.extract %[[SOURCES]][%[[Q]]]
// CHECK:       tensor.extract %[[WEIGHTS]][%[[EDGE]]]
// CHECK:     %[[SLOT:.+]] = arith.subi %[[P]], %[[I]]
// CHECK:     tensor.insert_slice %{{.*}} into %{{.*}}[%[[SLOT]], 0]
// CHECK:   tensor.parallel_insert_slice %[[ROWS]] into %[[OUT]][%[[I]], 0] [%[[COUNT]], 64]
// CHECK: %[[Y:.+]] = scf.forall (%[[PLACE:[a-z0-9]+]]) in (%[[N]]) shared_outs(%[[RESULT:[a-z0-9]+]] =
// CHECK:   %[[TO:.+]] = scf.if %[[SORTED]]
// CHECK:     tensor.extract %[[ORDER]][%[[PLACE]]]
// CHECK:     scf.yield %[[PLACE]]
// CHECK:   %[[ROW:.+]] = tensor.extract_slice %[[PLACED]][%[[PLACE]], 0] [1, 64]
// CHECK:   tensor.parallel_insert_slice %[[ROW]] into %[[RESULT]][%[[TO]], 0]
// CHECK: return %[[Y]]
func.func @groups(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
                  %columns: tensor<?xi32> {gnn.fixed = "graph"},
                  %n: index {gnn.fixed = "graph"}, %own: tensor<?x64xf32>,
                  %weights: tensor<?xf32>, %x: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %y = scf.forall (%i) = (0) to (%n) step (2) shared_outs(%out = %empty) -> (tensor<?x64xf32>) {
    %next = arith.addi %i, %c2 : index
    %last = arith.minsi %next, %n : index
    %count = arith.subi %last, %i : index
    %part = tensor.extract_slice %out[%i, 0] [%count, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %rows = scf.for %row = %i to %last step %c1 iter_args(%values = %part) -> (tensor<?x64xf32>) {
      %from = tensor.extract %pointer[%row] : tensor<?xi32>
      %begin = arith.index_cast %from : i32 to index
      %after = arith.addi %row, %c1 : index
      %to = tensor.extract %pointer[%after] : tensor<?xi32>
      %end = arith.index_cast %to : i32 to index
      %first = tensor.extract_slice %own[%row, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %first) -> (tensor<64xf32>) {
        %column = tensor.extract %columns[%e] : tensor<?xi32>
        %j = arith.index_cast %column : i32 to index
        %source = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
        %again = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
        %weight = tensor.extract %weights[%e] : tensor<?xf32>
        %weighted = tensor.splat %weight : tensor<64xf32>
        %product = arith.mulf %source, %weighted : tensor<64xf32>
        %both = arith.addf %product, %again : tensor<64xf32>
        %s = arith.addf %acc, %both : tensor<64xf32>
        scf.yield %s : tensor<64xf32>
      }
      %slot = arith.subi %row, %i : index
      %inserted = tensor.insert_slice %sum into %values[%slot, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
      scf.yield %inserted : tensor<?x64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %rows into %out[%i, 0] [%count, 64] [1, 1] : tensor<?x64xf32> into tensor<?x64xf32>
    }
  } {gnn.any_row_order}
  return %y : tensor<?x64xf32>
}

// -----

// The loop does not say that rows may be taken in any order.

// CHECK-LABEL: func.func @says_nothing(
// CHECK-NOT: arith.select
func.func @says_nothing(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
                        %columns: tensor<?xi32> {gnn.fixed = "graph"},
                        %n: index {gnn.fixed = "graph"}, %x: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %y = scf.forall (%i) = (0) to (%n) step (2) shared_outs(%out = %empty) -> (tensor<?x64xf32>) {
    %from = tensor.extract %pointer[%i] : tensor<?xi32>
    %begin = arith.index_cast %from : i32 to index
    %after = arith.addi %i, %c1 : index
    %to = tensor.extract %pointer[%after] : tensor<?xi32>
    %end = arith.index_cast %to : i32 to index
    %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<64xf32>) {
      %column = tensor.extract %columns[%e] : tensor<?xi32>
      %j = arith.index_cast %column : i32 to index
      %source = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %s = arith.addf %acc, %source : tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  return %y : tensor<?x64xf32>
}

// -----

// Two rows of a tensor have no numbers together.

// CHECK-LABEL: func.func @two_rows(
// CHECK-NOT: arith.select
func.func @two_rows(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
                    %columns: tensor<?xi32> {gnn.fixed = "graph"},
                    %n: index {gnn.fixed = "graph"}, %own: tensor<?x32xf32>,
                    %x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c1 = arith.constant 1 : index
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %y = scf.forall (%i) = (0) to (%n) step (1) shared_outs(%out = %empty) -> (tensor<?x64xf32>) {
    %from = tensor.extract %pointer[%i] : tensor<?xi32>
    %begin = arith.index_cast %from : i32 to index
    %after = arith.addi %i, %c1 : index
    %to = tensor.extract %pointer[%after] : tensor<?xi32>
    %end = arith.index_cast %to : i32 to index
    %pair = tensor.extract_slice %own[%i, 0] [2, 32] [1, 1] : tensor<?x32xf32> to tensor<2x32xf32>
    %first = tensor.collapse_shape %pair [[0, 1]] : tensor<2x32xf32> into tensor<64xf32>
    %pairs = scf.for %e = %begin to %end step %c1 iter_args(%acc = %first) -> (tensor<64xf32>) {
      %next = arith.addi %e, %c1 : index
      %bounded = arith.minsi %next, %end : index
      %column = tensor.extract %columns[%bounded] : tensor<?xi32>
      %j = arith.index_cast %column : i32 to index
      %source = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %s = arith.addf %acc, %source : tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %pairs into %out[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  } {gnn.any_row_order}
  return %y : tensor<?x64xf32>
}

// -----

// An elementwise op is to become part of the loop.

// CHECK-LABEL: func.func @finished_later(
// CHECK-NOT: arith.select
func.func @finished_later(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
                          %columns: tensor<?xi32> {gnn.fixed = "graph"},
                          %n: index {gnn.fixed = "graph"},
                          %x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %y = scf.forall (%i) = (0) to (%n) step (2) shared_outs(%out = %empty) -> (tensor<?x64xf32>) {
    %next = arith.addi %i, %c2 : index
    %last = arith.minsi %next, %n : index
    %count = arith.subi %last, %i : index
    %part = tensor.extract_slice %out[%i, 0] [%count, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %rows = scf.for %row = %i to %last step %c1 iter_args(%values = %part) -> (tensor<?x64xf32>) {
      %from = tensor.extract %pointer[%row] : tensor<?xi32>
      %begin = arith.index_cast %from : i32 to index
      %after = arith.addi %row, %c1 : index
      %to = tensor.extract %pointer[%after] : tensor<?xi32>
      %end = arith.index_cast %to : i32 to index
      %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<64xf32>) {
        %column = tensor.extract %columns[%e] : tensor<?xi32>
        %j = arith.index_cast %column : i32 to index
        %source = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
        %s = arith.addf %acc, %source : tensor<64xf32>
        scf.yield %s : tensor<64xf32>
      }
      %slot = arith.subi %row, %i : index
      %inserted = tensor.insert_slice %sum into %values[%slot, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
      scf.yield %inserted : tensor<?x64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %rows into %out[%i, 0] [%count, 64] [1, 1] : tensor<?x64xf32> into tensor<?x64xf32>
    }
  } {gnn.any_row_order}
  %z = math.tanh %y : tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}

// -----

// The number of rows is known to the graph, though a branch computes it. What
// depends on where it is stays there.

// CHECK-LABEL: func.func @in_a_branch(
// CHECK: arith.select
// CHECK: scf.if
// CHECK:   linalg.generic
// CHECK:     linalg.index 0
// CHECK:   scf.forall
func.func @in_a_branch(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
                       %columns: tensor<?xi32> {gnn.fixed = "graph"},
                       %isSparse: i1, %x: tensor<?x64xf32>)
    -> (tensor<?x64xf32>, tensor<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %y:2 = scf.if %isSparse -> (tensor<?x64xf32>, tensor<?xindex>) {
    %size = tensor.dim %pointer, %c0 : tensor<?xi32>
    %n = arith.subi %size, %c1 : index
    %none = tensor.empty(%n) : tensor<?xindex>
    %numbers = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%none : tensor<?xindex>) {
    ^bb0(%old: index):
      %number = linalg.index 0 : index
      linalg.yield %number : index
    } -> tensor<?xindex>
    %empty = tensor.empty(%n) : tensor<?x64xf32>
    %sums = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?x64xf32>) {
      %first = tensor.extract %pointer[%i] : tensor<?xi32>
      %begin = arith.index_cast %first : i32 to index
      %next = arith.addi %i, %c1 : index
      %last = tensor.extract %pointer[%next] : tensor<?xi32>
      %end = arith.index_cast %last : i32 to index
      %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<64xf32>) {
        %column = tensor.extract %columns[%e] : tensor<?xi32>
        %j = arith.index_cast %column : i32 to index
        %row = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
        %s = arith.addf %acc, %row : tensor<64xf32>
        scf.yield %s : tensor<64xf32>
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
      }
    }
    scf.yield %sums, %numbers : tensor<?x64xf32>, tensor<?xindex>
  } else {
    %n = tensor.dim %x, %c0 : tensor<?x64xf32>
    %none = tensor.empty(%n) : tensor<?xindex>
    scf.yield %x, %none : tensor<?x64xf32>, tensor<?xindex>
  }
  return %y#0, %y#1 : tensor<?x64xf32>, tensor<?xindex>
}
