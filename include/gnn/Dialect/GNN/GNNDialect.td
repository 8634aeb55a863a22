//===- GNNDialect.td - The gnn dialect ---------------------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_GNNDIALECT_TD
#define GNN_DIALECT_GNN_GNNDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"

def GNN_Dialect : Dialect {
  let name = "gnn";
  let cppNamespace = "::gnn";
  let summary = "Message passing over graphs whose topology is part of a type";
  let description = [{
    The `gnn` dialect expresses neural networks over graphs as *message,
    aggregate, update*. Which edges exist is said by the type of the graph, not
    by the ops: dot-product attention written once is a transformer layer on
    `!gnn.graph<complete>` and a graph attention layer on `!gnn.graph<csr>`, and
    is lowered to matrix products or to gathers accordingly.

    Edges point from a *source* to a *destination*; messages are aggregated at
    destinations. The meaning of every op is defined in `docs/spec.md`, which a
    float64 interpreter executes.

    Function arguments and results of a model carry discardable attributes:
    `gnn.name` (string), `gnn.axis` (what the leading dimension counts:
    `"source"`, `"destination"`, `"edge"` or `"any"`) and `gnn.graph` (which of
    the arguments of graph type `gnn.axis` refers to, from 0). On a graph they
    say which nodes of an earlier graph its sources are, or its destinations if it
    has `gnn.columns` (integer): then it is a sparse matrix with a row per
    destination and so many columns, which are its sources, and the caller passes
    its entries as a tensor with a value per edge. In models whose
    nodes have types, `gnn.node_types` (array of strings) names those of a graph's
    sources and destinations, or that of a tensor's rows; a graph argument that
    is composed of others, a meta-path, has their numbers among the graphs before
    it as `gnn.path` (array of integers). `gnn.limit` on an argument says what the
    caller must keep and the runtime checks: elements of a tensor of integers are
    at least 0 and below it (or, if it is an array of 32-bit integers, below that of
    their column), segments of a block-diagonal graph have at most so
    many nodes, as has a graph of any other topology. An argument that stands for
    a weight has the weight's value as `gnn.weight`, see
    `-gnn-externalize-weights`. The function carries
    `gnn.model` (the model's name) and `gnn.layers` (one string per layer).

    Sigmoids, and softmaxes that are lowered, mark each `math.exp` or `math.exp2` as
    `gnn.never_positive` (unit): its operand is at most 0, or NaN, see
    `-gnn-approximate-math`; softplus marks each `math.log1p` of such an exponential
    as `gnn.unit_interval` (unit): its operand is from 0 to 1, or NaN. Softmaxes also
    mark exponentials as `gnn.bounded` (unit): the logarithm of its result
    is between -80 and 80, or NaN, see `-gnn-bound-dot-products`; and each
    `arith.maximumf` of scores as `gnn.ignores_nan` (unit) where the sum has NaN in
    any case, see `-gnn-ignore-nan`. A lowered loop over destinations that takes
    some of them at a time is marked as `gnn.any_row_order` (unit, on `scf.forall`):
    what it computes of a destination depends on the edges of that one, and on
    others only in how it is rounded, see `-gnn-cluster-rows`. `gnn.attention` that is
    marked as `gnn.by_rows` (unit) computes each destination of a block-diagonal graph
    by itself, not several in a tile, see `-gnn-specialize-readouts`.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    void registerTypes();

    /// Names of the discardable attributes of a model function.
    static constexpr ::llvm::StringLiteral kNameAttr = "gnn.name";
    static constexpr ::llvm::StringLiteral kAxisAttr = "gnn.axis";
    static constexpr ::llvm::StringLiteral kGraphAttr = "gnn.graph";
    static constexpr ::llvm::StringLiteral kColumnsAttr = "gnn.columns";
    static constexpr ::llvm::StringLiteral kNodeTypesAttr = "gnn.node_types";
    static constexpr ::llvm::StringLiteral kPathAttr = "gnn.path";
    static constexpr ::llvm::StringLiteral kLimitAttr = "gnn.limit";
    static constexpr ::llvm::StringLiteral kWeightAttr = "gnn.weight";
    static constexpr ::llvm::StringLiteral kModelAttr = "gnn.model";
    static constexpr ::llvm::StringLiteral kLayersAttr = "gnn.layers";
    /// Of a module with code for a GPU: its kernels, in the order of their
    /// numbers, each {name = "...", shared_bytes = N : i64}.
    static constexpr ::llvm::StringLiteral kKernelsAttr = "gnn.kernels";
    /// Of a module with code for a GPU: what the device loads, PTX or machine
    /// code as a string.
    static constexpr ::llvm::StringLiteral kDeviceImageAttr =
        "gnn.device_image";
    /// Of a function that the emulator of GPUs calls.
    static constexpr ::llvm::StringLiteral kEmulatedKernelAttr =
        "gnn.emulated_kernel";
    /// Both on math.exp.
    static constexpr ::llvm::StringLiteral kNeverPositiveAttr =
        "gnn.never_positive";
    static constexpr ::llvm::StringLiteral kBoundedAttr = "gnn.bounded";
    static constexpr ::llvm::StringLiteral kByRowsAttr = "gnn.by_rows";
    static constexpr ::llvm::StringLiteral kUnitIntervalAttr =
        "gnn.unit_interval";
    /// On arith.maximumf: NaN may be ignored, as the result has it in any case.
    static constexpr ::llvm::StringLiteral kIgnoresNaNAttr =
        "gnn.ignores_nan";
    /// On scf.forall: its rows may be numbered in any way.
    static constexpr ::llvm::StringLiteral kAnyRowOrderAttr =
        "gnn.any_row_order";
  }];
}

#endif // GNN_DIALECT_GNN_GNNDIALECT_TD
