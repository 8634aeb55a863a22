//===- PackWeights.cpp - Weights in the layout of products ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "gnn/Codegen/Passes.h"
#include "gnn/Transforms/LinearLayers.h"
#include "gnn/Transforms/SparseMatrix.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static ElementsAttr packColumns(ElementsAttr value, ArrayRef<char> bytes,
                                StringRef name, int64_t columns) {
  auto type = cast<RankedTensorType>(value.getShapedType());
  RankedTensorType packed = getPackedType(type, columns);
  int64_t size = type.getElementTypeBitWidth() / 8;
  int64_t height = type.getDimSize(0), width = type.getDimSize(1);
  std::vector<char> data(packed.getNumElements() * size);
  for (int64_t column = 0; column < width; column += columns) {
    int64_t rest = std::min(columns, width - column);
    char *tile = data.data() + column * height * size;
    for (int64_t row = 0; row < height; ++row)
      llvm::copy(bytes.slice((row * width + column) * size, rest * size),
                 tile + row * columns * size);
  }
  return createResource(packed, (name + "_packed").str(), data);
}

/// The elements of a constant of float32 rounded and in pairs, see
/// getPairsType.
static ElementsAttr packPairs(ElementsAttr value, ArrayRef<char> bytes,
                              StringRef name, int64_t columns,
                              int64_t depthMultiple) {
  auto type = cast<RankedTensorType>(value.getShapedType());
  RankedTensorType packed = getPairsType(type, columns, depthMultiple);
  int64_t height = type.getDimSize(0), width = type.getDimSize(1);
  std::vector<uint16_t> data(packed.getNumElements());
  for (int64_t row = 0; row < height; ++row)
    for (int64_t column = 0; column < width; ++column) {
      float element;
      memcpy(&element, bytes.data() + (row * width + column) * sizeof element,
             sizeof element);
      APFloat rounded(element);
      bool losesInfo;
      rounded.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
      int64_t pair = column / columns * packed.getDimSize(1) + row / 2;
      data[(pair * columns + column % columns) * 2 + row % 2] =
          static_cast<uint16_t>(rounded.bitcastToAPInt().getZExtValue());
    }
  return createResource(
      packed, (name + "_pairs").str(),
      ArrayRef<char>(reinterpret_cast<const char *>(data.data()),
                     data.size() * sizeof(uint16_t)));
}

/// Whether all that is done with the constant is to multiply by it. Of products
/// of `sparseRows` sums of rows of the weights are made, which tiles would have
/// to be taken apart for in each run.
static bool isOnlyMultipliedBy(arith::ConstantOp op, bool isRounded,
                               bool sparseRows) {
  return !op->use_empty() && llvm::all_of(op->getUses(), [&](OpOperand &use) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!user)
      return false;
    FailureOr<MatrixProduct> product = matchMatrixProduct(user);
    if (failed(product) || product->b != &use)
      return false;
    return !(sparseRows && getSparseMatrix(product->a)) &&
           (!isRounded || canRoundFactors(*product));
  });
}

namespace {
struct PackWeightsPass
    : public gnn::impl::PackWeightsPassBase<PackWeightsPass> {
  using PackWeightsPassBase::PackWeightsPassBase;

  void runOnOperation() override {
    if (columns < 1 || narrowColumns < 0) {
      getOperation()->emitError() << "tiles must have at least one column";
      return signalPassFailure();
    }
    if (depthMultiple < 2 || depthMultiple % 2) {
      getOperation()->emitError() << "pairs fill an even number of rows";
      return signalPassFailure();
    }
    SmallVector<arith::ConstantOp> constants;
    getOperation()->walk([&](arith::ConstantOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (type && type.getRank() == 2 && isPackable(type) &&
          isOnlyMultipliedBy(op, rounded, sparseFeatures))
        constants.push_back(op);
    });
    for (arith::ConstantOp op : constants)
      pack(op);
  }

private:
  bool isPackable(RankedTensorType type) {
    if (rounded)
      return type.getElementType().isF32();
    return type.getDimSize(1) >= minimumColumns &&
           type.getElementTypeBitWidth() % 8 == 0;
  }

  void pack(arith::ConstantOp op) {
    auto value = cast<ElementsAttr>(op.getValue());
    std::optional<ConstantBytes> bytes = getConstantBytes(op);
    if (!bytes)
      return;
    OpBuilder builder(op);
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    auto [data, name] = *bytes;
    ElementsAttr packed =
        rounded ? packPairs(value, data, name, columns, depthMultiple)
                : packColumns(value, data, name,
                              getTileColumns(type.getDimSize(1), columns,
                                             narrowColumns));
    Value constant = arith::ConstantOp::create(builder, loc, packed);
    Value unpacked = rounded ? unpackPairs(builder, loc, constant, type)
                             : unpackColumns(builder, loc, constant, type);
    if (rounded)
      unpacked = convertElements<arith::ExtFOp>(builder, loc, unpacked,
                                                type.getElementType());
    op.replaceAllUsesWith(unpacked);
    op.erase();
    ++numPacked;
  }
};
} // namespace
