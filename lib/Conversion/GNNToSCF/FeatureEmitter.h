//===- FeatureEmitter.h - What one edge contributes -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers that emit small linalg ops over the features of one node or edge.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOSCF_FEATUREEMITTER_H
#define GNN_LIB_CONVERSION_GNNTOSCF_FEATUREEMITTER_H

#include "../Common/EdgeTensors.h"
#include "../Common/ScalarEmitter.h"
#include "../Common/Slices.h"
#include "RowAccess.h"

namespace gnn {

/// A range of one feature loop; the other loops are whole.
struct FeatureTile {
  unsigned loop;
  mlir::Value offset;
  int64_t size;
};

/// Where an operand of that role has what belongs to `edge`.
llvm::ArrayRef<mlir::Value> getLeadingIndices(OperandRole role,
                                              const EdgePosition &edge);

/// Emits the value of `function`, see withEdgeTensors, for one edge: a tensor
/// of its result shape, or of the part `tile` selects.
mlir::Value emitEdgeValue(mlir::OpBuilder &builder, mlir::Location loc,
                          const EdgeFunction &function,
                          const EdgePosition &edge,
                          std::optional<FeatureTile> tile = std::nullopt);

/// Emits `value`, of the region of `function`, for one edge, where it is the
/// same for all features.
mlir::Value emitEdgeScalar(mlir::OpBuilder &builder, mlir::Location loc,
                           const EdgeFunction &function, mlir::Value value,
                           const EdgePosition &edge);

/// Emits `value`, of the region of `function`, for one edge, where it differs
/// only along some loops: a tensor of `shape`, their sizes.
mlir::Value emitEdgePart(mlir::OpBuilder &builder, mlir::Location loc,
                         const EdgeFunction &function, mlir::Value value,
                         llvm::ArrayRef<unsigned> loops,
                         llvm::ArrayRef<int64_t> shape,
                         const EdgePosition &edge);

/// tensor.empty of a static shape filled with `value`.
mlir::Value emitFilled(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<int64_t> shape, mlir::TypedAttr value);

using ScalarBodyBuilder = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// An elementwise linalg.generic over `shape`. `inputMaps` has a map per input;
/// outputs are read in full. The body gets inputs, then outputs.
llvm::SmallVector<mlir::Value>
emitElementwise(mlir::OpBuilder &builder, mlir::Location loc,
                llvm::ArrayRef<int64_t> shape, mlir::ValueRange inputs,
                llvm::ArrayRef<mlir::AffineMap> inputMaps,
                mlir::ValueRange outputs, ScalarBodyBuilder body);

/// Slice of `tensor` at leading `indices`, whole in the other dimensions but
/// for `tile`, without the leading dimensions.
mlir::Value emitRowSlice(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensor,
                         llvm::ArrayRef<mlir::Value> indices,
                         std::optional<FeatureTile> tile = std::nullopt,
                         mlir::AffineMap map = {});

/// Offsets, sizes and strides of such a slice.
SliceParameters getRowSlice(mlir::OpBuilder &builder,
                            mlir::RankedTensorType type,
                            llvm::ArrayRef<mlir::Value> indices,
                            std::optional<FeatureTile> tile,
                            mlir::AffineMap map);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOSCF_FEATUREEMITTER_H
