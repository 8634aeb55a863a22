// RUN: gnn-opt --gnn-tile-dynamic-loops --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-tile-dynamic-loops=max-elements=64 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: gnn-opt --gnn-tile-dynamic-loops=max-width=1024 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: gnn-opt --gnn-tile-dynamic-loops=fill-rows=false --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=BEFORE
// RUN: gnn-opt --gnn-tile-dynamic-loops=sum-rows=false --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=AT-ONCE

#map = affine_map<(i, f) -> (i, f)>

// One node per iteration of a parallel loop; unit dimensions are gone.
// CHECK-LABEL: func @nodes
// CHECK-SAME: (%[[X:.*]]: tensor<?x128xf32>, %[[OUT:.*]]: tensor<?x128xf32>)
// CHECK: %[[Y:.*]] = scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[O:.*]] = %[[OUT]])
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [1, 128] [1, 1] : tensor<?x128xf32> to tensor<128xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[ROW]] : tensor<128xf32>)
// CHECK: tensor.parallel_insert_slice
// CHECK: return %[[Y]]

// 128 features are too many here: tiles of 64.
// NARROW-LABEL: func @nodes
// NARROW: scf.forall
// NARROW: scf.for {{.*}} -> (tensor<
// NARROW: linalg.generic {{.*}} ins(%{{.*}} : tensor<64xf32>)
func.func @nodes(%x: tensor<?x128xf32>, %out: tensor<?x128xf32>)
    -> tensor<?x128xf32> {
  %y = linalg.generic {indexing_maps = [#map, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x128xf32>) outs(%out : tensor<?x128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

// -----

// A reduction over nodes must not run in parallel.
// CHECK-LABEL: func @sum
// CHECK-NOT: scf.forall
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<8xf32>)
func.func @sum(%x: tensor<?x8xf32>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, f) -> (i, f)>,
                                        affine_map<(i, f) -> (f)>],
                       iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %a, %o : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Inside of a parallel loop there is no second one.
// CHECK-LABEL: func @nested
// CHECK: scf.forall
// CHECK-NOT: scf.forall (
// CHECK: scf.for %
// CHECK: linalg.generic {{.*}} tensor<8xf32>
func.func @nested(%x: tensor<?x?x8xf32>, %out: tensor<?x?x8xf32>)
    -> tensor<?x?x8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, f) -> (i, j, f)>,
                                        affine_map<(i, j, f) -> (i, j, f)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x8xf32>) outs(%out : tensor<?x?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// -----

// Static shapes need no loop.
// CHECK-LABEL: func @static
// CHECK-NOT: scf
// CHECK: return
func.func @static(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(f) -> (f)>],
                       iterator_types = ["parallel"]}
      outs(%x : tensor<8xf32>) {
  ^bb0(%o: f32):
    %n = arith.negf %o : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

#square = affine_map<(f, k) -> (f, k)>
#row = affine_map<(f, k) -> (f)>

// What has no wide loop to split, but too many iterations, keeps the innermost
// parallel loop; others are tiled by one.
// CHECK-LABEL: func @square
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// NARROW-LABEL: func @square
// NARROW: scf.for
// NARROW: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%{{.*}} : tensor<32xf32>) outs(%{{.*}} : tensor<32xf32>)
func.func @square(%x: tensor<32x16xf32>, %out: tensor<32xf32>)
    -> tensor<32xf32> {
  %y = linalg.generic {indexing_maps = [#square, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<32x16xf32>) outs(%out : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<32xf32>
  return %y : tensor<32xf32>
}

// -----

#map = affine_map<(i, f) -> (i, f)>

// What 300 features are more than four tiles of 64 is written to the same row: parts
// are slices of it, by which bufferization knows that all are written in place.
// CHECK-LABEL: func @rest
// CHECK-SAME: (%[[X:.*]]: tensor<?x300xf32>, %[[OUT:.*]]: tensor<?x300xf32>)
// CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[O:.*]] = %[[OUT]])
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[O]][%[[I]], 0] [1, 300]
// CHECK: %[[TILES:.*]] = tensor.extract_slice %[[ROW]][0, 0] [1, 256]
// CHECK: %[[FIRST:.*]] = scf.for %[[F:.*]] = {{.*}} step %c64 iter_args(%{{.*}} = %[[TILES]])
// CHECK: tensor.extract_slice %[[X]][%[[I]], %[[F]]] [1, 64]
// CHECK: %[[ALL:.*]] = tensor.insert_slice %[[FIRST]] into %[[ROW]][0, 0] [1, 256]
// CHECK: tensor.extract_slice %[[X]][%[[I]], 256] [1, 44]
// CHECK: %[[REST:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<44xf32>)
// CHECK: %[[Y:.*]] = tensor.insert_slice %[[REST]] into %[[ALL]][0, 256] [1, 44]
// CHECK: tensor.parallel_insert_slice %[[Y]] into %[[O]][%[[I]], 0] [1, 300]
func.func @rest(%x: tensor<?x300xf32>, %out: tensor<?x300xf32>)
    -> tensor<?x300xf32> {
  %y = linalg.generic {indexing_maps = [#map, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x300xf32>) outs(%out : tensor<?x300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<?x300xf32>
  return %y : tensor<?x300xf32>
}

// -----

// 384 features are more than one vector; 200 are not, although no register has
// so many.
// CHECK-LABEL: func @long_row
// CHECK: scf.forall
// CHECK: scf.for {{.*}} step %c64
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<64xf32>)
// WIDE-LABEL: func @long_row
// WIDE-NOT: scf.for {{.*}} step
// WIDE: linalg.generic {{.*}} ins(%{{.*}} : tensor<384xf32>)
func.func @long_row(%x: tensor<?x384xf32>, %e: tensor<?x384xf32>)
    -> tensor<?x384xf32> {
  %y = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : tensor<?x384xf32>) outs(%e : tensor<?x384xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x384xf32>
  return %y : tensor<?x384xf32>
}
// CHECK-LABEL: func @whole_row
// CHECK-NOT: scf.for {{.*}} step
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<200xf32>)
func.func @whole_row(%x: tensor<?x200xf32>, %e: tensor<?x200xf32>)
    -> tensor<?x200xf32> {
  %y = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : tensor<?x200xf32>) outs(%e : tensor<?x200xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x200xf32>
  return %y : tensor<?x200xf32>
}

// -----

#map = affine_map<(i, f) -> (i, f)>

// A row with one head is written to its place without a copy.
// CHECK-LABEL: func @one_head
// CHECK-SAME: %{{.*}}, %[[ALL:.*]]: tensor<?x1x8xf32>, %[[I:.*]]: index
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8xf32>)
// CHECK: %[[R:.*]] = tensor.insert_slice %[[Y]] into %[[ALL]][%[[I]], 0, 0] [1, 1, 8]
// CHECK-NEXT: return %[[R]]
func.func @one_head(%x: tensor<1x8xf32>, %all: tensor<?x1x8xf32>, %i: index)
    -> tensor<?x1x8xf32> {
  %empty = tensor.empty() : tensor<1x8xf32>
  %y = linalg.generic {indexing_maps = [#map, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x8xf32>) outs(%empty : tensor<1x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<1x8xf32>
  %r = tensor.insert_slice %y into %all[%i, 0, 0] [1, 1, 8] [1, 1, 1]
    : tensor<1x8xf32> into tensor<?x1x8xf32>
  return %r : tensor<?x1x8xf32>
}

// -----

// Sums of rows start from 0 in the loop that adds them up, not in one before it.
// CHECK-LABEL: func @filled
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[OUT:.*]]: tensor<?xf32>)
// CHECK-NOT: linalg.fill
// CHECK: scf.forall {{.*}} shared_outs(%[[ALL:.*]] = %[[OUT]])
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[ALL]]
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[ROW]]
// CHECK: linalg.generic
// CHECK: scf.forall.in_parallel
// CHECK-NOT: scf.forall (
// CHECK: return
// BEFORE-LABEL: func @filled
// BEFORE: scf.forall
// BEFORE: linalg.fill
// BEFORE: scf.forall
// BEFORE-NOT: linalg.fill
// BEFORE: return
func.func @filled(%x: tensor<?x8xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%out : tensor<?xf32>)
    -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, f) -> (i, f)>,
                                        affine_map<(i, f) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// The product of a row and a matrix adds up rows of the matrix, one step at a time.
// CHECK-LABEL: func @row_times_matrix
// CHECK-SAME: (%[[ROW:.*]]: tensor<16xf32>, %[[W:.*]]: tensor<16x4x8xf32>,
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[SUMS:.*]] = %{{.*}}) -> (tensor<4x8xf32>)
// CHECK-DAG: %[[ELEMENT:.*]] = tensor.extract_slice %[[ROW]][%[[K]]] [1] [1] : tensor<16xf32> to tensor<f32>
// CHECK-DAG: %[[STEP:.*]] = tensor.extract_slice %[[W]][%[[K]], 0, 0] [1, 4, 8] [1, 1, 1] : tensor<16x4x8xf32> to tensor<4x8xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[ELEMENT]], %[[STEP]] : tensor<f32>, tensor<4x8xf32>)
// AT-ONCE-LABEL: func @row_times_matrix
// AT-ONCE-NOT: scf.for
// AT-ONCE: linalg.generic
func.func @row_times_matrix(%row: tensor<16xf32>, %w: tensor<16x4x8xf32>,
                            %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(h, f, k) -> (k)>,
                                        affine_map<(h, f, k) -> (k, h, f)>,
                                        affine_map<(h, f, k) -> (h, f)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%row, %w : tensor<16xf32>, tensor<16x4x8xf32>)
      outs(%out : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The sums of several heads' products lie side by side, along which they are vectors.
// CHECK-LABEL: func @dot_products
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
func.func @dot_products(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>,
                        %out: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(h, k) -> (h, k)>,
                                        affine_map<(h, k) -> (h, k)>,
                                        affine_map<(h, k) -> (h)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<8x16xf32>, tensor<8x16xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// A product for each block: what both inputs have is no step of the sum. More sums
// than 64 are made some at a time, block by block.
// CHECK-LABEL: func @blocks
// CHECK-SAME: (%[[ROW:.*]]: tensor<4x16xf32>, %[[W:.*]]: tensor<4x16x96xf32>,
// CHECK: scf.for %[[BLOCK:.*]] = %{{.*}} -> (tensor<4x96xf32>)
// CHECK: scf.for %[[COLUMN:.*]] = %{{.*}} to %{{.*}} step %c48 {{.*}} -> (tensor<4x96xf32>)
// CHECK: scf.for %[[K:.*]] = %{{.*}} -> (tensor<{{.*}}48xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%{{.*}}, %{{.*}} : tensor<f32>, tensor<48xf32>)
func.func @blocks(%rows: tensor<4x16xf32>, %w: tensor<4x16x96xf32>,
                  %out: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(b, f, k) -> (b, k)>,
                                        affine_map<(b, f, k) -> (b, k, f)>,
                                        affine_map<(b, f, k) -> (b, f)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%rows, %w : tensor<4x16xf32>, tensor<4x16x96xf32>)
      outs(%out : tensor<4x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x96xf32>
  return %y : tensor<4x96xf32>
}

// -----

// Heads of six features fill no register, but four of them lie side by side.
// CHECK-LABEL: func @narrow_heads
// CHECK: scf.for {{.*}} -> (tensor<4x6xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<f32>, tensor<4x6xf32>)
func.func @narrow_heads(%row: tensor<5xf32>, %w: tensor<5x4x6xf32>,
                        %out: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(h, f, k) -> (k)>,
                                        affine_map<(h, f, k) -> (k, h, f)>,
                                        affine_map<(h, f, k) -> (h, f)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%row, %w : tensor<5xf32>, tensor<5x4x6xf32>)
      outs(%out : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// Of sixteen such heads eight at a time make 48 sums, which stay in registers.
// CHECK-LABEL: func @many_narrow_heads
// CHECK: scf.for %{{.*}} step %c8 {{.*}} -> (tensor<16x6xf32>)
// CHECK: scf.for {{.*}} -> (tensor<8x6xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : tensor<f32>, tensor<8x6xf32>)
func.func @many_narrow_heads(%row: tensor<5xf32>, %w: tensor<5x16x6xf32>,
                             %out: tensor<16x6xf32>) -> tensor<16x6xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(h, f, k) -> (k)>,
                                        affine_map<(h, f, k) -> (k, h, f)>,
                                        affine_map<(h, f, k) -> (h, f)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%row, %w : tensor<5xf32>, tensor<5x16x6xf32>)
      outs(%out : tensor<16x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<16x6xf32>
  return %y : tensor<16x6xf32>
}

// -----

// Two heads of two features fill none.
// CHECK-LABEL: func @two_narrow_heads
// CHECK-NOT: scf.for
// CHECK: linalg.generic
func.func @two_narrow_heads(%row: tensor<5xf32>, %w: tensor<5x2x2xf32>,
                            %out: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(h, f, k) -> (k)>,
                                        affine_map<(h, f, k) -> (k, h, f)>,
                                        affine_map<(h, f, k) -> (h, f)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%row, %w : tensor<5xf32>, tensor<5x2x2xf32>)
      outs(%out : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
