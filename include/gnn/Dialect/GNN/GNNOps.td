//===- GNNOps.td - Operations of the gnn dialect -----------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_GNNOPS_TD
#define GNN_DIALECT_GNN_GNNOPS_TD

include "gnn/Dialect/GNN/GNNTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class GNN_Op<string mnemonic, list<Trait> traits = []>
    : Op<GNN_Dialect, mnemonic, traits>;

/// What `uniform` operands may be: the same value for all nodes and edges.
def GNN_Uniform : AnyTypeOf<[AnyRankedTensor, AnyFloat, AnySignlessInteger,
                             Index]>;

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

//===----------------------------------------------------------------------===//
// Message, aggregate, update
//===----------------------------------------------------------------------===//

def GNN_MessageOp : GNN_Op<"message", [Pure, AttrSizedOperandSegments,
    SingleBlock]> {
  let summary = "compute a value for every edge";
  let description = [{
    `linalg.generic` over edges. Each operand has a role that says which row of
    it an edge sees: `dst` the row of the edge's destination, `src` that of its
    source, `edge` the edge's own value, `uniform` the whole operand. An
    indexing map per operand, and a last one for the result, relates its
    remaining dimensions to the iteration space over features; maps are
    projected permutations. `iterator_types` are `"parallel"` or `"reduction"`.

    The region computes one scalar. Its arguments are the operands' scalars, in
    the order dst, src, edge, uniform, and, if there is a reduction, the
    accumulator, which starts at zero and takes the value of `gnn.reduced`, or
    what is yielded; it may read `gnn.index` and `gnn.feature_index`. Of values defined above it may use scalars, and tensors
    it looks elements up in with `tensor.extract`: a table whose row depends on
    the edge. Indices out of range are undefined behaviour, so a region clamps
    what it does not know to be in range.

    Example: a dot product per head,
    ```mlir
    %score = gnn.message %g dst(%q : tensor<?x8x64xf32>)
                            src(%k : tensor<?x8x64xf32>)
      {indexing_maps = [affine_map<(h, d) -> (h, d)>,
                        affine_map<(h, d) -> (h, d)>,
                        affine_map<(h, d) -> (h)>],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<8xf32> {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    ```
    A bias that depends on how far the source is behind, up to 8,
    ```mlir
    %biased = gnn.message %g edge(%score : !gnn.edges<8xf32>)
      {indexing_maps = [affine_map<(h) -> (h)>, affine_map<(h) -> (h)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<8xf32> {
    ^bb0(%s: f32):
      %i = gnn.index dst
      %j = gnn.index src
      %h = gnn.feature_index 0
      %behind = arith.subi %i, %j : index
      %low = arith.maxsi %behind, %c0 : index
      %row = arith.minsi %low, %c8 : index
      %b = tensor.extract %table[%row, %h] : tensor<9x8xf32>
      %t = arith.addf %s, %b : f32
      gnn.yield %t : f32
    }
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph,
                       Variadic<AnyRankedTensor>:$dst,
                       Variadic<AnyRankedTensor>:$src,
                       Variadic<GNN_EdgesType>:$edge,
                       Variadic<GNN_Uniform>:$uniform,
                       AffineMapArrayAttr:$indexing_maps,
                       StrArrayAttr:$iterator_types);
  let results = (outs GNN_EdgesType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $graph (`dst` `(` $dst^ `:` type($dst) `)`)?
    (`src` `(` $src^ `:` type($src) `)`)?
    (`edge` `(` $edge^ `:` type($edge) `)`)?
    (`uniform` `(` $uniform^ `:` type($uniform) `)`)?
    attr-dict `:` qualified(type($graph)) `->` qualified(type($result)) $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The computation as every lowering sees it.
    ::gnn::EdgeFunction getEdgeFunction();
  }];
}

def GNN_EdgeSoftmaxOp : GNN_Op<"edge_softmax",
    [Pure, AllTypesMatch<["scores", "result"]>]> {
  let summary = "softmax over the in-edges of each destination";
  let description = [{
    Normalises every feature separately: `exp(s_e - m) / sum exp(s_e' - m)`,
    `m` the maximum over the in-edges of the destination. A neighbourhood whose
    scores are all `-inf` yields 0, never NaN; a NaN score makes its
    neighbourhood NaN.

    Example:
    ```mlir
    %alpha = gnn.edge_softmax %g, %score : !gnn.graph<csr>, !gnn.edges<8xf32>
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph, GNN_EdgesType:$scores);
  let results = (outs GNN_EdgesType:$result);
  let assemblyFormat =
      "$graph `,` $scores attr-dict `:` qualified(type($graph)) `,` qualified(type($scores))";
  let hasVerifier = 1;
}

def GNN_EdgeTopKOp : GNN_Op<"edge_top_k",
    [Pure, AllTypesMatch<["scores", "result"]>]> {
  let summary = "keep the largest scores of each destination's in-edges";
  let description = [{
    For every destination and feature separately, the `k` in-edges with the
    largest scores keep theirs; all others get `-inf`, which `gnn.edge_softmax`
    and `gnn.attention` read as no edge at all. Of equal scores the first edges
    in the graph's order are kept. A NaN ranks above every number. A destination
    with at most `k` in-edges keeps them all.

    `k` is from 1 to 65536. The work is in-degree times `k`, or times the
    in-degree where that is less.

    Example: attention to four neighbours,
    ```mlir
    %kept = gnn.edge_top_k %g, %score {k = 4}
      : !gnn.graph<csr>, !gnn.edges<8xf32>
    %alpha = gnn.edge_softmax %g, %kept : !gnn.graph<csr>, !gnn.edges<8xf32>
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph, GNN_EdgesType:$scores,
                       I64Attr:$k);
  let results = (outs GNN_EdgesType:$result);
  let assemblyFormat =
      "$graph `,` $scores attr-dict `:` qualified(type($graph)) `,` qualified(type($scores))";
  let hasVerifier = 1;
}

def GNN_AggregateOp : GNN_Op<"aggregate", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "reduce edge values at their destination";
  let description = [{
    One result per aggregator, all from one pass over the edges. `n` is the
    in-degree.

    | aggregator | value | empty neighbourhood |
    |---|---|---|
    | `sum` | sum | 0 |
    | `mean` | sum / n | 0 |
    | `max`, `min` | largest, smallest; NaN if one is NaN | 0 |
    | `mul` | product | 1 |
    | `var` | mean of squares minus square of mean | 0 |
    | `std` | square root of var, 0 where var is at most 1e-5 | 0 |
    | `softmax` | sum of values weighted by the softmax of the values | 0 |

    Example:
    ```mlir
    %sum, %max = gnn.aggregate [sum, max] %g, %m
      : !gnn.graph<csr>, !gnn.edges<64xf32> -> tensor<?x64xf32>, tensor<?x64xf32>
    ```
  }];
  let arguments = (ins GNN_AggregatorArrayAttr:$aggregators,
                       GNN_GraphType:$graph, GNN_EdgesType:$edges);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    custom<Aggregators>($aggregators) $graph `,` $edges attr-dict
    `:` qualified(type($graph)) `,` qualified(type($edges)) `->` type($results)
  }];
  let hasVerifier = 1;
}

def GNN_UpdateOp : GNN_Op<"update", [Pure, AttrSizedOperandSegments,
    SingleBlock,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "combine a node's own state with what it received";
  let description = [{
    The same computation at every node: `node` operands are read at the node's
    row, `uniform` ones are the same for all. Maps, iterators and region are as
    in `gnn.message`.

    Example:
    ```mlir
    %y = gnn.update node(%x, %m : tensor<?x64xf32>, tensor<?x64xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>,
                        affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : tensor<?x64xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      gnn.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$node,
                       Variadic<GNN_Uniform>:$uniform,
                       AffineMapArrayAttr:$indexing_maps,
                       StrArrayAttr:$iterator_types);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `node` `(` $node `:` type($node) `)`
    (`uniform` `(` $uniform^ `:` type($uniform) `)`)?
    attr-dict `:` qualified(type($result)) $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The computation as every lowering sees it; node operands count as dst.
    ::gnn::EdgeFunction getEdgeFunction();
  }];
}

//===----------------------------------------------------------------------===//
// Fused forms, made by passes
//===----------------------------------------------------------------------===//

def GNN_MessageAggregateOp : GNN_Op<"message_aggregate", [Pure,
    AttrSizedOperandSegments,
    SingleBlock,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "aggregate messages without storing them";
  let description = [{
    `gnn.aggregate` of `gnn.message`: nothing per edge is kept.

    Example:
    ```mlir
    %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x64xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    ```
  }];
  let arguments = (ins GNN_AggregatorArrayAttr:$aggregators,
                       GNN_GraphType:$graph,
                       Variadic<AnyRankedTensor>:$dst,
                       Variadic<AnyRankedTensor>:$src,
                       Variadic<GNN_EdgesType>:$edge,
                       Variadic<GNN_Uniform>:$uniform,
                       AffineMapArrayAttr:$indexing_maps,
                       StrArrayAttr:$iterator_types);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Aggregators>($aggregators) $graph
    (`dst` `(` $dst^ `:` type($dst) `)`)?
    (`src` `(` $src^ `:` type($src) `)`)?
    (`edge` `(` $edge^ `:` type($edge) `)`)?
    (`uniform` `(` $uniform^ `:` type($uniform) `)`)?
    attr-dict `:` qualified(type($graph)) `->` type($results) $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::gnn::EdgeFunction getEdgeFunction();
  }];
}

def GNN_AttentionOp : GNN_Op<"attention", [Pure, AttrSizedOperandSegments, SingleBlock,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "softmax-weighted sum of messages, scores and weights not stored";
  let description = [{
    For every destination, the sum over its in-edges of `value`, weighted by the
    edge softmax of `score`. Both are computed as `gnn.message` computes them,
    from operands of their own; `weight_map` takes the dimensions of a value to
    those of its score. An empty neighbourhood, or one whose scores are all
    `-inf`, yields 0.

    Example:
    ```mlir
    %y = gnn.attention %g
      score dst(%q : tensor<?x8x64xf32>) src(%k : tensor<?x8x64xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %sum, %p : f32
        gnn.yield %s : f32
      }
      value src(%v : tensor<?x8x64xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>,
                     affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>,
                     affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (h)>}
      : !gnn.graph<csr> -> tensor<?x8x64xf32>
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph,
                       Variadic<AnyRankedTensor>:$score_dst,
                       Variadic<AnyRankedTensor>:$score_src,
                       Variadic<GNN_EdgesType>:$score_edge,
                       Variadic<GNN_Uniform>:$score_uniform,
                       Variadic<AnyRankedTensor>:$value_dst,
                       Variadic<AnyRankedTensor>:$value_src,
                       Variadic<GNN_EdgesType>:$value_edge,
                       Variadic<GNN_Uniform>:$value_uniform,
                       AffineMapArrayAttr:$score_maps,
                       StrArrayAttr:$score_iterators,
                       AffineMapArrayAttr:$value_maps,
                       StrArrayAttr:$value_iterators,
                       AffineMapAttr:$weight_map);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$score, SizedRegion<1>:$value);
  let assemblyFormat = [{
    $graph
    `score` (`dst` `(` $score_dst^ `:` type($score_dst) `)`)?
    (`src` `(` $score_src^ `:` type($score_src) `)`)?
    (`edge` `(` $score_edge^ `:` type($score_edge) `)`)?
    (`uniform` `(` $score_uniform^ `:` type($score_uniform) `)`)? $score
    `value` (`dst` `(` $value_dst^ `:` type($value_dst) `)`)?
    (`src` `(` $value_src^ `:` type($value_src) `)`)?
    (`edge` `(` $value_edge^ `:` type($value_edge) `)`)?
    (`uniform` `(` $value_uniform^ `:` type($value_uniform) `)`)? $value
    attr-dict `:` qualified(type($graph)) `->` qualified(type($result))
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::gnn::EdgeFunction getScoreFunction();
    ::gnn::EdgeFunction getValueFunction();
  }];
}

//===----------------------------------------------------------------------===//
// Inside regions
//===----------------------------------------------------------------------===//

def GNN_IndexOp : GNN_Op<"index", [Pure, ParentOneOf<["MessageOp",
    "MessageAggregateOp", "AttentionOp"]>]> {
  let summary = "number of the current edge's destination or source";
  let description = [{
    Example: keep only edges from earlier nodes,
    ```mlir
    %i = gnn.index dst
    %j = gnn.index src
    %earlier = arith.cmpi ult, %j, %i : index
    ```
  }];
  let arguments = (ins GNN_NodeSide:$side);
  let results = (outs Index:$result);
  let assemblyFormat = "$side attr-dict";
}

def GNN_FeatureIndexOp : GNN_Op<"feature_index", [Pure,
    ParentOneOf<["MessageOp", "MessageAggregateOp", "AttentionOp",
                 "UpdateOp"]>]> {
  let summary = "where a feature loop stands";
  let description = [{
    The counterpart of `linalg.index` for the loops of `iterator_types`.

    Example: the element of a row that a node names,
    ```mlir
    ^bb0(%number: i32):
      %row = arith.index_cast %number : i32 to index
      %f = gnn.feature_index 0
      %x = tensor.extract %table[%row, %f] : tensor<100x64xf32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$loop);
  let results = (outs Index:$result);
  let assemblyFormat = "$loop attr-dict";
}

def GNN_ReducedOp : GNN_Op<"reduced", [Pure,
    AllTypesMatch<["value", "result"]>,
    ParentOneOf<["MessageOp", "MessageAggregateOp", "AttentionOp",
                 "UpdateOp"]>]> {
  let summary = "the accumulator after the last point of a reduction";
  let description = [{
    The accumulator takes `value` at every point. What is computed from the
    result is computed once, when the reduction is over, and yielded. It reads
    nothing that differs along the reduction. So one region says a score and
    what becomes of it, and the score need not be stored.

    Example: a bias added to a dot product,
    ```mlir
    ^bb0(%a: f32, %b: f32, %bias: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      %score = gnn.reduced %s : f32
      %t = arith.addf %score, %bias : f32
      gnn.yield %t : f32
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def GNN_YieldOp : GNN_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["MessageOp", "MessageAggregateOp", "AttentionOp",
                 "UpdateOp"]>]> {
  let summary = "the scalar a region computes";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // GNN_DIALECT_GNN_GNNOPS_TD
