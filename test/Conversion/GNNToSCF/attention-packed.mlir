// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf=vector-width=16 --split-input-file %s \
// RUN:   | FileCheck %s

#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>

// Four edges of two heads share a vector. What is done to a score is done to
// all; the last edge stands in for those that a row does not have.
// CHECK-LABEL: func @additive
// CHECK-SAME: (%[[ROWS:[a-z0-9]+]]: tensor<?xi32>, %[[COLUMNS:[a-z0-9]+]]: tensor<?xi32>,
// CHECK-DAG: %[[SLOTS:.*]] = arith.constant dense<[0, 0, 1, 1, 2, 2, 3, 3]> : vector<8xi32>
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant dense<0xFF800000> : vector<8xf32>
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK: scf.forall (%[[I:.*]]) = (0) to (%{{.*}}) step (8)
// CHECK: %[[LASTROW:.*]] = arith.minsi

// Rows with few edges together, or one by one.
// CHECK: %[[SHORT:.*]] = arith.cmpi sle, %{{.*}}, %[[C256]]
// CHECK: %[[MIDDLE:.*]] = arith.select %[[SHORT]], %[[LASTROW]], %[[I]]
// CHECK: %[[LAST:.*]] = arith.select %[[SHORT]], %[[LASTEDGE:.*]], %[[FIRST:.*]] : index
// CHECK: %[[SCORES:.*]] = tensor.empty() : tensor<528xf32>
// CHECK: scf.for %[[ROW:.*]] = %[[I]] to %[[MIDDLE]]
// CHECK: scf.for %[[P:.*]] = %[[BEGIN:.*]] to %[[END:.*]] step %{{.*}} iter_args(%[[MAX:.*]] = %[[LOWEST]], %{{.*}} = %{{.*}}) -> (vector<8xf32>, tensor<528xf32>)
// CHECK: tensor.extract %[[COLUMNS]][%[[P]]]
// CHECK-COUNT-3: arith.minsi
// CHECK-NOT: arith.minsi
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-NOT: arith.addf
// CHECK-NOT: arith.select %{{.*}}, %[[SUM]], %[[LOWEST]]
// CHECK: vector.transfer_write %[[SUM]], {{.*}} : vector<8xf32>, tensor<528xf32>
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: arith.subf %{{.*}} : vector<8xf32>
// CHECK-NOT: math.exp %{{.*}} : vector<8xf32>

// The exponentials of all rows fill registers.
// CHECK: %[[EDGES:.*]] = arith.subi %[[LAST]], %[[FIRST]]
// CHECK: %[[COUNT:.*]] = arith.muli %[[EDGES]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]] step %c16
// CHECK: math.exp %{{.*}} : vector<16xf32>

// All weights before any value, and their sums with the values.
// CHECK: scf.for %{{.*}} = %[[I]] to %[[MIDDLE]]
// CHECK: scf.for {{.*}} -> (tensor<2xf32>, tensor<2x4xf32>)
// CHECK-NOT: math.exp
// Blocks of a long row add weights up in whole registers: those of edges that it
// does not have are 0.
// CHECK: scf.for %{{.*}} = %[[MIDDLE]] to %[[LASTROW]]
// CHECK: tensor.empty() : tensor<32xf32>
// CHECK: arith.cmpi sgt, %{{.*}}, %[[SLOTS]]
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[LOWEST]]
// CHECK: math.exp
func.func @additive(%g: !gnn.graph<csr>, %a: tensor<?x2xf32>,
                    %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %y = gnn.attention %g
    score dst(%a : tensor<?x2xf32>) src(%a : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %s = arith.addf %i, %j : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x4xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf} : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Dot products are of one edge each; two of them at a time.
// CHECK-LABEL: func @dot
// CHECK: scf.forall
// CHECK: linalg.generic {{.*}}"reduction"]
// CHECK: linalg.generic {{.*}}"reduction"]
// CHECK-NOT: linalg.generic
// CHECK: vector.insert_strided_slice %{{.*}} {offsets = [0], strides = [1]} : vector<4xf32> into vector<8xf32>
// CHECK: vector.insert_strided_slice %{{.*}} {offsets = [4], strides = [1]} : vector<4xf32> into vector<8xf32>
// CHECK: math.exp %{{.*}} : vector<16xf32>
func.func @dot(%g: !gnn.graph<csr>, %q: tensor<?x4x8xf32>,
               %k: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %y = gnn.attention %g
    score dst(%q : tensor<?x4x8xf32>) src(%k : tensor<?x4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%k : tensor<?x4x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h} : !gnn.graph<csr> -> tensor<?x4x8xf32>
  return %y : tensor<?x4x8xf32>
}

// -----

#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>

// Positions of these graphs do not go on from row to row.
// CHECK-LABEL: func @window
// CHECK-NOT: step (8)
// CHECK: scf.for {{.*}} -> (vector<8xf32>, tensor<32xf32>)
func.func @window(%g: !gnn.graph<window<2>>, %a: tensor<?x2xf32>,
                  %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %y = gnn.attention %g
    score dst(%a : tensor<?x2xf32>) src(%a : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %s = arith.addf %i, %j : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x4xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf} : !gnn.graph<window<2>> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// -----

#h = affine_map<(h) -> (h)>

// Three heads have four slots for each edge; what is in the fourth is not read.
// CHECK-LABEL: func @three
// CHECK-DAG: %[[SLOTS:.*]] = arith.constant dense<[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]> : vector<16xi32>
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: scf.for {{.*}} -> (vector<16xf32>, tensor<1040xf32>)
// CHECK: %[[ONE:.*]] = vector.insert_strided_slice %{{.*}}, %[[ZEROS]] {offsets = [0], strides = [1]} : vector<3xf32> into vector<16xf32>
// CHECK: vector.insert_strided_slice %{{.*}}, %[[ONE]] {offsets = [4], strides = [1]} : vector<3xf32> into vector<16xf32>
// CHECK: arith.muli %{{.*}}, %[[C4]]
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [3], strides = [1]} : vector<4xf32> to vector<3xf32>
// CHECK: tensor.extract_slice %{{.*}} [3] [1] : tensor<1040xf32> to tensor<3xf32>
func.func @three(%g: !gnn.graph<csr>, %a: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = gnn.attention %g
    score src(%a : tensor<?x3xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    value src(%a : tensor<?x3xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h} : !gnn.graph<csr> -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

#h = affine_map<(h) -> (h)>

// An edge of nine heads has a register to itself, in which nothing is masked.
// CHECK-LABEL: func @nine
// CHECK-NOT: vector<16xi32>
// CHECK: scf.forall (%{{.*}}) = (0) to (%{{.*}}) step (8)
// CHECK: scf.for {{.*}} -> (vector<16xf32>, tensor<2064xf32>)
// CHECK: vector.insert_strided_slice %{{.*}} {offsets = [0], strides = [1]} : vector<9xf32> into vector<16xf32>
// CHECK-NOT: vector.insert_strided_slice
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [9], strides = [1]} : vector<16xf32> to vector<9xf32>
// CHECK: tensor.extract_slice %{{.*}} [9] [1] : tensor<2064xf32> to tensor<9xf32>
func.func @nine(%g: !gnn.graph<csr>, %a: tensor<?x9xf32>) -> tensor<?x9xf32> {
  %y = gnn.attention %g
    score src(%a : tensor<?x9xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    value src(%a : tensor<?x9xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h} : !gnn.graph<csr> -> tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// -----

#h = affine_map<(h) -> (h)>

// One of seventeen heads has two.
// CHECK-LABEL: func @seventeen
// CHECK: scf.for {{.*}} -> (vector<32xf32>, tensor<2048xf32>)
func.func @seventeen(%g: !gnn.graph<csr>, %a: tensor<?x17xf32>)
    -> tensor<?x17xf32> {
  %y = gnn.attention %g
    score src(%a : tensor<?x17xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    value src(%a : tensor<?x17xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h} : !gnn.graph<csr> -> tensor<?x17xf32>
  return %y : tensor<?x17xf32>
}
