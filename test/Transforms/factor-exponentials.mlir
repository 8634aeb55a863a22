// RUN: gnn-opt --gnn-factor-exponentials %s | FileCheck %s
// RUN: gnn-opt --gnn-factor-exponentials="max-range=3 min-degree=6" %s \
// RUN:   | FileCheck %s --check-prefix=OPTIONS

#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>

// CHECK-LABEL: func @gat
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[A:.*]]: tensor<?x2xf32>, %[[B:.*]]: tensor<?x2xf32>, %[[V:.*]]: tensor<?x2x3xf32>)

// Four edges for each node, which has factors as a source and as a destination.
// CHECK-DAG: %[[TO:.*]] = gnn.num_nodes dst %[[G]]
// CHECK-DAG: %[[FROM:.*]] = gnn.num_nodes src %[[G]]
// CHECK: %[[NODES:.*]] = arith.addi %[[TO]], %[[FROM]]
// CHECK: %[[EDGES:.*]] = gnn.num_edges %[[G]]
// CHECK: %[[ENDS:.*]] = arith.muli %[[EDGES]], %c2
// CHECK: %[[LEAST:.*]] = arith.muli %[[NODES]], %c4
// CHECK: %[[ENOUGH:.*]] = arith.cmpi sge, %[[ENDS]], %[[LEAST]]
// OPTIONS: arith.muli %{{.*}}, %c6

// Bounds of sources and of destinations, which are the same nodes, for each head
// and then of all.
// CHECK: %[[TEST:.*]]:2 = scf.if %[[ENOUGH]] -> (i1, f32)
// CHECK: %[[OFHEADS:.*]]:4 = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[B]], %[[A]] :
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf olt
// CHECK: %[[OFALL:.*]]:4 = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[OFHEADS]]#0, %[[OFHEADS]]#1, %[[OFHEADS]]#2, %[[OFHEADS]]#3 :
// CHECK: %[[LARGEST:.*]] = tensor.extract %[[OFALL]]#0
// CHECK: %[[SMALLEST:.*]] = tensor.extract %[[OFALL]]#1
// CHECK: %[[RANGE:.*]] = arith.subf %[[LARGEST]], %[[SMALLEST]]
// CHECK: %[[MOST:.*]] = arith.constant 2.000000e+01 : f32
// CHECK: %[[NARROW:.*]] = arith.cmpf ole, %[[RANGE]], %[[MOST]]
// OPTIONS: arith.constant 3.000000e+00 : f32
// Those of destinations are finite.
// CHECK: %[[FINITE:.*]] = arith.cmpf ole, %{{.*}}, %{{.*}}
// CHECK: %[[BOTH:.*]] = arith.andi %[[NARROW]], %[[FINITE]]
// CHECK: scf.yield %[[BOTH]], %[[LARGEST]]
// CHECK: } else {
// CHECK: scf.yield %false

// exp(0.2 (b - T)) and exp(-0.8 max(a + T, 0)).
// CHECK: scf.if %[[TEST]]#0 -> (tensor<?x2x3xf32>)
// CHECK: %[[FACTORS:.*]]:2 = linalg.generic {{.*}} ins(%[[B]], %[[A]] :
// CHECK: %[[DISTANCE:.*]] = arith.subf %{{.*}}, %[[TEST]]#1
// CHECK: %[[SLOPE:.*]] = arith.constant 2.000000e-01
// CHECK: %[[SMALL:.*]] = arith.mulf %[[DISTANCE]], %[[SLOPE]]
// CHECK: math.exp %[[SMALL]] : f32
// CHECK: arith.addf %{{.*}}, %[[TEST]]#1
// CHECK: arith.constant -8.000000e-01
// CHECK: math.exp %{{.*}} {gnn.never_positive}

// The fifth power of the source's factor, or its product with the destination's.
// CHECK: %[[Y:.*]] = gnn.attention %[[G]] score dst(%[[FACTORS]]#1 : tensor<?x2xf32>) src(%[[FACTORS]]#0 : tensor<?x2xf32>) {
// CHECK: ^bb0(%[[Q:.*]]: f32, %[[U:.*]]: f32):
// CHECK: %[[U2:.*]] = arith.mulf %[[U]], %[[U]]
// CHECK: %[[U4:.*]] = arith.mulf %[[U2]], %[[U2]]
// CHECK: %[[U5:.*]] = arith.mulf %[[U]], %[[U4]]
// CHECK: %[[QU:.*]] = arith.mulf %[[Q]], %[[U]]
// CHECK: %[[LARGER:.*]] = arith.cmpf ogt, %[[U5]], %[[QU]]
// CHECK: %[[WEIGHT:.*]] = arith.select %[[LARGER]], %[[U5]], %[[QU]]
// CHECK: gnn.yield %[[WEIGHT]]
// CHECK: } value src(%[[V]] : tensor<?x2x3xf32>) {
// CHECK: normalization = #gnn.normalization<sum>
// CHECK: scf.yield %[[Y]]
// CHECK: } else {
// CHECK: gnn.attention %[[G]] score dst(%[[A]] : tensor<?x2xf32>) src(%[[B]] : tensor<?x2xf32>) {
// CHECK-NOT: normalization
func.func @gat(%g: !gnn.graph<csr>, %a: tensor<?x2xf32>, %b: tensor<?x2xf32>,
               %v: tensor<?x2x3xf32>) -> tensor<?x2x3xf32> {
  %y = gnn.attention %g
    score dst(%a : tensor<?x2xf32>) src(%b : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x3xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf}
    : !gnn.graph<csr> -> tensor<?x2x3xf32>
  return %y : tensor<?x2x3xf32>
}

// Several numbers of a node, and no features: one number for each edge. The power
// is 2.
// CHECK-LABEL: func @sums
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[B]], %[[A]], %[[A]] :
// CHECK: arith.addf
// CHECK: gnn.attention
// CHECK: ^bb0(%[[Q:.*]]: f32, %[[U:.*]]: f32):
// CHECK: %[[U2:.*]] = arith.mulf %[[U]], %[[U]]
// CHECK: %[[QU:.*]] = arith.mulf %[[Q]], %[[U]]
// CHECK: arith.cmpf ogt, %[[U2]], %[[QU]]
func.func @sums(%g: !gnn.graph<csr>, %a: tensor<?xf32>, %b: tensor<?xf32>)
    -> tensor<?xf32> {
  %y = gnn.attention %g
    score dst(%a : tensor<?xf32>)
          src(%b, %a : tensor<?xf32>, tensor<?xf32>) {
    ^bb0(%i: f32, %j: f32, %k: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.5 : f32
      %t = arith.addf %i, %k : f32
      %sum = arith.addf %j, %t : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%b : tensor<?xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                   affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [],
     value_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     value_iterators = [], weight_map = affine_map<() -> ()>}
    : !gnn.graph<csr> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Sources and destinations are others.
// CHECK-LABEL: func @bipartite
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr, bipartite>, %[[A:.*]]: tensor<?x2xf32>, %[[B:.*]]: tensor<?x2xf32>
// CHECK: %{{.*}}:2 = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[B]] :
// CHECK: %{{.*}}:2 = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[A]] :
// CHECK: %[[OFSOURCES:.*]] = linalg.generic {{.*}} ins(%[[B]] :
// CHECK: %[[OFDESTINATIONS:.*]] = linalg.generic {{.*}} ins(%[[A]] :
// CHECK: gnn.attention %[[G]] score dst(%[[OFDESTINATIONS]] : tensor<?x2xf32>) src(%[[OFSOURCES]] : tensor<?x2xf32>)
func.func @bipartite(%g: !gnn.graph<csr, bipartite>, %a: tensor<?x2xf32>, %b: tensor<?x2xf32>,
               %v: tensor<?x2x3xf32>) -> tensor<?x2x3xf32> {
  %y = gnn.attention %g
    score dst(%a : tensor<?x2xf32>) src(%b : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x3xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf}
    : !gnn.graph<csr, bipartite> -> tensor<?x2x3xf32>
  return %y : tensor<?x2x3xf32>
}
