// RUN: gnn-opt --gnn-tile-products --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-tile-products=max-tile=16 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=SMALL
// RUN: gnn-opt --gnn-tile-products=min-blocks=0 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// RUN: gnn-opt --gnn-tile-products=min-part=256 --canonicalize --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FEWER-PARTS

// Rows of 128 and columns of 128, of which the last ones are fewer.
// CHECK-LABEL: func @wide
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<64x200xf32>
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (%{{.*}}, 200) step (128, 128) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK-DAG: %[[ROWS:.*]] = tensor.extract_slice %[[X]][%[[I]], 0]
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.extract_slice %[[W]][0, %[[J]]]
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[TILE:.*]] = linalg.matmul ins(%[[ROWS]], %[[COLUMNS]] : {{.*}}) outs(%[[ZERO]]
// CHECK: tensor.parallel_insert_slice %[[TILE]] into %[[OUT]][%[[I]], %[[J]]]
// CHECK-NOT: linalg.matmul

// SMALL-LABEL: func @wide
// SMALL: scf.forall {{.*}} step (16, 16)
func.func @wide(%x: tensor<?x64xf32>, %w: tensor<64x200xf32>, %n: index) -> tensor<?x200xf32> {
  %cst = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x200xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%empty : tensor<?x200xf32>) -> tensor<?x200xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x200xf32>)
    outs(%zero : tensor<?x200xf32>) -> tensor<?x200xf32>
  return %y : tensor<?x200xf32>
}

// -----

// Few columns belong to one tile; it has fewer rows then. What computes a
// factor stays where it is.
#row = affine_map<(i, j, k) -> (i, k)>
#column = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>
#identity = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func @narrow
// CHECK: %[[X:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x32xbf16>)
// CHECK: scf.forall (%[[I:.*]], %{{.*}}) = (0, 0) to (%{{.*}}, 20) step (64, 32)
// CHECK: tensor.extract_slice %[[X]][%[[I]], 0]
// CHECK-NOT: truncf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
func.func @narrow(%x: tensor<?x32xf32>, %w: tensor<32x20xbf16>, %n: index) -> tensor<?x20xf32> {
  %cst = arith.constant 0.0 : f32
  %bits = tensor.empty(%n) : tensor<?x32xbf16>
  %rounded = linalg.generic
    {indexing_maps = [#identity, #identity], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<?x32xf32>) outs(%bits : tensor<?x32xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x32xbf16>
  %empty = tensor.empty(%n) : tensor<?x20xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%empty : tensor<?x20xf32>) -> tensor<?x20xf32>
  %y = linalg.generic
    {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%rounded, %w : tensor<?x32xbf16>, tensor<32x20xbf16>) outs(%zero : tensor<?x20xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %l = arith.extf %a : bf16 to f32
    %r = arith.extf %b : bf16 to f32
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x20xf32>
  return %y : tensor<?x20xf32>
}

// -----

// Not worth it: few columns, few terms; and a sum that goes on.
// CHECK-LABEL: func @others
// CHECK-NOT: scf.forall
func.func @others(%x: tensor<?x64xf32>, %w: tensor<64x3xf32>, %u: tensor<?x8xf32>,
                  %v: tensor<8x64xf32>, %z: tensor<64x64xf32>, %init: tensor<?x64xf32>, %n: index)
    -> (tensor<?x3xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %cst = arith.constant 0.0 : f32
  %e0 = tensor.empty(%n) : tensor<?x3xf32>
  %z0 = linalg.fill ins(%cst : f32) outs(%e0 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x3xf32>)
    outs(%z0 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %e1 = tensor.empty(%n) : tensor<?x64xf32>
  %z1 = linalg.fill ins(%cst : f32) outs(%e1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = linalg.matmul ins(%u, %v : tensor<?x8xf32>, tensor<8x64xf32>)
    outs(%z1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %2 = linalg.matmul ins(%x, %z : tensor<?x64xf32>, tensor<64x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// Few columns are worth it for long sums, of 64 terms, and not for 63.
// CHECK-LABEL: func @few
// CHECK: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (%{{.*}}, 7) step (64, 16)
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<64x?xf32>)
// CHECK-NOT: scf.forall (
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<?x63xf32>, tensor<63x7xf32>)
func.func @few(%x: tensor<?x64xf32>, %w: tensor<64x7xf32>, %u: tensor<?x63xf32>, %v: tensor<63x7xf32>, %n: index)
    -> (tensor<?x7xf32>, tensor<?x7xf32>) {
  %cst = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x7xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%empty : tensor<?x7xf32>) -> tensor<?x7xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x7xf32>)
    outs(%zero : tensor<?x7xf32>) -> tensor<?x7xf32>
  %1 = linalg.matmul ins(%u, %v : tensor<?x63xf32>, tensor<63x7xf32>)
    outs(%zero : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %0, %1 : tensor<?x7xf32>, tensor<?x7xf32>
}

// -----

// A weight for each head: a tile is of one of them. So it is of rows that all heads
// share, whichever factor comes first.
#rows = affine_map<(n, h, j, k) -> (n, h, k)>
#shared = affine_map<(n, h, j, k) -> (n, k)>
#weights = affine_map<(n, h, j, k) -> (h, k, j)>
#results = affine_map<(n, h, j, k) -> (n, h, j)>
#outermost = affine_map<(n, h, j, k) -> (h, n, j)>
// CHECK-LABEL: func @heads
// CHECK-SAME: %[[X:.*]]: tensor<?x4x32xf32>, %[[Y:.*]]: tensor<?x32xf32>, %[[W:.*]]: tensor<4x32x20xf32>
// CHECK: scf.forall (%[[I:.*]], %[[H:.*]], %{{.*}}) = (0, 0, 0) to (%{{.*}}, 4, 20) step (64, 1, 32) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK-DAG: %[[ROWS:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[H]], 0] [%{{.*}}, 1, 32]
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.extract_slice %[[W]][%[[H]], 0, %{{.*}}] [1, 32, {{.*}}]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %[[COLUMNS]] : tensor<?x1x32xf32>, tensor<1x32x{{.*}}xf32>)
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[I]], %[[H]], %{{.*}}]
// CHECK: scf.forall (%[[I:.*]], %[[H:.*]], %{{.*}}) = (0, 0, 0) to
// CHECK: tensor.extract_slice %[[Y]][%[[I]], 0]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[H]], %[[I]], %{{.*}}]
func.func @heads(%x: tensor<?x4x32xf32>, %y: tensor<?x32xf32>, %w: tensor<4x32x20xf32>, %n: index)
    -> (tensor<?x4x20xf32>, tensor<4x?x20xf32>) {
  %cst = arith.constant 0.0 : f32
  %e0 = tensor.empty(%n) : tensor<?x4x20xf32>
  %z0 = linalg.fill ins(%cst : f32) outs(%e0 : tensor<?x4x20xf32>) -> tensor<?x4x20xf32>
  %0 = linalg.generic
    {indexing_maps = [#rows, #weights, #results], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x4x32xf32>, tensor<4x32x20xf32>) outs(%z0 : tensor<?x4x20xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x4x20xf32>
  %e1 = tensor.empty(%n) : tensor<4x?x20xf32>
  %z1 = linalg.fill ins(%cst : f32) outs(%e1 : tensor<4x?x20xf32>) -> tensor<4x?x20xf32>
  %1 = linalg.generic
    {indexing_maps = [#weights, #shared, #outermost], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%w, %y : tensor<4x32x20xf32>, tensor<?x32xf32>) outs(%z1 : tensor<4x?x20xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x?x20xf32>
  return %0, %1 : tensor<?x4x20xf32>, tensor<4x?x20xf32>
}

// -----

// Terms that are not next to each other in a row, results whose last dimension is
// that of heads, and two dimensions of rows stay.
#rows = affine_map<(n, h, j, k) -> (n, k, h)>
#weights = affine_map<(n, h, j, k) -> (h, k, j)>
#results = affine_map<(n, h, j, k) -> (n, h, j)>
#plain = affine_map<(n, h, j, k) -> (n, h, k)>
#last = affine_map<(n, h, j, k) -> (n, j, h)>
#one = affine_map<(n, h, j, k) -> (k, j)>
// CHECK-LABEL: func @not_rows
// CHECK-NOT: scf.forall
func.func @not_rows(%x: tensor<?x32x32xf32>, %w: tensor<32x32x32xf32>, %v: tensor<32x32xf32>, %n: index)
    -> (tensor<?x32x32xf32>, tensor<?x32x32xf32>, tensor<?x32x32xf32>) {
  %cst = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x32x32xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%empty : tensor<?x32x32xf32>) -> tensor<?x32x32xf32>
  %0 = linalg.generic
    {indexing_maps = [#rows, #weights, #results], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x32x32xf32>, tensor<32x32x32xf32>) outs(%zero : tensor<?x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x32x32xf32>
  %1 = linalg.generic
    {indexing_maps = [#plain, #weights, #last], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x32x32xf32>, tensor<32x32x32xf32>) outs(%zero : tensor<?x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x32x32xf32>
  %2 = linalg.generic
    {indexing_maps = [#plain, #one, #results], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %v : tensor<?x32x32xf32>, tensor<32x32xf32>) outs(%zero : tensor<?x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x32x32xf32>
  return %0, %1, %2 : tensor<?x32x32xf32>, tensor<?x32x32xf32>, tensor<?x32x32xf32>
}

// -----

// A narrow product of many terms in parts: 64 rows and as many terms, a multiple of
// 32, as leave enough blocks, or 1433 / 128 parts. These are added in their order.
// CHECK-DAG: #[[TILES:.*]] = affine_map<()[s0] -> (s0 ceildiv 64)>
// CHECK-DAG: #[[STEP:.*]] = affine_map<()[s0] -> ((s0 ceildiv 32) * 32)>
// CHECK-LABEL: func @deep
// CHECK-SAME: %[[X:.*]]: tensor<?x1433xf32>, %[[W:.*]]: tensor<1433x16xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: %[[COUNT:.*]] = affine.apply #[[TILES]]()[%[[N]]]
// CHECK: %[[TILES:.*]] = arith.maxui %[[COUNT]], %c1
// CHECK: %[[WANTED:.*]] = arith.ceildivui %c256, %[[TILES]]
// CHECK: %[[MOST:.*]] = arith.minui %[[WANTED]], %c11
// FEWER-PARTS-LABEL: func @deep
// FEWER-PARTS: arith.minui %{{.*}}, %c5
// CHECK: %[[TERMS:.*]] = arith.ceildivui %c1433, %[[MOST]]
// CHECK: %[[BY:.*]] = affine.apply #[[STEP]]()[%[[TERMS]]]
// CHECK: %[[P:.*]] = arith.ceildivui %c1433{{.*}}, %[[BY]]
// CHECK: %[[PARTS:.*]] = scf.forall (%[[I:.*]], %[[PART:.*]]) = (0, 0) to (%[[N]], %[[P]]) step (64, 1) shared_outs(%[[ALL:.*]] = %{{.*}}) -> (tensor<?x?x16xf32>)
// CHECK: %[[M:.*]] = affine.min
// CHECK: %[[FIRST:.*]] = arith.muli %[[PART]], %[[BY]]
// CHECK: %[[LEFT:.*]] = arith.subi %c1433{{.*}}, %[[FIRST]]
// CHECK: %[[D:.*]] = arith.minui %[[BY]], %[[LEFT]]
// CHECK-DAG: %[[A:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[FIRST]]] [%[[M]], %[[D]]]
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %[[W]][%[[FIRST]], 0] [%[[D]], 16]
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[SUM:.*]] = linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[ZERO]]
// CHECK: tensor.parallel_insert_slice %[[SUM]] into %[[ALL]][%[[PART]], %[[I]], 0] [1, %[[M]], 16]
// CHECK: scf.forall (%[[ROW:.*]]) in (%[[N]]) shared_outs(%[[OUT:.*]] = %[[EMPTY]])
// CHECK: %[[TOTAL:.*]] = scf.for %[[J:.*]] = %c0{{.*}} to %[[P]] step %c1{{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (tensor<16xf32>)
// CHECK: %[[OWN:.*]] = tensor.extract_slice %[[PARTS]][%[[J]], %[[ROW]], 0]
// CHECK: linalg.generic {{.*}} ins(%[[OWN]] : tensor<16xf32>) outs(%[[BEFORE]] : tensor<16xf32>)
// CHECK: arith.addf
// CHECK: tensor.parallel_insert_slice %[[TOTAL]] into %[[OUT]][%[[ROW]], 0]

// WHOLE-LABEL: func @deep
// WHOLE: scf.forall {{.*}} step (64, 16)
// WHOLE: linalg.matmul {{.*}} tensor<1433x16xf32>
// WHOLE-NOT: scf.forall (
// WHOLE: return
func.func @deep(%x: tensor<?x1433xf32>, %w: tensor<1433x16xf32>, %n: index) -> tensor<?x16xf32> {
  %cst = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x1433xf32>, tensor<1433x16xf32>)
    outs(%zero : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// Parts of so few terms for each column would take more memory than they are worth.
// CHECK-LABEL: func @shallow
// CHECK: scf.forall {{.*}} step (64, 32)
// CHECK-NOT: scf.forall (
func.func @shallow(%x: tensor<?x500xf32>, %w: tensor<500x32xf32>, %n: index) -> tensor<?x32xf32> {
  %cst = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x32xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x500xf32>, tensor<500x32xf32>)
    outs(%zero : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// -----

// A sum of one step: smaller tiles.
// CHECK-LABEL: func @one_step
// CHECK: scf.forall {{.*}} step (64, 64)
func.func @one_step(%x: tensor<?x16xf32>, %w: tensor<16x512xf32>, %n: index) -> tensor<?x512xf32> {
  %cst = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x512xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%empty : tensor<?x512xf32>) -> tensor<?x512xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x512xf32>)
    outs(%zero : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}
