//===- PackWeights.cpp - Weights in the layout of products ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace gnn {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The bytes of a constant that is worth packing, and its name if it has one.
static std::optional<std::pair<ArrayRef<char>, StringRef>>
getBytes(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    return std::make_pair(blob->getData(), resource.getRawHandle().getKey());
  }
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || elements.isSplat())
    return std::nullopt;
  return std::make_pair(elements.getRawData(), StringRef("weight"));
}

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
  return DenseResourceElementsAttr::get(
      packed, (name + "_packed").str(),
      HeapAsmResourceBlob::allocateAndCopyWithAlign(data, /*align=*/64,
                                                    /*dataIsMutable=*/false));
}

/// Whether all that is done with the constant is to multiply by it.
static bool isOnlyMultipliedBy(arith::ConstantOp op) {
  return !op->use_empty() && llvm::all_of(op->getUses(), [](OpOperand &use) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!user)
      return false;
    FailureOr<MatrixProduct> product = matchMatrixProduct(user);
    return succeeded(product) && product->b == &use;
  });
}

namespace {
struct PackWeightsPass
    : public gnn::impl::PackWeightsPassBase<PackWeightsPass> {
  using PackWeightsPassBase::PackWeightsPassBase;

  void runOnOperation() override {
    if (columns < 1) {
      getOperation()->emitError() << "tiles must have at least one column";
      return signalPassFailure();
    }
    SmallVector<arith::ConstantOp> constants;
    getOperation()->walk([&](arith::ConstantOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (type && type.getRank() == 2 && type.getDimSize(1) >= minimumColumns &&
          type.getElementTypeBitWidth() % 8 == 0 && isOnlyMultipliedBy(op))
        constants.push_back(op);
    });
    for (arith::ConstantOp op : constants)
      pack(op);
  }

private:
  void pack(arith::ConstantOp op) {
    auto value = cast<ElementsAttr>(op.getValue());
    auto bytes = getBytes(value);
    if (!bytes)
      return;
    OpBuilder builder(op);
    ElementsAttr packed =
        packColumns(value, bytes->first, bytes->second, columns);
    Value constant = arith::ConstantOp::create(builder, op.getLoc(), packed);
    op.replaceAllUsesWith(unpackColumns(builder, op.getLoc(), constant,
                                        cast<RankedTensorType>(op.getType())));
    op.erase();
    ++numPacked;
  }
};
} // namespace
