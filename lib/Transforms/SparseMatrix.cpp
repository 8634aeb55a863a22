//===- SparseMatrix.cpp - Dense tensors of listed edge values --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Transforms/SparseMatrix.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn;

std::optional<SparseMatrix> gnn::getSparseMatrix(Value tensor) {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    tensor = cast.getSource();
  auto dense = tensor.getDefiningOp<EdgesToTensorOp>();
  if (!dense)
    return std::nullopt;
  auto spread = dense.getEdges().getDefiningOp<SpreadEdgesOp>();
  if (!spread || spread.getTarget() != dense.getGraph() ||
      spread.getTarget().getType().getTopology() != Topology::Complete ||
      spread.getGraph().getType().getTopology() != Topology::CSR ||
      !spread.getEdges().getType().getShape().empty())
    return std::nullopt;
  return SparseMatrix{spread.getGraph(), spread.getEdges()};
}
