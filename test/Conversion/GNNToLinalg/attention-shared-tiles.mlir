// RUN: gnn-opt --gnn-expand-graph-arguments %s \
// RUN:   --convert-gnn-to-linalg="attention-lanes=16 attention-column-tile=32 attention-shared-tiles=4" \
// RUN:   --canonicalize --cse | FileCheck %s

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// Up to four tiles of 16 destinations take each tile of 32 sources in turns;
// their states and queries are stacked. With 32 iterations of the outermost loop
// to share among threads, 2 heads leave 16 for the destinations; 4 with the 8 that
// do for four tiles of sources or fewer.
// CHECK-LABEL: func @complete
// CHECK-SAME: (%[[D:.*]]: index, %[[S:.*]]: index, %[[X:.*]]: tensor<?x2x4xf32>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK: %[[SHORT:.*]] = arith.cmpi ule, %[[S]], %[[C128]]
// CHECK: %[[ALL:.*]] = arith.select %[[SHORT]], %[[C64]], %[[C256]]
// CHECK: %[[MANY:.*]] = arith.divui %[[D]], %[[ALL]]
// CHECK: %[[FEW:.*]] = arith.minui %[[MANY]], %c4
// CHECK: %[[TILES:.*]] = arith.maxui %[[FEW]], %c1
// CHECK: %[[ROWS:.*]] = arith.muli %[[TILES]], %[[C16]]
// CHECK: scf.forall (%[[H:.*]], %[[I:.*]]) = (0, 0) to (2, %[[D]]) step (1, %[[ROWS]])
// CHECK: %[[END:.*]] = arith.minsi %[[D]]
// CHECK: %[[NUMBER:.*]] = arith.subi %[[END]], %[[I]]
// CHECK: %[[STACKS:.*]]:4 = scf.for %{{.*}} = %[[C0]] to %[[NUMBER]] step %[[C16]] {{.*}} -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x4x16xf32>, tensor<4x4x16xf32>)
// Zeros only where the tile has no rows.
// CHECK: %[[QUERIES:.*]] = affine.min
// CHECK: %[[MEMORY:.*]] = bufferization.alloc_tensor() : tensor<16x4xf32>
// CHECK: %[[FREE:.*]] = arith.subi %[[C16]], %[[QUERIES]]
// CHECK: %[[BEHIND:.*]] = tensor.extract_slice %[[MEMORY]][%[[QUERIES]], 0] [%[[FREE]], 4] [1, 1]
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%{{.*}}) outs(%[[BEHIND]]
// CHECK: %[[FILLED:.*]] = tensor.insert_slice %[[ZEROS]] into %[[MEMORY]][%[[QUERIES]], 0] [%[[FREE]], 4] [1, 1]
// CHECK: %[[WHOLE:.*]] = tensor.insert_slice %{{.*}} into %[[FILLED]][0, 0] [%[[QUERIES]], 4]
// CHECK: linalg.transpose ins(%[[WHOLE]]
// CHECK: %[[STATE:.*]]:3 = scf.for %[[J:[^ ]*]] = %[[C0]] to %[[S]] {{.*}} iter_args({{.*}} = %[[STACKS]]#0, {{.*}} = %[[STACKS]]#1, {{.*}} = %[[STACKS]]#2)
// CHECK: %[[SOURCES:.*]] = tensor.extract_slice %{{.*}}[%[[J]], 0]
// CHECK: scf.for %[[OWN:[^ ]*]] = %[[C0]] to %[[NUMBER]] step %[[C16]]
// CHECK: %[[T:.*]] = arith.divui %[[OWN]], %[[C16]]
// CHECK: %[[Q:.*]] = tensor.extract_slice %[[STACKS]]#3[%[[T]], 0, 0] [1, 4, 16]
// CHECK: linalg.generic {{.*}} ins(%[[Q]], %[[SOURCES]] : tensor<4x16xf32>, tensor<?x4xf32>)
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SOURCES]] : tensor<?x16xf32>, tensor<?x4xf32>)
// CHECK: tensor.insert_slice {{.*}}[%[[T]], 0, 0] [1, 4, 16]
// CHECK: scf.for %[[ROW:[^ ]*]] = %[[I]] to %{{.*}} step %[[C16]]
// CHECK: tensor.extract_slice %[[STATE]]#2
// CHECK: arith.divf
// CHECK: tensor.insert_slice
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[I]], %[[H]], 0]
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

// Tiles of destinations before the first source are left out, and so are sources
// behind the last destination of a tile.
// CHECK-LABEL: func @causal
// CHECK: scf.for %[[J:[^ ]*]] = %c0 to %{{[^ ]*}} step %c32
// CHECK: %[[SHARED:.*]] = affine.min #[[TILE:[a-z0-9]+]](%[[J]], %{{.*}})
// CHECK: %[[KEYS:.*]] = tensor.extract_slice %{{.*}}[%[[J]], 0] [%[[SHARED]], 4]
// CHECK: %[[AHEAD:.*]] = arith.subi %[[J]], %{{.*}}
// CHECK: %[[POSITIVE:.*]] = arith.maxsi %[[AHEAD]], %c0
// CHECK: %[[WHOLE:.*]] = arith.divui %[[POSITIVE]], %c16
// CHECK: %[[FIRST:.*]] = arith.muli %[[WHOLE]], %c16
// CHECK: scf.for %[[ROW:[^ ]*]] = %[[FIRST]] to
// CHECK: %[[DESTINATION:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK: %[[ROWS:.*]] = affine.min
// CHECK: %[[END:.*]] = arith.addi %[[DESTINATION]], %[[ROWS]]
// CHECK: %[[LAST:.*]] = arith.minsi %[[END]], %{{.*}}
// CHECK: %[[SEEN:.*]] = affine.min #[[TILE]](%[[J]], %[[LAST]])
// CHECK: %[[SOME:.*]] = tensor.extract_slice %[[KEYS]][0, 0] [%[[SEEN]], 4]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SOME]] : tensor<4x16xf32>, tensor<?x4xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SOME]] : tensor<?x16xf32>, tensor<?x4xf32>)
func.func @causal(%g: !gnn.graph<causal>, %x: tensor<?x2x4xf32>)
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
     weight_map = #h} : !gnn.graph<causal> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// What destinations of a window see differs from tile to tile.
// CHECK-LABEL: func @window
// CHECK: scf.forall {{.*}} step (1, 16)
func.func @window(%g: !gnn.graph<window<40>>, %x: tensor<?x2x4xf32>)
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
     weight_map = #h} : !gnn.graph<window<40>> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}
