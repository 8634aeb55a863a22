//===- GNNOpBase.td - What all operations have -------------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_GNNOPBASE_TD
#define GNN_DIALECT_GNN_GNNOPBASE_TD

include "gnn/Dialect/GNN/GNNTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class GNN_Op<string mnemonic, list<Trait> traits = []>
    : Op<GNN_Dialect, mnemonic, traits>;

/// What `uniform` operands may be: the same value for all nodes and edges.
def GNN_Uniform : AnyTypeOf<[AnyRankedTensor, AnyFloat, AnySignlessInteger,
                             Index]>;

#endif // GNN_DIALECT_GNN_GNNOPBASE_TD
