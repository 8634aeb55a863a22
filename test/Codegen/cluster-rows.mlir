// RUN: gnn-opt --split-input-file --gnn-cluster-rows --canonicalize --cse %s \
// RUN:   | FileCheck %s
// RUN: gnn-opt --split-input-file --gnn-cluster-rows=min-row-bytes=2049 %s \
// RUN:   | FileCheck %s --check-prefix=NARROW --implicit-check-not=scf.if
// NARROW: func.func @sum
// RUN: gnn-opt --split-input-file --gnn-cluster-rows=min-row-bytes=2048 %s \
// RUN:   | FileCheck %s --check-prefix=WIDE

// Rows of 256 bytes, of which 8192 fit into the cache.

// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[POINTER:[a-z0-9]+]]: tensor<?xi32> {gnn.fixed = "graph"}
// CHECK-SAME: %[[COLUMNS:[a-z0-9]+]]: tensor<?xi32> {gnn.fixed = "graph"}
// CHECK-SAME: %[[WEIGHTS:[a-z0-9]+]]: tensor<?xf32>
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x64xf32>
// CHECK-DAG: %[[WINDOW:.+]] = arith.constant 8192 : index
// CHECK-DAG: %[[TWICE:.+]] = arith.constant 4194304 : index
// CHECK-DAG: %[[BYTES:.+]] = arith.constant 256 : index
// CHECK-DAG: %[[SWEEPS:.+]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[SIZE:.+]] = tensor.dim %[[POINTER]], %[[C0]]
// CHECK-DAG: %[[N:.+]] = arith.subi %[[SIZE]],
// CHECK-DAG: %[[EDGES:.+]] = tensor.dim %[[COLUMNS]], %[[C0]]
// Each step does nothing if the one before ruled an order out.
// CHECK: %[[ENOUGH:.+]] = arith.muli %[[N]], %[[C4]]
// CHECK: %[[MANY:.+]] = arith.cmpi uge, %[[EDGES]], %[[ENOUGH]]
// CHECK: %[[NODES:.+]] = scf.for
// CHECK:   arith.maxui
// CHECK: %[[ALL:.+]] = arith.muli %[[NODES]], %[[BYTES]]
// CHECK: %[[LARGE:.+]] = arith.cmpi ugt, %[[ALL]], %[[TWICE]]
// How many edges read from far away.
// CHECK: %[[READ:.+]] = arith.select %[[LARGE]], %[[N]], %[[C0]]
// CHECK: %[[FAR:.+]]:3 = scf.for %[[ROW:[a-z0-9]+]] = %[[C0]] to %[[READ]]
// CHECK:   tensor.extract %[[POINTER]][%[[ROW]]]
// CHECK:   scf.for %[[E:[a-z0-9]+]] =
// CHECK:     tensor.extract %[[COLUMNS]][%[[E]]]
// CHECK:     arith.cmpi ugt, %{{.*}}, %[[WINDOW]]
// CHECK: %[[WORTHWHILE:.+]] = arith.andi %[[LARGE]],
// CHECK: %[[SOME:.+]] = arith.select %[[WORTHWHILE]], %[[N]], %[[C0]]
// CHECK: %[[LABELS:.+]]:2 = scf.for %{{.*}} = %[[C0]] to %[[SWEEPS]]
// CHECK:   scf.for %{{.*}} = %[[C0]] to %[[SOME]]
// The label of most sources, and counts set back.
// CHECK:     scf.for
// CHECK:       arith.cmpi ugt
// CHECK:     scf.for
// CHECK:       tensor.insert %{{.*}} into
// Rows to the places of their labels.
// CHECK: %[[STARTS:.+]]:2 = scf.for
// CHECK: %[[ORDER:.+]]:2 = scf.for {{.*}} to %[[SOME]] {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[STARTS]]#0)
// CHECK: %[[FAR_SORTED:.+]]:3 = scf.for %[[PLACE:[a-z0-9]+]] = %[[C0]] to %[[SOME]]
// CHECK:   tensor.extract %[[ORDER]]#0[%[[PLACE]]]
// CHECK: %[[BETTER:.+]] = arith.cmpi ule
// CHECK: %[[SORTED:.+]] = arith.andi %[[WORTHWHILE]], %[[BETTER]]
// CHECK: %[[COPIES:.+]]:4 = scf.for
// CHECK: %[[ENDS:.+]] = tensor.insert_slice %[[COPIES]]#0 into
// CHECK: %[[BOUNDS:.+]] = arith.select %[[SORTED]], %[[ENDS]], %[[POINTER]]
// CHECK: %[[SOURCES:.+]] = arith.select %[[SORTED]], %[[COPIES]]#1, %[[COLUMNS]]
// CHECK: scf.forall (%[[P:[a-z0-9]+]]) in (%[[N]]) shared_outs(%[[OUT:[a-z0-9]+]] =
// CHECK:   %[[DESTINATION:.+]] = scf.if %[[SORTED]]
// CHECK:     tensor.extract %[[ORDER]]#0[%[[P]]]
// CHECK:     scf.yield %[[P]]
// CHECK:   tensor.extract %[[BOUNDS]][%[[P]]]
// CHECK:   %[[SUM:.+]] = scf.for %[[Q:[a-z0-9]+]] =
// CHECK:     %[[EDGE:.+]] = scf.if %[[SORTED]]
// CHECK:       tensor.extract %[[COPIES]]#2[%[[Q]]]
// CHECK:       scf.yield %[[Q]]
// CHECK:     tensor.extract %[[SOURCES]][%[[Q]]]
// CHECK:     tensor.extract %[[WEIGHTS]][%[[EDGE]]]
// CHECK:   tensor.parallel_insert_slice %[[SUM]] into %[[OUT]][%[[DESTINATION]], 0]
func.func @sum(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
               %columns: tensor<?xi32> {gnn.fixed = "graph"},
               %weights: tensor<?xf32>, %x: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %size = tensor.dim %pointer, %c0 : tensor<?xi32>
  %n = arith.subi %size, %c1 : index
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?x64xf32>) {
    %first = tensor.extract %pointer[%i] : tensor<?xi32>
    %begin = arith.index_cast %first : i32 to index
    %next = arith.addi %i, %c1 : index
    %last = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %last : i32 to index
    %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<64xf32>) {
      %column = tensor.extract %columns[%e] : tensor<?xi32>
      %j = arith.index_cast %column : i32 to index
      %row = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %weight = tensor.extract %weights[%e] : tensor<?xf32>
      %weighted = tensor.splat %weight : tensor<64xf32>
      %product = arith.mulf %row, %weighted : tensor<64xf32>
      %s = arith.addf %acc, %product : tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  return %y : tensor<?x64xf32>
}

// -----

// Loops over the same graph share an order, which the widest rows decide:
// 4096 of 512 bytes.

// CHECK-LABEL: func.func @two_sums(
// CHECK: arith.constant 4096 : index
// CHECK: %[[ORDER:.+]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}#0)
// CHECK-COUNT-2: tensor.extract %[[ORDER]]#0[%{{.*}}] : tensor<?xi32>
// CHECK: scf.forall
// CHECK: tensor.extract %[[ORDER]]#0[
// CHECK: scf.forall
// CHECK-NOT: iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}#0)
// CHECK: tensor.extract %[[ORDER]]#0[
func.func @two_sums(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
                    %columns: tensor<?xi32> {gnn.fixed = "graph"},
                    %n: index {gnn.fixed = "graph"},
                    %x: tensor<?x64xf32>, %z: tensor<?x128xf32>)
    -> (tensor<?x64xf32>, tensor<?x128xf32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zeros = arith.constant dense<0.0> : tensor<128xf32>
  %narrow = tensor.empty(%n) : tensor<?x64xf32>
  %wide = tensor.empty(%n) : tensor<?x128xf32>
  %a = scf.forall (%i) in (%n) shared_outs(%out = %narrow) -> (tensor<?x64xf32>) {
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
  %b = scf.forall (%i) in (%n) shared_outs(%out = %wide) -> (tensor<?x128xf32>) {
    %first = tensor.extract %pointer[%i] : tensor<?xi32>
    %begin = arith.index_cast %first : i32 to index
    %next = arith.addi %i, %c1 : index
    %last = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %last : i32 to index
    %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128xf32>) {
      %column = tensor.extract %columns[%e] : tensor<?xi32>
      %j = arith.index_cast %column : i32 to index
      %row = tensor.extract_slice %z[%j, 0] [1, 128] [1, 1] : tensor<?x128xf32> to tensor<128xf32>
      %s = arith.addf %acc, %row : tensor<128xf32>
      scf.yield %s : tensor<128xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 128] [1, 1] : tensor<128xf32> into tensor<?x128xf32>
    }
  }
  return %a, %b : tensor<?x64xf32>, tensor<?x128xf32>
}

// -----

// A graph that may be another one in each run.

// CHECK-LABEL: func.func @other_graph(
// CHECK-NOT: scf.if
func.func @other_graph(%pointer: tensor<?xindex>, %columns: tensor<?xindex>,
                       %n: index, %x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %empty = tensor.empty(%n) : tensor<?x64xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?x64xf32>) {
    %begin = tensor.extract %pointer[%i] : tensor<?xindex>
    %next = arith.addi %i, %c1 : index
    %end = tensor.extract %pointer[%next] : tensor<?xindex>
    %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<64xf32>) {
      %j = tensor.extract %columns[%e] : tensor<?xindex>
      %row = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %s = arith.addf %acc, %row : tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  return %y : tensor<?x64xf32>
}

// -----

// Edges are gone through for each tile of the features. Both tiles of 1 KiB
// count.
// WIDE-LABEL: func.func @tiles(
// WIDE: scf.if

// CHECK-LABEL: func.func @tiles(
// CHECK: scf.forall
// CHECK:   scf.if %[[SORTED:.+]] ->
// CHECK:   scf.for %[[F:[a-z0-9]+]] = %c0 to %c512 step %c256
// CHECK:     %[[SUM:.+]] = scf.for
// CHECK:       tensor.extract_slice %{{.*}}[%{{.*}}, %[[F]]] [1, 256]
func.func @tiles(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
                 %columns: tensor<?xi32> {gnn.fixed = "graph"},
                 %x: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %size = tensor.dim %pointer, %c0 : tensor<?xi32>
  %n = arith.subi %size, %c1 : index
  %empty = tensor.empty(%n) : tensor<?x512xf32>
  %none = tensor.empty() : tensor<512xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> (tensor<?x512xf32>) {
    %first = tensor.extract %pointer[%i] : tensor<?xi32>
    %begin = arith.index_cast %first : i32 to index
    %next = arith.addi %i, %c1 : index
    %last = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %last : i32 to index
    %all = scf.for %f = %c0 to %c512 step %c256 iter_args(%tiles = %none) -> (tensor<512xf32>) {
      %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %zero) -> (tensor<256xf32>) {
        %column = tensor.extract %columns[%e] : tensor<?xi32>
        %j = arith.index_cast %column : i32 to index
        %row = tensor.extract_slice %x[%j, %f] [1, 256] [1, 1] : tensor<?x512xf32> to tensor<256xf32>
        %s = arith.addf %acc, %row : tensor<256xf32>
        scf.yield %s : tensor<256xf32>
      }
      %added = tensor.insert_slice %sum into %tiles[%f] [256] [1] : tensor<256xf32> into tensor<512xf32>
      scf.yield %added : tensor<512xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %all into %out[%i, 0] [1, 512] [1, 1] : tensor<512xf32> into tensor<?x512xf32>
    }
  }
  return %y : tensor<?x512xf32>
}
