// RUN: gnn-opt --gnn-tile-dynamic-loops --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-tile-dynamic-loops=max-elements=64 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: gnn-opt --gnn-tile-dynamic-loops=max-width=1024 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: gnn-opt --gnn-tile-dynamic-loops=fill-rows=false --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=BEFORE

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
