// RUN: not gnn-interpret %s --entry=pointers_start 2>&1 | FileCheck %s --check-prefix=POINTERS_START
// RUN: not gnn-interpret %s --entry=pointers_descend 2>&1 | FileCheck %s --check-prefix=POINTERS_DESCEND
// RUN: not gnn-interpret %s --entry=pointers_end 2>&1 | FileCheck %s --check-prefix=POINTERS_END
// RUN: not gnn-interpret %s --entry=pointers_empty 2>&1 | FileCheck %s --check-prefix=POINTERS_EMPTY
// RUN: not gnn-interpret %s --entry=source_range 2>&1 | FileCheck %s --check-prefix=SOURCE_RANGE
// RUN: not gnn-interpret %s --entry=source_negative 2>&1 | FileCheck %s --check-prefix=SOURCE_NEGATIVE
// RUN: not gnn-interpret %s --entry=other_sources 2>&1 | FileCheck %s --check-prefix=OTHER_SOURCES
// RUN: not gnn-interpret %s --entry=coo_ends 2>&1 | FileCheck %s --check-prefix=COO_ENDS
// RUN: not gnn-interpret %s --entry=coo_range 2>&1 | FileCheck %s --check-prefix=COO_RANGE
// RUN: not gnn-interpret %s --entry=negative_size 2>&1 | FileCheck %s --check-prefix=NEGATIVE_SIZE
// RUN: not gnn-interpret %s --entry=huge_size 2>&1 | FileCheck %s --check-prefix=HUGE_SIZE
// RUN: not gnn-interpret %s --entry=segment_counts 2>&1 | FileCheck %s --check-prefix=SEGMENT_COUNTS
// RUN: not gnn-interpret %s --entry=segments_differ 2>&1 | FileCheck %s --check-prefix=SEGMENTS_DIFFER
// RUN: not gnn-interpret %s --entry=no_loop 2>&1 | FileCheck %s --check-prefix=NO_LOOP
// RUN: not gnn-interpret %s --entry=two_loops 2>&1 | FileCheck %s --check-prefix=TWO_LOOPS
// RUN: not gnn-interpret %s --entry=unsorted 2>&1 | FileCheck %s --check-prefix=UNSORTED
// RUN: not gnn-interpret %s --entry=asymmetric 2>&1 | FileCheck %s --check-prefix=ASYMMETRIC
// RUN: not gnn-interpret %s --entry=unevenly_symmetric 2>&1 | FileCheck %s --check-prefix=UNEVENLY_SYMMETRIC
// RUN: not gnn-interpret %s --entry=kept_loop 2>&1 | FileCheck %s --check-prefix=KEPT_LOOP
// RUN: not gnn-interpret %s --entry=edge_rows 2>&1 | FileCheck %s --check-prefix=EDGE_ROWS
// RUN: not gnn-interpret %s --entry=dense_rows 2>&1 | FileCheck %s --check-prefix=DENSE_ROWS
// RUN: not gnn-interpret %s --entry=values_of_other_graph 2>&1 | FileCheck %s --check-prefix=VALUES_OF_OTHER_GRAPH
// RUN: not gnn-interpret %s --entry=aggregate_other_graph 2>&1 | FileCheck %s --check-prefix=AGGREGATE_OTHER_GRAPH
// RUN: not gnn-interpret %s --entry=node_rows 2>&1 | FileCheck %s --check-prefix=NODE_ROWS
// RUN: not gnn-interpret %s --entry=update_rows 2>&1 | FileCheck %s --check-prefix=UPDATE_ROWS
// RUN: not gnn-interpret %s --entry=fill_rows 2>&1 | FileCheck %s --check-prefix=FILL_ROWS

// Behaviour that the specification leaves undefined is an error here, and so is
// a graph that is not what its type says.

func.func @pointers_start() {
  // POINTERS_START: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op row pointers must start at 0, got 1
  %rc = arith.constant dense<[1, 2]> : tensor<2xi32>
  %r = tensor.cast %rc : tensor<2xi32> to tensor<?xi32>
  %cc = arith.constant dense<[0, 0]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  return
}

func.func @pointers_descend() {
  // POINTERS_DESCEND: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op row pointers must ascend, but entry 2 is 1 after 2
  %rc = arith.constant dense<[0, 2, 1, 2]> : tensor<4xi32>
  %r = tensor.cast %rc : tensor<4xi32> to tensor<?xi32>
  %cc = arith.constant dense<[0, 0]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 3 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  return
}

func.func @pointers_end() {
  // POINTERS_END: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op row pointers end at 3, but there are 2 column indices
  %rc = arith.constant dense<[0, 3]> : tensor<2xi32>
  %r = tensor.cast %rc : tensor<2xi32> to tensor<?xi32>
  %cc = arith.constant dense<[0, 0]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 1 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  return
}

func.func @pointers_empty() {
  // POINTERS_EMPTY: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op row pointers are empty; even without rows there is one
  %rc = arith.constant dense<[]> : tensor<0xi32>
  %r = tensor.cast %rc : tensor<0xi32> to tensor<?xi32>
  %cc = arith.constant dense<[]> : tensor<0xi32>
  %c = tensor.cast %cc : tensor<0xi32> to tensor<?xi32>
  %n = arith.constant 0 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  return
}

func.func @source_range() {
  // SOURCE_RANGE: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op source 2 of edge 1 is out of range; there are 2
  %rc = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %r = tensor.cast %rc : tensor<3xi32> to tensor<?xi32>
  %cc = arith.constant dense<[0, 2]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  return
}

func.func @source_negative() {
  // SOURCE_NEGATIVE: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op source -1 of edge 0 is out of range; there are 1
  %rc = arith.constant dense<[0, 1]> : tensor<2xi32>
  %r = tensor.cast %rc : tensor<2xi32> to tensor<?xi32>
  %cc = arith.constant dense<[-1]> : tensor<1xi32>
  %c = tensor.cast %cc : tensor<1xi32> to tensor<?xi32>
  %n = arith.constant 1 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  return
}

func.func @other_sources() {
  // OTHER_SOURCES: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op sources and destinations of a graph that is not bipartite are the same nodes, but there are 3 and 1
  %rc = arith.constant dense<[0, 1]> : tensor<2xi32>
  %r = tensor.cast %rc : tensor<2xi32> to tensor<?xi32>
  %cc = arith.constant dense<[0]> : tensor<1xi32>
  %c = tensor.cast %cc : tensor<1xi32> to tensor<?xi32>
  %n = arith.constant 3 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  return
}

func.func @coo_ends() {
  // COO_ENDS: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op an edge has two ends, but there are 2 destinations and 1 sources
  %dc = arith.constant dense<[0, 1]> : tensor<2xi32>
  %d = tensor.cast %dc : tensor<2xi32> to tensor<?xi32>
  %sc = arith.constant dense<[0]> : tensor<1xi32>
  %s = tensor.cast %sc : tensor<1xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %d, %s, %n, %n
    : (tensor<?xi32>, tensor<?xi32>, index, index) -> !gnn.graph<coo>
  return
}

func.func @coo_range() {
  // COO_RANGE: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op destination 2 of edge 1 is out of range; there are 2
  %dc = arith.constant dense<[0, 2]> : tensor<2xi32>
  %d = tensor.cast %dc : tensor<2xi32> to tensor<?xi32>
  %sc = arith.constant dense<[0, 1]> : tensor<2xi32>
  %s = tensor.cast %sc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %d, %s, %n, %n
    : (tensor<?xi32>, tensor<?xi32>, index, index) -> !gnn.graph<coo>
  return
}

func.func @negative_size() {
  // NEGATIVE_SIZE: :[[#@LINE+2]]:{{.*}}error: 'gnn.make_graph' op negative dimension -1
  %n = arith.constant -1 : index
  %g = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<complete>
  return
}

func.func @huge_size() {
  // HUGE_SIZE: :[[#@LINE+2]]:{{.*}}error: 'gnn.make_graph' op more than 2147483648 elements, too many for the interpreter
  %n = arith.constant 100000 : index
  %g = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<complete>
  return
}

func.func @segment_counts() {
  // SEGMENT_COUNTS: :[[#@LINE+5]]:{{.*}}error: 'gnn.make_graph' op the numbers of segments differ: 2 of destinations and 1 of sources
  %dc = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %d = tensor.cast %dc : tensor<3xi32> to tensor<?xi32>
  %sc = arith.constant dense<[0, 2]> : tensor<2xi32>
  %s = tensor.cast %sc : tensor<2xi32> to tensor<?xi32>
  %g = gnn.make_graph %d, %s
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<block_diagonal, bipartite>
  return
}

func.func @segments_differ() {
  // SEGMENTS_DIFFER: :[[#@LINE+5]]:{{.*}}error: 'gnn.make_graph' op segments of sources and destinations differ, but the graph is not bipartite
  %dc = arith.constant dense<[0, 1, 3]> : tensor<3xi32>
  %d = tensor.cast %dc : tensor<3xi32> to tensor<?xi32>
  %sc = arith.constant dense<[0, 2, 3]> : tensor<3xi32>
  %s = tensor.cast %sc : tensor<3xi32> to tensor<?xi32>
  %g = gnn.make_graph %d, %s
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<block_diagonal>
  return
}

// What a type promises must hold.
func.func @no_loop() {
  // NO_LOOP: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op '!gnn.graph<csr, self_loops>' promises one self loop per node, but node 1 has 0
  %rc = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %r = tensor.cast %rc : tensor<3xi32> to tensor<?xi32>
  %cc = arith.constant dense<[0, 0]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr, self_loops>
  return
}

func.func @two_loops() {
  // TWO_LOOPS: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op '!gnn.graph<csr, self_loops>' promises one self loop per node, but node 0 has 2
  %rc = arith.constant dense<[0, 2]> : tensor<2xi32>
  %r = tensor.cast %rc : tensor<2xi32> to tensor<?xi32>
  %cc = arith.constant dense<[0, 0]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 1 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr, self_loops>
  return
}

func.func @unsorted() {
  // UNSORTED: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op '!gnn.graph<csr, bipartite, sorted>' promises ascending sources, but in the row of 1 source 0 follows 2
  %rc = arith.constant dense<[0, 1, 3]> : tensor<3xi32>
  %r = tensor.cast %rc : tensor<3xi32> to tensor<?xi32>
  %cc = arith.constant dense<[2, 2, 0]> : tensor<3xi32>
  %c = tensor.cast %cc : tensor<3xi32> to tensor<?xi32>
  %n = arith.constant 3 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr, bipartite, sorted>
  return
}

func.func @asymmetric() {
  // ASYMMETRIC: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op '!gnn.graph<csr, symmetric>' promises as many edges 1 -> 0 as 0 -> 1
  %rc = arith.constant dense<[0, 1, 1]> : tensor<3xi32>
  %r = tensor.cast %rc : tensor<3xi32> to tensor<?xi32>
  %cc = arith.constant dense<[1]> : tensor<1xi32>
  %c = tensor.cast %cc : tensor<1xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr, symmetric>
  return
}

// Once there and twice back is not symmetric either.
func.func @unevenly_symmetric() {
  // UNEVENLY_SYMMETRIC: :[[#@LINE+6]]:{{.*}}error: 'gnn.make_graph' op '!gnn.graph<csr, symmetric>' promises as many edges 1 -> 0 as 0 -> 1
  %rc = arith.constant dense<[0, 1, 3]> : tensor<3xi32>
  %r = tensor.cast %rc : tensor<3xi32> to tensor<?xi32>
  %cc = arith.constant dense<[1, 0, 0]> : tensor<3xi32>
  %c = tensor.cast %cc : tensor<3xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr, symmetric>
  return
}

func.func @kept_loop() {
  // KEPT_LOOP: :[[#@LINE+8]]:{{.*}}error: 'gnn.add_self_loops' op '!gnn.graph<csr, self_loops>' promises one self loop per node, but node 0 has 2
  %rc = arith.constant dense<[0, 1]> : tensor<2xi32>
  %r = tensor.cast %rc : tensor<2xi32> to tensor<?xi32>
  %cc = arith.constant dense<[0]> : tensor<1xi32>
  %c = tensor.cast %cc : tensor<1xi32> to tensor<?xi32>
  %n = arith.constant 1 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %h = gnn.add_self_loops keep %g
    : !gnn.graph<csr> -> !gnn.graph<csr, self_loops>
  return
}

func.func @edge_rows() {
  // EDGE_ROWS: :[[#@LINE+10]]:{{.*}}error: 'gnn.edges_from_tensor' op a tensor of edge values needs one row for each of 2 edges, got 3
  %rc = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %r = tensor.cast %rc : tensor<3xi32> to tensor<?xi32>
  %cc = arith.constant dense<[1, 0]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %tc = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %t = tensor.cast %tc : tensor<3xf32> to tensor<?xf32>
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  return
}

func.func @dense_rows() {
  // DENSE_ROWS: :[[#@LINE+5]]:{{.*}}error: 'gnn.edges_from_tensor' op a tensor of edge values needs the leading dimensions 2x2
  %two = arith.constant 2 : index
  %g = gnn.make_graph %two, %two : (index, index) -> !gnn.graph<complete>
  %one = arith.constant 1 : index
  %t = tensor.empty(%two, %one) : tensor<?x?xf32>
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<complete>, tensor<?x?xf32> -> !gnn.edges<f32>
  return
}

func.func @values_of_other_graph() {
  // VALUES_OF_OTHER_GRAPH: :[[#@LINE+14]]:{{.*}}error: 'gnn.edges_to_tensor' op the graph has 0 edges, but there are values for 2
  %rc = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %r = tensor.cast %rc : tensor<3xi32> to tensor<?xi32>
  %cc = arith.constant dense<[1, 0]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %tc = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = tensor.cast %tc : tensor<2xf32> to tensor<?xf32>
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %z = arith.constant 0 : index
  %e = gnn.make_graph %z, %z : (index, index) -> !gnn.graph<complete>
  %u = gnn.edges_to_tensor %e, %w
    : !gnn.graph<complete>, !gnn.edges<f32> -> tensor<?x?xf32>
  return
}

func.func @aggregate_other_graph() {
  // AGGREGATE_OTHER_GRAPH: :[[#@LINE+14]]:{{.*}}error: 'gnn.aggregate' op takes values for 2 edges, but the graph has 0
  %rc = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %r = tensor.cast %rc : tensor<3xi32> to tensor<?xi32>
  %cc = arith.constant dense<[1, 0]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %tc = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = tensor.cast %tc : tensor<2xf32> to tensor<?xf32>
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %z = arith.constant 0 : index
  %e = gnn.make_graph %z, %z : (index, index) -> !gnn.graph<complete>
  %u = gnn.aggregate [sum] %e, %w
    : !gnn.graph<complete>, !gnn.edges<f32> -> tensor<?xf32>
  return
}

func.func @node_rows() {
  // NODE_ROWS: :[[#@LINE+10]]:{{.*}}error: 'gnn.message' op takes an operand of 3 rows where 2 are needed
  %rc = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %r = tensor.cast %rc : tensor<3xi32> to tensor<?xi32>
  %cc = arith.constant dense<[1, 0]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %tc = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %t = tensor.cast %tc : tensor<3xf32> to tensor<?xf32>
  %m = gnn.message %g src(%t : tensor<?xf32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

func.func @update_rows() {
  // UPDATE_ROWS: :[[#@LINE+5]]:{{.*}}error: 'gnn.update' op takes an operand of 3 rows where 2 are needed
  %xc = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %x = tensor.cast %xc : tensor<2xf32> to tensor<?xf32>
  %tc = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %t = tensor.cast %tc : tensor<3xf32> to tensor<?xf32>
  %m = gnn.update node(%x, %t : tensor<?xf32>, tensor<?xf32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>],
       iterator_types = []} : tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    gnn.yield %a : f32
  }
  return
}

func.func @fill_rows() {
  // FILL_ROWS: :[[#@LINE+14]]:{{.*}}error: 'gnn.add_self_loops' op takes a fill of 1 rows, but the graph has 2 nodes
  %rc = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %r = tensor.cast %rc : tensor<3xi32> to tensor<?xi32>
  %cc = arith.constant dense<[1, 0]> : tensor<2xi32>
  %c = tensor.cast %cc : tensor<2xi32> to tensor<?xi32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %tc = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = tensor.cast %tc : tensor<2xf32> to tensor<?xf32>
  %fc = arith.constant dense<[1.0]> : tensor<1xf32>
  %f = tensor.cast %fc : tensor<1xf32> to tensor<?xf32>
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %h:2 = gnn.add_self_loops keep %g edges(%w : !gnn.edges<f32>)
    fill(%f : tensor<?xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  return
}
