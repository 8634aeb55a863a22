//===- Elementwise.cpp - Constants, arith and math --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace gnn;
using namespace gnn::interpreter;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static double toDouble(APFloat value) {
  bool losesInformation;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInformation);
  return value.convertToDouble();
}

static int64_t toInteger(Type type, const APInt &value) {
  return wrapToType(type, value.getSExtValue());
}

/// Elements of a resource lie in its blob as in memory: whole bytes, in the
/// host's byte order.
static LogicalResult readResource(Operation *op,
                                  DenseResourceElementsAttr attribute,
                                  Tensor &tensor) {
  AsmResourceBlob *blob = attribute.getRawHandle().getBlob();
  if (!blob)
    return op->emitError() << "the resource '"
                           << attribute.getRawHandle().getKey()
                           << "' of a constant has no data";
  Type elementType = attribute.getElementType();
  unsigned width =
      elementType.isIndex() ? 64 : elementType.getIntOrFloatBitWidth();
  size_t numBytes = llvm::divideCeil(width, 8);
  ArrayRef<char> data = blob->getData();
  if (width > 64 || data.size() != numBytes * tensor.size())
    return op->emitError() << "the resource '"
                           << attribute.getRawHandle().getKey()
                           << "' must hold " << numBytes * tensor.size()
                           << " bytes, got " << data.size();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, data.data() + i * numBytes, numBytes);
    APInt value(width, bits, /*isSigned=*/false, /*implicitTrunc=*/true);
    if (auto floatType = dyn_cast<FloatType>(elementType))
      tensor.floats[i] =
          toDouble(APFloat(floatType.getFloatSemantics(), value));
    else
      tensor.integers[i] = toInteger(elementType, value);
  }
  return success();
}

/// Scalar holds what fits into 64 bits.
static LogicalResult verifyWidth(Operation *op, Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!integer || (integer.getWidth() >= 1 && integer.getWidth() <= 64))
    return success();
  return op->emitError() << "the interpreter knows integers of 1 to 64 bits, "
                            "got "
                         << integer;
}

LogicalResult Evaluator::evaluateConstant(Operation *op, TypedAttr attribute) {
  if (failed(verifyWidth(op, attribute.getType())))
    return failure();
  mlir::Value result = op->getResult(0);
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    set(result, Value(toInteger(integer.getType(), integer.getValue())));
    return success();
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    set(result, Value(toDouble(number.getValue())));
    return success();
  }
  auto type = dyn_cast<RankedTensorType>(attribute.getType());
  if (!type || !type.getElementType().isIntOrIndexOrFloat())
    return op->emitError() << "the interpreter reads constants that are "
                              "numbers or tensors of numbers, got "
                           << attribute.getType();
  if (failed(countElements([&] { return op->emitError(); }, type.getShape())))
    return failure();
  Tensor tensor = Tensor::getUndefined(type.getShape(),
                                       isa<FloatType>(type.getElementType()));
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attribute)) {
    if (tensor.isFloat)
      for (auto [i, value] : llvm::enumerate(dense.getValues<APFloat>()))
        tensor.floats[i] = toDouble(value);
    else
      for (auto [i, value] : llvm::enumerate(dense.getValues<APInt>()))
        tensor.integers[i] = toInteger(type.getElementType(), value);
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    if (failed(readResource(op, resource, tensor)))
      return failure();
  } else {
    return op->emitError()
           << "the interpreter reads dense and dense_resource constants only";
  }
  set(result, Value(std::move(tensor)));
  return success();
}

//===----------------------------------------------------------------------===//
// Scalar functions
//===----------------------------------------------------------------------===//

using UnaryFunction = double (*)(double);
using BinaryFunction = double (*)(double, double);
/// Integers as Scalar holds them; the result is wrapped by the caller.
using IntegerFunction = int64_t (*)(int64_t, int64_t);

/// Integer division by zero, and of the least value by -1, is undefined.
static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

static bool isShift(Operation *op) {
  return isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
}

/// arith.maximumf: NaN if either is, and +0 is larger than -0.
static double getMaximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

static double getMinimum(double a, double b) { return -getMaximum(-a, -b); }

static UnaryFunction getUnaryFunction(Operation *op) {
  return llvm::StringSwitch<UnaryFunction>(op->getName().getStringRef())
      .Case("arith.negf", [](double a) { return -a; })
      .Case("arith.extf", [](double a) { return a; })
      .Case("math.absf", [](double a) { return std::fabs(a); })
      .Case("math.ceil", [](double a) { return std::ceil(a); })
      .Case("math.cos", [](double a) { return std::cos(a); })
      .Case("math.erf", [](double a) { return std::erf(a); })
      .Case("math.erfc", [](double a) { return std::erfc(a); })
      .Case("math.exp", [](double a) { return std::exp(a); })
      .Case("math.exp2", [](double a) { return std::exp2(a); })
      .Case("math.expm1", [](double a) { return std::expm1(a); })
      .Case("math.floor", [](double a) { return std::floor(a); })
      .Case("math.log", [](double a) { return std::log(a); })
      .Case("math.log10", [](double a) { return std::log10(a); })
      .Case("math.log1p", [](double a) { return std::log1p(a); })
      .Case("math.log2", [](double a) { return std::log2(a); })
      .Case("math.round", [](double a) { return std::round(a); })
      .Case("math.roundeven", [](double a) { return std::nearbyint(a); })
      .Case("math.rsqrt", [](double a) { return 1 / std::sqrt(a); })
      .Case("math.sin", [](double a) { return std::sin(a); })
      .Case("math.sqrt", [](double a) { return std::sqrt(a); })
      .Case("math.tanh", [](double a) { return std::tanh(a); })
      .Default(nullptr);
}

static BinaryFunction getBinaryFunction(Operation *op) {
  return llvm::StringSwitch<BinaryFunction>(op->getName().getStringRef())
      .Case("arith.addf", [](double a, double b) { return a + b; })
      .Case("arith.subf", [](double a, double b) { return a - b; })
      .Case("arith.mulf", [](double a, double b) { return a * b; })
      .Case("arith.divf", [](double a, double b) { return a / b; })
      .Case("arith.remf", [](double a, double b) { return std::fmod(a, b); })
      .Case("arith.maximumf", getMaximum)
      .Case("arith.minimumf", getMinimum)
      .Case("arith.maxnumf", [](double a, double b) { return std::fmax(a, b); })
      .Case("arith.minnumf", [](double a, double b) { return std::fmin(a, b); })
      .Case("math.powf", [](double a, double b) { return std::pow(a, b); })
      .Case("math.copysign",
            [](double a, double b) { return std::copysign(a, b); })
      .Default(nullptr);
}

/// Functions of two integers that are signed, unsigned or neither; operands of
/// an unsigned one are zero-extended, those of the others sign-extended.
static IntegerFunction getIntegerFunction(Operation *op, bool &isUnsigned) {
  using Unsigned = uint64_t;
  isUnsigned = isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp,
                   arith::MaxUIOp, arith::MinUIOp, arith::ShRUIOp>(op);
  return llvm::StringSwitch<IntegerFunction>(op->getName().getStringRef())
      // Overflow wraps, so these are computed without a sign.
      .Case("arith.addi",
            [](int64_t a, int64_t b) {
              return int64_t(Unsigned(a) + Unsigned(b));
            })
      .Case("arith.subi",
            [](int64_t a, int64_t b) {
              return int64_t(Unsigned(a) - Unsigned(b));
            })
      .Case("arith.muli",
            [](int64_t a, int64_t b) {
              return int64_t(Unsigned(a) * Unsigned(b));
            })
      .Case("arith.divsi", [](int64_t a, int64_t b) { return a / b; })
      .Case("arith.remsi", [](int64_t a, int64_t b) { return a % b; })
      .Case("arith.floordivsi",
            [](int64_t a, int64_t b) { return llvm::divideFloorSigned(a, b); })
      .Case("arith.ceildivsi",
            [](int64_t a, int64_t b) { return llvm::divideCeilSigned(a, b); })
      .Case("arith.divui",
            [](int64_t a, int64_t b) {
              return int64_t(Unsigned(a) / Unsigned(b));
            })
      .Case("arith.remui",
            [](int64_t a, int64_t b) {
              return int64_t(Unsigned(a) % Unsigned(b));
            })
      .Case("arith.ceildivui",
            [](int64_t a, int64_t b) {
              return int64_t(llvm::divideCeil(Unsigned(a), Unsigned(b)));
            })
      .Case("arith.andi", [](int64_t a, int64_t b) { return a & b; })
      .Case("arith.ori", [](int64_t a, int64_t b) { return a | b; })
      .Case("arith.xori", [](int64_t a, int64_t b) { return a ^ b; })
      .Case("arith.shli",
            [](int64_t a, int64_t b) { return int64_t(Unsigned(a) << b); })
      .Case("arith.shrsi", [](int64_t a, int64_t b) { return a >> b; })
      .Case("arith.shrui",
            [](int64_t a, int64_t b) { return int64_t(Unsigned(a) >> b); })
      .Case("arith.maxsi", [](int64_t a, int64_t b) { return std::max(a, b); })
      .Case("arith.minsi", [](int64_t a, int64_t b) { return std::min(a, b); })
      .Case("arith.maxui",
            [](int64_t a, int64_t b) {
              return int64_t(std::max(Unsigned(a), Unsigned(b)));
            })
      .Case("arith.minui",
            [](int64_t a, int64_t b) {
              return int64_t(std::min(Unsigned(a), Unsigned(b)));
            })
      .Default(nullptr);
}

static unsigned getWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// The value of an integer as stored in Scalar, where an i1 is 0 or 1.
static int64_t toSigned(Type type, int64_t value) {
  return llvm::SignExtend64(value, getWidth(type));
}

static int64_t toUnsigned(Type type, int64_t value) {
  return value & int64_t(llvm::maskTrailingOnes<uint64_t>(getWidth(type)));
}

//===----------------------------------------------------------------------===//
// Comparisons and casts
//===----------------------------------------------------------------------===//

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool isUnordered = std::isnan(a) || std::isnan(b);
  using Predicate = arith::CmpFPredicate;
  switch (predicate) {
  case Predicate::AlwaysFalse:
    return false;
  case Predicate::AlwaysTrue:
    return true;
  case Predicate::ORD:
    return !isUnordered;
  case Predicate::UNO:
    return isUnordered;
  case Predicate::OEQ:
    return a == b;
  case Predicate::UEQ:
    return isUnordered || a == b;
  case Predicate::ONE:
    return !isUnordered && a != b;
  case Predicate::UNE:
    return a != b;
  case Predicate::OLT:
    return a < b;
  case Predicate::ULT:
    return isUnordered || a < b;
  case Predicate::OLE:
    return a <= b;
  case Predicate::ULE:
    return isUnordered || a <= b;
  case Predicate::OGT:
    return a > b;
  case Predicate::UGT:
    return isUnordered || a > b;
  case Predicate::OGE:
    return a >= b;
  case Predicate::UGE:
    return isUnordered || a >= b;
  }
  llvm_unreachable("covered switch");
}

static bool compare(arith::CmpIPredicate predicate, Type type, int64_t left,
                    int64_t right) {
  int64_t a = toSigned(type, left), b = toSigned(type, right);
  uint64_t u = toUnsigned(type, left), v = toUnsigned(type, right);
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::eq:
    return a == b;
  case Predicate::ne:
    return a != b;
  case Predicate::slt:
    return a < b;
  case Predicate::sle:
    return a <= b;
  case Predicate::sgt:
    return a > b;
  case Predicate::sge:
    return a >= b;
  case Predicate::ult:
    return u < v;
  case Predicate::ule:
    return u <= v;
  case Predicate::ugt:
    return u > v;
  case Predicate::uge:
    return u >= v;
  }
  llvm_unreachable("covered switch");
}

/// Float to integer: undefined where the truncated value does not fit.
static FailureOr<Scalar> castToInteger(Operation *op, Type type, double value,
                                       bool isUnsigned) {
  double truncated = std::trunc(value);
  unsigned width = getWidth(type);
  double least = isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
  double limit = std::ldexp(1.0, isUnsigned ? width : width - 1);
  bool fits = truncated >= least && truncated < limit; // NaN does not.
  if (!fits)
    return op->emitOpError() << "takes a value that " << type
                             << " cannot hold, which is undefined";
  int64_t integer =
      isUnsigned ? int64_t(uint64_t(truncated)) : int64_t(truncated);
  return Scalar(wrapToType(type, integer));
}

/// What arith.truncf makes of a float: numbers of 16 bits are what factors of
/// products are rounded to, all others are computed in float64.
static double round(FloatType type, double value) {
  if (type.getWidth() > 16)
    return value;
  APFloat number(value);
  bool losesInformation;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInformation);
  return toDouble(number);
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

/// What `op` computes from one element of each operand.
static FailureOr<Scalar> evaluateScalar(Operation *op,
                                        ArrayRef<Scalar> operands) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  Type operandType = getElementTypeOrSelf(op->getOperand(0).getType());
  auto getFloat = [&](unsigned i) { return std::get<double>(operands[i]); };
  auto getInteger = [&](unsigned i) { return std::get<int64_t>(operands[i]); };

  if (isa<arith::SelectOp>(op))
    return operands[getInteger(0) ? 1 : 2];
  if (auto compareOp = dyn_cast<arith::CmpFOp>(op))
    return Scalar(
        int64_t(compare(compareOp.getPredicate(), getFloat(0), getFloat(1))));
  if (auto compareOp = dyn_cast<arith::CmpIOp>(op))
    return Scalar(int64_t(compare(compareOp.getPredicate(), operandType,
                                  getInteger(0), getInteger(1))));
  if (isa<arith::TruncFOp>(op))
    return Scalar(round(cast<FloatType>(type), getFloat(0)));
  if (isa<arith::BitcastOp>(op) && operandType.isF32() && type.isInteger(32))
    return Scalar(
        int64_t(llvm::bit_cast<int32_t>(static_cast<float>(getFloat(0)))));
  if (isa<arith::BitcastOp>(op) && operandType.isInteger(32) && type.isF32())
    return Scalar(
        double(llvm::bit_cast<float>(static_cast<int32_t>(getInteger(0)))));
  if (isa<arith::SIToFPOp>(op))
    return Scalar(double(toSigned(operandType, getInteger(0))));
  if (isa<arith::UIToFPOp>(op))
    return Scalar(double(uint64_t(toUnsigned(operandType, getInteger(0)))));
  if (isa<arith::FPToSIOp>(op))
    return castToInteger(op, type, getFloat(0), /*isUnsigned=*/false);
  if (isa<arith::FPToUIOp>(op))
    return castToInteger(op, type, getFloat(0), /*isUnsigned=*/true);
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return Scalar(wrapToType(type, toSigned(operandType, getInteger(0))));
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op))
    return Scalar(wrapToType(type, toUnsigned(operandType, getInteger(0))));
  if (isa<math::CountLeadingZerosOp>(op)) {
    uint64_t value = toUnsigned(operandType, getInteger(0));
    return Scalar(
        int64_t(llvm::countl_zero(value) + getWidth(operandType) - 64));
  }
  if (isa<math::AbsIOp>(op)) {
    int64_t value = toSigned(operandType, getInteger(0));
    return Scalar(
        wrapToType(type, value < 0 ? int64_t(-uint64_t(value)) : value));
  }
  if (isa<math::FmaOp>(op))
    return Scalar(std::fma(getFloat(0), getFloat(1), getFloat(2)));
  if (UnaryFunction unary = getUnaryFunction(op))
    return Scalar(unary(getFloat(0)));
  if (BinaryFunction binary = getBinaryFunction(op))
    return Scalar(binary(getFloat(0), getFloat(1)));
  bool isUnsigned;
  if (IntegerFunction integer = getIntegerFunction(op, isUnsigned)) {
    auto extend = isUnsigned ? toUnsigned : toSigned;
    int64_t a = extend(operandType, getInteger(0));
    int64_t b = extend(operandType, getInteger(1));
    if (isDivision(op) && b == 0)
      return op->emitOpError() << "divides by zero";
    if (isDivision(op) && !isUnsigned && b == -1 &&
        a == toSigned(operandType,
                      int64_t(uint64_t(1) << (getWidth(operandType) - 1))))
      return op->emitOpError() << "overflows dividing " << a << " by -1";
    if (isShift(op) &&
        uint64_t(toUnsigned(operandType, b)) >= getWidth(operandType))
      return op->emitOpError() << "shifts by " << b << ", more than the "
                               << getWidth(operandType) << " bits there are";
    return Scalar(wrapToType(type, integer(a, b)));
  }
  return op->emitError() << "the interpreter does not know '" << op->getName()
                         << "'";
}

//===----------------------------------------------------------------------===//
// Scalars and tensors
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::evaluateElementwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return op->emitError() << "the interpreter does not know '" << op->getName()
                           << "'";
  for (Type type : op->getOperandTypes())
    if (failed(verifyWidth(op, type)))
      return failure();
  if (failed(verifyWidth(op, op->getResult(0).getType())))
    return failure();
  SmallVector<Scalar> operands(op->getNumOperands());
  const Tensor *model = nullptr;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    auto *tensor = std::get_if<Tensor>(&get(operand));
    if (!tensor) {
      operands[i] = getScalar(operand);
      continue;
    }
    if (model && model->shape != tensor->shape)
      return op->emitOpError() << "operands differ in shape: [" << model->shape
                               << "] and [" << tensor->shape << "]";
    model = tensor;
  }
  if (!model) {
    FailureOr<Scalar> result = evaluateScalar(op, operands);
    if (failed(result))
      return failure();
    set(op->getResult(0), *result);
    return success();
  }
  Tensor result = Tensor::getUndefined(
      model->shape,
      isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())));
  for (int64_t position = 0; position < result.size(); ++position) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (auto *tensor = std::get_if<Tensor>(&get(operand)))
        operands[i] = tensor->get(position);
    FailureOr<Scalar> element = evaluateScalar(op, operands);
    if (failed(element))
      return failure();
    result.set(position, *element);
  }
  set(op->getResult(0), Value(std::move(result)));
  return success();
}
