// RUN: gnn-opt --gnn-fuse-row-sums %s | FileCheck %s

#pair = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(j, i) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(j, i) -> (j)>

// The weights of a softmax, which values are multiplied by later, and their sums.
// CHECK-DAG: #[[PAIR:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @weights
// CHECK-SAME: (%[[M:[^:]*]]: tensor<64xf32>, %[[S:[^:]*]]: tensor<?x64xf32>, %[[INIT:[^:]*]]: tensor<64xf32>)
// CHECK: %[[BOTH:.*]]:2 = linalg.generic {indexing_maps = [#[[ROW]], #[[PAIR]], #[[ROW]]], iterator_types = ["reduction", "parallel"]} ins(%[[M]] : tensor<64xf32>) outs(%[[S]], %[[INIT]] :
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[SCORE:.*]]: f32, %[[SUM:.*]]: f32)
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[SCORE]], %[[IN]]
// CHECK-NEXT: %[[W:.*]] = math.exp %[[D]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[W]]
// CHECK-NEXT: linalg.yield %[[W]], %[[NEXT]]
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
func.func @weights(%m: tensor<64xf32>, %s: tensor<?x64xf32>,
                   %init: tensor<64xf32>)
    -> (tensor<?x64xf32>, tensor<64xf32>) {
  %w = linalg.generic {indexing_maps = [#row, #pair],
                       iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<64xf32>) outs(%s : tensor<?x64xf32>) {
  ^bb0(%in: f32, %score: f32):
    %d = arith.subf %score, %in : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<?x64xf32>
  %sum = linalg.generic {indexing_maps = [#pair, #row],
                         iterator_types = ["reduction", "parallel"]}
      ins(%w : tensor<?x64xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<64xf32>
  return %w, %sum : tensor<?x64xf32>, tensor<64xf32>
}

// The reduction's loops are in another order.
// CHECK-LABEL: func @swapped
// CHECK: linalg.generic {indexing_maps = [#[[SWAPPED]], #[[SWAPPED]], #[[COLUMN]]], iterator_types = ["parallel", "reduction"]}
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @swapped(%x: tensor<8x4xf32>, %empty: tensor<8x4xf32>,
                   %init: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %w = linalg.generic {indexing_maps = [#pair, #pair],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %in : f32
    linalg.yield %e : f32
  } -> tensor<8x4xf32>
  %sum = linalg.generic {indexing_maps = [#swapped, #column],
                         iterator_types = ["parallel", "reduction"]}
      ins(%w : tensor<8x4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %w, %sum : tensor<8x4xf32>, tensor<4xf32>
}

// What reads the elements before they are added up would come too early.
// CHECK-LABEL: func @read_before
// CHECK-COUNT-2: linalg.generic
func.func @read_before(%x: tensor<8x4xf32>, %empty: tensor<8x4xf32>,
                       %init: tensor<4xf32>, %f: tensor<f32>) -> (f32, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %w = linalg.generic {indexing_maps = [#pair, #pair],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %in : f32
    linalg.yield %e : f32
  } -> tensor<8x4xf32>
  %first = tensor.extract %w[%c0, %c0] : tensor<8x4xf32>
  %sum = linalg.generic {indexing_maps = [#pair, #row],
                         iterator_types = ["reduction", "parallel"]}
      ins(%w : tensor<8x4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %first, %sum : f32, tensor<4xf32>
}

// Indices are those of the loops, which have another order in the reduction.
// CHECK-LABEL: func @indices
// CHECK-COUNT-2: linalg.generic
func.func @indices(%empty: tensor<8x4xindex>, %init: tensor<4xindex>)
    -> (tensor<8x4xindex>, tensor<4xindex>) {
  %w = linalg.generic {indexing_maps = [#pair],
                       iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<8x4xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<8x4xindex>
  %sum = linalg.generic {indexing_maps = [#swapped, #column],
                         iterator_types = ["parallel", "reduction"]}
      ins(%w : tensor<8x4xindex>) outs(%init : tensor<4xindex>) {
  ^bb0(%in: index, %out: index):
    %a = arith.addi %out, %in : index
    linalg.yield %a : index
  } -> tensor<4xindex>
  return %w, %sum : tensor<8x4xindex>, tensor<4xindex>
}

// The sum of rows, less a number of their own, and that of the squares: one loop.
// CHECK-LABEL: func @moments
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x64xf32>, %[[M:[^:]*]]: tensor<?xf32>, %[[ZEROS:[^:]*]]: tensor<?xf32>)
// CHECK: %[[BOTH:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[X]], %[[M]] : {{.*}}) outs(%[[ZEROS]], %[[ZEROS]] :
// CHECK-NEXT: ^bb0(%[[V:.*]]: f32, %[[OF:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK: %[[NEXT:.*]] = arith.addf %[[A]],
// CHECK: arith.mulf
// CHECK: %[[OTHER:.*]] = arith.addf %[[B]],
// CHECK: linalg.yield %[[NEXT]], %[[OTHER]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
#whole = affine_map<(r, f) -> (r, f)>
#number = affine_map<(r, f) -> (r)>
func.func @moments(%x: tensor<?x64xf32>, %m: tensor<?xf32>, %zeros: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %rest = linalg.generic {indexing_maps = [#whole, #number, #number],
                          iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<?x64xf32>, tensor<?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %of: f32, %sum: f32):
    %c = arith.subf %v, %of : f32
    %s = arith.addf %sum, %c : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#whole, #number, #number],
                             iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<?x64xf32>, tensor<?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %of: f32, %sum: f32):
    %c = arith.subf %v, %of : f32
    %q = arith.mulf %c, %c : f32
    %s = arith.addf %sum, %q : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %rest, %squares : tensor<?xf32>, tensor<?xf32>
}

// The second starts with what the first has summed up.
// CHECK-LABEL: func @one_after_the_other
// CHECK-COUNT-2: -> tensor<?xf32>{{$}}
func.func @one_after_the_other(%x: tensor<?x64xf32>, %zeros: tensor<?xf32>)
    -> tensor<?xf32> {
  %first = linalg.generic {indexing_maps = [#whole, #number],
                           iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x64xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.addf %sum, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %second = linalg.generic {indexing_maps = [#whole, #number],
                            iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x64xf32>) outs(%first : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.maximumf %sum, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %second : tensor<?xf32>
}

// The second one's elements are less a number that the first one tells.
// CHECK-LABEL: func @captured
// CHECK: linalg.generic
// CHECK: tensor.extract
// CHECK: linalg.generic
func.func @captured(%x: tensor<64xf32>, %zero: tensor<f32>) -> tensor<f32> {
  %first = linalg.generic {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
                           iterator_types = ["reduction"]}
      ins(%x : tensor<64xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.addf %sum, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %number = tensor.extract %first[] : tensor<f32>
  %second = linalg.generic {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
                            iterator_types = ["reduction"]}
      ins(%x : tensor<64xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %c = arith.subf %v, %number : f32
    %s = arith.addf %sum, %c : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %second : tensor<f32>
}
