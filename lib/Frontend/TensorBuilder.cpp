//===- TensorBuilder.cpp - Short ways to say gnn IR -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorBuilder.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// Message, aggregate, update
//===----------------------------------------------------------------------===//

int64_t gnn::frontend::getNumChannels(Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  assert(type.getRank() == 2 && "rows must have one dimension");
  return type.getDimSize(1);
}

ArrayRef<int64_t> gnn::frontend::getRowShape(Value rows) {
  return cast<RankedTensorType>(rows.getType()).getShape().drop_front();
}

/// Einsum subscripts in the form that ops have them.
struct TensorBuilder::Subscripts {
  ArrayAttr maps;
  ArrayAttr iterators;
  /// A letter per loop.
  SmallString<8> loops;
  SmallVector<int64_t> resultShape;
  bool hasReduction = false;
};

TensorBuilder::Subscripts
TensorBuilder::parse(StringRef text, ArrayRef<SmallVector<int64_t>> shapes) {
  auto [inputs, output] = text.split("->");
  SmallVector<StringRef> operands;
  inputs.split(operands, ',');
  assert(operands.size() == shapes.size() && "one subscript per operand");
  output = output.trim();

  // Parallel loops first, in the order of the result.
  SmallString<8> loops(output);
  for (StringRef operand : operands)
    for (char letter : operand.trim())
      if (!StringRef(loops).contains(letter))
        loops.push_back(letter);

  MLIRContext *context = builder.getContext();
  auto getMap = [&](StringRef letters) -> Attribute {
    SmallVector<AffineExpr> results;
    for (char letter : letters)
      results.push_back(
          getAffineDimExpr(StringRef(loops).find(letter), context));
    return AffineMapAttr::get(
        AffineMap::get(loops.size(), 0, results, context));
  };
  SmallVector<Attribute> maps;
  llvm::StringMap<int64_t> sizes;
  for (auto [operand, shape] : llvm::zip_equal(operands, shapes)) {
    StringRef letters = operand.trim();
    assert(letters.size() == shape.size() && "one letter per dimension");
    for (auto [i, size] : llvm::enumerate(shape))
      sizes[letters.substr(i, 1)] = size;
    maps.push_back(getMap(letters));
  }
  maps.push_back(getMap(output));

  Subscripts result;
  SmallVector<StringRef> iterators(output.size(), "parallel");
  iterators.resize(loops.size(), "reduction");
  result.maps = builder.getArrayAttr(maps);
  result.iterators = builder.getStrArrayAttr(iterators);
  result.loops = loops;
  result.hasReduction = loops.size() > output.size();
  for (size_t i = 0; i < output.size(); ++i)
    result.resultShape.push_back(sizes.lookup(output.substr(i, 1)));
  return result;
}

void TensorBuilder::buildBody(Region &region, const Subscripts &subscripts,
                              ValueRange operands, ScalarFunction function) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region);
  for (Value operand : operands) {
    auto edges = dyn_cast<EdgesType>(operand.getType());
    block->addArgument(edges ? edges.getElementType()
                             : getElementTypeOrSelf(operand.getType()),
                       loc);
  }
  if (subscripts.hasReduction)
    block->addArgument(builder.getF32Type(), loc);
  ScalarBuilder scalars(builder, loc, subscripts.loops);
  Value result =
      function(scalars, block->getArguments().take_front(operands.size()));
  if (subscripts.hasReduction)
    result = scalars.add(block->getArguments().back(), result);
  YieldOp::create(builder, loc, result);
}

Value TensorBuilder::message(Value graph, const EdgeOperands &operands,
                             StringRef subscripts, ScalarFunction function) {
  SmallVector<SmallVector<int64_t>> shapes;
  SmallVector<Value> all;
  auto append = [&](ValueRange values, OperandRole role) {
    for (Value value : values) {
      shapes.push_back(*getFeatureShape(value.getType(), role));
      all.push_back(value);
    }
  };
  append(operands.dst, OperandRole::Destination);
  append(operands.src, OperandRole::Source);
  append(operands.edge, OperandRole::Edge);
  append(operands.uniform, OperandRole::Uniform);
  Subscripts parsed = parse(subscripts, shapes);
  auto type = EdgesType::get(builder.getContext(), parsed.resultShape,
                             builder.getF32Type());
  auto op = MessageOp::create(builder, loc, type, graph, operands.dst,
                              operands.src, operands.edge, operands.uniform,
                              parsed.maps, parsed.iterators);
  buildBody(op.getBody(), parsed, all, function);
  return op.getResult();
}

Value TensorBuilder::topKGraph(Value graph, Value scores, int64_t k) {
  auto type = cast<GNNGraphType>(graph.getType());
  auto listed = GNNGraphType::get(builder.getContext(), Topology::CSR,
                                  /*window=*/0, type.getBipartite(),
                                  /*symmetric=*/false, /*selfLoops=*/false,
                                  /*sorted=*/false, type.getIndexWidth());
  AffineMap scalar = AffineMap::get(builder.getContext());
  auto op = TopKGraphOp::create(builder, loc, listed, graph,
                                /*dst=*/ValueRange(), /*src=*/ValueRange(),
                                /*edge=*/scores, /*uniform=*/ValueRange(),
                                /*order=*/Value(),
                                builder.getAffineMapArrayAttr({scalar, scalar}),
                                builder.getStrArrayAttr({}), k);
  OpBuilder::InsertionGuard guard(builder);
  Type element = cast<EdgesType>(scores.getType()).getElementType();
  Block *block = builder.createBlock(&op.getBody(), {}, element, loc);
  YieldOp::create(builder, loc, block->getArgument(0));
  return op.getResult();
}

SmallVector<Value> TensorBuilder::aggregate(ArrayRef<Aggregator> aggregators,
                                            Value graph, Value edges) {
  auto edgesType = cast<EdgesType>(edges.getType());
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, edgesType.getShape());
  SmallVector<Type> types(
      aggregators.size(),
      RankedTensorType::get(shape, edgesType.getElementType()));
  SmallVector<Attribute> attributes;
  for (Aggregator aggregator : aggregators)
    attributes.push_back(AggregatorAttr::get(builder.getContext(), aggregator));
  auto op = AggregateOp::create(builder, loc, types,
                                builder.getArrayAttr(attributes), graph, edges);
  return llvm::to_vector_of<Value>(op.getResults());
}

Value TensorBuilder::aggregate(Aggregator aggregator, Value graph,
                               Value edges) {
  return aggregate(ArrayRef<Aggregator>(aggregator), graph, edges).front();
}

Value TensorBuilder::update(ValueRange node, ValueRange uniform,
                            StringRef subscripts, ScalarFunction function) {
  SmallVector<SmallVector<int64_t>> shapes;
  for (Value value : node)
    shapes.push_back(
        *getFeatureShape(value.getType(), OperandRole::Destination));
  for (Value value : uniform)
    shapes.push_back(*getFeatureShape(value.getType(), OperandRole::Uniform));
  Subscripts parsed = parse(subscripts, shapes);
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, parsed.resultShape);
  auto op = UpdateOp::create(builder, loc,
                             RankedTensorType::get(shape, builder.getF32Type()),
                             node, uniform, parsed.maps, parsed.iterators);
  SmallVector<Value> all(node);
  llvm::append_range(all, uniform);
  buildBody(op.getBody(), parsed, all, function);
  return op.getResult();
}

Value TensorBuilder::elementwise(ValueRange node, ScalarFunction function) {
  SmallString<8> letters;
  for (size_t i = 0; i < getRowShape(node.front()).size(); ++i)
    letters.push_back('a' + i);
  std::string subscripts;
  for (size_t i = 0; i < node.size(); ++i)
    subscripts += (i ? "," : "") + letters.str().str();
  return update(node, {}, subscripts + "->" + letters.str().str(), function);
}

//===----------------------------------------------------------------------===//
// Arithmetic on rows
//===----------------------------------------------------------------------===//

Value TensorBuilder::add(Value a, Value b) {
  return elementwise(
      {a, b}, [](ScalarBuilder &s, ValueRange v) { return s.add(v[0], v[1]); });
}

Value TensorBuilder::scale(Value a, double factor) {
  return elementwise(a, [&](ScalarBuilder &s, ValueRange v) {
    return s.mul(v[0], s.constant(factor));
  });
}

Value TensorBuilder::addUniform(Value rows, Value channels) {
  return update(
      rows, channels, "f, f -> f",
      [](ScalarBuilder &s, ValueRange v) { return s.add(v[0], v[1]); });
}

Value TensorBuilder::matmul(Value rows, Value weight) {
  int64_t width = cast<RankedTensorType>(weight.getType()).getDimSize(1);
  Value init = filled(getNumRows(rows), width, 0.0);
  return linalg::MatmulOp::create(builder, loc, init.getType(),
                                  ValueRange{rows, weight}, ValueRange(init))
      .getResult(0);
}

Value TensorBuilder::splitHeads(Value rows, int64_t heads) {
  int64_t width = getNumChannels(rows) / heads;
  auto type = RankedTensorType::get({ShapedType::kDynamic, heads, width},
                                    builder.getF32Type());
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}};
  SmallVector<OpFoldResult> shape{getNumRows(rows), builder.getIndexAttr(heads),
                                  builder.getIndexAttr(width)};
  return tensor::ExpandShapeOp::create(builder, loc, type, rows, groups, shape);
}

Value TensorBuilder::mergeHeads(Value rows) {
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}};
  return tensor::CollapseShapeOp::create(builder, loc, rows, groups);
}

Value TensorBuilder::meanOverHeads(Value rows) {
  double factor = 1.0 / getRowShape(rows).front();
  return update(rows, {}, "hf -> f", [&](ScalarBuilder &s, ValueRange v) {
    return s.mul(v[0], s.constant(factor));
  });
}

Value TensorBuilder::concat(ValueRange rows) {
  if (rows.size() == 1)
    return rows.front();
  return tensor::ConcatOp::create(builder, loc, getRowShape(rows[0]).size(),
                                  rows);
}

Value TensorBuilder::slice(Value rows, int64_t first, int64_t width) {
  SmallVector<OpFoldResult> offsets{builder.getIndexAttr(0),
                                    builder.getIndexAttr(first)};
  SmallVector<OpFoldResult> sizes{getNumRows(rows),
                                  builder.getIndexAttr(width)};
  SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, rows, offsets, sizes,
                                        strides);
}

/// Reduces dimension `dim` of a tensor by a scalar function from `init`.
static Value reduce(OpBuilder &builder, Location loc, Value input, Value init,
                    int64_t dim,
                    function_ref<Value(OpBuilder &, Location, ValueRange)> f) {
  return linalg::ReduceOp::create(
             builder, loc, ValueRange(input), ValueRange(init),
             ArrayRef<int64_t>(dim),
             [&](OpBuilder &b, Location l, ValueRange arguments) {
               linalg::YieldOp::create(b, l, f(b, l, arguments));
             })
      .getResult(0);
}

Value TensorBuilder::maxOverChannels(Value rows) {
  // A reduction of gnn.update starts at 0, which may exceed all channels.
  Value init =
      filled(getNumRows(rows), {}, -std::numeric_limits<double>::infinity());
  return reduce(builder, loc, rows, init, 1,
                [](OpBuilder &b, Location l, ValueRange v) -> Value {
                  return arith::MaximumFOp::create(b, l, v[0], v[1]);
                });
}

Value TensorBuilder::sumOverRows(Value rows) {
  // There may be millions of rows: their sum is kept in f64.
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(0));
  Value empty = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>(),
                                        builder.getF64Type());
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  Value sum = reduce(builder, loc, rows, init, 0,
                     [&](OpBuilder &b, Location l, ValueRange v) -> Value {
                       Value wide =
                           arith::ExtFOp::create(b, l, b.getF64Type(), v[0]);
                       return arith::AddFOp::create(b, l, v[1], wide);
                     });
  Value scalar = tensor::ExtractOp::create(builder, loc, sum, ValueRange());
  return arith::TruncFOp::create(builder, loc, builder.getF32Type(), scalar);
}

Value TensorBuilder::maxOverRows(Value rows) {
  Value empty = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>(),
                                        builder.getF32Type());
  Value lowest = constant(-std::numeric_limits<double>::infinity());
  Value init = linalg::FillOp::create(builder, loc, lowest, empty).getResult(0);
  Value largest = reduce(builder, loc, rows, init, 0,
                         [](OpBuilder &b, Location l, ValueRange v) -> Value {
                           return arith::MaximumFOp::create(b, l, v[0], v[1]);
                         });
  return tensor::ExtractOp::create(builder, loc, largest, ValueRange());
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Value TensorBuilder::getNumRows(Value rows) {
  return tensor::DimOp::create(builder, loc, rows, 0);
}

Value TensorBuilder::filled(Value rows, ArrayRef<int64_t> shape, double value) {
  SmallVector<int64_t> fullShape{ShapedType::kDynamic};
  llvm::append_range(fullShape, shape);
  Value empty = tensor::EmptyOp::create(builder, loc, fullShape,
                                        builder.getF32Type(), ValueRange(rows));
  return linalg::FillOp::create(builder, loc, constant(value), empty)
      .getResult(0);
}

Value TensorBuilder::constant(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}
