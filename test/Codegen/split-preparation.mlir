// RUN: gnn-opt --gnn-split-preparation --split-input-file %s | FileCheck %s

#map = affine_map<(d0) -> (d0)>
#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// Degrees come from the graph alone, and their inverse roots are what the loop
// reads, in its body. Arithmetic of sizes is done where it is needed.
// CHECK-LABEL: func @norm.prepare_graphs
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?xi32>) -> tensor<?xf32>
// CHECK-SAME: attributes {passthrough = ["noinline", "optsize"]}
// CHECK: %[[DEGREE:.*]] = linalg.generic
// CHECK: tensor.extract %[[ROWS]]
// CHECK: %[[NORM:.*]] = linalg.generic {{.*}} ins(%[[DEGREE]]
// CHECK: math.rsqrt
// CHECK-NOT: scf.forall
// CHECK: return %[[NORM]]
// CHECK-LABEL: func @norm(
// CHECK-SAME: %[[ROWS:.*]]: tensor<?xi32>, %[[X:.*]]: tensor<?xf32>, %[[NORM:.*]]: tensor<?xf32>) -> tensor<?xf32>
// CHECK-SAME: gnn.preparations = [{bytes = array<i64: 4>, function = "norm.prepare_graphs", inputs = array<i64: 0>, ranks = array<i64: 1>}]
// CHECK-NOT: linalg.generic
// CHECK: tensor.dim %[[ROWS]]
// CHECK: %[[N:.*]] = arith.subi
// CHECK: scf.forall (%[[I:.*]]) in (%[[N]])
// CHECK: tensor.extract_slice %[[NORM]][%[[I]]]
func.func @norm(%row_pointers: tensor<?xi32> {gnn.fixed = "graph"},
                %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %row_pointers, %c0 : tensor<?xi32>
  %n = arith.subi %dim, %c1 : index
  %empty = tensor.empty(%n) : tensor<?xf32>
  %degree = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%empty : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %end = tensor.extract %row_pointers[%i] : tensor<?xi32>
    %value = arith.sitofp %end : i32 to f32
    linalg.yield %value : f32
  } -> tensor<?xf32>
  %norm = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%degree : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %root = math.rsqrt %in : f32
    linalg.yield %root : f32
  } -> tensor<?xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%rows = %empty) -> (tensor<?xf32>) {
    %a = tensor.extract_slice %norm[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %b = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %c = arith.mulf %a, %b : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %rows[%i] [1] [1]
        : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %y : tensor<?xf32>
}

// -----

// What elementwise ops alone read becomes part of them: nothing is kept, and
// nothing says any more what came from a graph.
// CHECK-NOT: .prepare
// CHECK-LABEL: func @cheap(
// CHECK-SAME: %{{.*}}: tensor<?xf32>, %{{.*}}: tensor<?xf32>) -> tensor<?xf32> {
// CHECK-COUNT-3: linalg
// CHECK: return
#map = affine_map<(d0) -> (d0)>
func.func @cheap(%g: tensor<?xf32> {gnn.fixed = "graph"}, %x: tensor<?xf32>)
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %g, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %more = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%g : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %one : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]}
      ins(%more, %x, %ones : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %product, %c : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// The same op is kept if a product reads it, which would be stored anyway. What a
// product adds to is not.
// CHECK-LABEL: func @stored.prepare_weights
// CHECK-SAME: (%[[W:.*]]: tensor<8x4xf32>) -> tensor<8x4xbf16>
// CHECK: %[[ROUNDED:.*]] = linalg.generic
// CHECK: arith.truncf
// CHECK: return %[[ROUNDED]]
// CHECK-LABEL: func @stored(
// CHECK-SAME: %[[ROUNDED:[a-z0-9]*]]: tensor<8x4xbf16>)
// CHECK-SAME: bytes = array<i64: 2>
// CHECK-NOT: arith.truncf
// CHECK: linalg.fill
// CHECK: linalg.matmul ins(%{{.*}}, %[[ROUNDED]]
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @stored(%x: tensor<3x8xbf16>, %w: tensor<8x4xf32> {gnn.fixed = "weight"})
    -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %place = tensor.empty() : tensor<3x4xf32>
  %y = linalg.fill ins(%zero : f32) outs(%place : tensor<3x4xf32>) -> tensor<3x4xf32>
  %empty = tensor.empty() : tensor<8x4xbf16>
  %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x4xf32>) outs(%empty : tensor<8x4xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %value = arith.truncf %in : f32 to bf16
    linalg.yield %value : bf16
  } -> tensor<8x4xbf16>
  %product = linalg.matmul ins(%x, %rounded : tensor<3x8xbf16>, tensor<8x4xbf16>)
      outs(%y : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %product : tensor<3x4xf32>
}

// -----

// Of two graphs and weights: sums of weights are computed before and apart, and
// what graphs decide may read them. A loop may return a tensor that is read and
// a number. Another's tensor only has its size read, which is all that is kept.
// CHECK-LABEL: func @several.prepare_weights
// CHECK-SAME: (%[[W:.*]]: tensor<8xf32>) -> f32
// CHECK: %[[SUM:.*]] = linalg.reduce
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[SUM]]
// CHECK: return %[[NUMBER]] : f32
// CHECK-LABEL: func @several.prepare_graphs
// CHECK-SAME: (%[[A:.*]]: tensor<?xi32>, %[[B:.*]]: tensor<?xi32>, %[[NUMBER:.*]]: f32) -> (tensor<?xf32>, index, index)
// CHECK: %[[LOOP:.*]]:2 = scf.for
// CHECK: tensor.insert %[[NUMBER]]
// CHECK: %[[OTHER:.*]] = scf.for
// CHECK: %[[SIZE:.*]] = tensor.dim %[[OTHER]]
// CHECK: return %[[LOOP]]#0, %[[LOOP]]#1, %[[SIZE]]
// CHECK-LABEL: func @several(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?xf32>, %{{[a-z0-9]*}}: tensor<8xf32>, %[[K:[a-z0-9]*]]: index, %[[NUMBER:.*]]: f32, %[[T:.*]]: tensor<?xf32>, %[[COUNT:.*]]: index, %[[SIZE:.*]]: index)
// CHECK-SAME: {bytes = array<i64: 4>, function = "several.prepare_weights", inputs = array<i64: 3>, ranks = array<i64: -1>}
// CHECK-SAME: {bytes = array<i64: 4, 8, 8>, function = "several.prepare_graphs", inputs = array<i64: 0, 1, 5>, ranks = array<i64: 1, -1, -1>}
// CHECK-NOT: scf.for
// CHECK: tensor.insert %[[NUMBER]] into %[[X]][%[[COUNT]]]
// CHECK: %[[I:.*]] = arith.addi %[[SIZE]], %[[K]]
// CHECK: tensor.extract %[[T]][%[[I]]]
func.func @several(%a: tensor<?xi32> {gnn.fixed = "graph"},
                   %b: tensor<?xi32> {gnn.fixed = "graph"}, %x: tensor<?xf32>,
                   %w: tensor<8xf32> {gnn.fixed = "weight"}, %k: index)
    -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?xi32>
  %m = tensor.dim %b, %c0 : tensor<?xi32>
  %start = tensor.empty() : tensor<f32>
  %filled = linalg.fill ins(%zero : f32) outs(%start : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce {arith.addf} ins(%w : tensor<8xf32>) outs(%filled : tensor<f32>)
    dimensions = [0]
  %number = tensor.extract %sum[] : tensor<f32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %loop:2 = scf.for %i = %c0 to %n step %c1
      iter_args(%t = %empty, %count = %c0) -> (tensor<?xf32>, index) {
    %next = tensor.insert %number into %t[%i] : tensor<?xf32>
    %column = tensor.extract %b[%i] : tensor<?xi32>
    %index = arith.index_cast %column : i32 to index
    %counted = arith.addi %count, %index : index
    scf.yield %next, %counted : tensor<?xf32>, index
  }
  %longer = tensor.empty(%loop#1) : tensor<?xf32>
  %other = scf.for %i = %c0 to %m step %c1 iter_args(%t = %longer) -> (tensor<?xf32>) {
    %next = tensor.insert %zero into %t[%i] : tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  %size = tensor.dim %other, %c0 : tensor<?xf32>
  %changed = tensor.insert %number into %x[%loop#1] : tensor<?xf32>
  %index = arith.addi %size, %k : index
  %element = tensor.extract %loop#0[%index] : tensor<?xf32>
  %some = tensor.extract %changed[%c0] : tensor<?xf32>
  %y = arith.addf %element, %some : f32
  return %changed, %y : tensor<?xf32>, f32
}

// -----

// A conditional is kept if what is inside is worth it.
// CHECK-LABEL: func @conditional.prepare_graphs
// CHECK-SAME: -> (i1, tensor<?xf32>)
// CHECK: %[[IF:.*]]:2 = scf.if
// CHECK: return %[[IF]]#0, %[[IF]]#1
// CHECK-LABEL: func @conditional(
// CHECK-SAME: %[[IS:[a-z0-9]*]]: i1, %[[T:[a-z0-9]*]]: tensor<?xf32>)
// CHECK-SAME: bytes = array<i64: 1, 4>
// CHECK-SAME: ranks = array<i64: -1, 1>
// CHECK: scf.if %[[IS]]
// CHECK: tensor.extract %[[T]]
func.func @conditional(%g: tensor<?xf32> {gnn.fixed = "graph"},
                       %n: index {gnn.fixed = "graph"}, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %true = arith.constant true
  %false = arith.constant false
  %is = arith.cmpi ult, %n, %c9 : index
  %if:2 = scf.if %is -> (i1, tensor<?xf32>) {
    %empty = tensor.empty(%n) : tensor<?xf32>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%s = %empty) -> (tensor<?xf32>) {
      %value = tensor.extract %g[%i] : tensor<?xf32>
      %next = tensor.insert %value into %s[%i] : tensor<?xf32>
      scf.yield %next : tensor<?xf32>
    }
    scf.yield %true, %t : i1, tensor<?xf32>
  } else {
    scf.yield %false, %g : i1, tensor<?xf32>
  }
  %y = scf.if %if#0 -> (f32) {
    %value = tensor.extract %if#1[%c0] : tensor<?xf32>
    %sum = arith.addf %value, %x : f32
    scf.yield %sum : f32
  } else {
    scf.yield %x : f32
  }
  return %y : f32
}

// -----

// Ops with side effects stay, as do functions that nobody outside calls.
// CHECK-LABEL: func private @inside(%{{.*}}: tensor<?xf32>) -> f32
// CHECK-LABEL: func @effects(%{{.*}}: memref<f32>, %{{.*}}: index) -> index {
// CHECK-NOT: call
// CHECK: scf.for
// CHECK: memref.store
func.func private @inside(%g: tensor<?xf32> {gnn.fixed = "graph"}) -> f32 {
  %c0 = arith.constant 0 : index
  %element = tensor.extract %g[%c0] : tensor<?xf32>
  return %element : f32
}
func.func @effects(%m: memref<f32>, %n: index {gnn.fixed = "graph"}) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    memref.store %zero, %m[] : memref<f32>
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  return %r : index
}

// -----

// Weights that are stored in fewer bits than a product reads are read so.
// CHECK-LABEL: func @wider(%{{[a-z0-9]*}}: tensor<3x8xf32>, %{{[a-z0-9]*}}: tensor<8x4xbf16>) -> tensor<3x4xf32> {
// CHECK: arith.extf
// CHECK: linalg.matmul
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @wider(%x: tensor<3x8xf32>, %w: tensor<8x4xbf16> {gnn.fixed = "weight"})
    -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %place = tensor.empty() : tensor<3x4xf32>
  %y = linalg.fill ins(%zero : f32) outs(%place : tensor<3x4xf32>) -> tensor<3x4xf32>
  %empty = tensor.empty() : tensor<8x4xf32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x4xbf16>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %value = arith.extf %in : bf16 to f32
    linalg.yield %value : f32
  } -> tensor<8x4xf32>
  %product = linalg.matmul ins(%x, %wide : tensor<3x8xf32>, tensor<8x4xf32>)
      outs(%y : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %product : tensor<3x4xf32>
}
