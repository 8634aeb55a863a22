// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-linalg %s \
// RUN:   | FileCheck %s
// RUN: gnn-opt --gnn-expand-graph-arguments %s \
// RUN:   --convert-gnn-to-linalg="attention-lanes=16 attention-column-tile=32" \
// RUN:   | FileCheck %s --check-prefix=TILES
// RUN: gnn-opt --gnn-expand-graph-arguments %s \
// RUN:   --convert-gnn-to-linalg=attention-tile-bytes=1024 \
// RUN:   | FileCheck %s --check-prefix=BYTES

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// One head at a time, 64 destinations side by side: queries are transposed once
// for all sources, and so is the result; scores lie as (source, destination).
// CHECK-DAG: #[[SCORE_QUERY:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[SCORE_KEY:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[SCORE:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[SUM:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func @complete
// CHECK-SAME: (%[[D:.*]]: index, %[[S:.*]]: index, %[[X:.*]]: tensor<?x2x4xf32>)
// CHECK: scf.forall (%[[H:.*]], %[[I:.*]]) = (0, 0) to (2, %[[D]]) step (1, 64)
// CHECK: tensor.extract_slice %[[X]][0, %[[H]], 0]
// CHECK: %[[ROWS:.*]] = affine.min #{{.*}}(%[[I]], %[[D]])
// CHECK: %[[Q:.*]] = linalg.transpose ins(%{{.*}} : tensor<64x4xf32>) outs(%{{.*}} : tensor<4x64xf32>)
// CHECK: scf.for %[[J:.*]] = {{.*}} -> (tensor<64xf32>, tensor<64xf32>, tensor<4x64xf32>)
// CHECK: bufferization.alloc_tensor() : tensor<64x64xf32>
// CHECK: linalg.generic {indexing_maps = [#[[SCORE_QUERY]], #[[SCORE_KEY]], #[[SCORE]]]{{.*}} ins(%[[Q]], %[[K:.*]] : tensor<4x64xf32>, tensor<?x4xf32>) outs(%{{.*}} : tensor<?x64xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[SCORE_KEY]], #[[SCORE]], #[[SUM]]], iterator_types = ["reduction", "parallel", "parallel"]}
// CHECK: scf.yield
// CHECK: arith.divf
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x64xf32>) outs(%{{.*}} : tensor<64x4xf32>)
// CHECK: tensor.parallel_insert_slice %{{.*}}[%[[I]], %[[H]], 0] [%[[ROWS]], 1, 4]

// Keys and values of a source have 32 bytes.
// BYTES-LABEL: func @complete
// BYTES: bufferization.alloc_tensor() : tensor<32x64xf32>
// TILES-LABEL: func @complete
// TILES: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (2, %{{.*}}) step (1, 16)
// TILES: bufferization.alloc_tensor() : tensor<32x16xf32>
func.func @complete(%g: !gnn.graph<complete>, %x: tensor<?x2x4xf32>)
    -> tensor<?x2x4xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x2x4xf32>) src(%x : tensor<?x2x4xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x2x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h} : !gnn.graph<complete> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// Only sources behind the first destination are masked: they are no edges of as many
// destinations as there are before them, which numbers of 32 bits tell.
// CHECK-LABEL: func @causal
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: scf.forall (%[[I:.*]]) = (0)
// CHECK: scf.for %[[J:[a-z0-9]+]] =
// CHECK: %[[NUM:.*]] = affine.min
// CHECK: %[[SCORES:.*]] = linalg.generic
// CHECK: %[[DIAGONAL:.*]] = arith.subi %[[I]], %[[J]]
// CHECK: %[[END:.*]] = arith.addi %[[DIAGONAL]], %c1
// CHECK: %[[ATLEAST:.*]] = arith.maxsi %[[END]], %c0
// CHECK: %[[SEEN:.*]] = arith.minsi %[[ATLEAST]], %[[NUM]]
// CHECK: %[[REST:.*]] = arith.subi %[[NUM]], %[[SEEN]]
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[SCORES]][%[[SEEN]], 0] [%[[REST]], 64]
// CHECK: %[[BEGIN:.*]] = arith.subi %[[SEEN]], %[[DIAGONAL]]
// CHECK: %[[MASKED:.*]] = linalg.generic {{.*}} outs(%[[PART]] :
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[SUM:.*]] = arith.addi %[[ROW]], %[[BEGIN]]
// CHECK: %[[SOURCE:.*]] = arith.index_cast %[[SUM]] : index to i32
// CHECK: %[[LANE:.*]] = linalg.index 1
// CHECK: %[[DESTINATION:.*]] = arith.index_cast %[[LANE]] : index to i32
// CHECK: %[[EDGE:.*]] = arith.cmpi sle, %[[SOURCE]], %[[DESTINATION]]
// CHECK: arith.select %[[EDGE]], %{{.*}}, %[[LOWEST]]
// CHECK: tensor.insert_slice %[[MASKED]] into %[[SCORES]][%[[SEEN]], 0]
// CHECK-NOT: arith.cmpi
// CHECK: arith.maximumf
func.func @causal(%g: !gnn.graph<causal>, %s: tensor<?xf32>,
                  %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
     value_iterators = ["parallel"], weight_map = affine_map<(f) -> ()>}
    : !gnn.graph<causal> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Of a window, so are sources before those that the last destination sees.
// CHECK-LABEL: func @window
// CHECK: scf.forall (%[[I:.*]]) = (0)
// CHECK: %[[ROWS:.*]] = affine.min
// CHECK: scf.for %[[J:[a-z0-9]+]] =
// CHECK: %[[NUM:.*]] = affine.min
// CHECK: %[[SCORES:.*]] = linalg.generic
// CHECK: %[[DIAGONAL:.*]] = arith.subi %[[I]], %[[J]]
// CHECK: arith.addi %[[DIAGONAL]], %c8
// CHECK: %[[FIRST:.*]] = arith.subi %[[DIAGONAL]], %c8
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %c1
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %[[LAST]]
// CHECK: %[[ATLEAST:.*]] = arith.maxsi %[[END]], %c0
// CHECK: %[[UNSEEN:.*]] = arith.minsi %[[ATLEAST]], %[[NUM]]
// CHECK: arith.cmpi sle
// CHECK: %[[BEHIND:.*]] = tensor.insert_slice %{{.*}} into %[[SCORES]]
// CHECK: tensor.extract_slice %[[BEHIND]][%c0, 0] [%[[UNSEEN]], 64]
// CHECK: %[[BEGIN:.*]] = arith.subi %c0, %[[FIRST]]
// CHECK: linalg.generic
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: arith.addi %[[ROW]], %[[BEGIN]]
// CHECK: arith.cmpi sge
func.func @window(%g: !gnn.graph<window<8>>, %s: tensor<?xf32>,
                  %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
     value_iterators = ["parallel"], weight_map = affine_map<(f) -> ()>}
    : !gnn.graph<window<8>> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// A value that is made of its edge keeps the features of a pair together.
// CHECK-LABEL: func @edge_values
// CHECK: scf.forall (%{{.*}}) = (0) to (%{{.*}}) step (32)
func.func @edge_values(%g: !gnn.graph<complete>, %s: tensor<?xf32>,
                       %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value dst(%x : tensor<?x4xf32>) src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %d = arith.subf %b, %a : f32
      gnn.yield %d : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>,
                   affine_map<(f) -> (f)>],
     value_iterators = ["parallel"], weight_map = affine_map<(f) -> ()>}
    : !gnn.graph<complete> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Segments are complete graphs of their own: tiles of a segment's rows see its
// sources and no others, and nothing is masked.
// CHECK-LABEL: func @segments
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?xi32>, %[[SOURCES:.*]]: tensor<?xi32>
// CHECK: scf.forall (%[[SEGMENT:.*]]) in (%{{.*}}) shared_outs(%[[OUT:.*]] =
// CHECK: tensor.extract %[[ROWS]][%[[SEGMENT]]]
// CHECK: %[[FIRST:.*]] = arith.index_cast
// CHECK: tensor.extract %[[ROWS]]
// CHECK: %[[END:.*]] = arith.index_cast
// CHECK: tensor.extract %[[SOURCES]][%[[SEGMENT]]]
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: tensor.extract %[[SOURCES]]
// CHECK: %[[LAST:.*]] = arith.index_cast
// CHECK: scf.for %[[ROW:.*]] = %[[FIRST]] to %[[END]] step %c64
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[LAST]] step %c64
// CHECK-NOT: arith.cmpi
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[FIRST]], 0]
func.func @segments(%g: !gnn.graph<block_diagonal>, %s: tensor<?xf32>,
                    %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
     value_iterators = ["parallel"], weight_map = affine_map<(f) -> ()>}
    : !gnn.graph<block_diagonal> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Values per edge of segments are no matrix.
// CHECK-LABEL: func @segment_edges
// CHECK: gnn.attention
func.func @segment_edges(%g: !gnn.graph<block_diagonal>, %e: !gnn.edges<f32>,
                         %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score edge(%e : !gnn.edges<f32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
     value_iterators = ["parallel"], weight_map = affine_map<(f) -> ()>}
    : !gnn.graph<block_diagonal> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
