//===- Values.cpp - Tensors and printing ------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::interpreter;

/// What integer tensors hold before they are written: it shows in results and
/// is out of bounds wherever it is used as an index.
static constexpr int64_t kUndefinedInteger = 0xDEADBEEF;

static size_t getNumElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Tensor Tensor::getUndefined(ArrayRef<int64_t> shape, bool isFloat) {
  Tensor tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.isFloat = isFloat;
  if (isFloat)
    tensor.floats.assign(getNumElements(shape), std::nan(""));
  else
    tensor.integers.assign(getNumElements(shape), kUndefinedInteger);
  return tensor;
}

Tensor Tensor::getZero(ArrayRef<int64_t> shape, bool isFloat) {
  Tensor tensor = getUndefined(shape, isFloat);
  llvm::fill(tensor.floats, 0.0);
  llvm::fill(tensor.integers, 0);
  return tensor;
}

int64_t Tensor::getPosition(ArrayRef<int64_t> indices) const {
  assert(indices.size() == shape.size() && "one index per dimension");
  int64_t position = 0;
  for (auto [index, size] : llvm::zip(indices, shape)) {
    assert(index >= 0 && index < size && "index out of bounds");
    position = position * size + index;
  }
  return position;
}

FailureOr<int64_t> interpreter::countElements(EmitError emitError,
                                              ArrayRef<int64_t> shape) {
  // Far more than a naive interpreter can get through in reasonable time.
  constexpr int64_t kLimit = int64_t(1) << 31;
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0)
      return emitError() << "negative dimension " << size;
    if (llvm::MulOverflow(count, size, count) || count > kLimit)
      return emitError() << "more than " << kLimit
                         << " elements, too many for the interpreter";
  }
  return count;
}

bool interpreter::advance(MutableArrayRef<int64_t> indices,
                          ArrayRef<int64_t> sizes) {
  for (size_t dim = indices.size(); dim-- > 0;) {
    if (++indices[dim] < sizes[dim])
      return true;
    indices[dim] = 0;
  }
  return false;
}

static int64_t evaluateExpr(AffineExpr expr, ArrayRef<int64_t> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = evaluateExpr(binary.getLHS(), dims);
  int64_t b = evaluateExpr(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return a - b * llvm::divideFloorSigned(a, b);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(a, b);
  default:
    llvm_unreachable("neither a dimension nor of two expressions");
  }
}

SmallVector<int64_t> interpreter::apply(AffineMap map, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return evaluateExpr(expr, dims);
  });
}

int64_t interpreter::wrapToType(Type type, int64_t value) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64 || integer.getWidth() == 0)
    return value;
  if (integer.getWidth() == 1)
    return value & 1;
  return llvm::SignExtend64(value, integer.getWidth());
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printScalar(raw_ostream &os, Scalar scalar) {
  if (auto *integer = std::get_if<int64_t>(&scalar)) {
    os << *integer;
    return;
  }
  double value = std::get<double>(scalar);
  if (std::isnan(value))
    os << "nan"; // never "-nan": the sign of a NaN means nothing
  else
    os << llvm::format("%.6g", value);
}

/// Prints the elements of `tensor` from `dim` on as nested lists and leaves
/// `position` behind them.
static void printElements(raw_ostream &os, const Tensor &tensor, unsigned dim,
                          int64_t &position) {
  if (dim == tensor.shape.size()) {
    printScalar(os, tensor.get(position++));
    return;
  }
  os << "[";
  for (int64_t i = 0; i < tensor.shape[dim]; ++i) {
    if (i != 0)
      os << ", ";
    printElements(os, tensor, dim + 1, position);
  }
  os << "]";
}

void interpreter::print(raw_ostream &os, Type type, const Value &value) {
  int64_t position = 0;
  if (auto *tensor = std::get_if<Tensor>(&value)) {
    os << RankedTensorType::get(tensor->shape, getElementTypeOrSelf(type))
       << " = ";
    printElements(os, *tensor, 0, position);
  } else if (auto *edges = std::get_if<Edges>(&value)) {
    os << type << " = ";
    printElements(os, edges->values, 0, position);
  } else if (auto *graph = std::get_if<Graph>(&value)) {
    os << type << " = " << graph->numDestinations << " destinations, "
       << graph->numSources << " sources, edges [";
    llvm::interleaveComma(
        llvm::zip(graph->destinations, graph->sources), os, [&](auto edge) {
          os << std::get<0>(edge) << "<-" << std::get<1>(edge);
        });
    os << "]";
  } else if (auto *integer = std::get_if<int64_t>(&value)) {
    os << type << " = " << *integer;
  } else {
    os << type << " = ";
    printScalar(os, std::get<double>(value));
  }
}
