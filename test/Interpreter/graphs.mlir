// RUN: gnn-interpret %s --entry=parts | FileCheck %s --check-prefix=PARTS
// RUN: gnn-interpret %s --entry=counts | FileCheck %s --check-prefix=COUNTS
// RUN: gnn-interpret %s --entry=add_self_loops | FileCheck %s --check-prefix=ADD
// RUN: gnn-interpret %s --entry=add_to_bipartite | FileCheck %s --check-prefix=BIPARTITE
// RUN: gnn-interpret %s --entry=add_to_dense | FileCheck %s --check-prefix=DENSE
// RUN: gnn-interpret %s --entry=remove_self_loops | FileCheck %s --check-prefix=REMOVE
// RUN: gnn-interpret %s --entry=reverse | FileCheck %s --check-prefix=REVERSE
// RUN: gnn-interpret %s --entry=reverse_blocks | FileCheck %s --check-prefix=BLOCKS
// RUN: gnn-interpret %s --entry=to_csr | FileCheck %s --check-prefix=TOCSR
// RUN: gnn-interpret %s --entry=layouts | FileCheck %s --check-prefix=LAYOUTS

// Node 0 has the loops a and c around an edge b from 1; node 1 has no loop, but
// the edge d from 0; node 2 has nothing.
func.func private @looped() -> (!gnn.graph<csr>, !gnn.edges<f32>) {
  %rows = arith.constant dense<[0, 3, 4, 4]> : tensor<4xi32>
  %columns = arith.constant dense<[0, 1, 0, 0]> : tensor<4xi32>
  %values = arith.constant dense<[10.0, 11.0, 12.0, 13.0]> : tensor<4xf32>
  %n = arith.constant 3 : index
  %r = tensor.cast %rows : tensor<4xi32> to tensor<?xi32>
  %c = tensor.cast %columns : tensor<4xi32> to tensor<?xi32>
  %v = tensor.cast %values : tensor<4xf32> to tensor<?xf32>
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %w = gnn.edges_from_tensor %g, %v
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  return %g, %w : !gnn.graph<csr>, !gnn.edges<f32>
}

// PARTS: result 0: tensor<4xi32> = [0, 3, 4, 4]
// PARTS: result 1: tensor<4xi32> = [0, 1, 0, 0]
// PARTS: result 2: index = 3
// PARTS: result 3: tensor<2xi32> = [1, 0]
// PARTS: result 4: tensor<2xi32> = [0, 2]
// PARTS: result 5: index = 2
// PARTS: result 6: index = 3
// PARTS: result 7: tensor<3xi32> = [0, 1, 2]
// PARTS: result 8: tensor<3xi32> = [0, 3, 3]
func.func @parts() -> (tensor<?xi32>, tensor<?xi32>, index, tensor<?xi32>,
                       tensor<?xi32>, index, index, tensor<?xi32>,
                       tensor<?xi32>) {
  %g, %w = call @looped() : () -> (!gnn.graph<csr>, !gnn.edges<f32>)
  %a:3 = gnn.graph_parts %g
    : !gnn.graph<csr> -> tensor<?xi32>, tensor<?xi32>, index
  %destinations = arith.constant dense<[1, 0]> : tensor<2xi32>
  %sources = arith.constant dense<[0, 2]> : tensor<2xi32>
  %d = tensor.cast %destinations : tensor<2xi32> to tensor<?xi32>
  %s = tensor.cast %sources : tensor<2xi32> to tensor<?xi32>
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %coo = gnn.make_graph %d, %s, %two, %three
    : (tensor<?xi32>, tensor<?xi32>, index, index)
    -> !gnn.graph<coo, bipartite>
  %b:4 = gnn.graph_parts %coo
    : !gnn.graph<coo, bipartite>
    -> tensor<?xi32>, tensor<?xi32>, index, index
  %dp = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %sp = arith.constant dense<[0, 3, 3]> : tensor<3xi32>
  %p = tensor.cast %dp : tensor<3xi32> to tensor<?xi32>
  %q = tensor.cast %sp : tensor<3xi32> to tensor<?xi32>
  %blocks = gnn.make_graph %p, %q
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<block_diagonal, bipartite>
  %c:2 = gnn.graph_parts %blocks
    : !gnn.graph<block_diagonal, bipartite> -> tensor<?xi32>, tensor<?xi32>
  return %a#0, %a#1, %a#2, %b#0, %b#1, %b#2, %b#3, %c#0, %c#1
    : tensor<?xi32>, tensor<?xi32>, index, tensor<?xi32>, tensor<?xi32>, index,
      index, tensor<?xi32>, tensor<?xi32>
}

// COUNTS: result 0: index = 3
// COUNTS: result 1: index = 2
// A causal graph of three nodes has 1 + 2 + 3 edges.
// COUNTS: result 2: index = 6
// In-degrees of the graph with loops: 3, 1, 0; out-degrees: 3, 1, 0, for both
// loops and d leave node 0.
// COUNTS: result 3: tensor<3xf32> = [3, 1, 0]
// COUNTS: result 4: tensor<3xi32> = [3, 1, 0]
// Sources 0, 1, 2 of a causal graph are seen by 3, 2 and 1 destinations.
// COUNTS: result 5: tensor<3xi32> = [3, 2, 1]
// COUNTS: result 6: tensor<3xi32> = [1, 2, 3]
func.func @counts() -> (index, index, index, tensor<?xf32>, tensor<?xi32>,
                        tensor<?xi32>, tensor<?xi32>) {
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %h = gnn.make_graph %three, %two
    : (index, index) -> !gnn.graph<complete, bipartite>
  %d = gnn.num_nodes dst %h : !gnn.graph<complete, bipartite>
  %s = gnn.num_nodes src %h : !gnn.graph<complete, bipartite>
  %g, %w = call @looped() : () -> (!gnn.graph<csr>, !gnn.edges<f32>)
  %in = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?xf32>
  %out = gnn.degree src %g : !gnn.graph<csr> -> tensor<?xi32>
  %causal = gnn.make_graph %three, %three : (index, index) -> !gnn.graph<causal>
  %e = gnn.num_edges %causal : !gnn.graph<causal>
  %seen = gnn.degree src %causal : !gnn.graph<causal> -> tensor<?xi32>
  %sees = gnn.degree dst %causal : !gnn.graph<causal> -> tensor<?xi32>
  return %d, %s, %e, %in, %out, %seen, %sees
    : index, index, index, tensor<?xf32>, tensor<?xi32>, tensor<?xi32>,
      tensor<?xi32>
}

// keep: both loops stay, another follows.
// ADD: result 0: {{.*}} edges [0<-0, 0<-1, 0<-0, 0<-0, 1<-0, 1<-1, 2<-2]
// ADD: result 1: !gnn.edges<f32> = [10, 11, 12, 0.5, 13, 1.5, 2.5]
// replace: one loop with the fill.
// ADD: result 2: {{.*}} edges [0<-1, 0<-0, 1<-0, 1<-1, 2<-2]
// ADD: result 3: !gnn.edges<f32> = [11, 0.5, 13, 1.5, 2.5]
// reuse: the loop of node 0 has the value of c, the last one dropped.
// ADD: result 4: {{.*}} edges [0<-1, 0<-0, 1<-0, 1<-1, 2<-2]
// ADD: result 5: !gnn.edges<f32> = [11, 12, 13, 1.5, 2.5]
func.func @add_self_loops() -> (!gnn.graph<csr>, !gnn.edges<f32>,
                                !gnn.graph<csr, self_loops>, !gnn.edges<f32>,
                                !gnn.graph<csr, self_loops>, !gnn.edges<f32>) {
  %g, %w = call @looped() : () -> (!gnn.graph<csr>, !gnn.edges<f32>)
  %halves = arith.constant dense<[0.5, 1.5, 2.5]> : tensor<3xf32>
  %fill = tensor.cast %halves : tensor<3xf32> to tensor<?xf32>
  %a:2 = gnn.add_self_loops keep %g edges(%w : !gnn.edges<f32>)
    fill(%fill : tensor<?xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  %b:2 = gnn.add_self_loops replace %g edges(%w : !gnn.edges<f32>)
    fill(%fill : tensor<?xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr, self_loops>, !gnn.edges<f32>
  %c:2 = gnn.add_self_loops reuse %g edges(%w : !gnn.edges<f32>)
    fill(%fill : tensor<?xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr, self_loops>, !gnn.edges<f32>
  return %a#0, %a#1, %b#0, %b#1, %c#0, %c#1
    : !gnn.graph<csr>, !gnn.edges<f32>, !gnn.graph<csr, self_loops>,
      !gnn.edges<f32>, !gnn.graph<csr, self_loops>, !gnn.edges<f32>
}

// Three destinations and two sources: destination 2 has no source of its number
// and gets no loop; the edge 0 <- 0 counts as one and is replaced.
// BIPARTITE: result 0: {{.*}} = 3 destinations, 2 sources, edges [0<-1, 0<-0, 1<-1, 2<-0]
// BIPARTITE: result 1: !gnn.edges<f32> = [2, 0.5, 1.5, 3]
// BIPARTITE: result 2: {{.*}} = 3 destinations, 2 sources, edges [0<-1, 2<-0]
func.func @add_to_bipartite() -> (!gnn.graph<csr, bipartite>, !gnn.edges<f32>,
                                  !gnn.graph<csr, bipartite>) {
  %rows = arith.constant dense<[0, 2, 2, 3]> : tensor<4xi32>
  %columns = arith.constant dense<[0, 1, 0]> : tensor<3xi32>
  %values = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %halves = arith.constant dense<[0.5, 1.5, 2.5]> : tensor<3xf32>
  %two = arith.constant 2 : index
  %r = tensor.cast %rows : tensor<4xi32> to tensor<?xi32>
  %c = tensor.cast %columns : tensor<3xi32> to tensor<?xi32>
  %v = tensor.cast %values : tensor<3xf32> to tensor<?xf32>
  %fill = tensor.cast %halves : tensor<3xf32> to tensor<?xf32>
  %g = gnn.make_graph %r, %c, %two
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr, bipartite>
  %w = gnn.edges_from_tensor %g, %v
    : !gnn.graph<csr, bipartite>, tensor<?xf32> -> !gnn.edges<f32>
  %h:2 = gnn.add_self_loops replace %g edges(%w : !gnn.edges<f32>)
    fill(%fill : tensor<?xf32>)
    : !gnn.graph<csr, bipartite> -> !gnn.graph<csr, bipartite>, !gnn.edges<f32>
  %i = gnn.remove_self_loops %g
    : !gnn.graph<csr, bipartite> -> !gnn.graph<csr, bipartite>
  return %h#0, %h#1, %i
    : !gnn.graph<csr, bipartite>, !gnn.edges<f32>, !gnn.graph<csr, bipartite>
}

// On a dense topology loops are in their place already: only values change.
// DENSE: result 0: !gnn.edges<2xi32> = {{\[\[}}-1, -2], [2, 2], [-3, -4]]
// DENSE: result 1: !gnn.edges<2xi32> = {{\[\[}}1, 1], [2, 2], [4, 4]]
func.func @add_to_dense() -> (!gnn.edges<2xi32>, !gnn.edges<2xi32>) {
  %two = arith.constant 2 : index
  %g = gnn.make_graph %two, %two : (index, index) -> !gnn.graph<causal>
  %values = arith.constant dense<[[[1, 1], [3, 3]], [[2, 2], [4, 4]]]>
    : tensor<2x2x2xi32>
  %v = tensor.cast %values : tensor<2x2x2xi32> to tensor<?x?x2xi32>
  %w = gnn.edges_from_tensor %g, %v
    : !gnn.graph<causal>, tensor<?x?x2xi32> -> !gnn.edges<2xi32>
  %negative = arith.constant dense<[[-1, -2], [-3, -4]]> : tensor<2x2xi32>
  %fill = tensor.cast %negative : tensor<2x2xi32> to tensor<?x2xi32>
  %a:2 = gnn.add_self_loops replace %g edges(%w : !gnn.edges<2xi32>)
    fill(%fill : tensor<?x2xi32>)
    : !gnn.graph<causal> -> !gnn.graph<causal>, !gnn.edges<2xi32>
  %b:2 = gnn.add_self_loops reuse %g edges(%w : !gnn.edges<2xi32>)
    fill(%fill : tensor<?x2xi32>)
    : !gnn.graph<causal> -> !gnn.graph<causal>, !gnn.edges<2xi32>
  return %a#1, %b#1 : !gnn.edges<2xi32>, !gnn.edges<2xi32>
}

// REMOVE: result 0: {{.*}} = 3 destinations, 3 sources, edges [0<-1, 1<-0]
// REMOVE: result 1: !gnn.edges<f32> = [11, 13]
func.func @remove_self_loops() -> (!gnn.graph<csr>, !gnn.edges<f32>) {
  %g, %w = call @looped() : () -> (!gnn.graph<csr>, !gnn.edges<f32>)
  %h:2 = gnn.remove_self_loops %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  return %h#0, %h#1 : !gnn.graph<csr>, !gnn.edges<f32>
}

// Edges into the new destination 0 are a, c and d, in that order.
// REVERSE: result 0: {{.*}} edges [0<-0, 0<-0, 0<-1, 1<-0]
// REVERSE: result 1: !gnn.edges<f32> = [10, 12, 13, 11]
// A list keeps its order; destinations and sources change places.
// REVERSE: result 2: {{.*}} = 2 destinations, 3 sources, edges [1<-2, 0<-0]
// REVERSE: result 3: !gnn.edges<f32> = [7, 8]
// REVERSE: result 4: {{.*}} = 3 destinations, 1 sources, edges [0<-0, 1<-0, 2<-0]
func.func @reverse() -> (!gnn.graph<csr>, !gnn.edges<f32>,
                         !gnn.graph<coo, bipartite>, !gnn.edges<f32>,
                         !gnn.graph<complete, bipartite>) {
  %g, %w = call @looped() : () -> (!gnn.graph<csr>, !gnn.edges<f32>)
  %a:2 = gnn.reverse %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  %destinations = arith.constant dense<[2, 0]> : tensor<2xi32>
  %sources = arith.constant dense<[1, 0]> : tensor<2xi32>
  %values = arith.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %d = tensor.cast %destinations : tensor<2xi32> to tensor<?xi32>
  %s = tensor.cast %sources : tensor<2xi32> to tensor<?xi32>
  %v = tensor.cast %values : tensor<2xf32> to tensor<?xf32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %coo = gnn.make_graph %d, %s, %three, %two
    : (tensor<?xi32>, tensor<?xi32>, index, index)
    -> !gnn.graph<coo, bipartite>
  %u = gnn.edges_from_tensor %coo, %v
    : !gnn.graph<coo, bipartite>, tensor<?xf32> -> !gnn.edges<f32>
  %b:2 = gnn.reverse %coo edges(%u : !gnn.edges<f32>)
    : !gnn.graph<coo, bipartite>
    -> !gnn.graph<coo, bipartite>, !gnn.edges<f32>
  %wide = gnn.make_graph %one, %three
    : (index, index) -> !gnn.graph<complete, bipartite>
  %c = gnn.reverse %wide
    : !gnn.graph<complete, bipartite> -> !gnn.graph<complete, bipartite>
  return %a#0, %a#1, %b#0, %b#1, %c
    : !gnn.graph<csr>, !gnn.edges<f32>, !gnn.graph<coo, bipartite>,
      !gnn.edges<f32>, !gnn.graph<complete, bipartite>
}

// Blocks of 2 x 1 and 1 x 2 edges are transposed within themselves.
// BLOCKS: result 0: {{.*}} = 3 destinations, 3 sources, edges [0<-0, 0<-1, 1<-2, 2<-2]
// BLOCKS: result 1: !gnn.edges<f32> = [1, 2, 3, 4]
// BLOCKS: result 2: {{.*}} = 2 destinations, 2 sources, edges [0<-0, 0<-1, 1<-0, 1<-1]
// BLOCKS: result 3: !gnn.edges<f32> = [1, 3, 2, 4]
func.func @reverse_blocks() -> (!gnn.graph<block_diagonal, bipartite>,
                                !gnn.edges<f32>, !gnn.graph<complete>,
                                !gnn.edges<f32>) {
  %destinations = arith.constant dense<[0, 2, 3]> : tensor<3xi32>
  %sources = arith.constant dense<[0, 1, 3]> : tensor<3xi32>
  %values = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %square = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %two = arith.constant 2 : index
  %d = tensor.cast %destinations : tensor<3xi32> to tensor<?xi32>
  %s = tensor.cast %sources : tensor<3xi32> to tensor<?xi32>
  %v = tensor.cast %values : tensor<4xf32> to tensor<?xf32>
  %q = tensor.cast %square : tensor<2x2xf32> to tensor<?x?xf32>
  %g = gnn.make_graph %d, %s : (tensor<?xi32>, tensor<?xi32>)
    -> !gnn.graph<block_diagonal, bipartite>
  %w = gnn.edges_from_tensor %g, %v
    : !gnn.graph<block_diagonal, bipartite>, tensor<?xf32> -> !gnn.edges<f32>
  %a:2 = gnn.reverse %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<block_diagonal, bipartite>
    -> !gnn.graph<block_diagonal, bipartite>, !gnn.edges<f32>
  %h = gnn.make_graph %two, %two : (index, index) -> !gnn.graph<complete>
  %u = gnn.edges_from_tensor %h, %q
    : !gnn.graph<complete>, tensor<?x?xf32> -> !gnn.edges<f32>
  %b:2 = gnn.reverse %h edges(%u : !gnn.edges<f32>)
    : !gnn.graph<complete> -> !gnn.graph<complete>, !gnn.edges<f32>
  return %a#0, %a#1, %b#0, %b#1
    : !gnn.graph<block_diagonal, bipartite>, !gnn.edges<f32>,
      !gnn.graph<complete>, !gnn.edges<f32>
}

// Edges into 2 keep their order, duplicates included.
// TOCSR: result 0: {{.*}} = 4 destinations, 2 sources, edges [0<-0, 2<-1, 2<-0, 2<-1]
// TOCSR: result 1: !gnn.edges<f32> = [21, 20, 22, 23]
func.func @to_csr() -> (!gnn.graph<csr, bipartite>, !gnn.edges<f32>) {
  %destinations = arith.constant dense<[2, 0, 2, 2]> : tensor<4xi32>
  %sources = arith.constant dense<[1, 0, 0, 1]> : tensor<4xi32>
  %values = arith.constant dense<[20.0, 21.0, 22.0, 23.0]> : tensor<4xf32>
  %d = tensor.cast %destinations : tensor<4xi32> to tensor<?xi32>
  %s = tensor.cast %sources : tensor<4xi32> to tensor<?xi32>
  %v = tensor.cast %values : tensor<4xf32> to tensor<?xf32>
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %coo = gnn.make_graph %d, %s, %four, %two
    : (tensor<?xi32>, tensor<?xi32>, index, index)
    -> !gnn.graph<coo, bipartite>
  %w = gnn.edges_from_tensor %coo, %v
    : !gnn.graph<coo, bipartite>, tensor<?xf32> -> !gnn.edges<f32>
  %g, %u = gnn.to_csr %coo edges(%w : !gnn.edges<f32>)
    : !gnn.graph<coo, bipartite>
    -> !gnn.graph<csr, bipartite>, !gnn.edges<f32>
  return %g, %u : !gnn.graph<csr, bipartite>, !gnn.edges<f32>
}

// Of the tensor of a window graph, entries that are no edges are ignored, and
// are undefined on the way back: NaN here.
// LAYOUTS: result 0: !gnn.edges<f32> = [1, 2, 4, 5, 6, 8, 9]
// LAYOUTS: result 1: tensor<3x3xf32> = {{\[\[}}1, 2, nan], [4, 5, 6], [nan, 8, 9]]
// A block-diagonal graph lists the edges of its segments.
// LAYOUTS: result 2: tensor<5xf32> = [1, 2, 3, 4, 5]
func.func @layouts() -> (!gnn.edges<f32>, tensor<?x?xf32>, tensor<?xf32>) {
  %three = arith.constant 3 : index
  %g = gnn.make_graph %three, %three : (index, index) -> !gnn.graph<window<1>>
  %values = arith.constant
    dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>
  %v = tensor.cast %values : tensor<3x3xf32> to tensor<?x?xf32>
  %w = gnn.edges_from_tensor %g, %v
    : !gnn.graph<window<1>>, tensor<?x?xf32> -> !gnn.edges<f32>
  %t = gnn.edges_to_tensor %g, %w
    : !gnn.graph<window<1>>, !gnn.edges<f32> -> tensor<?x?xf32>
  %segments = arith.constant dense<[0, 2, 3]> : tensor<3xi32>
  %p = tensor.cast %segments : tensor<3xi32> to tensor<?xi32>
  %blocks = gnn.make_graph %p, %p
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<block_diagonal>
  %five = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %f = tensor.cast %five : tensor<5xf32> to tensor<?xf32>
  %u = gnn.edges_from_tensor %blocks, %f
    : !gnn.graph<block_diagonal>, tensor<?xf32> -> !gnn.edges<f32>
  %s = gnn.edges_to_tensor %blocks, %u
    : !gnn.graph<block_diagonal>, !gnn.edges<f32> -> tensor<?xf32>
  return %w, %t, %s : !gnn.edges<f32>, tensor<?x?xf32>, tensor<?xf32>
}
