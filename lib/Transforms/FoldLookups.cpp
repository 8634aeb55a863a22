//===- FoldLookups.cpp - Computing with tables, not with their rows -------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Transforms/LinearLayers.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace gnn {
#define GEN_PASS_DEF_FOLDLOOKUPSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// What is multiplied, and what else is computed here, takes a second at most.
static constexpr int64_t mostTableSteps = int64_t(1) << 28;
static constexpr int64_t mostOps = int64_t(1) << 20;

namespace {
/// A constant table whose rows are looked up.
struct Table {
  Value numbers;
  /// The shape of the table.
  ArrayRef<int64_t> shape;
  Weights weights;

  int64_t getNumRows() const { return shape.front(); }
};

/// Constants that an op computes a table of, for each row of one that it has.
struct Operand {
  ArrayRef<float> data;
  /// 0 where all rows have the same.
  int64_t perRow = 0;
  /// By how much each loop moves on.
  SmallVector<int64_t> strides;
  /// Where a row stands for one of each of several tables: this one's is what
  /// is left of `row / divisor` by `numRows`.
  int64_t divisor = 1, numRows = 1;
};

/// What chooses a row of each of several tables.
struct Choice {
  Value numbers;
  int64_t numRows;
};
} // namespace

static std::optional<Table> getTable(Value rows) {
  auto lookup = rows.getDefiningOp<LookupOp>();
  if (!lookup)
    return std::nullopt;
  std::optional<Weights> weights = getWeights(lookup.getTable());
  auto type = cast<RankedTensorType>(lookup.getTable().getType());
  if (!weights || !type.hasStaticShape() ||
      cast<RankedTensorType>(lookup.getNumbers().getType()).getRank() != 1)
    return std::nullopt;
  return Table{lookup.getNumbers(), type.getShape(), *weights};
}

/// The table of what an edge function gets of an edge or a node.
static std::optional<Table> getTableOfOperand(Value value) {
  if (auto edges = value.getDefiningOp<EdgesFromTensorOp>())
    value = edges.getTensor();
  return getTable(value);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// The value that the region of `function` yields for these arguments, by
/// folding its ops. None if one of them does not fold.
static std::optional<float> evaluate(const EdgeFunction &function,
                                     ArrayRef<Attribute> arguments) {
  llvm::SmallDenseMap<Value, Attribute, 16> known;
  for (auto [argument, value] :
       llvm::zip(function.body->getArguments(), arguments))
    known[argument] = value;
  auto find = [&](Value value) {
    Attribute attribute = known.lookup(value);
    if (!attribute)
      matchPattern(value, m_Constant(&attribute));
    return attribute;
  };
  for (Operation &op : function.body->front().without_terminator()) {
    SmallVector<Attribute> operands = llvm::map_to_vector(
        op.getOperands(), [&](Value operand) { return find(operand); });
    SmallVector<OpFoldResult> results;
    if (llvm::is_contained(operands, Attribute()) || op.getNumResults() != 1 ||
        failed(op.fold(operands, results)))
      return std::nullopt;
    // In the place of a value stands what it has become. An op that folds to
    // itself has no results.
    Attribute result;
    if (!results.empty())
      result = isa<Value>(results[0]) ? find(cast<Value>(results[0]))
                                      : cast<Attribute>(results[0]);
    if (!result)
      return std::nullopt;
    known[op.getResult(0)] = result;
  }
  auto result = dyn_cast_or_null<FloatAttr>(find(function.getYieldedValue()));
  if (!result)
    return std::nullopt;
  return result.getValue().convertToFloat();
}

/// Calls `f` with what `operands` and the result have in each step of the
/// loops, until it returns false.
static bool
walkLoops(ArrayRef<int64_t> loops, ArrayRef<Operand> operands,
          ArrayRef<int64_t> resultStrides, int64_t row,
          llvm::function_ref<bool(ArrayRef<float>, int64_t result)> f) {
  SmallVector<int64_t> index(loops.size(), 0);
  SmallVector<float> values(operands.size());
  auto getPlace = [&](ArrayRef<int64_t> strides) {
    int64_t place = 0;
    for (auto [number, stride] : llvm::zip_equal(index, strides))
      place += number * stride;
    return place;
  };
  for (int64_t i = 0, e = llvm::product_of(loops); i < e; ++i) {
    for (auto [value, operand] : llvm::zip_equal(values, operands))
      value =
          operand
              .data[row / operand.divisor % operand.numRows * operand.perRow +
                    getPlace(operand.strides)];
    if (!f(values, getPlace(resultStrides)))
      return false;
    for (int64_t loop = int64_t(loops.size()) - 1; loop >= 0; --loop) {
      if (++index[loop] < loops[loop])
        break;
      index[loop] = 0;
    }
  }
  return true;
}

/// What `function` makes of each row of the tables and the constants that it
/// reads. None if that takes long, or some of it is not known.
static std::optional<SmallVector<float>>
evaluateRows(const EdgeFunction &function, int64_t numRows,
             ArrayRef<Operand> operands) {
  SmallVector<int64_t> loops = function.getLoopSizes();
  int64_t width = llvm::product_of(function.getResultShape());
  int64_t steps = numRows * llvm::product_of(loops);
  SmallVector<int64_t> resultStrides =
      getLoopStrides(function.resultMap, function.getResultShape());
  SmallVector<float> results;
  if (function.hasReduction() && multipliesArguments(function)) {
    if (steps > mostTableSteps)
      return std::nullopt;
    SmallVector<double> sums;
    for (int64_t row = 0; row < numRows; ++row) {
      sums.assign(width, 0);
      walkLoops(loops, operands, resultStrides, row,
                [&](ArrayRef<float> values, int64_t result) {
                  sums[result] += double(values[0]) * values[1];
                  return true;
                });
      llvm::append_range(results, sums);
    }
    return results;
  }
  int64_t numOps = llvm::range_size(function.body->front());
  if (function.getReduced() || steps * numOps > mostOps)
    return std::nullopt;
  Builder builder(function.body->getContext());
  results.assign(numRows * width, 0);
  SmallVector<Attribute> arguments;
  for (int64_t row = 0; row < numRows; ++row) {
    float *sums = results.data() + row * width;
    bool isKnown = walkLoops(
        loops, operands, resultStrides, row,
        [&](ArrayRef<float> values, int64_t result) {
          arguments.clear();
          for (float value : values)
            arguments.push_back(builder.getF32FloatAttr(value));
          if (function.hasReduction())
            arguments.push_back(builder.getF32FloatAttr(sums[result]));
          std::optional<float> value = evaluate(function, arguments);
          if (value)
            sums[result] = *value;
          return value.has_value();
        });
    if (!isKnown)
      return std::nullopt;
  }
  return results;
}

/// The number of a row that stands for one of each of several tables, of which
/// the last moves on first.
static Value combineNumbers(PatternRewriter &rewriter, Location loc,
                            ArrayRef<Choice> choices) {
  if (choices.size() == 1)
    return choices.front().numbers;
  SmallVector<Value> numbers = llvm::map_to_vector(
      choices, [](const Choice &choice) { return choice.numbers; });
  auto type = cast<RankedTensorType>(numbers.front().getType());
  SmallVector<AffineMap> maps(
      choices.size() + 1,
      AffineMap::get(/*dimCount=*/0, /*symbolCount=*/0, rewriter.getContext()));
  auto update = UpdateOp::create(rewriter, loc, type, numbers, ValueRange(),
                                 rewriter.getAffineMapArrayAttr(maps),
                                 rewriter.getStrArrayAttr({}));
  OpBuilder::InsertionGuard guard(rewriter);
  Block *body = rewriter.createBlock(
      &update.getBody(), {},
      SmallVector<Type>(choices.size(), type.getElementType()),
      SmallVector<Location>(choices.size(), loc));
  Value row = body->getArgument(0);
  for (auto [choice, argument] :
       llvm::zip(choices.drop_front(), body->getArguments().drop_front())) {
    Value count = arith::ConstantOp::create(
        rewriter, loc,
        rewriter.getIntegerAttr(type.getElementType(), choice.numRows));
    row = arith::AddIOp::create(
        rewriter, loc, arith::MulIOp::create(rewriter, loc, row, count),
        argument);
  }
  YieldOp::create(rewriter, loc, row);
  return update.getResult();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// The rows of a new table.
struct TableMaker {
  PatternRewriter &rewriter;
  Location loc;
  std::string name;

  Value create(Value numbers, int64_t numRows, ArrayRef<int64_t> rowShape,
               ArrayRef<float> data) const {
    SmallVector<int64_t> shape{numRows};
    llvm::append_range(shape, rowShape);
    return LookupOp::create(rewriter, loc,
                            createWeights(rewriter, loc, name, shape, data),
                            numbers);
  }
};

template <typename Op>
struct FoldLookupPattern : public OpRewritePattern<Op> {
  FoldLookupPattern(MLIRContext *context,
                    llvm::function_ref<void()> notifyFolded, int64_t maxBytes,
                    int64_t maxCombinedBytes)
      : OpRewritePattern<Op>(context), notifyFolded(notifyFolded),
        maxBytes(maxBytes), maxCombinedBytes(maxCombinedBytes) {}

  bool isTooLarge(int64_t numElements) const {
    return numElements == 0 || numElements * int64_t(sizeof(float)) > maxBytes;
  }

  llvm::function_ref<void()> notifyFolded;
  int64_t maxBytes, maxCombinedBytes;
};

/// A linear layer of rows of a table.
struct FoldLayer : public FoldLookupPattern<linalg::MatmulOp> {
  using FoldLookupPattern::FoldLookupPattern;
  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Table> table = getTable(op.getInputs()[0]);
    std::optional<Weights> weights = getWeights(op.getInputs()[1]);
    if (!table || !weights || op.hasUserDefinedMaps())
      return rewriter.notifyMatchFailure(op, "no layer of rows of a table");
    auto type = cast<RankedTensorType>(op.getInputs()[1].getType());
    int64_t rows = table->getNumRows(), in = type.getDimSize(0),
            out = type.getDimSize(1);
    if (isTooLarge(rows * out) || rows * in * out > mostTableSteps)
      return rewriter.notifyMatchFailure(op, "the table would be large");
    SmallVector<float> data;
    SmallVector<double> sums;
    for (int64_t row = 0; row < rows; ++row) {
      sums.assign(out, 0);
      for (int64_t k = 0; k < in; ++k)
        for (int64_t column = 0; column < out; ++column)
          sums[column] += double(table->weights.data[row * in + k]) *
                          weights->data[k * out + column];
      llvm::append_range(data, sums);
    }
    TableMaker maker{rewriter, op.getLoc(),
                     (table->weights.name + "." + weights->name).str()};
    Value products = maker.create(table->numbers, rows, out, data);
    // There may be something to add them to.
    if (!isLinearLayer(op))
      products = createRowUpdate(
          rewriter, op.getLoc(), {op.getOutputs()[0], products}, {},
          [](OpBuilder &b, Location l, ValueRange args) -> Value {
            return arith::AddFOp::create(b, l, args[0], args[1]);
          });
    rewriter.replaceOp(op, products);
    notifyFolded();
    return success();
  }
};

/// A computation that reads nothing but rows of tables and constants.
template <typename Op>
struct FoldFunction : public FoldLookupPattern<Op> {
  using FoldLookupPattern<Op>::FoldLookupPattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    EdgeFunction function = op.getEdgeFunction();
    if (!function.getResultElementType().isF32())
      return rewriter.notifyMatchFailure(op, "no float32");
    std::string name;
    SmallVector<Choice> choices;
    SmallVector<Operand> operands;
    // Which of the choices an operand depends on.
    SmallVector<std::pair<unsigned, unsigned>> chosen;
    for (auto [value, role, map] :
         llvm::zip(function.operands, function.roles, function.operandMaps)) {
      SmallVector<int64_t> shape = *getFeatureShape(value.getType(), role);
      SmallVector<int64_t> strides = getLoopStrides(map, shape);
      if (role == OperandRole::Uniform) {
        std::optional<Weights> weights = getWeights(value);
        if (!weights)
          return rewriter.notifyMatchFailure(op, "an operand is no constant");
        operands.push_back({weights->data, 0, strides});
        continue;
      }
      std::optional<Table> table = getTableOfOperand(value);
      if (!table)
        return rewriter.notifyMatchFailure(op, "not rows of tables alone");
      if (role != OperandRole::Edge && isa<MessageOp>(op))
        return rewriter.notifyMatchFailure(op, "edges have other numbers");
      if (name.empty())
        name = table->weights.name.str();
      auto *choice = llvm::find_if(choices, [&](const Choice &choice) {
        return choice.numbers == table->numbers;
      });
      chosen.emplace_back(operands.size(), choice - choices.begin());
      if (choice == choices.end())
        choices.push_back({table->numbers, table->getNumRows()});
      else if (choice->numRows != table->getNumRows())
        return rewriter.notifyMatchFailure(op, "tables of other numbers");
      operands.push_back({table->weights.data, llvm::product_of(shape), strides,
                          1, table->getNumRows()});
    }
    SmallVector<int64_t> rowShape = function.getResultShape();
    std::optional<int64_t> numRows =
        countRows(choices, llvm::product_of(rowShape));
    if (!numRows)
      return rewriter.notifyMatchFailure(op, "no table, or a large one");
    for (auto [operand, number] : chosen)
      for (const Choice &other : ArrayRef(choices).drop_front(number + 1))
        operands[operand].divisor *= other.numRows;
    std::optional<SmallVector<float>> data =
        evaluateRows(function, *numRows, operands);
    if (!data)
      return rewriter.notifyMatchFailure(op, "not computed here");
    Value numbers = combineNumbers(rewriter, op.getLoc(), choices);
    Value rows = TableMaker{rewriter, op.getLoc(), name}.create(
        numbers, *numRows, rowShape, *data);
    if (auto message = dyn_cast<MessageOp>(*op))
      rows = EdgesFromTensorOp::create(rewriter, op.getLoc(),
                                       message.getResult().getType(),
                                       message.getGraph(), rows);
    rewriter.replaceOp(op, rows);
    this->notifyFolded();
    return success();
  }

private:
  /// The rows of a table with one for each combination. None if it would be
  /// too large, or numbers of several types choose among them.
  std::optional<int64_t> countRows(ArrayRef<Choice> choices,
                                   int64_t width) const {
    if (choices.empty())
      return std::nullopt;
    int64_t numRows = 1;
    for (const Choice &choice : choices) {
      if (choice.numbers.getType() != choices.front().numbers.getType() ||
          llvm::MulOverflow(numRows, choice.numRows, numRows))
        return std::nullopt;
    }
    int64_t maxBytes =
        choices.size() > 1 ? this->maxCombinedBytes : this->maxBytes;
    if (numRows == 0 || width == 0 ||
        numRows > maxBytes / int64_t(sizeof(float)) / width)
      return std::nullopt;
    return numRows;
  }
};

/// Rows of a table in another shape.
template <typename Op>
struct FoldReshape : public FoldLookupPattern<Op> {
  using FoldLookupPattern<Op>::FoldLookupPattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    std::optional<Table> table = getTable(op.getSrc());
    RankedTensorType type = op.getResultType();
    if (!table || op.getReassociationIndices().empty() ||
        op.getReassociationIndices().front() != ReassociationIndices{0} ||
        !llvm::none_of(type.getShape().drop_front(), ShapedType::isDynamic))
      return rewriter.notifyMatchFailure(op, "rows are not kept");
    TableMaker maker{rewriter, op.getLoc(), table->weights.name.str()};
    rewriter.replaceOp(op, maker.create(table->numbers, table->getNumRows(),
                                        type.getShape().drop_front(),
                                        table->weights.data));
    this->notifyFolded();
    return success();
  }
};

struct FoldLookupsPass
    : public gnn::impl::FoldLookupsPassBase<FoldLookupsPass> {
  using FoldLookupsPassBase::FoldLookupsPassBase;

  void runOnOperation() override {
    int64_t number = 0;
    auto count = [&] { ++number; };
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldLayer, FoldFunction<UpdateOp>, FoldFunction<MessageOp>,
                 FoldReshape<tensor::ExpandShapeOp>,
                 FoldReshape<tensor::CollapseShapeOp>>(
        &getContext(), count, maxBytes.getValue(), maxCombinedBytes.getValue());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (number)
      eraseDeadOps(getOperation());
    numFolded += number;
  }
};
} // namespace
