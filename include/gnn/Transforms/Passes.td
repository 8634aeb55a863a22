//===- Passes.td - Passes on gnn IR ------------------------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_PASSES_TD
#define GNN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseLookupsPass : Pass<"gnn-fuse-lookups", "::mlir::func::FuncOp"> {
  let summary = "Look rows of tables up where edges read them";
  let description = [{
    A message whose edges have rows of a table, as embedded types, reads the number of
    the edge and, by that, the table. No row is stored for each edge.

    Before:
    ```mlir
    %r = gnn.lookup %t[%n] : tensor<4x64xf32>, tensor<?xi64> -> tensor<?x64xf32>
    %e = gnn.edges_from_tensor %g, %r : ... -> !gnn.edges<64xf32>
    %m = gnn.message %g src(%x : tensor<?x64xf32>) edge(%e : !gnn.edges<64xf32>)
      {...} : !gnn.graph<csr> -> !gnn.edges<64xf32> {
    ^bb0(%a: f32, %b: f32):
    ```
    After:
    ```mlir
    %e = gnn.edges_from_tensor %g, %n : ... -> !gnn.edges<i64>
    %m = gnn.message %g src(%x : tensor<?x64xf32>) edge(%e : !gnn.edges<i64>)
      {...} : !gnn.graph<csr> -> !gnn.edges<64xf32> {
    ^bb0(%a: f32, %i: i64):
      %row = arith.index_cast %i : i64 to index
      %f = gnn.feature_index 0
      %b = tensor.extract %t[%row, %f] : tensor<4x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numFused", "num-fused",
              "Number of lookups that messages do themselves">
  ];
}

def FuseMessagesPass
    : Pass<"gnn-fuse-messages", "::mlir::func::FuncOp"> {
  let summary = "Compute an edge value where it is used";
  let description = [{
    A message whose only user is another message on the same graph, or a
    `gnn.top_k_graph` of it, is computed inside the user's region, so that no value
    per edge is stored between them.
    A producer that reduces over features is fused only where the user reads each of
    its results for one value of its own: it would be computed again for every other.

    Before:
    ```mlir
    %a = gnn.message %g src(%x : tensor<?xf32>) {...} : ... -> !gnn.edges<f32> {...}
    %b = gnn.message %g edge(%a : !gnn.edges<f32>) src(%y : tensor<?x8xf32>) {...}
    ```
    After:
    ```mlir
    %b = gnn.message %g src(%x, %y : tensor<?xf32>, tensor<?x8xf32>) {...}
    ```
  }];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of messages fused into their user">
  ];
}

def FuseAttentionPass
    : Pass<"gnn-fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "Fuse score, edge softmax, weighted message and sum";
  let description = [{
    A sum of messages that are multiplied by an edge softmax becomes one
    `gnn.attention`. The score message is taken in too. The sum then needs one
    pass over the edges (an online softmax) and stores neither scores nor
    weights. Edge softmaxes with another user stay.

    Before:
    ```mlir
    %s = gnn.message %g dst(%q) src(%k) {...}
    %a = gnn.edge_softmax %g, %s
    %m = gnn.message %g src(%v) edge(%a) {...}   // region: %v * %a
    %y = gnn.aggregate [sum] %g, %m
    ```
    After:
    ```mlir
    %y = gnn.attention %g score dst(%q) src(%k) {...} value src(%v) {...} {...}
    ```
  }];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of attention ops made">
  ];
}

def FuseAggregationPass
    : Pass<"gnn-fuse-aggregation", "::mlir::func::FuncOp"> {
  let summary = "Aggregate messages without storing them";
  let description = [{
    A message whose only user is an aggregation becomes a
    `gnn.message_aggregate`.

    Before:
    ```mlir
    %m = gnn.message %g src(%x : tensor<?x64xf32>) {...} : ... -> !gnn.edges<64xf32> {...}
    %y = gnn.aggregate [sum] %g, %m : ...
    ```
    After:
    ```mlir
    %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x64xf32>) {...}
    ```
  }];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of aggregations fused">
  ];
}

def HoistNodeProductsPass
    : Pass<"gnn-hoist-node-products", "::mlir::func::FuncOp"> {
  let summary = "Multiply rows of nodes once, not for each edge";
  let description = [{
    A linear layer of what edges read of their nodes multiplies the row of a node as
    often as it has edges. Where columns of the rows that it reads are sums of rows of
    an edge's source and destination, with any signs, it multiplies the rows of all
    nodes by the weights that these columns meet, and edges add up the results. What
    else stands beside them, such as attributes of edges, is multiplied as before. Weights
    are constants, whose rows are divided among the parts.

    What comes after the layer has rows of its width for each edge, as before. The
    difference of two rows becomes one of two products, whose rounding is that of their own
    size: rows that are near each other and far from 0 lose what digits they share.

    Before (`EdgeConv`, W is 128 x 64):
    ```mlir
    %own = gnn.message %g dst(%x : tensor<?x64xf32>) {...}     // x_i
    %other = gnn.message %g dst(%x : ...) src(%x : ...) {...}  // x_j - x_i
    %a = gnn.edges_to_tensor %g, %own : ... -> tensor<?x64xf32>
    %b = gnn.edges_to_tensor %g, %other : ... -> tensor<?x64xf32>
    %rows = tensor.concat dim(1) %a, %b : ... -> tensor<?x128xf32>
    %y = linalg.matmul ins(%rows, %w : tensor<?x128xf32>, tensor<128x64xf32>) ...
    ```
    After:
    ```mlir
    %p = linalg.matmul ins(%x, %w1 : tensor<?x64xf32>, tensor<64x64xf32>) ...
    %q = linalg.matmul ins(%x, %w2 : tensor<?x64xf32>, tensor<64x64xf32>) ...
    %sum = gnn.message %g dst(%p, %q : ...) src(%q : ...) {...} // p_i + (q_j - q_i)
    %y = gnn.edges_to_tensor %g, %sum : ... -> tensor<?x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numHoisted", "num-hoisted",
              "Number of linear layers that multiply nodes' rows first">
  ];
}

def TabulateProductsPass
    : Pass<"gnn-tabulate-products", "::mlir::func::FuncOp"> {
  let summary = "Multiply rows of nodes by all matrices that edges choose from";
  let description = [{
    Edges may choose one of a few matrices that multiply the row of their source or
    destination, as those of `RGCNConv` choose that of their relation. Where the products of a node's
    row and all these matrices have `max-columns` elements at most, or
    `max-dense-columns` where the edges of the graph are no list but pairs of nodes,
    they are computed for all nodes at once, as one linear layer whose weights are the
    matrices side by side, and an edge looks its own product up. What else multiplies
    the message multiplies that. The matrices are constants.

    This pays where nodes have more edges than there are matrices, and memory has room
    for all products; `-gnn-group-edges` is for other messages.

    Before (2 relations of 64 x 16):
    ```mlir
    %m = gnn.message %g src(%x : tensor<?x64xf32>) edge(%relation : ...) ... {
    ^bb0(%a: f32, %r: i64, ..., %sum: f32):
      ...
      %w = tensor.extract %weights[%k, %i, %f] : tensor<2x64x16xf32>
      %p = arith.mulf %a, %w : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    ```
    After:
    ```mlir
    %t = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) ...
    %m = gnn.message %g edge(%relation : ...) ... {
      %column = %k * 16 + %f
      %p = tensor.extract %t[%source, %column] : tensor<?x32xf32>
      gnn.yield %p : f32
    }
    ```
  }];
  let options = [
    Option<"maxColumns", "max-columns", "int64_t", /*default=*/"128",
           "Elements of all products of a node's row at most">,
    Option<"maxDenseColumns", "max-dense-columns", "int64_t", /*default=*/"8192",
           "The same, where pairs of nodes are the edges">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numTabulated", "num-tabulated",
              "Number of messages that look their products up">
  ];
}

def MultiplyEdgeRowsPass
    : Pass<"gnn-multiply-edge-rows", "::mlir::func::FuncOp"> {
  let summary = "Multiply rows of edges by large weights together";
  let description = [{
    A message that multiplies the row of its edge by weights, as the edge's part of a
    linear layer of `PNAConv`, is computed where it is read, for one edge after the
    other, and reads all weights for each. That is as fast as any other way while the
    first cache holds them. Messages with weights of `min-bytes` or more become a
    linear layer of the rows of all edges, which `-gnn-fuse-edge-rows` computes for
    the edges of some nodes at a time. Weights are constants.

    Before:
    ```mlir
    %m = gnn.message %g edge(%e : !gnn.edges<50xf32>) uniform(%w : tensor<50x5x75xf32>)
        {...} : !gnn.graph<csr> -> !gnn.edges<5x75xf32> {...} // mulf, addf
    ```
    After:
    ```mlir
    %t = gnn.edges_to_tensor %g, %e : ... -> tensor<?x50xf32>
    %p = linalg.matmul ins(%t, %w : tensor<?x50xf32>, tensor<50x375xf32>) ...
    %q = tensor.expand_shape %p ... into tensor<?x5x75xf32>
    %m = gnn.edges_from_tensor %g, %q : ... -> !gnn.edges<5x75xf32>
    ```
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"16384",
           "Fewest bytes of weights">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numMultiplied", "num-multiplied",
              "Number of messages that are linear layers now">
  ];
}

def SumEdgeRowsPass : Pass<"gnn-sum-edge-rows", "::mlir::func::FuncOp"> {
  let summary = "Add up rows of edges before a linear layer of them";
  let description = [{
    A network of edges may end in a linear layer whose results nodes sum up or take the
    mean of, as that of `EdgeConv` does. Sums of the rows that the layer reads meet the
    weights once for each node, instead of the rows of each edge. A bias is added as often
    as a node has edges, or once for a mean of some. This pays unless most nodes have no
    edge.

    `-gnn-reorder-linear` is for layers of nodes.

    Before:
    ```mlir
    %l = linalg.matmul ins(%h, %w : tensor<?x64xf32>, tensor<64x64xf32>) ... // of edges
    %e = gnn.edges_from_tensor %g, %l : ... -> !gnn.edges<64xf32>
    %y = gnn.aggregate [sum] %g, %e : ... -> tensor<?x64xf32>
    ```
    After:
    ```mlir
    %e = gnn.edges_from_tensor %g, %h : ... -> !gnn.edges<64xf32>
    %s = gnn.aggregate [sum] %g, %e : ... -> tensor<?x64xf32>
    %y = linalg.matmul ins(%s, %w : tensor<?x64xf32>, tensor<64x64xf32>) ... // of nodes
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numReordered", "num-reordered",
              "Number of aggregations that come before a linear layer">
  ];
}

def SumOuterProductsPass
    : Pass<"gnn-sum-outer-products", "::mlir::func::FuncOp"> {
  let summary = "Add up products of two rows, and multiply the sums by weights";
  let description = [{
    A message may be a row `p` times a matrix that a linear layer makes of the row `q` of
    its edge, as in `NNConv`. Of weights `W`, what a node sums up or takes the mean of is

        sum over edges, d, c of q[d] p[c] W[d, c, o].

    Edges need not compute matrices: the node adds up all products of an element of
    `q` and one of `p`, and these sums meet the weights once, as a linear layer whose
    weights are those that there were, in another order if that fills vectors. What a
    bias adds to matrices is one of sums of `p`. Weights are constants.

    An edge takes `d c` multiplications instead of `d c o`, which each node does now.
    That pays for matrices of at least `min-columns` columns unless most nodes have no
    edge. Sums of more than `max-elements` would take long to add to. Rows of sums
    are wide, but `-gnn-fuse-row-products` does not store them. Matrices of a source, as in
    `GMMConv`, are made once for each node as they are.

    Before (`NNConv`, 64 channels):
    ```mlir
    %w = linalg.matmul ins(%h, %weights : tensor<?x128xf32>, tensor<128x4096xf32>) ...
    %q = tensor.expand_shape %w ... into tensor<?x64x64xf32>
    %e = gnn.edges_from_tensor %g, %q : ... -> !gnn.edges<64x64xf32>
    %m = gnn.message %g src(%x : tensor<?x64xf32>) edge(%e : ...) {...} // a vector times a matrix
    %y = gnn.aggregate [sum] %g, %m : ... -> tensor<?x64xf32>
    ```
    After:
    ```mlir
    %e = gnn.edges_from_tensor %g, %h : ... -> !gnn.edges<128xf32>
    %m = gnn.message %g src(%x : tensor<?x64xf32>) edge(%e : ...) {...} // an outer product
    %s = gnn.aggregate [sum] %g, %m : ... -> tensor<?x128x64xf32>
    %r = tensor.collapse_shape %s ... into tensor<?x8192xf32>
    %y = linalg.matmul ins(%r, %weights : tensor<?x8192xf32>, tensor<8192x64xf32>) ...
    ```
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", /*default=*/"16384",
           "Most elements of a node's sums">,
    Option<"minColumns", "min-columns", "int64_t", /*default=*/"4",
           "Fewest columns of matrices of edges">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numReordered", "num-reordered",
              "Number of aggregations that come before a linear layer">
  ];
}

def FoldLookupsPass : Pass<"gnn-fold-lookups", "::mlir::func::FuncOp"> {
  let summary = "Compute with tables instead of the rows looked up in them";
  let description = [{
    What reads a row of a constant table and nothing else but constants, such as the
    linear layer of an embedding, a bias or an activation after it, or a message that
    multiplies the embedded type of its edge by weights, yields the same for the same
    number. It is computed here, for all rows of the table, and its rows are looked up.
    What reads rows of several tables, each by numbers of its own, such as the sum of
    the embeddings of all properties of a bond, becomes a table with a row for each
    combination, if that has at most `max-combined-bytes`. Linear layers are summed in
    float64. Tables larger than `max-bytes`, and what takes seconds to compute, are left
    as they are.

    Before:
    ```mlir
    %x = gnn.lookup %t[%n] : tensor<4x50xf32>, tensor<?xi64> -> tensor<?x50xf32>
    %y = linalg.matmul ins(%x, %w : tensor<?x50xf32>, tensor<50x75xf32>) ...
    ```
    After:
    ```mlir
    %y = gnn.lookup %tw[%n] : tensor<4x75xf32>, tensor<?xi64> -> tensor<?x75xf32>
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"4194304",
           "Most bytes of a table that is computed">,
    Option<"maxCombinedBytes", "max-combined-bytes", "int64_t",
           /*default=*/"1048576",
           "Most bytes of one with a row for each combination of rows of others">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numFolded", "num-folded",
              "Number of ops that are rows of another table now">
  ];
}

def FoldLinearPass : Pass<"gnn-fold-linear", "::mlir::func::FuncOp"> {
  let summary = "Make one linear layer of two in a row";
  let description = [{
    What a linear layer computes may be read by nothing but sums of products with
    constants, such as other linear layers, a dot product for each head or a matrix
    for each. Where that takes no more multiplications, these become linear layers of
    the rows that the first one reads, whose weights are computed here, in float64; so
    is a bias between the two. What would take seconds to compute, such as two layers
    of 1,024 channels, is left as it is.

    Before (`GATConv` of two kinds of nodes, whose destinations have a part in scores
    alone; W is 64 x 64, A is 4 x 16):
    ```mlir
    %h = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x64xf32>) ...
    %heads = tensor.expand_shape %h [[0], [1, 2]] ... into tensor<?x4x16xf32>
    %y = gnn.update node(%heads : ...) uniform(%a : tensor<4x16xf32>) {...}
    ```
    After:
    ```mlir
    %y = linalg.matmul ins(%x, %wa : tensor<?x64xf32>, tensor<64x4xf32>) ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numFolded", "num-folded",
              "Number of linear layers that their readers took over">
  ];
}

def MergeLinearPass : Pass<"gnn-merge-linear", "::mlir::func::FuncOp"> {
  let summary = "Make one linear layer of several of the same rows that are added up";
  let description = [{
    Where several linear layers of the same rows are terms of one sum, `X A + X B`, as
    those that layers on edges of several types have for the rows of their destinations,
    rows are multiplied once, by `A + B`, which is computed here. A sum may have been
    made in several steps, if nothing else reads what is in between. Weights are
    constants.

    Before:
    ```mlir
    %p = linalg.matmul ins(%x, %a : tensor<?x64xf32>, tensor<64x32xf32>) ...
    %q = linalg.matmul ins(%x, %b : tensor<?x64xf32>, tensor<64x32xf32>) ...
    %s = gnn.update node(%p, %h : ...) {...}  // a sum
    %y = gnn.update node(%s, %q : ...) {...}  // a sum
    ```
    After (%c is %a + %b):
    ```mlir
    %p = linalg.matmul ins(%x, %c : tensor<?x64xf32>, tensor<64x32xf32>) ...
    %y = gnn.update node(%p, %h : ...) {...}  // a sum
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numMerged", "num-merged",
              "Number of linear layers that others took over">
  ];
}

def SplitConcatPass : Pass<"gnn-split-concat", "::mlir::func::FuncOp"> {
  let summary = "Multiply rows that are put side by side one by one";
  let description = [{
    A linear layer of rows side by side is a sum of linear layers:
    `(a || b) W = a W1 + b W2`. Where others read some of these rows as well, as those
    of the first layers of jumping knowledge are read by the next ones, they are not
    copied then. All products but the first add to what there is, so this is done only
    if more columns would be copied than results are read again. Weights are constants,
    whose rows are taken apart here.

    Before:
    ```mlir
    %rows = tensor.concat dim(1) %a, %b : ... -> tensor<?x128xf32>
    %y = linalg.matmul ins(%rows, %w : tensor<?x128xf32>, tensor<128x16xf32>) ...
    ```
    After (%w1 and %w2 are the upper and the lower rows of %w):
    ```mlir
    %p = linalg.matmul ins(%a, %w1 : tensor<?x64xf32>, tensor<64x16xf32>) ...
    %y = linalg.matmul ins(%b, %w2 : tensor<?x64xf32>, tensor<64x16xf32>)
                       outs(%p : tensor<?x16xf32>) -> tensor<?x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of linear layers of several rows">
  ];
}

def ReorderLinearPass
    : Pass<"gnn-reorder-linear", "::mlir::func::FuncOp"> {
  let summary = "Aggregate on the narrower side of a linear layer";
  let description = [{
    Sum and mean aggregations are linear, so `A (X W)` and `(A X) W` are equal.
    Whichever makes the aggregation run on fewer features is chosen: traffic of
    an aggregation is proportional to its width, and the matrix product costs
    the same. A message qualifies if it is its source row times factors that do
    not depend on features. A weighted sum of rows and what their neighbours
    sent, `(a X + A X) W`, becomes `a (X W) + A (X W)` by the same rule.

    Where X is sparse, see `-gnn-fuse-sparse-features`, the product always comes
    first: the aggregate of sparse rows is dense.

    Before (W is 16 x 64):
    ```mlir
    %h = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x64xf32>) ...
    %y = gnn.message_aggregate [sum] %g src(%h : tensor<?x64xf32>) {...}
    ```
    After:
    ```mlir
    %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x16xf32>) {...}
    %y = linalg.matmul ins(%a, %w : tensor<?x16xf32>, tensor<16x64xf32>) ...
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numReordered", "num-reordered",
              "Number of aggregations moved across a linear layer">
  ];
}

def FuseSparseFeaturesPass
    : Pass<"gnn-fuse-sparse-features", "::mlir::func::FuncOp"> {
  let summary = "Multiply only the entries of sparse rows that are listed";
  let description = [{
    A matrix that lists its entries is a bipartite graph with a value per edge:
    from columns, the sources, to rows, the destinations. Its dense form is these
    values on all pairs (`gnn.spread_edges`). The product of that and weights is
    the sum over the edges of a row of the weights' rows, an aggregation like any
    other, and work falls from rows times columns to the number of entries. The
    dense form is left to ops that are no linear layers.

    Terms that are not there are 0 times a weight; where a weight is infinite or
    NaN they would be NaN.

    Before:
    ```mlir
    %s = gnn.spread_edges %v from %g to %all : ...
    %t = gnn.edges_to_tensor %all, %s : ... -> tensor<?x?xf32>
    %x = tensor.cast %t : tensor<?x?xf32> to tensor<?x1433xf32>
    %y = linalg.matmul ins(%x, %w : tensor<?x1433xf32>, tensor<1433x16xf32>) ...
    ```
    After:
    ```mlir
    %y = gnn.message_aggregate [sum] %g src(%w : tensor<1433x16xf32>)
      edge(%v : !gnn.edges<f32>) {...}   // region: %w * %v
    ```
  }];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of products of sparse rows">
  ];
}

def OrderPointsPass
    : Pass<"gnn-order-points", "::mlir::func::FuncOp"> {
  let summary = "Take near nodes side by side where neighbours are found";
  let description = [{
    The nearest neighbours of a node are among few others. A lowering of
    `gnn.top_k_graph` that takes some nodes at a time can leave out all sources of
    which none can score enough, if these are near each other: nodes are sorted by
    the cells of a grid over all points, which follow each other along a Z-order
    curve (Morton 1966), for each segment of a batch after the other. The result is
    the same.

    Of scores of pairs of nodes that have an upper bound for ranges of coordinates,
    such as distances (but not dot products, which are rounded in another way), of
    rows of at most `max-channels` numbers: in more dimensions all are about as far
    away. Where segments have fewer than
    `min-nodes` nodes on average, which is known when it runs, everything stays as it
    is.

    Before:
    ```mlir
    %h = gnn.top_k_graph %g dst(%x : tensor<?x3xf32>) src(%x : tensor<?x3xf32>) ...
      : !gnn.graph<complete> -> !gnn.graph<csr> {...}
    ```
    After:
    ```mlir
    %parts:3 = scf.if %large -> (tensor<?xi32>, tensor<?xi32>, index) {
      %cells = linalg.generic ...                 // of each node
      %c = gnn.make_graph %cells, %nodes, %numCells, %n : ... -> !gnn.graph<coo, bipartite>
      %s = gnn.to_csr %c : !gnn.graph<coo, bipartite> -> !gnn.graph<csr, bipartite>
      %pointers, %order, %m = gnn.graph_parts %s : ...
      %h = gnn.top_k_graph %g dst(%x : tensor<?x3xf32>) src(%x : tensor<?x3xf32>)
        order(%order : tensor<?xi32>) ...
      ...
    } else {
      %h = gnn.top_k_graph %g dst(%x : tensor<?x3xf32>) src(%x : tensor<?x3xf32>) ...
      ...
    }
    %h = gnn.make_graph %parts#0, %parts#1, %parts#2 : ... -> !gnn.graph<csr>
    ```
  }];
  let options = [
    Option<"minNodes", "min-nodes", "int64_t", "1024",
           "Nodes that segments have on average where they are ordered">,
    Option<"maxChannels", "max-channels", "int64_t", "4",
           "Most numbers of a point">
  ];
  let statistics = [
    Statistic<"numOrdered", "num-ordered", "Number of graphs whose points are ordered">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SpecializeTopologyPass
    : Pass<"gnn-specialize-topology", "::mlir::func::FuncOp"> {
  let summary = "Choose between listed edges and all pairs at run time";
  let description = [{
    A listed graph may have nearly all edges there can be. Attention over it
    then runs faster over all pairs of nodes, in tiles, with those masked that
    are no edges. Both forms are compiled; which one runs is decided once for a
    graph, by its density. The dense form needs that no edge is there twice and
    that no value is infinite or NaN, and is not taken otherwise.

    Attention stays as it is where it reads values per edge or computes its
    values per edge, and where the type of the graph says which edges exist.

    Before:
    ```mlir
    %y = gnn.attention %g score dst(%q) src(%k) {...} value src(%v) {...} : !gnn.graph<csr> -> ...
    ```
    After:
    ```mlir
    %dense, %counts = scf.if %many -> (i1, tensor<?x?xf32>) {...}   // number of edges per pair
    %y = scf.if %usable -> (tensor<?x8x64xf32>) {
      %m = gnn.edges_from_tensor %all, %counts : ...
      %a = gnn.attention %all score dst(%q) src(%k) edge(%m) {...} value src(%v) {...} : !gnn.graph<complete> -> ...
      scf.yield %a
    } else {
      %a = gnn.attention %g ...
      scf.yield %a
    }
    ```

    `dense-above` is the density at which both take the same time, measured by
    `bench/topology-crossover.py`; destinations are counted in whole tiles. `topology` forces one form: `sparse` leaves
    everything as it is, `dense` takes the dense form wherever it gives the same
    result.
  }];
  let options = [
    Option<"topology", "topology", "::gnn::TopologyChoice",
           "::gnn::TopologyChoice::Automatic", "Which form runs",
           [{::llvm::cl::values(
             clEnumValN(::gnn::TopologyChoice::Automatic, "auto",
                        "the faster one, by density"),
             clEnumValN(::gnn::TopologyChoice::Sparse, "sparse",
                        "listed edges"),
             clEnumValN(::gnn::TopologyChoice::Dense, "dense",
                        "all pairs"))}]>,
    Option<"denseAbove", "dense-above", "double", "0.25",
           "Edges per pair from which the dense form is faster">,
    Option<"tile", "tile", "int64_t", "64",
           "Destinations that are computed together; pairs count as of whole "
           "tiles">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numSpecialized", "num-specialized",
              "Number of ops compiled in both forms">
  ];
}

def SpecializeReadoutsPass
    : Pass<"gnn-specialize-readouts", "::mlir::func::FuncOp"> {
  let summary = "Choose between rows and tiles of segments at run time";
  let description = [{
    Attention over segments takes tiles of 16 destinations. A readout, as `Set2Set` and
    `AttentionalAggregation` have, or a decoder that adds a word to each sentence, has
    one destination per segment, so that most of a tile is computed for nothing. Where
    the graph has sources of its own, which readouts need, both forms are compiled:
    rows one by one, and tiles. Rows are taken where there are no more destinations than
    segments.

    Attention stays as it is where it reads values per edge or computes its values per
    edge: there, no tiles are taken.

    Before:
    ```mlir
    %y = gnn.attention %g score src(%s) {...} value src(%v) {...} : !gnn.graph<block_diagonal, bipartite> -> tensor<?x64xf32>
    ```
    After:
    ```mlir
    %first, ... = gnn.graph_parts %g
    %length = tensor.dim %first, %c0
    %segments = arith.subi %length, %c1
    %destinations = gnn.num_nodes dst %g
    %single = arith.cmpi ule, %destinations, %segments
    %y = scf.if %single -> (tensor<?x64xf32>) {
      %a = gnn.attention %g ... {gnn.by_rows, ...}
      scf.yield %a
    } else {
      %a = gnn.attention %g ...
      scf.yield %a
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numSpecialized", "num-specialized",
              "Number of ops compiled in both forms">
  ];
}

def FactorExponentialsPass
    : Pass<"gnn-factor-exponentials", "::mlir::func::FuncOp"> {
  let summary = "Compute exponentials of attention for nodes, not edges";
  let description = [{
    A score that is a leaky ReLU of a sum of numbers of an edge's nodes, as GAT
    has them, is the larger one of z = a_i + b_j and c z. Weights are divided by
    their sum, so that they may be the larger one of two numbers, with T the largest
    b of all sources:

    ```
    w_ij = max(exp(b_j - T), q_i v_j)
    v_j = exp(c (b_j - T)),  q_i = exp((c - 1) max(a_i + T, 0))
    ```

    where the first one is a power of v_j if 1 / c is an integer up to 8; 1 / 0.2
    is. No edge has an exponential then, and no row waits for its maximum. No
    exponent is above 0, and none that counts is below minus the distance of the
    largest and the smallest b. Where this is more than `max-range`, which is found
    out at run time, the op runs as it was: exponentials would be rounded more than
    their arguments are, and become small numbers. So it does where there are fewer
    edges than `min-degree` for a node, which take less time than its exponentials.

    Before:
    ```mlir
    %y = gnn.attention %g score dst(%a) src(%b) {...} value src(%v) {...} : !gnn.graph<csr> -> ...
    ```
    After:
    ```mlir
    %narrow, %largest = scf.if %enough -> (i1, f32) {...}   // bounds of a and b
    %y = scf.if %narrow -> (tensor<?x8x64xf32>) {
      %f = linalg.generic ins(%b) ... -> tensor<?x8xf32>    // exp(c (b - T))
      %d = linalg.generic ins(%a) ... -> tensor<?x8xf32>    // exp((c - 1) max(a + T, 0))
      %w = gnn.attention %g score dst(%d) src(%f) {...} value src(%v) {...}
        {normalization = #gnn.normalization<sum>, ...} : !gnn.graph<csr> -> ...
      scf.yield %w
    } else {
      %w = gnn.attention %g score dst(%a) src(%b) {...} value src(%v) {...} : ...
      scf.yield %w
    }
    ```

    Other scores stay as they are: those of more than additions, of values per
    edge, and of graphs whose type says which edges exist, which are attended to
    in tiles.
  }];
  let options = [
    Option<"maxRange", "max-range", "double", "20.0",
           "Largest distance of two numbers of sources">,
    Option<"minDegree", "min-degree", "int64_t", "4",
           "Fewest edges for each node">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numFactored", "num-factored",
              "Number of ops compiled in both forms">
  ];
}

def BoundDotProductsPass
    : Pass<"gnn-bound-dot-products", "::mlir::func::FuncOp"> {
  let summary = "Compute softmaxes of small scores without their maxima";
  let description = [{
    A softmax subtracts the maximum of its scores so that no exponential overflows,
    and not all of them become 0. Over tiles of all pairs this is a pass over each tile,
    a subtraction and a comparison for each score, and a product for each sum carried
    from tile to tile. A dot product is no further from 0 than the product of the
    lengths of both rows (Cauchy and Schwarz). Where that of the longest rows of each
    head is at most `max-score`, which is found out at run time, the op is told that its
    scores are bounded: `-convert-gnn-to-linalg` makes weights of the exponentials of
    the scores as they are then. At the default they are 1e-13 to 1e13, which leaves
    room for their sums and for values of any size that other layers could take.

    Before:
    ```mlir
    %y = gnn.attention %g score dst(%q) src(%k) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    } value src(%v) {...} : !gnn.graph<complete> -> ...
    ```
    After:
    ```mlir
    %longest = linalg.generic ins(%q) ...      // of each head, squares of lengths
    %others = linalg.generic ins(%k) ...
    %product = linalg.generic ins(%longest, %others) ... // the largest one of all heads
    %small = arith.cmpf ole, %product, %limit : f32      // not where one is NaN
    %y = gnn.attention %g score dst(%q) src(%k) {...} value src(%v) {...} bounded(%small) : ...
    ```

    Other scores stay as they are, such as those with a bias, and so do those of listed
    edges, windows and the graphs of a batch: there a pass over all rows takes as long as
    what it saves, or longer.
  }];
  let options = [
    Option<"maxScore", "max-score", "double", "30.0",
           "Largest bound of a score, and of its negative, up to 80">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numBounded", "num-bounded",
              "Number of ops that are told whether they are bounded">
  ];
}

def COOToCSRPass : Pass<"gnn-coo-to-csr", "::mlir::ModuleOp"> {
  let summary = "Take coo graph arguments in csr form";
  let description = [{
    Arguments of type `!gnn.graph<coo>` of public functions become
    `!gnn.graph<csr>`: the runtime sorts a graph's edges once, when it loads it,
    and permutes edge inputs, so `gnn.to_csr` of such an argument is the
    argument. Edge lists built inside a function keep their `gnn.to_csr`.

    Values of the edges of an argument must be arguments too, or be computed of
    these: others, such as a constant with an element per edge, nobody permutes,
    and they are refused.

    Before:
    ```mlir
    func.func @f(%g: !gnn.graph<coo>) -> ... {
      %h = gnn.to_csr %g : !gnn.graph<coo> -> !gnn.graph<csr>
    ```
    After:
    ```mlir
    func.func @f(%h: !gnn.graph<csr>) -> ... {
    ```
  }];
}

def ExpandGraphArgumentsPass
    : Pass<"gnn-expand-graph-arguments", "::mlir::ModuleOp"> {
  let summary = "Pass graphs as the tensors they are made of";
  let description = [{
    Every function argument, result, call and return of graph type is replaced
    by the graph's parts, which `gnn.make_graph` puts together again inside.
    Argument attributes stay on the first part.

    Before:
    ```mlir
    func.func @f(%g: !gnn.graph<complete>) {
    ```
    After:
    ```mlir
    func.func @f(%0: index, %1: index) {
      %g = gnn.make_graph %0, %1 : (index, index) -> !gnn.graph<complete>
    ```
  }];
  let options = [
    Option<"markFixed", "mark-fixed", "bool", /*default=*/"false",
           "Give the parts `gnn.fixed = \"graph\"`, for `-gnn-split-preparation`">
  ];
}

def ExternalizeWeightsPass
    : Pass<"gnn-externalize-weights", "::mlir::func::FuncOp"> {
  let summary = "Pass weights as arguments instead of embedding them";
  let description = [{
    Constant tensors of a public function become arguments after all others,
    with the value as their attribute `gnn.weight`: the caller passes what it
    has mapped from a file, and the code stays small.

    Before:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) {
      %w = arith.constant dense_resource<w> : tensor<8x64xf32>
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>,
                 %w: tensor<8x64xf32> {gnn.name = "weight0",
                                       gnn.weight = dense_resource<w> : ...}) {
    ```
  }];
  let options = [
    Option<"minimumElements", "minimum-elements", "int64_t", "64",
           "Constants with fewer elements stay in the code">
  ];
  let statistics = [
    Statistic<"numExternalized", "num-externalized",
              "Number of constants that became arguments">
  ];
}

def VerifyLoweredPass
    : Pass<"gnn-verify-lowered", "::mlir::func::FuncOp"> {
  let summary = "Report ops of the gnn dialect that no conversion took";
  let description = [{
    Run after the conversions: an op that is left is named, with what would let
    it be lowered, so that no later pass fails on it with a worse message. So are
    functions that take or return edge values.
  }];
}

#endif // GNN_TRANSFORMS_PASSES_TD
