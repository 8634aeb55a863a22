//===- GNNRegionOps.td - Operations inside of others -------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_GNNREGIONOPS_TD
#define GNN_DIALECT_GNN_GNNREGIONOPS_TD

include "gnn/Dialect/GNN/GNNOpBase.td"

//===----------------------------------------------------------------------===//
// Inside regions
//===----------------------------------------------------------------------===//

def GNN_IndexOp : GNN_Op<"index", [Pure, ParentOneOf<["MessageOp",
    "MessageAggregateOp", "AttentionOp", "TopKGraphOp"]>]> {
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
                 "TopKGraphOp", "UpdateOp"]>]> {
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
                 "TopKGraphOp", "UpdateOp"]>]> {
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
                 "TopKGraphOp", "UpdateOp"]>]> {
  let summary = "the scalar a region computes";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // GNN_DIALECT_GNN_GNNREGIONOPS_TD
