// RUN: gnn-opt --gnn-fuse-row-loops --cse --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-fuse-row-loops="vector-width=8 max-block-elements=128" --cse --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=BLOCKS
// RUN: not gnn-opt --gnn-fuse-row-loops=vector-width=0 --split-input-file %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WIDTH

// WIDTH: error: vector-width must be at least 1

#row = affine_map<(i) -> (i)>
#column = affine_map<(i, f) -> (i)>
#element = affine_map<(i, f) -> (i, f)>

// Each row has one maximum, difference and sum, and the fills are of one row.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x128xf32>,
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000
// CHECK: %[[Y:.*]] = scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<?x128xf32>)
// CHECK:   %[[PLACE:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0] [1, 128]
// CHECK:   %[[FILLED:.*]] = linalg.fill ins(%[[LOWEST]] : f32) outs(%{{.*}} : tensor<1xf32>)
// CHECK:   %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [1, 128]
// CHECK:   %[[MAX:.*]] = linalg.reduce { arith.maximumf } ins(%[[ROW]] : tensor<1x128xf32>) outs(%[[FILLED]] : tensor<1xf32>)
// CHECK:   %[[OWN:.*]] = tensor.empty() : tensor<1x128xf32>
// CHECK:   %[[LESS:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[MAX]] : {{.*}}) outs(%[[OWN]] :
// CHECK:   %[[HALF:.*]] = linalg.generic {{.*}} ins(%[[MAX]] : tensor<1xf32>)
// CHECK:   %[[DONE:.*]] = linalg.generic {{.*}} ins(%[[LESS]], %[[HALF]] : {{.*}}) outs(%[[PLACE]] :
// CHECK:   tensor.parallel_insert_slice %[[DONE]] into %[[OUT]][%[[I]], 0] [1, 128]
// CHECK-NOT: linalg
// CHECK: return %[[Y]]

// Numbers of eight rows share a register, and the last rows are taken one by one.
// BLOCKS-LABEL: func @rows
// BLOCKS-SAME: (%[[X:[^:]*]]: tensor<?x128xf32>,
// BLOCKS: scf.forall (%[[I:.*]]) = (0) to (%{{.*}}) step (8) shared_outs(%[[OUT:.*]] = %
// BLOCKS:   %[[SIZE:.*]] = affine.min
// BLOCKS:   %[[PLACE:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0] [%[[SIZE]], 128]
// BLOCKS:   %[[WHOLE:.*]] = arith.cmpi eq, %[[SIZE]], %{{.*}}
// BLOCKS:   %[[ROWS:.*]] = scf.if %[[WHOLE]]
// BLOCKS:     %[[MAX:.*]] = scf.for {{.*}} -> (tensor<8xf32>)
// BLOCKS:       %[[FILLED:.*]] = linalg.fill {{.*}} : tensor<1xf32>)
// BLOCKS:       linalg.reduce {{.*}} outs(%[[FILLED]] : tensor<1xf32>)
// BLOCKS:     %[[LESS:.*]] = scf.for {{.*}} -> (tensor<8x128xf32>)
// BLOCKS:       linalg.generic
// BLOCKS:     %[[HALF:.*]] = linalg.generic {{.*}} ins(%[[MAX]] : tensor<8xf32>)
// BLOCKS:     %[[DONE:.*]] = scf.for {{.*}} -> (tensor<8x128xf32>)
// BLOCKS:     %[[CAST:.*]] = tensor.cast %[[DONE]]
// BLOCKS:     scf.yield %[[CAST]]
// BLOCKS:   } else {
// BLOCKS:     %[[REST:.*]] = scf.for %[[R:.*]] = %{{.*}} to %[[SIZE]] {{.*}} iter_args(%{{.*}} = %[[PLACE]])
// BLOCKS:       %[[NUMBER:.*]] = affine.apply {{.*}}(%[[I]], %[[R]])
// BLOCKS:       tensor.extract_slice %[[X]][%[[NUMBER]], 0] [1, 128]
// BLOCKS:       linalg.reduce
// BLOCKS:       linalg.generic
// BLOCKS:       linalg.generic {{.*}} : tensor<1xf32>)
// BLOCKS:       linalg.generic
// BLOCKS:     scf.yield %[[REST]]
// BLOCKS:   tensor.parallel_insert_slice %[[ROWS]] into %[[OUT]][%[[I]], 0] [%[[SIZE]], 128]
func.func @rows(%x: tensor<?x128xf32>, %empty: tensor<?x128xf32>, %n: index)
    -> tensor<?x128xf32> {
  %low = arith.constant 0xFF800000 : f32
  %two = arith.constant 2.0 : f32
  %numbers = tensor.empty(%n) : tensor<?xf32>
  %rows = tensor.empty(%n) : tensor<?x128xf32>
  %lowest = linalg.fill ins(%low : f32) outs(%numbers : tensor<?xf32>)
    -> tensor<?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<?x128xf32>)
    outs(%lowest : tensor<?xf32>) dimensions = [1]
  %less = linalg.generic {indexing_maps = [#element, #column, #element],
                          iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x128xf32>, tensor<?xf32>)
      outs(%rows : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x128xf32>
  %half = linalg.generic {indexing_maps = [#row, #row],
                          iterator_types = ["parallel"]}
      ins(%max : tensor<?xf32>) outs(%numbers : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.divf %a, %two : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%less, %half : tensor<?x128xf32>, tensor<?xf32>)
      outs(%rows : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

// -----

#column = affine_map<(i, f) -> (i)>
#element = affine_map<(i, f) -> (i, f)>

// What others read is made for all rows, and read in the loop.
// CHECK-LABEL: func @other_reader
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-NOT: scf.forall
// CHECK: return %{{.*}}, %[[SUM]]
func.func @other_reader(%x: tensor<?x64xf32>, %zeros: tensor<?xf32>,
                        %empty: tensor<?x64xf32>)
    -> (tensor<?x64xf32>, tensor<?xf32>) {
  %sum = linalg.generic {indexing_maps = [#element, #column],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x64xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x64xf32>, tensor<?xf32>)
      outs(%empty : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x64xf32>
  return %y, %sum : tensor<?x64xf32>, tensor<?xf32>
}

// -----

#column = affine_map<(i, f) -> (i)>
#element = affine_map<(i, f) -> (i, f)>

// A reduction that starts from numbers of the nodes reads theirs, and without
// divisions of numbers there are no blocks.
// CHECK-LABEL: func @two_readers
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x64xf32>, %[[STARTS:[^:]*]]: tensor<?xf32>,
// CHECK: scf.forall (%[[I:.*]]) in
// CHECK:   %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [1, 64]
// CHECK:   %[[START:.*]] = tensor.extract_slice %[[STARTS]][%[[I]]] [1]
// CHECK:   linalg.generic {{.*}} ins(%[[ROW]] : tensor<1x64xf32>) outs(%[[START]] : tensor<1xf32>)
// BLOCKS-LABEL: func @two_readers
// BLOCKS: scf.forall (%{{.*}}) in
func.func @two_readers(%x: tensor<?x64xf32>, %starts: tensor<?xf32>,
                       %empty: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %sum = linalg.generic {indexing_maps = [#element, #column],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x64xf32>) outs(%starts : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x64xf32>, tensor<?xf32>)
      outs(%empty : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

#column = affine_map<(i, f) -> (i)>
#element = affine_map<(i, f) -> (i, f)>

// Rows of few elements are left alone.
// CHECK-LABEL: func @narrow
// CHECK-NOT: scf.forall
// CHECK: return
func.func @narrow(%x: tensor<?x8xf32>, %starts: tensor<?xf32>,
                  %empty: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %sum = linalg.generic {indexing_maps = [#element, #column],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%starts : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x8xf32>, tensor<?xf32>)
      outs(%empty : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

#column = affine_map<(i, f) -> (f)>
#row = affine_map<(i, f) -> (i)>
#element = affine_map<(i, f) -> (i, f)>

// So are sums over nodes, which need all rows.
// CHECK-LABEL: func @over_nodes
// CHECK-NOT: scf.forall
// CHECK: return
func.func @over_nodes(%x: tensor<?x?xf32>, %starts: tensor<?xf32>,
                      %empty: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sum = linalg.generic {indexing_maps = [#element, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%starts : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#element, #column, #element],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
