//===- GNNOps.td - Operations of the gnn dialect -----------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_GNNOPS_TD
#define GNN_DIALECT_GNN_GNNOPS_TD

include "gnn/Dialect/GNN/GNNGraphOps.td"
include "gnn/Dialect/GNN/GNNMessageOps.td"
include "gnn/Dialect/GNN/GNNRegionOps.td"

#endif // GNN_DIALECT_GNN_GNNOPS_TD
