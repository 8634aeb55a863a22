// RUN: gnn-opt --gnn-order-points --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-order-points="max-channels=2" --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FLAT

#d = affine_map<(d) -> (d)>
#none = affine_map<(d) -> ()>

// Points are sorted by cells along a curve, of as many bits as leave four cells for
// each; then the same edges are chosen in that order. Few points are left as they
// are.
// CHECK-LABEL: func @nearest
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<complete>, %[[X:.*]]: tensor<?x3xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[LARGE:.*]] = arith.cmpi uge, %[[N]], %{{.*}} : index
// CHECK: %[[PARTS:.*]]:3 = scf.if %[[LARGE]]
// CHECK: %[[LOWS:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<?x3xf32>)
// CHECK: arith.minnumf
// CHECK: arith.maxnumf
// CHECK: math.ctlz
// CHECK: %[[CELLS:.*]] = linalg.generic
// CHECK: tensor.extract %[[X]][%[[NODE:.*]], %{{.*}}]
// CHECK: arith.fptoui
// CHECK: arith.shrui
// CHECK: %[[NODES:.*]] = linalg.generic
// CHECK: %[[IN_CELLS:.*]] = gnn.make_graph %[[CELLS]], %[[NODES]], %{{.*}}, %[[N]] : {{.*}} -> !gnn.graph<coo, bipartite>
// CHECK: %[[SORTED:.*]] = gnn.to_csr %[[IN_CELLS]]
// CHECK: %[[ORDER:.*]]:3 = gnn.graph_parts %[[SORTED]]
// CHECK: %[[H:.*]] = gnn.top_k_graph %[[G]] dst(%[[X]] : {{.*}}) src(%[[X]] : {{.*}}) order(%[[ORDER]]#1 : tensor<?xi32>)
// CHECK: gnn.graph_parts %[[H]]
// CHECK: } else {
// CHECK: gnn.top_k_graph %[[G]] dst(%[[X]] : {{.*}}) src(%[[X]] : tensor<?x3xf32>) {
// CHECK: gnn.make_graph %[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2
// FLAT-LABEL: func @nearest
// FLAT-NOT: order(
// FLAT: return
func.func @nearest(%g: !gnn.graph<complete>, %x: tensor<?x3xf32>)
    -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g dst(%x : tensor<?x3xf32>) src(%x : tensor<?x3xf32>)
      {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.subf %b, %a : f32
    %1 = arith.mulf %0, %0 : f32
    %s = arith.subf %sum, %1 : f32
    %r = gnn.reduced %s : f32
    %i = gnn.index dst
    %j = gnn.index src
    %same = arith.cmpi eq, %i, %j : index
    %none = arith.constant 0xFF800000 : f32
    %t = arith.select %same, %none, %r : f32
    gnn.yield %t : f32
  }
  return %h : !gnn.graph<csr>
}

// -----

#d = affine_map<(d) -> (d)>
#none = affine_map<(d) -> ()>

// Nodes of a segment stay together.
// CHECK-LABEL: func @segments
// CHECK: scf.if
// CHECK: %[[SEGMENTS:.*]] = scf.for
// CHECK: %[[SEGMENT:.*]] = tensor.extract %[[SEGMENTS]]
// CHECK: arith.shli %[[SEGMENT]]
// CHECK: gnn.top_k_graph {{.*}} order(
func.func @segments(%g: !gnn.graph<block_diagonal>, %x: tensor<?x2xf32>)
    -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g dst(%x : tensor<?x2xf32>) src(%x : tensor<?x2xf32>)
      {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<block_diagonal> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.maximumf %b, %a : f32
    %s = arith.addf %sum, %0 : f32
    gnn.yield %s : f32
  }
  return %h : !gnn.graph<csr>
}

// -----

#one = affine_map<() -> ()>
#d = affine_map<(d) -> (d)>
#none = affine_map<(d) -> ()>

// Listed edges, two kinds of rows, scores without bounds, and nodes that are told
// apart by their numbers.
// CHECK-LABEL: func @listed
// CHECK-NOT: order(
func.func @listed(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>) -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g src(%x : tensor<?x2xf32>)
      {indexing_maps = [#d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<csr> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %a : f32
    gnn.yield %s : f32
  }
  return %h : !gnn.graph<csr>
}

// CHECK-LABEL: func @two_rows
// CHECK-NOT: order(
func.func @two_rows(%g: !gnn.graph<complete>, %x: tensor<?x2xf32>,
                    %y: tensor<?x2xf32>) -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g dst(%x : tensor<?x2xf32>) src(%y : tensor<?x2xf32>)
      {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.maximumf %b, %a : f32
    %s = arith.addf %sum, %0 : f32
    gnn.yield %s : f32
  }
  return %h : !gnn.graph<csr>
}

// CHECK-LABEL: func @dot_product
// CHECK-NOT: order(
func.func @dot_product(%g: !gnn.graph<complete>, %x: tensor<?x2xf32>)
    -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g dst(%x : tensor<?x2xf32>) src(%x : tensor<?x2xf32>)
      {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %b, %a : f32
    %s = arith.addf %sum, %0 : f32
    gnn.yield %s : f32
  }
  return %h : !gnn.graph<csr>
}

// CHECK-LABEL: func @unbounded
// CHECK-NOT: order(
func.func @unbounded(%g: !gnn.graph<complete>, %x: tensor<?x2xf32>)
    -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g dst(%x : tensor<?x2xf32>) src(%x : tensor<?x2xf32>)
      {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = math.sin %b : f32
    %1 = arith.mulf %0, %a : f32
    %s = arith.addf %sum, %1 : f32
    gnn.yield %s : f32
  }
  return %h : !gnn.graph<csr>
}

// CHECK-LABEL: func @numbered
// CHECK-NOT: order(
func.func @numbered(%g: !gnn.graph<complete>, %x: tensor<?x2xf32>)
    -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g dst(%x : tensor<?x2xf32>) src(%x : tensor<?x2xf32>)
      {indexing_maps = [#d, #d, #none], iterator_types = ["reduction"], k = 4}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.maximumf %b, %a : f32
    %s = arith.addf %sum, %0 : f32
    %r = gnn.reduced %s : f32
    %i = gnn.index dst
    %j = gnn.index src
    %later = arith.cmpi ugt, %i, %j : index
    %none = arith.constant 0xFF800000 : f32
    %t = arith.select %later, %none, %r : f32
    gnn.yield %t : f32
  }
  return %h : !gnn.graph<csr>
}
