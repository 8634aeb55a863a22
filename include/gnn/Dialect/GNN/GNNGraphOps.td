//===- GNNGraphOps.td - Graphs and values of their edges ---*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_GNNGRAPHOPS_TD
#define GNN_DIALECT_GNN_GNNGRAPHOPS_TD

include "gnn/Dialect/GNN/GNNOpBase.td"

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

def GNN_MakeGraphOp : GNN_Op<"make_graph", [Pure]> {
  let summary = "build a graph from its parts";
  let description = [{
    The parts, by topology:

    | topology | operands |
    |---|---|
    | `csr` | row pointers `[D + 1]`, column indices `[E]`, number of sources |
    | `coo` | destinations `[E]`, sources `[E]`, number of destinations, of sources |
    | `complete`, `causal`, `window` | number of destinations, of sources |
    | `block_diagonal` | destination pointers `[S + 1]`, source pointers `[S + 1]` |

    Index tensors have the graph's index type, numbers are `index`. Values out
    of range are undefined behaviour; the runtime checks graphs when it loads
    them.

    Example:
    ```mlir
    %g = gnn.make_graph %rows, %columns, %n
      : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$parts);
  let results = (outs GNN_GraphType:$graph);
  let assemblyFormat = "$parts attr-dict `:` functional-type($parts, $graph)";
  let hasVerifier = 1;
}

def GNN_GraphPartsOp : GNN_Op<"graph_parts", [Pure]> {
  let summary = "the parts a graph is made of, as make_graph takes them";
  let description = [{
    Example:
    ```mlir
    %rows, %columns, %n = gnn.graph_parts %g
      : !gnn.graph<csr> -> tensor<?xi32>, tensor<?xi32>, index
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph);
  let results = (outs Variadic<AnyType>:$parts);
  let assemblyFormat = "$graph attr-dict `:` qualified(type($graph)) `->` type($parts)";
  let builders = [OpBuilder<(ins "::mlir::Value":$graph)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GNN_NumNodesOp : GNN_Op<"num_nodes", [Pure]> {
  let summary = "number of destinations or sources";
  let description = [{
    Example:
    ```mlir
    %n = gnn.num_nodes dst %g : !gnn.graph<csr>
    ```
  }];
  let arguments = (ins GNN_NodeSide:$side, GNN_GraphType:$graph);
  let results = (outs Index:$result);
  let assemblyFormat = "$side $graph attr-dict `:` qualified(type($graph))";
  let hasCanonicalizer = 1;
}

def GNN_NumEdgesOp : GNN_Op<"num_edges", [Pure]> {
  let summary = "number of edges";
  let description = [{
    Example:
    ```mlir
    %e = gnn.num_edges %g : !gnn.graph<csr>
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph);
  let results = (outs Index:$result);
  let assemblyFormat = "$graph attr-dict `:` qualified(type($graph))";
}

def GNN_DegreeOp : GNN_Op<"degree", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "number of edges at each node";
  let description = [{
    `dst` counts the edges into each destination (the in-degree), `src` those
    out of each source. Duplicates and self loops count.

    Example:
    ```mlir
    %d = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?xf32>
    ```
  }];
  let arguments = (ins GNN_NodeSide:$side, GNN_GraphType:$graph);
  let results = (outs 1DTensorOf<[AnyFloat, AnySignlessInteger]>:$result);
  let assemblyFormat =
      "$side $graph attr-dict `:` qualified(type($graph)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def GNN_PositionOp : GNN_Op<"position", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "place of each node in its sequence";
  let description = [{
    On a block-diagonal graph a node's number counted from the first node of its
    segment, elsewhere its number. So a batch of sequences has the positions that
    each of them has alone. The graph must not be bipartite, where two kinds of
    nodes have numbers.

    Example:
    ```mlir
    %p = gnn.position %g : !gnn.graph<block_diagonal> -> tensor<?xi32>
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph);
  let results = (outs 1DTensorOf<[AnySignlessInteger, Index]>:$result);
  let assemblyFormat =
      "$graph attr-dict `:` qualified(type($graph)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def GNN_AddSelfLoopsOp : GNN_Op<"add_self_loops",
    [Pure, AttrSizedOperandSegments]> {
  let summary = "give every node a self loop";
  let description = [{
    Appends a self loop to the in-edges of every node, after its other edges.
    What happens to self loops that exist:

    | mode | existing self loops | value of the new loop |
    |---|---|---|
    | `keep` | stay | the fill |
    | `replace` | are dropped | the fill |
    | `reuse` | are dropped | that of the last one dropped, else the fill |

    `edges` are values per edge that follow; `fill` gives one row per node for
    each. On complete, causal and window graphs, which have all self loops,
    `keep` is refused.

    On a bipartite graph the loop of node `i` is the edge from source `i` to
    destination `i`; nodes whose number only one side has get none, which is
    what PyTorch Geometric's layers do there.

    Example:
    ```mlir
    %h, %u = gnn.add_self_loops reuse %g edges(%w : !gnn.edges<f32>)
      fill(%ones : tensor<?xf32>) : !gnn.graph<csr>
      -> !gnn.graph<csr, self_loops>, !gnn.edges<f32>
    ```
  }];
  let arguments = (ins GNN_SelfLoopMode:$mode, GNN_GraphType:$graph,
                       Variadic<GNN_EdgesType>:$edges,
                       Variadic<AnyRankedTensor>:$fill);
  let results = (outs GNN_GraphType:$result,
                      Variadic<GNN_EdgesType>:$resultEdges);
  let assemblyFormat = [{
    $mode $graph (`edges` `(` $edges^ `:` type($edges) `)`)?
    (`fill` `(` $fill^ `:` type($fill) `)`)? attr-dict
    `:` qualified(type($graph)) `->` qualified(type($result)) (`,` type($resultEdges)^)?
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def GNN_RemoveSelfLoopsOp : GNN_Op<"remove_self_loops", [Pure]> {
  let summary = "drop every self loop";
  let description = [{
    The other edges keep their order. The graph must list its edges.

    Example:
    ```mlir
    %h = gnn.remove_self_loops %g : !gnn.graph<csr> -> !gnn.graph<csr>
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph, Variadic<GNN_EdgesType>:$edges);
  let results = (outs GNN_GraphType:$result,
                      Variadic<GNN_EdgesType>:$resultEdges);
  let assemblyFormat = [{
    $graph (`edges` `(` $edges^ `:` type($edges) `)`)? attr-dict
    `:` qualified(type($graph)) `->` qualified(type($result)) (`,` type($resultEdges)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def GNN_ReverseOp : GNN_Op<"reverse", [Pure]> {
  let summary = "turn every edge around";
  let description = [{
    Sources become destinations. Edges of a row of the result are ordered by
    their place in the operand (a stable sort by the new destination). Edge
    values go along; on a dense topology that is a transposition, on a
    block-diagonal one a transposition of each block. A causal graph is refused:
    its reverse is no topology of the dialect.

    Example:
    ```mlir
    %t, %u = gnn.reverse %g edges(%w : !gnn.edges<f32>)
      : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph, Variadic<GNN_EdgesType>:$edges);
  let results = (outs GNN_GraphType:$result,
                      Variadic<GNN_EdgesType>:$resultEdges);
  let assemblyFormat = [{
    $graph (`edges` `(` $edges^ `:` type($edges) `)`)? attr-dict
    `:` qualified(type($graph)) `->` qualified(type($result)) (`,` type($resultEdges)^)?
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def GNN_ToCSROp : GNN_Op<"to_csr", [Pure]> {
  let summary = "sort an edge list by destination";
  let description = [{
    A stable sort: edges into one destination keep their order.

    Example:
    ```mlir
    %h = gnn.to_csr %g : !gnn.graph<coo> -> !gnn.graph<csr>
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph, Variadic<GNN_EdgesType>:$edges);
  let results = (outs GNN_GraphType:$result,
                      Variadic<GNN_EdgesType>:$resultEdges);
  let assemblyFormat = [{
    $graph (`edges` `(` $edges^ `:` type($edges) `)`)? attr-dict
    `:` qualified(type($graph)) `->` qualified(type($result)) (`,` type($resultEdges)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Edge values
//===----------------------------------------------------------------------===//

def GNN_EdgesFromTensorOp : GNN_Op<"edges_from_tensor", [Pure]> {
  let summary = "read a tensor as values per edge";
  let description = [{
    The tensor has the layout of the graph: `tensor<?x...>` in edge order on a
    listed or block-diagonal graph, `tensor<?x?x...>` (destination, source) on a
    dense one, where entries that are no edges are ignored.

    Example:
    ```mlir
    %w = gnn.edges_from_tensor %g, %t
      : !gnn.graph<csr>, tensor<?x4xf32> -> !gnn.edges<4xf32>
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph, AnyRankedTensor:$tensor);
  let results = (outs GNN_EdgesType:$result);
  let assemblyFormat = [{
    $graph `,` $tensor attr-dict `:` qualified(type($graph)) `,` type($tensor)
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GNN_EdgesToTensorOp : GNN_Op<"edges_to_tensor", [Pure]> {
  let summary = "the tensor that holds values per edge";
  let description = [{
    The inverse of `gnn.edges_from_tensor`. Entries of a dense layout that are
    no edges (causal, window) are unspecified.

    Example:
    ```mlir
    %t = gnn.edges_to_tensor %g, %w
      : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph, GNN_EdgesType:$edges);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $graph `,` $edges attr-dict `:` qualified(type($graph)) `,` qualified(type($edges))
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GNN_SpreadEdgesOp : GNN_Op<"spread_edges", [Pure,
    AllTypesMatch<["edges", "result"]>]> {
  let summary = "values of a graph's edges on a denser graph";
  let description = [{
    An edge `j -> i` of the target has the sum of the values of all edges
    `j -> i` of the graph, in their order: duplicates add up, and where the graph
    has no such edge the value is 0. Edges that the target lacks are left out.
    Both graphs have the same nodes. Spread ones are the number of edges between
    two nodes, which tells real edges of a graph from the others of all pairs.

    The graph is anything but `coo`, the target anything whose edges are not
    listed.

    Example:
    ```mlir
    %m = gnn.spread_edges %w from %g to %h
      : !gnn.edges<4xf32>, !gnn.graph<csr> to !gnn.graph<complete>
    ```
  }];
  let arguments = (ins GNN_EdgesType:$edges, GNN_GraphType:$graph,
                       GNN_GraphType:$target);
  let results = (outs GNN_EdgesType:$result);
  let assemblyFormat = [{
    $edges `from` $graph `to` $target attr-dict `:` qualified(type($edges)) `,`
    qualified(type($graph)) `to` qualified(type($target))
  }];
  let hasVerifier = 1;
}

#endif // GNN_DIALECT_GNN_GNNGRAPHOPS_TD
