//===- GNNMessageOps.td - Message, aggregate and update ----*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_GNNMESSAGEOPS_TD
#define GNN_DIALECT_GNN_GNNMESSAGEOPS_TD

include "gnn/Dialect/GNN/GNNOpBase.td"

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
    what is yielded; it may read `gnn.index` and `gnn.feature_index`. Of values
    defined above it may use scalars, and tensors it looks elements up in with
    `tensor.extract`: a table whose row depends on the edge. Indices out of range
    are undefined behaviour, so a region clamps what it does not know to be in
    range. The region may be evaluated where there is no edge as well: ops that may
    trap or have side effects are refused.

    Canonicalisation drops operands that the region does not read, here and in
    `update` and `message_aggregate`, unless a loop has its extent from them alone. What
    is computed for an extent only is not: a `tensor.empty` in `uniform` takes its place.
    A message whose sum is over no features becomes one that yields 0.

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
  let hasCanonicalizer = 1;
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

def GNN_TopKGraphOp : GNN_Op<"top_k_graph", [Pure, AttrSizedOperandSegments,
    SingleBlock]> {
  let summary = "the graph of the edges with the largest scores";
  let description = [{
    For every destination, the `k` in-edges with the largest scores, which are
    computed as `gnn.message` computes them, one number for each edge, and not
    stored. An edge whose score is `-inf` is none, so that a destination may have
    fewer, as it has where it has at most `k` in-edges. Edges of a row are in
    descending order of their scores, and in the graph's order where these are
    equal; a NaN ranks above every number. So edges to choose from are anything
    with rows, such as all pairs of nodes, and the result, a `csr` graph of the
    same nodes, is what messages are sent along: the nearest neighbours in a
    space of coordinates, or those within some distance of it.

    `order` is all nodes in some order, those of a segment together, near ones
    side by side; `-gnn-order-points` makes one. It changes nothing of the result:
    lowerings that take some nodes at a time may leave most of them out then.

    `k` is from 1 to 65536. The result's type has the index type of the graph
    and is bipartite if that is; it must not promise `sorted`.

    Example: an edge from each of the 16 nearest others in the same segment,
    ```mlir
    %near = gnn.top_k_graph %g dst(%x : tensor<?x3xf32>)
                               src(%x : tensor<?x3xf32>)
      {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>,
                        affine_map<(d) -> ()>],
       iterator_types = ["reduction"], k = 16}
      : !gnn.graph<block_diagonal> -> !gnn.graph<csr> {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %d = arith.subf %b, %a : f32
      %p = arith.mulf %d, %d : f32
      %s = arith.subf %sum, %p : f32
      %score = gnn.reduced %s : f32
      %i = gnn.index dst
      %j = gnn.index src
      %same = arith.cmpi eq, %i, %j : index
      %none = arith.constant 0xFF800000 : f32
      %t = arith.select %same, %none, %score : f32
      gnn.yield %t : f32
    }
    ```
  }];
  let arguments = (ins GNN_GraphType:$graph,
                       Variadic<AnyRankedTensor>:$dst,
                       Variadic<AnyRankedTensor>:$src,
                       Variadic<GNN_EdgesType>:$edge,
                       Variadic<GNN_Uniform>:$uniform,
                       Optional<1DTensorOf<[AnySignlessInteger]>>:$order,
                       AffineMapArrayAttr:$indexing_maps,
                       StrArrayAttr:$iterator_types,
                       I64Attr:$k);
  let results = (outs GNN_GraphType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $graph (`dst` `(` $dst^ `:` type($dst) `)`)?
    (`src` `(` $src^ `:` type($src) `)`)?
    (`edge` `(` $edge^ `:` type($edge) `)`)?
    (`uniform` `(` $uniform^ `:` type($uniform) `)`)?
    (`order` `(` $order^ `:` type($order) `)`)?
    attr-dict `:` qualified(type($graph)) `->` qualified(type($result)) $body
  }];
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::gnn::EdgeFunction getEdgeFunction();
  }];
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
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The computation as every lowering sees it; node operands count as dst.
    ::gnn::EdgeFunction getEdgeFunction();
  }];
}

def GNN_LookupOp : GNN_Op<"lookup", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "rows of a table by their numbers";
  let description = [{
    An embedding: for each of `numbers`, signless integers, the row of `table` that
    has this number, counted from 0. The result has the shape of `numbers`, then that
    of a row. A number that the table does not have is undefined behaviour, and an
    error of the interpreter. `gnn.limit` of an argument has the runtime check it.

    Example:
    ```mlir
    %x = gnn.lookup %table[%types]
      : tensor<28x64xf32>, tensor<?xi64> -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$table,
                       TensorOf<[AnySignlessInteger, Index]>:$numbers);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $table `[` $numbers `]` attr-dict `:` qualified(type($table)) `,`
    qualified(type($numbers)) `->` qualified(type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$table,
                                 "::mlir::Value":$numbers)>];
  let hasVerifier = 1;
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
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::gnn::EdgeFunction getEdgeFunction();
  }];
}

def GNN_AttentionOp : GNN_Op<"attention", [Pure, AttrSizedOperandSegments, SingleBlock,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "weighted sum of messages, scores and weights not stored";
  let description = [{
    For every destination, the sum over its in-edges of `value`, weighted by what
    `normalization` makes of `score`. Both are computed as `gnn.message` computes
    them, from operands of their own; `weight_map` takes the dimensions of a value
    to those of its score. An empty neighbourhood yields 0.

    | normalization | weight of an edge | yields 0 as well |
    |---|---|---|
    | `softmax` (default) | edge softmax of the scores | where all scores are `-inf` |
    | `sum` | score, divided by the sum of the scores | where this sum is 0 |

    `bounded` promises that scores are NaN or between -80 and 80 where it is true, so
    that a softmax needs no maxima: see `-gnn-bound-dot-products`. It changes nothing
    but how results are rounded.

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
                       Optional<I1>:$bounded,
                       AffineMapArrayAttr:$score_maps,
                       StrArrayAttr:$score_iterators,
                       AffineMapArrayAttr:$value_maps,
                       StrArrayAttr:$value_iterators,
                       AffineMapAttr:$weight_map,
                       DefaultValuedAttr<GNN_NormalizationAttr,
                         "::gnn::Normalization::Softmax">:$normalization);
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
    (`bounded` `(` $bounded^ `)`)?
    attr-dict `:` qualified(type($graph)) `->` qualified(type($result))
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::gnn::EdgeFunction getScoreFunction();
    ::gnn::EdgeFunction getValueFunction();
  }];
}

#endif // GNN_DIALECT_GNN_GNNMESSAGEOPS_TD
