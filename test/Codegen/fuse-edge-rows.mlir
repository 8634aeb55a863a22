// RUN: gnn-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-fuse-edge-rows),canonicalize,cse)' \
// RUN:   | FileCheck %s
// RUN: gnn-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-fuse-edge-rows{rows=4 min-row-bytes=8}),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=FEW

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#one = affine_map<(d0) -> (d0)>

// A product and what follows it are computed for the edges of 32 rows, of 64
// bytes each, unless a block has most edges.
// CHECK-LABEL: func @product
// CHECK-SAME: %[[POINTER:.*]]: tensor<?xi32>, %[[E:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<8x16xf32>, %[[BIAS:.*]]: tensor<16xf32>
// CHECK-NOT: linalg.matmul
// CHECK: %[[LARGEST:.*]] = scf.for %[[B:[a-z0-9]+]] = %c0 to %{{.*}} step %c32 iter_args(%[[MOST:.*]] = %c0)
// CHECK: tensor.extract %[[POINTER]][%[[B]]]
// CHECK: arith.maxsi %[[MOST]]
// CHECK: %[[SHARE:.*]] = arith.divui %{{.*}}, %c32
// CHECK: %[[LIMIT:.*]] = arith.maxsi %[[SHARE]], %c8192
// CHECK: %[[SMALL:.*]] = arith.cmpi sle, %[[LARGEST]], %[[LIMIT]]
// CHECK: scf.if %[[SMALL]]
// CHECK: scf.forall (%[[FIRST:.*]]) = (0) to (%[[N:.*]]) step (32) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK: %[[AFTER:.*]] = arith.addi %[[FIRST]], %c32
// CHECK: %[[LAST:.*]] = arith.minsi %[[AFTER]], %[[N]]
// CHECK: tensor.extract %[[POINTER]][%[[FIRST]]]
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: tensor.extract %[[POINTER]][%[[LAST]]]
// CHECK: %[[END:.*]] = arith.index_cast
// CHECK: %[[COUNT:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK: tensor.empty(%[[COUNT]]) : tensor<?x16xf32>
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[E]][%[[BEGIN]], 0] [%[[COUNT]], 8] [1, 1]
// CHECK: %[[H:.*]] = linalg.matmul ins(%[[PART]], %[[W]]
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[H]], %[[BIAS]]
// CHECK: %[[SIZE:.*]] = arith.subi %[[LAST]], %[[FIRST]]
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[OUT]][%[[FIRST]], 0] [%[[SIZE]], 16] [1, 1]
// CHECK: %[[MADE:.*]] = scf.for %[[I:[a-z0-9]+]] = %[[FIRST]] to %[[LAST]] {{.*}} iter_args(%[[ARG:.*]] = %[[ROWS]])
// CHECK: scf.for %[[EDGE:[a-z0-9]+]] =
// CHECK: %[[PLACE:.*]] = arith.subi %[[EDGE]], %[[BEGIN]]
// CHECK: tensor.extract_slice %[[M]][%[[PLACE]], 0] [1, 16] [1, 1]
// CHECK: %[[ROW:.*]] = arith.subi %[[I]], %[[FIRST]]
// CHECK: tensor.insert_slice %{{.*}} into %[[ARG]][%[[ROW]], 0] [1, 16] [1, 1]
// CHECK: tensor.parallel_insert_slice %[[MADE]] into %[[OUT]][%[[FIRST]], 0] [%[[SIZE]], 16] [1, 1]
// CHECK: } else {
// CHECK: linalg.matmul ins(%[[E]], %[[W]]
// CHECK: scf.forall {{.*}} in (%[[N]])
// FEW-LABEL: func @product
// FEW: scf.forall {{.*}} step (4)
func.func @product(%pointer: tensor<?xi32>, %e: tensor<?x8xf32>,
                   %w: tensor<8x16xf32>, %bias: tensor<16xf32>, %n: index)
    -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %edges = tensor.dim %e, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%edges) : tensor<?x16xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %h = linalg.matmul ins(%e, %w : tensor<?x8xf32>, tensor<8x16xf32>)
    outs(%filled : tensor<?x16xf32>) -> tensor<?x16xf32>
  %m = linalg.generic {indexing_maps = [#map, #row, #map],
                       iterator_types = ["parallel", "parallel"]}
    ins(%h, %bias : tensor<?x16xf32>, tensor<16xf32>) outs(%empty : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  %init = tensor.empty(%n) : tensor<?x16xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %init) -> (tensor<?x16xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %start = tensor.empty() : tensor<16xf32>
    %first = linalg.fill ins(%zero : f32) outs(%start : tensor<16xf32>) -> tensor<16xf32>
    %sum = scf.for %k = %b to %end step %c1 iter_args(%acc = %first) -> (tensor<16xf32>) {
      %row = tensor.extract_slice %m[%k, 0] [1, 16] [1, 1] : tensor<?x16xf32> to tensor<16xf32>
      %s = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
        ins(%row : tensor<16xf32>) outs(%acc : tensor<16xf32>) {
      ^bb0(%a: f32, %out: f32):
        %t = arith.addf %out, %a : f32
        linalg.yield %t : f32
      } -> tensor<16xf32>
      scf.yield %s : tensor<16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %arg[%i, 0] [1, 16] [1, 1]
        : tensor<16xf32> into tensor<?x16xf32>
    }
  }
  return %y : tensor<?x16xf32>
}

// -----

#one = affine_map<(d0) -> (d0)>

// A loop over the same rows that makes messages is one over those of the block,
// and writes where their edges begin in it. Wide rows make smaller blocks.
// CHECK-LABEL: func @messages
// CHECK-SAME: %[[POINTER:.*]]: tensor<?xi32>
// CHECK: scf.forall (%[[FIRST:.*]]) = (0) to (%{{.*}}) step (16)
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: %[[COUNT:.*]] = arith.subi %{{.*}}, %[[BEGIN]]
// CHECK: %[[TILE:.*]] = tensor.empty(%[[COUNT]]) : tensor<?x128xf32>
// CHECK: %[[M:.*]] = scf.for %{{.*}} = %[[FIRST]] to %[[LAST:.*]] step %{{.*}} iter_args(%[[ARG:.*]] = %[[TILE]])
// CHECK: %[[OWN:.*]] = arith.index_cast
// CHECK: %[[SIZE:.*]] = arith.subi %{{.*}}, %[[OWN]]
// CHECK: %[[PLACE:.*]] = arith.subi %[[OWN]], %[[BEGIN]]
// CHECK: tensor.extract_slice %[[ARG]][%[[PLACE]], 0] [%[[SIZE]], 128] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[ARG]][%[[PLACE]], 0] [%[[SIZE]], 128] [1, 1]
// CHECK: %[[H:.*]] = tensor.expand_shape %[[M]] {{\[}}[0], [1, 2]] output_shape [%[[COUNT]], 4, 32]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK: tensor.extract_slice %[[H]]
func.func @messages(%pointer: tensor<?xi32>, %sources: tensor<?xi32>,
                    %x: tensor<?x128xf32>, %n: index) -> tensor<?x4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %edges = tensor.dim %sources, %c0 : tensor<?xi32>
  %empty = tensor.empty(%edges) : tensor<?x128xf32>
  %m = scf.forall (%i) in (%n) shared_outs(%arg = %empty) -> (tensor<?x128xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %size = arith.subi %end, %b : index
    %own = tensor.extract_slice %arg[%b, 0] [%size, 128] [1, 1] : tensor<?x128xf32> to tensor<?x128xf32>
    %made = scf.for %k = %b to %end step %c1 iter_args(%part = %own) -> (tensor<?x128xf32>) {
      %s32 = tensor.extract %sources[%k] : tensor<?xi32>
      %s = arith.index_cast %s32 : i32 to index
      %row = tensor.extract_slice %x[%s, 0] [1, 128] [1, 1] : tensor<?x128xf32> to tensor<128xf32>
      %place = arith.subi %k, %b : index
      %set = tensor.insert_slice %row into %part[%place, 0] [1, 128] [1, 1] : tensor<128xf32> into tensor<?x128xf32>
      scf.yield %set : tensor<?x128xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %made into %arg[%b, 0] [%size, 128] [1, 1]
        : tensor<?x128xf32> into tensor<?x128xf32>
    }
  }
  %heads = tensor.expand_shape %m [[0], [1, 2]] output_shape [%edges, 4, 32]
    : tensor<?x128xf32> into tensor<?x4x32xf32>
  %init = tensor.empty(%n) : tensor<?x4x32xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %init) -> (tensor<?x4x32xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %start = tensor.empty() : tensor<4x32xf32>
    %last = scf.for %k = %b to %end step %c1 iter_args(%acc = %start) -> (tensor<4x32xf32>) {
      %row = tensor.extract_slice %heads[%k, 0, 0] [1, 4, 32] [1, 1, 1] : tensor<?x4x32xf32> to tensor<4x32xf32>
      scf.yield %row : tensor<4x32xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %last into %arg[%i, 0, 0] [1, 4, 32] [1, 1, 1]
        : tensor<4x32xf32> into tensor<?x4x32xf32>
    }
  }
  return %y : tensor<?x4x32xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>

// A loop that takes eight rows at a time keeps them. An edge may be one further
// on, or the last one of its row.
// CHECK-LABEL: func @groups
// CHECK: scf.forall (%[[FIRST:.*]]) = (0) to (%{{.*}}) step (8)
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: %[[M:.*]] = linalg.generic
// CHECK: scf.for %[[K:[a-z0-9]+]] = {{.*}} step %c2
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %c1
// CHECK: %[[OTHER:.*]] = arith.minsi %[[NEXT]]
// CHECK: %[[FIRSTPLACE:.*]] = arith.subi %[[K]], %[[BEGIN]]
// CHECK: tensor.extract %[[M]][%[[FIRSTPLACE]], %c0]
// CHECK: %[[OTHERPLACE:.*]] = arith.subi %[[OTHER]], %[[BEGIN]]
// CHECK: tensor.extract %[[M]][%[[OTHERPLACE]], %c0]
func.func @groups(%pointer: tensor<?xi32>, %e: tensor<?x8xf32>, %n: index)
    -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %edges = tensor.dim %e, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%edges) : tensor<?x8xf32>
  %m = linalg.generic {indexing_maps = [#map, #map],
                       iterator_types = ["parallel", "parallel"]}
    ins(%e : tensor<?x8xf32>) outs(%empty : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  %y = scf.forall (%i) = (0) to (%n) step (8) shared_outs(%arg = %init) -> (tensor<?xf32>) {
    %after = arith.addi %i, %c8 : index
    %last = arith.minsi %after, %n : index
    %size = arith.subi %last, %i : index
    %own = tensor.extract_slice %arg[%i] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %made = scf.for %row = %i to %last step %c1 iter_args(%part = %own) -> (tensor<?xf32>) {
      %b32 = tensor.extract %pointer[%row] : tensor<?xi32>
      %b = arith.index_cast %b32 : i32 to index
      %next = arith.addi %row, %c1 : index
      %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
      %end = arith.index_cast %e32 : i32 to index
      %behind = arith.subi %end, %c1 : index
      %sum = scf.for %k = %b to %end step %c2 iter_args(%acc = %zero) -> (f32) {
        %k1 = arith.addi %k, %c1 : index
        %other = arith.minsi %k1, %behind : index
        %v = tensor.extract %m[%k, %c0] : tensor<?x8xf32>
        %w = tensor.extract %m[%other, %c0] : tensor<?x8xf32>
        %s = arith.addf %acc, %v : f32
        %t = arith.addf %s, %w : f32
        scf.yield %t : f32
      }
      %place = arith.subi %row, %i : index
      %set = tensor.insert %sum into %part[%place] : tensor<?xf32>
      scf.yield %set : tensor<?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %made into %arg[%i] [%size] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %y : tensor<?xf32>
}

// -----

// A loop that changes rows of edges starts from those of the block.
// CHECK-LABEL: func @changed
// CHECK-SAME: %[[POINTER:[a-z0-9]+]]: tensor<?xi32>, %[[E:[a-z0-9]+]]: tensor<?x8xf32>
// CHECK: scf.forall (%[[FIRST:.*]]) = (0) to (%{{.*}}) step (32)
// CHECK: %[[OWN:.*]] = tensor.extract_slice %[[E]][%{{.*}}, 0] [%{{.*}}, 8] [1, 1]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} iter_args(%{{.*}} = %[[OWN]])
// CHECK: } else {
func.func @changed(%pointer: tensor<?xi32>, %e: tensor<?x8xf32>, %n: index)
    -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = scf.forall (%i) in (%n) shared_outs(%arg = %e) -> (tensor<?x8xf32>) {
    %next = arith.addi %i, %c1 : index
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %size = arith.subi %end, %b : index
    %own = tensor.extract_slice %arg[%b, 0] [%size, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
    %made = scf.for %k = %b to %end step %c1 iter_args(%part = %own) -> (tensor<?x8xf32>) {
      %place = arith.subi %k, %b : index
      %set = tensor.insert %zero into %part[%place, %c0] : tensor<?x8xf32>
      scf.yield %set : tensor<?x8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %made into %arg[%b, 0] [%size, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    }
  }
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %init) -> (tensor<?x8xf32>) {
    %next = arith.addi %i, %c1 : index
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %start = tensor.empty() : tensor<8xf32>
    %last = scf.for %k = %b to %end step %c1 iter_args(%acc = %start) -> (tensor<8xf32>) {
      %row = tensor.extract_slice %m[%k, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
      scf.yield %row : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %last into %arg[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<?x8xf32>
    }
  }
  return %y : tensor<?x8xf32>
}

// -----

// What makes rows for edges may follow the edges of another graph, as where self
// loops are added.
// CHECK-LABEL: func @other_graph
// CHECK-SAME: %[[POINTER:[a-z0-9]+]]: tensor<?xi32>, %[[OLD:[a-z0-9]+]]: tensor<?xi32>
// CHECK: scf.forall (%[[FIRST:.*]]) = (0) to (%{{.*}}) step (32)
// CHECK: %[[TILE:.*]] = tensor.empty(%{{.*}}) : tensor<?x8xf32>
// CHECK: scf.for %[[I:[a-z0-9]+]] = %[[FIRST]] to %{{.*}} iter_args(%{{.*}} = %[[TILE]])
// CHECK: tensor.extract %[[OLD]][%[[I]]]
// CHECK: } else {
func.func @other_graph(%pointer: tensor<?xi32>, %old: tensor<?xi32>, %e: tensor<?x8xf32>,
                       %edges: index, %n: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %empty = tensor.empty(%edges) : tensor<?x8xf32>
  %m = scf.forall (%i) in (%n) shared_outs(%arg = %empty) -> (tensor<?x8xf32>) {
    %next = arith.addi %i, %c1 : index
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %size = arith.subi %end, %b : index
    %own = tensor.extract_slice %arg[%b, 0] [%size, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
    %ob32 = tensor.extract %old[%i] : tensor<?xi32>
    %ob = arith.index_cast %ob32 : i32 to index
    %oe32 = tensor.extract %old[%next] : tensor<?xi32>
    %oend = arith.index_cast %oe32 : i32 to index
    %made = scf.for %k = %ob to %oend step %c1 iter_args(%part = %own) -> (tensor<?x8xf32>) {
      %row = tensor.extract_slice %e[%k, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
      %place = arith.subi %k, %ob : index
      %set = tensor.insert_slice %row into %part[%place, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<?x8xf32>
      scf.yield %set : tensor<?x8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %made into %arg[%b, 0] [%size, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    }
  }
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %init) -> (tensor<?x8xf32>) {
    %next = arith.addi %i, %c1 : index
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %start = tensor.empty() : tensor<8xf32>
    %last = scf.for %k = %b to %end step %c1 iter_args(%acc = %start) -> (tensor<8xf32>) {
      %row = tensor.extract_slice %m[%k, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
      scf.yield %row : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %last into %arg[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<?x8xf32>
    }
  }
  return %y : tensor<?x8xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>

// Edges may be taken some at a time.
// CHECK-LABEL: func @some_edges
// CHECK: scf.forall (%[[FIRST:.*]]) = (0) to (%{{.*}}) step (32)
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: %[[M:.*]] = linalg.exp
// CHECK: scf.for %[[CHUNK:[a-z0-9]+]] = {{.*}} step %c4
// CHECK: scf.for %[[K:[a-z0-9]+]] = %[[CHUNK]] to
// CHECK: %[[PLACE:.*]] = arith.subi %[[K]], %[[BEGIN]]
// CHECK: tensor.extract %[[M]][%[[PLACE]], %c0]
// CHECK: } else {
func.func @some_edges(%pointer: tensor<?xi32>, %e: tensor<?x8xf32>, %n: index)
    -> tensor<?x1xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %edges = tensor.dim %e, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%edges) : tensor<?x8xf32>
  %m = linalg.exp ins(%e : tensor<?x8xf32>) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %init = tensor.empty(%n) : tensor<?x1xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %init) -> (tensor<?x1xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %sum = scf.for %chunk = %b to %end step %c4 iter_args(%acc = %zero) -> (f32) {
      %after = arith.addi %chunk, %c4 : index
      %last = arith.minsi %after, %end : index
      %part = scf.for %k = %chunk to %last step %c1 iter_args(%inner = %acc) -> (f32) {
        %v = tensor.extract %m[%k, %c0] : tensor<?x8xf32>
        %s = arith.addf %inner, %v : f32
        scf.yield %s : f32
      }
      scf.yield %part : f32
    }
    %made = tensor.from_elements %sum : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %made into %arg[%i, 0] [1, 1] [1, 1] : tensor<1xf32> into tensor<?x1xf32>
    }
  }
  return %y : tensor<?x1xf32>
}

// -----

#one = affine_map<(d0) -> (d0)>

// Two floats an edge are not worth it, unless one says so.
// CHECK-LABEL: func @narrow
// CHECK: scf.forall {{.*}} in
// FEW-LABEL: func @narrow
// FEW: scf.forall {{.*}} step (4)
func.func @narrow(%pointer: tensor<?xi32>, %e: tensor<?x2xf32>, %n: index)
    -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %edges = tensor.dim %e, %c0 : tensor<?x2xf32>
  %empty = tensor.empty(%edges) : tensor<?x2xf32>
  %m = linalg.exp ins(%e : tensor<?x2xf32>) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %init = tensor.empty(%n) : tensor<?x2xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %init) -> (tensor<?x2xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %start = tensor.empty() : tensor<2xf32>
    %last = scf.for %k = %b to %end step %c1 iter_args(%acc = %start) -> (tensor<2xf32>) {
      %row = tensor.extract_slice %m[%k, 0] [1, 2] [1, 1] : tensor<?x2xf32> to tensor<2xf32>
      scf.yield %row : tensor<2xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %last into %arg[%i, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<?x2xf32>
    }
  }
  return %y : tensor<?x2xf32>
}

// -----

// What a graph alone decides is kept from run to run.
// CHECK-LABEL: func @fixed
// CHECK: linalg.exp
// CHECK: scf.forall {{.*}} in
func.func @fixed(%pointer: tensor<?xi32> {gnn.fixed = "graph"},
                 %e: tensor<?x8xf32> {gnn.fixed = "graph"}, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %edges = tensor.dim %e, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%edges) : tensor<?x8xf32>
  %m = linalg.exp ins(%e : tensor<?x8xf32>) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %x) -> (tensor<?x8xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %start = tensor.empty() : tensor<8xf32>
    %last = scf.for %k = %b to %end step %c1 iter_args(%acc = %start) -> (tensor<8xf32>) {
      %row = tensor.extract_slice %m[%k, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
      scf.yield %row : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %last into %arg[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<?x8xf32>
    }
  }
  return %y : tensor<?x8xf32>
}

// -----

// Rows of other edges are read, as those that an edge names.
// CHECK-LABEL: func @other_edges
// CHECK: linalg.exp
// CHECK: scf.forall {{.*}} in
func.func @other_edges(%pointer: tensor<?xi32>, %reverse: tensor<?xi32>,
                       %e: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %edges = tensor.dim %e, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%edges) : tensor<?x8xf32>
  %m = linalg.exp ins(%e : tensor<?x8xf32>) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %init) -> (tensor<?x8xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %start = tensor.empty() : tensor<8xf32>
    %last = scf.for %k = %b to %end step %c1 iter_args(%acc = %start) -> (tensor<8xf32>) {
      %r32 = tensor.extract %reverse[%k] : tensor<?xi32>
      %r = arith.index_cast %r32 : i32 to index
      %row = tensor.extract_slice %m[%r, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
      scf.yield %row : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %last into %arg[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<?x8xf32>
    }
  }
  return %y : tensor<?x8xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>

// What others read as well has to be stored.
// CHECK-LABEL: func @returned
// CHECK: linalg.exp
// CHECK: scf.forall {{.*}} in
// What depends on the number of an edge would depend on that in the block.
// CHECK-LABEL: func @numbered
// CHECK: linalg.index
// CHECK: scf.forall {{.*}} in
func.func @returned(%pointer: tensor<?xi32>, %e: tensor<?x8xf32>, %n: index)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %edges = tensor.dim %e, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%edges) : tensor<?x8xf32>
  %m = linalg.exp ins(%e : tensor<?x8xf32>) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %init) -> (tensor<?x8xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %start = tensor.empty() : tensor<8xf32>
    %last = scf.for %k = %b to %end step %c1 iter_args(%acc = %start) -> (tensor<8xf32>) {
      %row = tensor.extract_slice %m[%k, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
      scf.yield %row : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %last into %arg[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<?x8xf32>
    }
  }
  return %y, %m : tensor<?x8xf32>, tensor<?x8xf32>
}

func.func @numbered(%pointer: tensor<?xi32>, %e: tensor<?x8xf32>, %n: index)
    -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %edges = tensor.dim %e, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%edges) : tensor<?x8xf32>
  %m = linalg.generic {indexing_maps = [#map],
                       iterator_types = ["parallel", "parallel"]}
    outs(%empty : tensor<?x8xf32>) {
  ^bb0(%out: f32):
    %k = linalg.index 0 : index
    %k64 = arith.index_cast %k : index to i64
    %f = arith.sitofp %k64 : i64 to f32
    linalg.yield %f : f32
  } -> tensor<?x8xf32>
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %init) -> (tensor<?x8xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %start = tensor.empty() : tensor<8xf32>
    %last = scf.for %k = %b to %end step %c1 iter_args(%acc = %start) -> (tensor<8xf32>) {
      %row = tensor.extract_slice %m[%k, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
      scf.yield %row : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %last into %arg[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<?x8xf32>
    }
  }
  return %y : tensor<?x8xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>

// Rows of one number each, which edges add to, and which are read at a node's place
// as well: the loop reads the whole tensor there, not the rows of the block.
// CHECK-LABEL: func @filled_for_nodes
// CHECK-SAME: %[[SOURCES:[a-z0-9]+]]: tensor<?xi32>, %{{[a-z0-9]+}}: tensor<?x8xf32>
// CHECK: %[[ONES:.*]] = linalg.fill
// CHECK: scf.forall {{.*}} step (32)
// CHECK: %[[INIT:.*]] = tensor.extract_slice %[[ONES]]
// CHECK: %[[M:.*]] = linalg.generic {{.*}} outs(%[[INIT]]
// CHECK: tensor.extract %[[SOURCES]]
// CHECK: %[[V:.*]] = arith.index_cast
// CHECK: tensor.extract_slice %[[ONES]][%[[V]], 0] [1, 8]
// CHECK: tensor.extract %[[M]]
// CHECK: } else {
func.func @filled_for_nodes(%pointer: tensor<?xi32>, %sources: tensor<?xi32>,
                            %e: tensor<?x8xf32>, %n: index) -> tensor<?x1xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %edges = tensor.dim %e, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%edges) : tensor<?x8xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
    ins(%e : tensor<?x8xf32>) outs(%ones : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  %init = tensor.empty(%n) : tensor<?x1xf32>
  %y = scf.forall (%i) in (%n) shared_outs(%arg = %init) -> (tensor<?x1xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %sum = scf.for %k = %b to %end step %c1 iter_args(%acc = %zero) -> (f32) {
      %v32 = tensor.extract %sources[%k] : tensor<?xi32>
      %v = arith.index_cast %v32 : i32 to index
      %row = tensor.extract_slice %ones[%v, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
      %node = tensor.extract %row[%k] : tensor<8xf32>
      %edge = tensor.extract %m[%k, %c0] : tensor<?x8xf32>
      %p = arith.mulf %node, %edge : f32
      %s = arith.addf %acc, %p : f32
      scf.yield %s : f32
    }
    %made = tensor.from_elements %sum : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %made into %arg[%i, 0] [1, 1] [1, 1] : tensor<1xf32> into tensor<?x1xf32>
    }
  }
  return %y : tensor<?x1xf32>
}

// -----

// How many rows a block has is not known, even if it is of all.
// CHECK-LABEL: func @known_number_of_rows
// CHECK: scf.forall {{.*}} step (32) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<70x1xf32>)
// CHECK: tensor.extract_slice %[[OUT]][{{.*}}] : tensor<70x1xf32> to tensor<?x1xf32>
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[OUT]][{{.*}}] : tensor<?x1xf32> into tensor<70x1xf32>
func.func @known_number_of_rows(%pointer: tensor<71xi32>, %e: tensor<?x8xf32>)
    -> tensor<70x1xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %edges = tensor.dim %e, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%edges) : tensor<?x8xf32>
  %m = linalg.exp ins(%e : tensor<?x8xf32>) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %init = tensor.empty() : tensor<70x1xf32>
  %y = scf.forall (%i) in (70) shared_outs(%arg = %init) -> (tensor<70x1xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<71xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<71xi32>
    %end = arith.index_cast %e32 : i32 to index
    %sum = scf.for %k = %b to %end step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = tensor.extract %m[%k, %c0] : tensor<?x8xf32>
      %s = arith.addf %acc, %v : f32
      scf.yield %s : f32
    }
    %made = tensor.from_elements %sum : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %made into %arg[%i, 0] [1, 1] [1, 1] : tensor<1xf32> into tensor<70x1xf32>
    }
  }
  return %y : tensor<70x1xf32>
}
