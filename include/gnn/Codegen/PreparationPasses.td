//===- PreparationPasses.td - What is computed once --------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_PREPARATION_PASSES_TD
#define GNN_CODEGEN_PREPARATION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ClusterRowsPass : Pass<"gnn-cluster-rows", "::mlir::func::FuncOp"> {
  let summary = "Take rows that share sources one after another";
  let description = [{
    Rows of sources that caches do not hold are read from far away as often as
    there are edges, even if the next rows read the same sources: nodes of a
    community have numbers that tell nothing of it. Here rows that share sources
    are taken one after the other, so that these are still in the second cache.
    Where rows begin and the sources of their edges are copied in that order and
    read one after the other; results, what is read of a destination and what
    edges have are where they were. Edges of a row stay in their order, so that
    results are the same to the bit.

    Communities are found by label propagation: each node takes the label that
    most of its sources have, `sweeps` times, one node after the other; rows are
    sorted by their labels. That takes time in proportion to the edges, once for a
    graph: taken are loops over graphs that do not change from run to run, and
    `gnn-split-preparation`, which follows, has the order computed once. Loops over
    the same graph share it. Which graphs have such an order turns out at run time.
    Rows stay where they are

    * if rows have less than `min-row-edges` edges on average, as molecules, whose
      graphs often come once;
    * if twice `cache-bytes` hold all rows of sources;
    * if less than a quarter of all edges read a source that was read before, but so
      many edges ago that rows of `cache-bytes` were read since: there is little to
      gain;
    * if in the new order more than three quarters as many edges do: there are no
      communities.

    Loops along edges may be in loops along tiles of features. Loops that read less
    than `min-row-bytes` of a source are left to `gnn-order-rows`.

    Attention takes eight destinations at a time, which then are others: values are
    rounded differently where these have their weights computed together or not.
    Loops that say so (`gnn.any_row_order`) are taken in the new order, too. Their
    results are in that order at first, and a second loop copies each row to where
    it belongs, which `gnn-forward-rows` makes undone once there are buffers: a
    parallel loop over tensors cannot insert several rows that do not lie side by
    side. Where an elementwise op is to finish the results, the loop stays as it is.

    Before:
    ```mlir
    %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) ... {
      %begin = tensor.extract %pointer[%i]
      %end = tensor.extract %pointer[%next]
      %sum = scf.for %e = %begin to %end ... {
        %j = tensor.extract %columns[%e]
        %row = tensor.extract_slice %x[%j, 0] ...
        %weight = tensor.extract %weights[%e]
        ...
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] ...
    ```
    After:
    ```mlir
    scf.for ...                              // how many edges read from far away
    %labels = scf.for ... {                  // for each sweep
      scf.for ... }                          //   and each node
    %order = scf.for ...                     // rows, sorted by labels
    scf.for ...                              // how many edges read from far away
    %sorted = arith.andi ...                 // whether that is less
    %copies:3 = scf.for ...                  // in that order
    %ordered_pointer = scf.if %sorted ... { %copies#0 } else { %pointer }
    %ordered_columns = scf.if %sorted ... { %copies#1 } else { %columns }
    %y = scf.forall (%p) in (%n) shared_outs(%out = %empty) ... {
      %i = scf.if %sorted -> (index) { ... %order[%p] } else { ... %p }
      %begin = tensor.extract %ordered_pointer[%p]
      %end = tensor.extract %ordered_pointer[%next]
      %sum = scf.for %q = %begin to %end ... {
        %e = scf.if %sorted -> (index) { ... %copies#2[%q] } else { ... %q }
        %j = tensor.extract %ordered_columns[%q]
        %row = tensor.extract_slice %x[%j, 0] ...
        %weight = tensor.extract %weights[%e]
        ...
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] ...
    ```
  }];
  let options = [
    Option<"minRowBytes", "min-row-bytes", "int64_t", "128",
           "Bytes read of a source from which on rows are ordered">,
    Option<"minRowEdges", "min-row-edges", "int64_t", "4",
           "Edges of a row on average from which on an order is looked for">,
    Option<"cacheBytes", "cache-bytes", "int64_t", "2097152",
           "Bytes of rows of sources that the second cache holds">,
    Option<"sweeps", "sweeps", "int64_t", "2",
           "How often each node takes the label of most of its sources">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops whose rows have an order">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def OrderRowsPass : Pass<"gnn-order-rows", "::mlir::func::FuncOp"> {
  let summary = "Take rows of as many edges one after another";
  let description = [{
    A processor that adds up narrow rows of sources waits most for the ends of
    rows: it guesses wrong where a row has other than as many edges as the one
    before. Here rows are sorted by the number of their edges, `window` rows at a
    time, so that what is read and written stays near. Where rows begin and the
    sources of their edges are copied in that order and still read one after the
    other; results, and what is read of a destination, are where they were. Edges
    of a row stay in their order, so that results are the same to the bit.

    Taken are loops over rows whose results have at most `max-row-bytes`, which
    read sources of edges and nothing that is stored for edges, of graphs that do
    not change from run to run: `gnn-split-preparation`, which follows, has the
    order computed once for a graph. Reading wider rows takes longer than a wrong
    guess, and writing them out of order costs more. Loops over the same graph
    share the order. If rows have less than `min-row-edges` edges on average or are
    more than `max-rows`, which turns out at run time, they stay where they are and
    nothing is copied.

    Before:
    ```mlir
    %y = scf.forall (%i) in (%n) shared_outs(%out = %empty) ... {
      %begin = tensor.extract %pointer[%i]
      %end = tensor.extract %pointer[%next]
      %sum = scf.for %e = %begin to %end ... {
        %j = tensor.extract %columns[%e]
        ...
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] ...
    ```
    After:
    ```mlir
    %order, %copied_pointer, %copied_columns =
      scf.forall (%first) = (0) to (%n_or_0) step (256) ... {
        scf.for ...              // how many rows have how many edges
        scf.for ...              // where rows of so many edges begin
        scf.for ...              // each row to its place
        scf.for ...              // columns of the rows in their order
      }
    %ordered_pointer = scf.if %sorted ... { %copied_pointer } else { %pointer }
    %ordered_columns = scf.if %sorted ... { %copied_columns } else { %columns }
    %y = scf.forall (%p) in (%n) shared_outs(%out = %empty) ... {
      %i = scf.if %sorted -> (index) { ... %order[%p] } else { ... %p }
      %begin = tensor.extract %ordered_pointer[%p]
      %end = tensor.extract %ordered_pointer[%next]
      %sum = scf.for %e = %begin to %end ... {
        %j = tensor.extract %ordered_columns[%e]
        ...
      }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %out[%i, 0] ...
    ```
  }];
  let options = [
    Option<"window", "window", "int64_t", "256",
           "Rows that are sorted together">,
    Option<"maxRowBytes", "max-row-bytes", "int64_t", "64",
           "Bytes that the results of a row have at most">,
    Option<"minRowEdges", "min-row-edges", "int64_t", "3",
           "Edges of a row on average from which on rows are sorted">,
    Option<"maxRows", "max-rows", "int64_t", "65536",
           "Rows up to which they are sorted: results of more are best written "
           "one after the other">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops whose rows have an order">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitPreparationPass
    : Pass<"gnn-split-preparation", "::mlir::ModuleOp"> {
  let summary = "Divide a model into what graphs decide and what inputs decide";
  let description = [{
    Self loops, degrees and their inverse roots are the same in all runs on a
    graph, and weights that are rounded the same in all runs. Of each public
    function, what computes such values becomes functions of its own; the function
    takes the values as further arguments and computes the rest. Its caller may keep
    them.

    Arguments with `gnn.fixed = "graph"` are parts of graphs, those with
    `gnn.fixed = "weight"` weights. An op depends on weights alone if all that it
    reads, in its regions as well, are weights, constants and results of such ops,
    and it has no side effects; on graphs and weights likewise. Of these ops' results,
    those are passed on which the rest reads and which are

    * results of loops, of `linalg` ops with reductions, of copies, and of
      conditionals with such ops inside;
    * results of elementwise ops that divide, call functions of `math` or look
      elements up;
    * results of other elementwise ops if a loop, a product or a caller reads them,
      so that they would be stored in any case, and they take no more memory than
      what they are made of;
    * scalars that are read from a tensor, and sizes of what is not passed on itself.

    All else is cheaper than to read what was kept, or becomes part of the op that
    reads it, and is computed where it is needed: arithmetic of scalars, views,
    constant tensors, elementwise ops that only elementwise ops read. If nothing is
    worth it, the function stays as it is.

    The attribute `gnn.preparations` of the function names the new ones, what they
    take and what they return (see `gnn/Dialect/GNN/Preparation.h`). The one for
    weights ends in `.prepare_weights` and comes first, that for graphs in
    `.prepare_graphs`. LLVM is to make the latter small (`optsize`): it runs once for a
    graph, and unrolled loops take longer to compile than they save.

    Before:
    ```mlir
    func.func @f(%rows: tensor<?xi32> {gnn.fixed = "graph"}, %x: tensor<?x8xf32>) {
      %degree = linalg.generic ... { tensor.extract %rows[%i] ... }
      %norm = linalg.generic ins(%degree : ...) { math.rsqrt }
      %y = scf.forall ... { /* reads %rows, %norm and %x */ }
      return %y
    ```
    After:
    ```mlir
    func.func @f.prepare_graphs(%rows: tensor<?xi32>) -> tensor<?xf32>
        attributes {passthrough = ["noinline", "optsize"]} {
      %degree = linalg.generic ...
      %norm = linalg.generic ...
      return %norm
    }
    func.func @f(%rows: tensor<?xi32>, %x: tensor<?x8xf32>, %norm: tensor<?xf32>) {
      %y = scf.forall ...
      return %y
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"numValues", "num-values", "Number of values that are passed on">
  ];
}

#endif // GNN_CODEGEN_PREPARATION_PASSES_TD
