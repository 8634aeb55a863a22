// RUN: gnn-opt --gnn-slice-lookups --canonicalize --split-input-file %s | FileCheck %s

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#f = affine_map<(h, f) -> (f)>
#none = affine_map<(h, f) -> ()>

// The row is chosen outside of the loops, by a number among the operands; its
// features are an operand like any other.
// CHECK-DAG: #[[HF:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[F:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @row
// CHECK-SAME: (%[[X:.*]]: tensor<2x8xf32>, %[[KIND:.*]]: tensor<i32>, %[[TABLE:.*]]: tensor<5x8xf32>
// CHECK: %[[K:.*]] = tensor.extract %[[KIND]][] : tensor<i32>
// CHECK: %[[I:.*]] = arith.index_cast %[[K]] : i32 to index
// CHECK: %[[CLAMPED:.*]] = arith.minsi %[[I]]
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[TABLE]][%[[CLAMPED]], 0] [1, 8] [1, 1] : tensor<5x8xf32> to tensor<8xf32>
// CHECK: linalg.generic {indexing_maps = [#[[HF]], #{{.*}}, #[[F]], #[[HF]]]
// CHECK-SAME: ins(%[[X]], %{{.*}}, %[[ROW]] : tensor<2x8xf32>, tensor<i32>, tensor<8xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %{{.*}}: i32, %[[T:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.addf %[[A]], %[[T]]
func.func @row(%x: tensor<2x8xf32>, %kind: tensor<i32>,
               %table: tensor<5x8xf32>, %out: tensor<2x8xf32>)
    -> tensor<2x8xf32> {
  %y = linalg.generic {indexing_maps = [#hf, #none, #hf],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %kind : tensor<2x8xf32>, tensor<i32>)
      outs(%out : tensor<2x8xf32>) {
  ^bb0(%a: f32, %k: i32, %o: f32):
    %c4 = arith.constant 4 : index
    %i = arith.index_cast %k : i32 to index
    %row = arith.minsi %i, %c4 : index
    %f = linalg.index 1 : index
    %t = tensor.extract %table[%row, %f] : tensor<5x8xf32>
    %s = arith.addf %a, %t : f32
    linalg.yield %s : f32
  } -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Tiles start where their loop says, in both forms of a sum; dimensions may be
// exchanged.
// CHECK: #[[FH:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func @tile
// CHECK-SAME: (%[[X:.*]]: tensor<2x8xf32>, %[[TABLE:.*]]: tensor<?x?xf32>, %[[START:.*]]: index, %[[HEAD:.*]]: index
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[TABLE]][%[[START]], %[[HEAD]]] [8, 2] [1, 1]
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[FH]], {{.*}}]
// CHECK-NOT: tensor.extract
func.func @tile(%x: tensor<2x8xf32>, %table: tensor<?x?xf32>, %start: index,
                %head: index, %out: tensor<2xf32>) -> tensor<2xf32> {
  %y = linalg.generic {indexing_maps = [#hf, #h],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x8xf32>) outs(%out : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = linalg.index 0 : index
    %f = linalg.index 1 : index
    %i = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%f)[%start]
    %j = arith.addi %h, %head : index
    %t = tensor.extract %table[%i, %j] : tensor<?x?xf32>
    %p = arith.mulf %a, %t : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// What stays: an index that differs from feature to feature, one loop twice, a
// loop that takes steps of 2.
// CHECK-LABEL: func @stay
// CHECK-NOT: tensor.extract_slice
// CHECK-COUNT-3: tensor.extract %

// Nothing is read before a loop that may not run: a slice reads nothing.
// CHECK-LABEL: func @dynamic
// CHECK-NOT: tensor.extract %
// CHECK: %[[ELEMENT:.*]] = tensor.extract_slice {{.*}} to tensor<f32>
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[ELEMENT]] : tensor<f32>)
func.func @stay(%x: tensor<8xindex>, %table: tensor<20x20xf32>, %i: index,
                %out: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<8xindex>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: index, %o: f32):
    %f = linalg.index 0 : index
    %g = affine.apply affine_map<(d0) -> (d0 * 2)>(%f)
    %0 = tensor.extract %table[%i, %a] : tensor<20x20xf32>
    %1 = tensor.extract %table[%f, %f] : tensor<20x20xf32>
    %2 = tensor.extract %table[%i, %g] : tensor<20x20xf32>
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %2, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func @dynamic(%table: tensor<?xf32>, %i: index, %out: tensor<?xf32>)
    -> tensor<?xf32> {
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%out : tensor<?xf32>) {
  ^bb0(%o: f32):
    %0 = tensor.extract %table[%i] : tensor<?xf32>
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
