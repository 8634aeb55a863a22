//===- TensorOps.cpp - The tensor dialect -----------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::interpreter;

static bool hasFloats(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// `indices` must lie in `shape`.
static LogicalResult verifyIndices(Operation *op, ArrayRef<int64_t> indices,
                                   ArrayRef<int64_t> shape) {
  for (auto [dim, index] : llvm::enumerate(indices))
    if (index < 0 || index >= shape[dim])
      return op->emitOpError()
             << "reads or writes index " << index << " of dimension " << dim
             << ", which has extent " << shape[dim];
  return success();
}

/// The actual shape must be what `type` says, where it says something.
static LogicalResult verifyActualShape(Operation *op, ArrayRef<int64_t> shape,
                                       Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return op->emitOpError()
           << "result must be ranked for the interpreter, got " << type;
  if (succeeded(verifyCompatibleShape(shape, tensorType.getShape())))
    return success();
  return op->emitOpError() << "result must be " << type
                           << ", but its actual shape is [" << shape << "]";
}

LogicalResult Evaluator::evaluateTensor(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tensor::EmptyOp op) { return evaluateEmpty(op); })
      .Case([&](tensor::DimOp op) { return evaluateDim(op); })
      .Case([&](tensor::ExtractOp op) { return evaluateExtract(op); })
      .Case([&](tensor::InsertOp op) { return evaluateInsert(op); })
      .Case([&](tensor::ExpandShapeOp op) { return evaluateExpandShape(op); })
      .Case(
          [&](tensor::CollapseShapeOp op) { return evaluateCollapseShape(op); })
      .Case([&](tensor::ReshapeOp op) { return evaluateReshape(op); })
      .Case([&](tensor::ExtractSliceOp op) { return evaluateExtractSlice(op); })
      .Case([&](tensor::InsertSliceOp op) { return evaluateInsertSlice(op); })
      .Case([&](tensor::ConcatOp op) { return evaluateConcat(op); })
      .Case([&](tensor::SplatOp op) { return evaluateSplat(op); })
      .Case([&](tensor::FromElementsOp op) { return evaluateFromElements(op); })
      .Case([&](tensor::CastOp op) { return evaluateCast(op); })
      .Case([&](tensor::GenerateOp op) { return evaluateGenerate(op); })
      .Default([](Operation *op) {
        return op->emitError()
               << "the interpreter does not know '" << op->getName() << "'";
      });
}

/// Sizes of a result whose dynamic extents are given by `dynamicSizes`.
static SmallVector<int64_t> fillDynamic(RankedTensorType type,
                                        ArrayRef<int64_t> dynamicSizes) {
  SmallVector<int64_t> shape(type.getShape());
  const int64_t *next = dynamicSizes.begin();
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = *next++;
  return shape;
}

template <typename AllocatingOp>
LogicalResult Evaluator::setUndefined(AllocatingOp op) {
  SmallVector<int64_t> shape =
      fillDynamic(op.getType(), getIntegers(op.getDynamicSizes()));
  if (failed(countElements([&] { return op.emitOpError(); }, shape)))
    return failure();
  set(op.getResult(),
      Value(Tensor::getUndefined(shape, hasFloats(op.getType()))));
  return success();
}

LogicalResult Evaluator::evaluateEmpty(tensor::EmptyOp op) {
  return setUndefined(op);
}

LogicalResult Evaluator::evaluateAlloc(bufferization::AllocTensorOp op) {
  if (op.getCopy()) {
    set(op.getResult(), get(op.getCopy()));
    return success();
  }
  return setUndefined(op);
}

LogicalResult Evaluator::evaluateDim(tensor::DimOp op) {
  const Tensor &source = getTensor(op.getSource());
  int64_t dim = getInteger(op.getIndex());
  if (dim < 0 || dim >= int64_t(source.shape.size()))
    return op.emitOpError() << "asks for dimension " << dim
                            << " of a tensor of rank " << source.shape.size();
  set(op.getResult(), Value(source.shape[dim]));
  return success();
}

LogicalResult Evaluator::evaluateExtract(tensor::ExtractOp op) {
  const Tensor &source = getTensor(op.getTensor());
  SmallVector<int64_t> indices = getIntegers(op.getIndices());
  if (failed(verifyIndices(op, indices, source.shape)))
    return failure();
  set(op.getResult(), source.get(source.getPosition(indices)));
  return success();
}

LogicalResult Evaluator::evaluateInsert(tensor::InsertOp op) {
  Tensor result = getTensor(op.getDest());
  SmallVector<int64_t> indices = getIntegers(op.getIndices());
  if (failed(verifyIndices(op, indices, result.shape)))
    return failure();
  result.set(result.getPosition(indices), getScalar(op.getScalar()));
  set(op.getResult(), Value(std::move(result)));
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::evaluateExpandShape(tensor::ExpandShapeOp op) {
  Tensor result = getTensor(op.getSrc());
  SmallVector<int64_t> shape = getIntegers(op.getMixedOutputShape());
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t product = 1;
    for (int64_t expanded : group)
      product *= shape[expanded];
    if (product != result.shape[dim])
      return op.emitOpError() << "expands dimension " << dim << " of extent "
                              << result.shape[dim]
                              << " into extents with the product " << product;
  }
  result.shape = shape;
  set(op.getResult(), Value(std::move(result)));
  return success();
}

LogicalResult Evaluator::evaluateCollapseShape(tensor::CollapseShapeOp op) {
  Tensor result = getTensor(op.getSrc());
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    int64_t product = 1;
    for (int64_t collapsed : group)
      product *= result.shape[collapsed];
    shape.push_back(product);
  }
  result.shape = shape;
  set(op.getResult(), Value(std::move(result)));
  return success();
}

LogicalResult Evaluator::evaluateReshape(tensor::ReshapeOp op) {
  Tensor result = getTensor(op.getSource());
  ArrayRef<int64_t> shape = getTensor(op.getShape()).integers;
  FailureOr<int64_t> count =
      countElements([&] { return op.emitOpError(); }, shape);
  if (failed(count))
    return failure();
  if (*count != result.size())
    return op.emitOpError() << "makes [" << result.shape << "] into [" << shape
                            << "], which has another number of elements";
  result.shape.assign(shape.begin(), shape.end());
  set(op.getResult(), Value(std::move(result)));
  return success();
}

LogicalResult Evaluator::evaluateCast(tensor::CastOp op) {
  const Tensor &source = getTensor(op.getSource());
  if (failed(verifyActualShape(op, source.shape, op.getType())))
    return failure();
  set(op.getResult(), Value(source));
  return success();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// A strided box inside a tensor.
struct Slice {
  SmallVector<int64_t> offsets, sizes, strides;

  LogicalResult verify(Operation *op, ArrayRef<int64_t> shape) const {
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      int64_t first = offsets[dim];
      int64_t last = first + (sizes[dim] - 1) * strides[dim];
      if (sizes[dim] < 0 || first < 0 || first > extent ||
          (sizes[dim] > 0 && (first >= extent || last < 0 || last >= extent)))
        return op->emitOpError()
               << "slice of dimension " << dim << " is out of bounds: offset "
               << first << ", size " << sizes[dim] << ", stride "
               << strides[dim] << " of extent " << extent;
    }
    return success();
  }

  bool isEmpty() const { return llvm::is_contained(sizes, 0); }

  SmallVector<int64_t> getIndices(ArrayRef<int64_t> position) const {
    SmallVector<int64_t> indices;
    for (auto [offset, stride, i] : llvm::zip(offsets, strides, position))
      indices.push_back(offset + i * stride);
    return indices;
  }

  /// The sizes without the dimensions that rank reduction drops.
  SmallVector<int64_t> getShape(const llvm::SmallBitVector &dropped) const {
    SmallVector<int64_t> shape;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!dropped.test(dim))
        shape.push_back(size);
    return shape;
  }
};
} // namespace

LogicalResult Evaluator::evaluateExtractSlice(tensor::ExtractSliceOp op) {
  const Tensor &source = getTensor(op.getSource());
  Slice slice{getIntegers(op.getMixedOffsets()),
              getIntegers(op.getMixedSizes()),
              getIntegers(op.getMixedStrides())};
  if (failed(slice.verify(op, source.shape)))
    return failure();
  Tensor result =
      Tensor::getUndefined(slice.getShape(op.getDroppedDims()), source.isFloat);
  SmallVector<int64_t> position(slice.sizes.size(), 0);
  int64_t next = 0;
  if (!slice.isEmpty())
    do
      result.set(next++,
                 source.get(source.getPosition(slice.getIndices(position))));
    while (advance(position, slice.sizes));
  set(op.getResult(), Value(std::move(result)));
  return success();
}

template <typename InsertOp>
LogicalResult Evaluator::insertSlice(InsertOp op, Tensor &result) {
  const Tensor &source = getTensor(op.getSource());
  Slice slice{getIntegers(op.getMixedOffsets()),
              getIntegers(op.getMixedSizes()),
              getIntegers(op.getMixedStrides())};
  if (failed(slice.verify(op, result.shape)))
    return failure();
  SmallVector<int64_t> shape = slice.getShape(op.getDroppedDims());
  if (shape != source.shape)
    return op.emitOpError() << "inserts a tensor of shape [" << source.shape
                            << "] into a slice of shape [" << shape << "]";
  SmallVector<int64_t> position(slice.sizes.size(), 0);
  int64_t next = 0;
  if (!slice.isEmpty())
    do
      result.set(result.getPosition(slice.getIndices(position)),
                 source.get(next++));
    while (advance(position, slice.sizes));
  return success();
}

LogicalResult Evaluator::evaluateInsertSlice(tensor::InsertSliceOp op) {
  Tensor result = getTensor(op.getDest());
  if (failed(insertSlice(op, result)))
    return failure();
  set(op.getResult(), Value(std::move(result)));
  return success();
}

LogicalResult Evaluator::evaluateForall(scf::ForallOp op) {
  SmallVector<int64_t> lower = getIntegers(op.getMixedLowerBound());
  SmallVector<int64_t> upper = getIntegers(op.getMixedUpperBound());
  SmallVector<int64_t> steps = getIntegers(op.getMixedStep());
  SmallVector<int64_t> trips;
  for (auto [from, to, step] : llvm::zip(lower, upper, steps)) {
    if (step <= 0)
      return op.emitOpError() << "needs positive steps, got " << step;
    trips.push_back(from < to ? llvm::divideCeil(to - from, step) : 0);
  }
  // Every iteration sees the results as they were before the loop.
  std::vector<Tensor> results;
  for (auto [argument, init] :
       llvm::zip(op.getRegionIterArgs(), op.getOutputs())) {
    set(argument, get(init));
    results.push_back(getTensor(init));
  }
  SmallVector<int64_t> trip(trips.size(), 0);
  if (!llvm::is_contained(trips, 0))
    do {
      for (auto [i, induction] : llvm::enumerate(op.getInductionVars()))
        set(induction, Value(lower[i] + trip[i] * steps[i]));
      if (failed(evaluate(*op.getBody())))
        return failure();
      for (Operation &yielding : op.getTerminator().getYieldingOps()) {
        auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(yielding);
        if (!insert)
          return yielding.emitError() << "the interpreter does not know '"
                                      << yielding.getName() << "'";
        auto argument = cast<BlockArgument>(insert.getDest());
        unsigned number = argument.getArgNumber() - trip.size();
        if (failed(insertSlice(insert, results[number])))
          return failure();
      }
    } while (advance(trip, trips));
  for (auto [result, tensor] : llvm::zip(op.getResults(), results))
    set(result, Value(std::move(tensor)));
  return success();
}

LogicalResult Evaluator::evaluateConcat(tensor::ConcatOp op) {
  unsigned concatDim = op.getDim();
  SmallVector<int64_t> shape(getTensor(op.getInputs().front()).shape);
  shape[concatDim] = 0;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    const Tensor &tensor = getTensor(input);
    for (auto [dim, size] : llvm::enumerate(tensor.shape))
      if (dim != concatDim && size != shape[dim])
        return op.emitOpError()
               << "inputs 0 and " << i << " differ in dimension " << dim << ": "
               << shape[dim] << " and " << size;
    shape[concatDim] += tensor.shape[concatDim];
  }
  Tensor result = Tensor::getUndefined(shape, hasFloats(op.getType()));
  int64_t offset = 0;
  for (mlir::Value input : op.getInputs()) {
    const Tensor &tensor = getTensor(input);
    SmallVector<int64_t> position(shape.size(), 0);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      SmallVector<int64_t> indices(position);
      indices[concatDim] += offset;
      result.set(result.getPosition(indices), tensor.get(i));
      advance(position, tensor.shape);
    }
    offset += tensor.shape[concatDim];
  }
  set(op.getResult(), Value(std::move(result)));
  return success();
}

//===----------------------------------------------------------------------===//
// Makers
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::evaluateSplat(tensor::SplatOp op) {
  SmallVector<int64_t> shape =
      fillDynamic(op.getType(), getIntegers(op.getDynamicSizes()));
  if (failed(countElements([&] { return op.emitOpError(); }, shape)))
    return failure();
  Tensor result = Tensor::getUndefined(shape, hasFloats(op.getType()));
  Scalar value = getScalar(op.getInput());
  for (int64_t i = 0; i < result.size(); ++i)
    result.set(i, value);
  set(op.getResult(), Value(std::move(result)));
  return success();
}

LogicalResult Evaluator::evaluateFromElements(tensor::FromElementsOp op) {
  Tensor result =
      Tensor::getUndefined(op.getType().getShape(), hasFloats(op.getType()));
  for (auto [i, element] : llvm::enumerate(op.getElements()))
    result.set(i, getScalar(element));
  set(op.getResult(), Value(std::move(result)));
  return success();
}

LogicalResult Evaluator::evaluateGenerate(tensor::GenerateOp op) {
  SmallVector<int64_t> shape = fillDynamic(cast<RankedTensorType>(op.getType()),
                                           getIntegers(op.getDynamicExtents()));
  if (failed(countElements([&] { return op.emitOpError(); }, shape)))
    return failure();
  Tensor result = Tensor::getUndefined(shape, hasFloats(op.getType()));
  Block &block = op.getBody().front();
  SmallVector<int64_t> position(shape.size(), 0);
  for (int64_t i = 0; i < result.size(); ++i) {
    for (auto [argument, index] : llvm::zip(block.getArguments(), position))
      set(argument, Value(index));
    if (failed(evaluate(block)))
      return failure();
    result.set(i, getScalar(block.getTerminator()->getOperand(0)));
    advance(position, shape);
  }
  set(op.getResult(), Value(std::move(result)));
  return success();
}
