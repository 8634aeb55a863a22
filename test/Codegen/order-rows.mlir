// RUN: gnn-opt --split-input-file --gnn-order-rows --canonicalize --cse %s \
// RUN:   | FileCheck %s
// RUN: gnn-opt --split-input-file --gnn-order-rows=max-row-bytes=8 %s \
// RUN:   | FileCheck %s --check-prefix=NARROW --implicit-check-not='step ('
// NARROW: func.func @sum
// RUN: gnn-opt --split-input-file --gnn-order-rows="min-row-edges=5 max-rows=7" \
// RUN:   --canonicalize --cse %s | FileCheck %s --check-prefix=LIMITS
// LIMITS-LABEL: func.func @sum
// LIMITS-DAG: %[[MOST:.+]] = arith.constant 7 : index
// LIMITS-DAG: %[[FEWEST:.+]] = arith.constant 5 : index
// LIMITS: arith.muli %[[N:.+]], %[[FEWEST]]
// LIMITS: arith.cmpi ule, %[[N]], %[[MOST]]

// Rows are sorted by counting, 256 at a time.

// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[POINTER:[a-z0-9]+]]: tensor<?xi32> {gnn.fixed = "graph"}
// CHECK-SAME: %[[COLUMNS:[a-z0-9]+]]: tensor<?xi32> {gnn.fixed = "graph"}
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK-DAG: %[[C65536:.+]] = arith.constant 65536 : index
// CHECK-DAG: %[[C63:.+]] = arith.constant 63 : index
// CHECK-DAG: %[[C3:.+]] = arith.constant 3 : index
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[SIZE:.+]] = tensor.dim %[[POINTER]], %[[C0]]
// CHECK-DAG: %[[N:.+]] = arith.subi %[[SIZE]],
// CHECK-DAG: %[[EDGES:.+]] = tensor.dim %[[COLUMNS]], %[[C0]]
// CHECK: %[[ENOUGH:.+]] = arith.muli %[[N]], %[[C3]]
// CHECK: %[[MANY:.+]] = arith.cmpi uge, %[[EDGES]], %[[ENOUGH]]
// CHECK: %[[FEW:.+]] = arith.cmpi ule, %[[N]], %[[C65536]]
// CHECK: %[[ARE_SORTED:.+]] = arith.andi %[[MANY]], %[[FEW]]
// Where rows stay, nothing is copied.
// CHECK: %[[NUM_SORTED:.+]] = arith.select %[[ARE_SORTED]], %[[N]], %[[C0]]
// CHECK: arith.select %[[ARE_SORTED]], %[[EDGES]], %[[C0]]
// CHECK: %[[ORDER:.+]]:3 = scf.forall (%[[FIRST:[a-z0-9]+]]) = (0) to (%[[NUM_SORTED]]) step (256) shared_outs(%[[ROWS:[a-z0-9]+]] = %{{.*}}, %[[ENDS:[a-z0-9]+]] = %{{.*}}, %[[COPIES:[a-z0-9]+]] = %{{.*}})
// How many rows have how many edges.
// CHECK:   %[[COUNTS:.+]] = scf.for
// CHECK:     %[[LENGTH:.+]] = arith.minui %{{.*}}, %[[C63]]
// CHECK:     tensor.insert %{{.*}} into %{{.*}}[%[[LENGTH]]] : tensor<64xindex>
// CHECK:   %[[STARTS:.+]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[COUNTS]], %{{.*}} = %[[C0]])
// CHECK:   %[[SORTED:.+]]:2 = scf.for %[[ROW:[a-z0-9]+]] = {{.*}} iter_args(%[[SO_FAR:[a-z0-9]+]] = %{{.*}}, %[[NEXT:[a-z0-9]+]] = %[[STARTS]]#0)
// CHECK:     %[[PLACE:.+]] = tensor.extract %[[NEXT]]
// CHECK:     tensor.insert %{{.*}} into %[[SO_FAR]][%[[PLACE]]]
// CHECK:   %[[COPIED:.+]]:3 = scf.for %[[AT:[a-z0-9]+]] =
// CHECK:     tensor.extract %[[SORTED]]#0[%[[AT]]]
// CHECK:     scf.for %[[E:[a-z0-9]+]] =
// CHECK:       tensor.extract %[[COLUMNS]][%[[E]]]
// CHECK:   tensor.parallel_insert_slice %[[SORTED]]#0 into %[[ROWS]]
// CHECK:   tensor.parallel_insert_slice %[[COPIED]]#0 into %[[ENDS]]
// CHECK:   tensor.parallel_insert_slice %[[COPIED]]#1 into %[[COPIES]]
// CHECK: %[[BOUNDS:.+]] = arith.select %[[ARE_SORTED]], %[[ORDER]]#1, %[[POINTER]]
// CHECK: %[[SOURCES:.+]] = arith.select %[[ARE_SORTED]], %[[ORDER]]#2, %[[COLUMNS]]
// CHECK: %[[Y:.+]] = scf.forall (%[[P:[a-z0-9]+]]) in (%[[N]]) shared_outs(%[[OUT:[a-z0-9]+]] =
// Where rows stay where they are, nothing waits for a number.
// CHECK:   %[[DESTINATION:.+]] = scf.if %[[ARE_SORTED]]
// CHECK:     %[[I:.+]] = tensor.extract %[[ORDER]]#0[%[[P]]]
// CHECK:     %[[NUMBER:.+]] = arith.index_cast %[[I]]
// CHECK:     scf.yield %[[NUMBER]]
// CHECK:     scf.yield %[[P]]
// CHECK:   tensor.extract %[[BOUNDS]][%[[P]]]
// CHECK:   tensor.extract %[[BOUNDS]][%{{.*}}]
// CHECK:   %[[SUM:.+]] = scf.for %[[EDGE:[a-z0-9]+]] =
// CHECK:     tensor.extract %[[SOURCES]][%[[EDGE]]]
// CHECK:   tensor.parallel_insert_slice %[[SUM]] into %[[OUT]][%[[DESTINATION]], 0]
// A loop over the same graph has the same order.
// CHECK: scf.forall (%[[Q:[a-z0-9]+]]) in (%[[N]])
// CHECK:   tensor.extract %[[ORDER]]#0[%[[Q]]]
// CHECK:   tensor.extract %[[BOUNDS]][%[[Q]]]
func.func @sum(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
               %columns: tensor<?xi32> {gnn.fixed = "graph"},
               %x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %size = tensor.dim %pointer, %c0 : tensor<?xi32>
  %n = arith.subi %size, %c1 : index
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?x4xf32>) {
    %first = tensor.extract %pointer[%i] : tensor<?xi32>
    %begin = arith.index_cast %first : i32 to index
    %next = arith.addi %i, %c1 : index
    %last = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %last : i32 to index
    %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<4xf32>) {
      %column = tensor.extract %columns[%e] : tensor<?xi32>
      %j = arith.index_cast %column : i32 to index
      %row = tensor.extract_slice %x[%j, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
      %s = arith.addf %acc, %row : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    }
  }
  %z = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?x4xf32>) {
    %first = tensor.extract %pointer[%i] : tensor<?xi32>
    %begin = arith.index_cast %first : i32 to index
    %next = arith.addi %i, %c1 : index
    %last = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %last : i32 to index
    %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<4xf32>) {
      %column = tensor.extract %columns[%e] : tensor<?xi32>
      %j = arith.index_cast %column : i32 to index
      %row = tensor.extract_slice %y[%j, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
      %s = arith.addf %acc, %row : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    }
  }
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// A graph that may be another one in each run.

// CHECK-LABEL: func.func @other_graph(
// CHECK-NOT: step (256)
func.func @other_graph(%pointer: tensor<?xindex>, %columns: tensor<?xindex>,
                       %n: index, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?xf32>) {
    %begin = tensor.extract %pointer[%i] : tensor<?xindex>
    %next = arith.addi %i, %c1 : index
    %end = tensor.extract %pointer[%next] : tensor<?xindex>
    %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<1xf32>) {
      %j = tensor.extract %columns[%e] : tensor<?xindex>
      %row = tensor.extract_slice %x[%j] [1] [1] : tensor<?xf32> to tensor<1xf32>
      %s = arith.addf %acc, %row : tensor<1xf32>
      scf.yield %s : tensor<1xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %y : tensor<?xf32>
}

// -----

// Values of edges are in the order of edges.

// CHECK-LABEL: func.func @edge_values(
// CHECK-NOT: step (256)
func.func @edge_values(%pointer: tensor<?xindex> {gnn.fixed = "graph"},
                       %columns: tensor<?xindex> {gnn.fixed = "graph"},
                       %n: index {gnn.fixed = "graph"},
                       %values: tensor<?xf32>, %x: tensor<?xf32>)
    -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?xf32>) {
    %begin = tensor.extract %pointer[%i] : tensor<?xindex>
    %next = arith.addi %i, %c1 : index
    %end = tensor.extract %pointer[%next] : tensor<?xindex>
    %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<1xf32>) {
      %j = tensor.extract %columns[%e] : tensor<?xindex>
      %row = tensor.extract_slice %x[%j] [1] [1] : tensor<?xf32> to tensor<1xf32>
      %v = tensor.extract_slice %values[%e] [1] [1] : tensor<?xf32> to tensor<1xf32>
      %p = arith.mulf %v, %row : tensor<1xf32>
      %s = arith.addf %acc, %p : tensor<1xf32>
      scf.yield %s : tensor<1xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %y : tensor<?xf32>
}

// -----

// What runs once for a graph needs no order.

// CHECK-LABEL: func.func @of_the_graph(
// CHECK-NOT: step (256)
func.func @of_the_graph(%pointer: tensor<?xindex> {gnn.fixed = "graph"},
                        %columns: tensor<?xi32> {gnn.fixed = "graph"},
                        %n: index {gnn.fixed = "graph"}) -> tensor<?xi32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<1xi32>
  %empty = tensor.empty(%n) : tensor<?xi32>
  %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?xi32>) {
    %begin = tensor.extract %pointer[%i] : tensor<?xindex>
    %next = arith.addi %i, %c1 : index
    %end = tensor.extract %pointer[%next] : tensor<?xindex>
    %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<1xi32>) {
      %j = tensor.extract %columns[%e] : tensor<?xi32>
      %v = tensor.splat %j : tensor<1xi32>
      %s = arith.addi %acc, %v : tensor<1xi32>
      scf.yield %s : tensor<1xi32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i] [1] [1] : tensor<1xi32> into tensor<?xi32>
    }
  }
  return %y : tensor<?xi32>
}
