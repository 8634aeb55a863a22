//===- Passes.td - Conversions out of the gnn dialect ------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CONVERSION_PASSES_TD
#define GNN_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def GroupEdgesPass : Pass<"gnn-group-edges", "::mlir::func::FuncOp"> {
  let summary = "Multiply the rows of edges that choose the same matrix together";
  let description = [{
    Edges may choose one of many matrices that multiply what they send, as those of
    `RGCNConv` choose that of their relation. A parallel loop over blocks of
    destinations, which have about equally many edges, sorts the edges of each block by
    their matrix. Those that also have their destination in common are a run: what
    they send is added up before it is multiplied. `tile-rows` runs are the rows of
    one product of matrices, whose rows are added to those of the runs' destinations.

    So there are as many multiplications as there are pairs of a destination and a
    matrix, not more than edges, and nothing is stored for all of them. A destination's
    products are added up in the order of the matrices, whatever the blocks are.

    Blocks have `matrix-edges` edges for each matrix, so that the rows of most products
    fill a tile and a matrix is read seldom, but not less than `min-edges` or more
    than `max-edges`, a destination's own edges aside.

    Before (8 relations of 64 x 32):
    ```mlir
    %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x64xf32>)
      edge(%relation : !gnn.edges<i64>) uniform(...) {...} {
    ^bb0(%a: f32, %r: i64, ..., %sum: f32):
      %k = arith.index_cast %r : i64 to index
      %i = gnn.feature_index 1
      %f = gnn.feature_index 0
      %w = tensor.extract %weights[%k, %i, %f] : tensor<8x64x32xf32>
      %p = arith.mulf %a, %w : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    ```
    After:
    ```mlir
    %y = scf.forall (%block) in (%blocks) shared_outs(%out = %empty) ... {
      %edges, %runs, %ends = ...           // sorted by counting
      scf.for %k = %c0 to %c8 ... {
        scf.for %first = %begin to %end step %c48 ... {
          scf.for %run = ... { ... }       // rows of %x, added up
          %w = tensor.extract_slice %weights[%k, 0, 0] [1, 64, 32] [1, 1, 1]
          %p = linalg.matmul ins(%rows, %w : tensor<?x64xf32>, tensor<64x32xf32>)
          scf.for %run = ... { ... }       // added to rows of %out
    ```
  }];
  let options = [
    Option<"tileRows", "tile-rows", "int64_t", /*default=*/"48",
           "Rows of a product at most">,
    Option<"matrixEdges", "matrix-edges", "int64_t", /*default=*/"48",
           "Edges of a block for each matrix">,
    Option<"minEdges", "min-edges", "int64_t", /*default=*/"4096",
           "Edges of a block at least">,
    Option<"maxEdges", "max-edges", "int64_t", /*default=*/"65536",
           "Edges of a block at most">
  ];
  let statistics = [
    Statistic<"numGrouped", "num-grouped",
              "Number of aggregations whose edges are grouped">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvertGNNToSCFPass
    : Pass<"convert-gnn-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Lower gnn ops to parallel loops over destinations";
  let description = [{
    Every op over edges becomes a parallel loop over destinations with a loop
    over the in-edges inside: *owner computes*, so that no two iterations write
    the same row and results do not depend on the number of threads. What one
    edge contributes is a small `linalg.generic` over features, of static
    shape, with the op's region inside; accumulators are carried by the edge
    loop. Attention becomes an online softmax, so that no score is stored but
    those of up to `attention-edges` edges: what was accumulated before them is
    rescaled once, by a factor that their maximum tells, and not for each edge.
    Most rows have no more edges than that.

    All topologies but `coo` have rows and are lowered here; sources are read
    from the column indices on `csr` and are the loop variable otherwise. Rows
    without elements, as those of `tensor<?x0xf32>`, are refused.

    Before:
    ```mlir
    %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x64xf32>) {...}
      : !gnn.graph<csr> -> tensor<?x64xf32> {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    ```
    After:
    ```mlir
    %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) -> tensor<?x64xf32> {
      %sum = scf.for %e = %begin to %end iter_args(%acc = %zero) -> tensor<64xf32> {
        %j = tensor.extract %columns[%e]
        %row = tensor.extract_slice %x[%j, 0] [1, 64] [1, 1]
        %next = linalg.generic ins(%row) outs(%acc) {...}
        scf.yield %next
      }
      scf.forall.in_parallel { tensor.parallel_insert_slice %sum into %out[%i, 0] ... }
    }
    ```
    A row of attention:
    ```mlir
    scf.for %p = %begin to %end step %c16 iter_args(%max, %sum, %acc) {
      %scores, %next_max = scf.for %e = %p to %last {...}  // score, maximum
      %factor = ...                                        // exp(%max - %next_max)
      %kept_sum, %kept = ...                               // times %factor
      %next_sum, %next = scf.for %e = %p to %last
        iter_args(%kept_sum, %kept) {...}                  // exp, multiply-add
      scf.yield %next_max, %next_sum, %next
    }
    ```
    With `vector-width`, the scores of several edges share a register where that
    has room for those of two, and those of an edge fill registers elsewhere. Three
    heads take four places for each edge, nine take a register of sixteen.
    With `attention-edges=1` no score is stored, and everything is rescaled for
    each edge.

    An aggregation of rows wider than `feature-tile` is a loop over tiles of features
    around the loop over edges. With `gathered-elements`, rows of sources that edges name
    have tiles of no more accumulators than that, two for each maximum or minimum. With
    `ordered-elements`, rows that are read one after the other, as those of edges are and
    the sources of all graphs but `csr`, stay whole up to as many accumulators, and sums of
    rows, and of their squares, up to 1,024 accumulators.

    An aggregation by softmax carries the maximum so far, and has two exponentials for each
    value: its own, and the correction of the sums by a new maximum. With
    `two-pass-softmax`, a first loop over a row's edges has the maximum, and a second one
    an exponential for each value. Values that take more than four additions and products
    are not computed twice.
    ```mlir
    %max = scf.for %e = %begin to %end step %c1 iter_args(%lowest) {...}
    %shift = linalg.generic ins(%max) ...                  // 0 without edges
    %sum, %acc = scf.for %e = %begin to %end step %c1 iter_args(%zero, %zero) {
      ...                                                  // exp(%value - %shift)
    }
    ```

    With `long-row-edges`, the edges of a `csr` graph that has 16 times as many or
    more are cut into parts of so many. A parallel loop of its own accumulates each
    part that lies in one row, and rows go through the edges that they have besides
    and then merge the states of these parts in their order. So no thread has more
    than two parts' edges to go through, and results do not depend on how many
    threads there are. Attention does so with `attention-edges=1`; aggregations of
    rows wider than `feature-tile` do not. With `long-segment-edges`, so are those of
    aggregations in the segments of a bipartite `block_diagonal` graph, if at run time
    each has one row: the nodes of a graph that is alone in its batch are shared.
    ```mlir
    %parts = scf.forall (%p) in (%num_parts) ... {
      %row = scf.for ... // bisection of the row pointer
      %sum = scf.for %e = %first to %last {...}     // nothing if not in one row
    }
    scf.forall (%i) in (%n) ... {
      %own = scf.for %e = %begin to %rest {...}     // jumps over the parts
      %sum = scf.for %p = %first_part to %last_part iter_args(%own) {
        %part = tensor.extract_slice %parts[%p, 0] ...
        linalg.generic ... // arith.addf
      }
    }
    ```

    A row of `gnn.top_k_graph` keeps a list of its best edges so far, which begins
    with scores of -inf; then the lists of all rows are put one after the other.
    ```mlir
    %scores, %columns, %counts = scf.forall (%i) in (%n) ... {
      scf.for %j = %begin to %end iter_args(%best, %of) {
        %score = linalg.generic ...
        %better = arith.cmpf ugt, %score, %worst
        scf.if %better { scf.for ... }                 // put where it belongs
      }
    }
    %pointer = ...                                     // prefix sums of %counts
    %edges = scf.forall (%i) in (%n) ...
    ```

    With `parallel-graphs`, self loops are added and dropped in all rows at once: a
    parallel loop counts what each row will have, prefix sums of these counts are the
    new row pointer, and another parallel loop copies each row to its place. Else one
    sequential loop copies row after row.
    ```mlir
    %counts = scf.forall (%i) in (%size) ...
    %sums = scf.forall ...                        // of 64 counts
    %sums_of_sums = scf.forall ...                // of 64 of these
    %first, %total = scf.for ...                  // of 4096 rows
    %starts = scf.forall ...                      // of 64 rows
    %rows = scf.forall (%i) = (0) to (%size) step (64) ...
    %columns = scf.forall (%i) in (%n) shared_outs(%out = %empty) ... {
      %range = tensor.extract_slice %out[%begin] [%count] [1]
      %filled = scf.for %e = ...
      scf.forall.in_parallel { tensor.parallel_insert_slice %filled into %out ... }
    }
    ```

    So are the edges that `to_csr` and `reverse` sort, and what `degree` counts:
    each edge is a number made of its new destination and its place, so that no two
    are equal. Parts of 64 are sorted by counting, for each number, how many of its
    part are less. Then parts are merged, two and two: an edge's place is that in
    its own part, and how many of the other one are less, found by bisection. Rows
    find where they begin by bisection, too. Else edges are counted and copied one
    after the other.
    ```mlir
    %parts = scf.forall (%e) in (%num_edges) ...
    %sorted = scf.for %pass = ... iter_args(%parts, %other) {
      %merged = scf.forall (%e) in (%num_edges) shared_outs(%out = %other) ... {
        %place = scf.for ...                      // bisection
        scf.forall.in_parallel { tensor.parallel_insert_slice ... into %out[%place] }
      }
      ...                                         // and back
    }
    ```

    With `parallel-edges`, what is stored for edges is computed for all of them at
    once, and not row by row: a loop over all edges has the row of each from a
    bisection of the row pointer, done for all of them before. Softmax weights
    follow from maxima and sums of rows, which are accumulated as above. Tiles of
    rows wider than `feature-tile` are computed side by side, too. Segments of
    the rows of a `block_diagonal` graph are found by bisection as well.
    `edge_top_k` counts for each score how many of its row rank before it, until
    these are k.
    ```mlir
    %rows = linalg.generic ... { scf.for ... }    // the row of each edge
    %messages = scf.forall (%e) in (%num_edges) ... {
      %i = tensor.extract %rows[%e]
      %j = tensor.extract %columns[%e]
      ...
      scf.forall.in_parallel { tensor.parallel_insert_slice ... into %out[%e, 0] }
    }
    ```

    With `vector-width`, the scores of two or four edges are put side by side
    where an edge has so few that they fit into a register: everything up to the
    weights is done to all of them at once, or to the whole registers of one edge, as
    vector ops. The last edge of a row
    stands in for those that the row does not have, with a score of -inf where
    weights are added up in whole registers. On `csr` graphs, eight rows in
    succession that have few edges altogether have all their weights computed before
    any value is read, so that no row waits for its own exponentials:
    ```mlir
    scf.forall (%i) = (0) to (%n) step (8) ... {
      %middle = arith.select %few, %last, %i
      %weights, %sums = scf.for %row = %i to %middle {
        %max, %scores = scf.for %e = %begin to %end step %c4 {...} // vector<16xf32>
        %sum, %row_weights = scf.for %e = %begin to %end step %c4 {...}
      }
      scf.for %row = %i to %middle { scf.for %e = %begin to %end {...} } // values
      scf.for %row = %middle to %last {...}                        // as above
    }
    ```
    Rows of sources of 512 bytes or more that scores and values are both made of, as
    GATv2's are, are to be in the first cache still when they are read again: then
    few edges are 16 KiB of these rows, and where eight destinations have more, four,
    two or one of them are taken at a time, in a loop inside. Where there are less
    than 4 MiB of such rows, which turns out at run time, the second cache has most
    of them, and few edges are as many as otherwise.
  }];
  let options = [
    Option<"featureTile", "feature-tile", "int64_t", "256",
           "Features an aggregation accumulates at once; wider rows are "
           "processed in tiles of the innermost dimension">,
    Option<"gatheredElements", "gathered-elements", "int64_t", "0",
           "Elements of accumulators at once, where rows are read at places "
           "that edges name, those of maxima and minima counted twice; 0: any "
           "number">,
    Option<"orderedElements", "ordered-elements", "int64_t", "0",
           "Elements of accumulators, where rows are read one after the other, "
           "up to which rows are taken whole if they are wider than "
           "feature-tile; those of sums 1,024; 0: no rows are">,
    Option<"twoPassSoftmax", "two-pass-softmax", "bool", "false",
           "Look for the maximum of an aggregation by softmax in a loop over "
           "edges of its own, where values of edges take few operations">,
    Option<"attentionEdges", "attention-edges", "int64_t", "16",
           "Edges of a row whose scores attention computes at once, fewer where "
           "they would fill more than 1 KiB">,
    Option<"vectorWidth", "vector-width", "int64_t", "0",
           "Elements of 32 bits in a vector register, which the scores of "
           "several edges share where attention has few heads; 0: they do not">,
    Option<"longRowEdges", "long-row-edges", "int64_t", "0",
           "Edges of a part of a long row; 0: rows stay whole">,
    Option<"longSegmentEdges", "long-segment-edges", "int64_t", "0",
           "Edges of a part of a long segment of one row; 0: segments stay "
           "whole">,
    Option<"parallelGraphs", "parallel-graphs", "bool", "false",
           "Add and drop self loops of all rows side by side, after counting "
           "them, and sort edges side by side; else row by row and edge by "
           "edge, which goes through the edges once">,
    Option<"parallelEdges", "parallel-edges", "bool", "false",
           "Compute what is stored for edges side by side, not row by row">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::ub::UBDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertGNNToLinalgPass
    : Pass<"convert-gnn-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Lower gnn ops on dense topologies to linalg";
  let description = [{
    On a complete graph a message is a `linalg.generic` over (destination,
    source, features): a dot-product score is a batched matrix product, an
    aggregation a reduction over sources. Causal and window graphs are complete
    graphs with a mask made from the indices. `gnn.update` is a `linalg.generic`
    over nodes on every topology. Rows without elements, as those of
    `tensor<?x0xf32>`, are refused by ops over edges.

    `gnn.attention` is tiled: a parallel loop over tiles of destinations, a loop
    over tiles of sources that carries accumulator, running maximum and running
    sum, so that the scores of one tile exist at a time. Scores that are weights
    already have no maximum. Where the op says at run time that scores are
    `bounded`, a tile of them becomes exponentials as they are, and nothing is
    corrected by a maximum. Where the score of a
    head is one number and the value a row, every head has tiles of its own, in
    which `attention-lanes` destinations are side by side: registers are full
    whatever the width of a head, the softmax needs no reduction within a vector,
    and both products are contractions that gnn-lower-matmul tiles. Segments of a
    block-diagonal graph are complete graphs of their own then. Of them, and of
    windows, a tile may be narrower: what it computes beyond the last row of a segment,
    or for sources that few of its rows see, is for nothing
    (`attention-narrow-lanes`). Tiles of windows that are four times as wide compute an
    eighth for nothing at most, and have `attention-window-lanes` destinations. Of causal
    and window graphs, only those sources of a tile are masked that not all of its
    destinations see.

    Every tile of destinations reads all sources, of long sequences from a cache that
    all processors share. With `attention-shared-tiles`, up to as many tiles of
    destinations take each tile of sources in turns; what they carry is stacked. On
    complete and causal graphs, and as long as 32 iterations of the parallel loop are
    left, or 8 where there are no more than four tiles of sources. Results are the
    same to the bit. On a causal graph each tile of destinations takes those sources
    of a tile that its last one sees.

    A batch may be one large graph, and a loop over segments and heads has few
    iterations then. With `attention-segment-iterations`, the loop has as many more as
    that needs, and each takes some tiles of a segment's destinations.
    ```mlir
    %y = scf.forall (%segment, %head, %share) in (%segments, 4, %shares) ... {
      %begin = ...                                     // of the segment
      %first = arith.minui (%begin + %share * %rows), %end
      %last = arith.minui (%first + %rows), %end
      %tiles = scf.for %i = %first to %last step %c16 ...
    ```

    With `attention-base-two`, weights of scores that are dot products are powers of
    two: log2(e) is a factor of the destinations' rows, which are laid out for each
    tile anyway, and e^x is 2^x of such scores. The processor counts exponents of
    that base, so that a power takes no products but those of its polynomial. Not so in
    segments, whose sources are too few for that.
    ```mlir
    %rows = linalg.generic ins(%q_tile) ... {... arith.mulf %q, %log2e}
                                                           // tensor<16x64xf32>
    %scores = linalg.generic ins(%rows, %keys) ...         // tensor<64x64xf32>
    %weights = linalg.generic ins(%maximum) outs(%scores) {
      ... math.exp2 %difference {gnn.never_positive} : f32
    }
    ```

    `gnn.top_k_graph` of all pairs, or of those of each segment, is tiled with
    `top-k-lanes`, which destinations are side by side: the scores of a tile of
    sources, then a loop over these. Where a source is one of the best so far of
    any of the destinations, it is put into all their lists at once, from the worst
    place on, each of which is a vector of destinations. Lists of more than 32 KiB
    are made row by row, by convert-gnn-to-scf. With an `order`, see
    -gnn-order-points, tiles are half as large on both sides, and the ranges of
    numbers in each tile of sources are known, as those in groups of 32 tiles. The
    region evaluated on ranges (interval arithmetic) bounds what these can score: what
    is not enough for any of the destinations is left out. The group and the tile
    that the destinations are in come first.
    ```mlir
    %graph = gnn.top_k_graph %g dst(%x : tensor<?x3xf32>) src(%x : tensor<?x3xf32>)
      {..., k = 4} : !gnn.graph<complete> -> !gnn.graph<csr> {...}
    ```
    becomes
    ```mlir
    %columns, %counts = scf.forall (%i) = (0) to (%n) step (8) ... {
      %packed = linalg.transpose ...                   // tensor<3x8xf32>
      %scores, %sources = scf.for %j = %c0 to %n step %c16
        iter_args(%best : tensor<4x8xf32>, %of : tensor<4x8xi32>) {
        %tile = linalg.generic ins(%packed, %x_tile) ...   // tensor<16x8xf32>
        scf.for %source = ... {
          %any = linalg.generic {iterator_types = ["reduction"]} ...
          scf.if %any { scf.for ... }                  // from the worst place on
        }
      }
      %lists = linalg.transpose ins(%sources) ...      // tensor<8x4xi32>
      scf.forall.in_parallel { tensor.parallel_insert_slice %lists ... }
    }
    %pointer = ...                                     // prefix sums of %counts
    ```

    Before:
    ```mlir
    %e = gnn.message %g dst(%q : tensor<?x64xf32>) src(%k : tensor<?x64xf32>)
      {... iterator_types = ["reduction"]} : !gnn.graph<complete> -> !gnn.edges<f32> {...}
    ```
    After:
    ```mlir
    %e = linalg.generic {indexing_maps = [(i, j, d) -> (i, d), (i, j, d) -> (j, d),
                                          (i, j, d) -> (i, j)], ...}
      ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>) outs(%zero : tensor<?x?xf32>) {...}
    ```
  }];
  let options = [
    Option<"rowTile", "attention-row-tile", "int64_t", "32",
           "Destinations in a tile of attention">,
    Option<"columnTile", "attention-column-tile", "int64_t", "64",
           "Sources in a tile of attention, and of the best of all pairs">,
    Option<"lanes", "attention-lanes", "int64_t", "64",
           "Destinations side by side in a tile of one head's scores; 0 keeps "
           "the heads of a pair together">,
    Option<"narrowLanes", "attention-narrow-lanes", "int64_t", "0",
           "The same in windows and in segments of block-diagonal graphs; 0 for as "
           "many as elsewhere">,
    Option<"windowLanes", "attention-window-lanes", "int64_t", "0",
           "The same in windows of four times as many nodes and more; 0 for as "
           "many as in others">,
    Option<"tileBytes", "attention-tile-bytes", "int64_t", "0",
           "Most bytes of a tile's keys and values, 0 for any number: of wider "
           "heads, a tile holds fewer sources">,
    Option<"sharedTiles", "attention-shared-tiles", "int64_t", "1",
           "Most tiles of destinations that take each tile of sources in turns">,
    Option<"baseTwo", "attention-base-two", "bool", "false",
           "Softmaxes of dot products, with attention-lanes, are of the base 2">,
    Option<"segmentIterations", "attention-segment-iterations", "int64_t", "0",
           "Iterations over segments and heads below which the destinations of a "
           "segment are shared out to several; 0 for never">,
    Option<"topKLanes", "top-k-lanes", "int64_t", "0",
           "Destinations side by side where the best of all pairs are kept; 0 for "
           "rows one by one, which convert-gnn-to-scf makes">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // GNN_CONVERSION_PASSES_TD
