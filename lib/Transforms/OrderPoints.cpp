//===- OrderPoints.cpp - Take near nodes side by side -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/Passes.h"
#include "gnn/Transforms/ScoreBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_ORDERPOINTSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The rows, of at most `maxChannels` numbers, that all scores are of; null
/// where an order of these would not help.
static Value getPoints(TopKGraphOp op, int64_t maxChannels) {
  GNNGraphType graph = op.getGraph().getType();
  bool isOfPairs = graph.getTopology() == Topology::Complete ||
                   graph.getTopology() == Topology::BlockDiagonal;
  if (op.getOrder() || !isOfPairs || graph.getBipartite() ||
      !readsOnlySelfLoops(op))
    return {};
  EdgeFunction score = op.getEdgeFunction();
  Value points;
  for (auto [operand, role] : llvm::zip(score.operands, score.roles)) {
    if (role == OperandRole::Uniform)
      continue;
    if (role == OperandRole::Edge || (points && operand != points))
      return {};
    points = operand;
  }
  auto type = points ? dyn_cast<RankedTensorType>(points.getType())
                     : RankedTensorType();
  if (!type || type.getRank() != 2 || !type.getElementType().isF32() ||
      type.getDimSize(1) < 1 || type.getDimSize(1) > maxChannels ||
      !llvm::is_contained(score.roles, OperandRole::Source) ||
      !ScoreBounds(score).exist())
    return {};
  return points;
}

namespace {
/// Emits the nodes in the order of the cells that they are in: of a grid over
/// all points, whose cells follow each other along a Z-order curve (Morton
/// 1966), for each segment after the other.
class PointOrder {
public:
  PointOrder(RewriterBase &b, TopKGraphOp op, Value points)
      : b(b), loc(op.getLoc()), graph(op.getGraph()), points(points),
        channels(cast<RankedTensorType>(points.getType()).getDimSize(1)),
        bits(std::min<int64_t>(16, 30 / channels)) {
    if (graph.getType().getTopology() == Topology::BlockDiagonal)
      pointers = GraphPartsOp::create(b, loc, graph).getParts()[0];
    numNodes = tensor::DimOp::create(b, loc, points, 0);
    Value one = index(1);
    numSegments =
        pointers ? arith::SubIOp::create(
                       b, loc, tensor::DimOp::create(b, loc, pointers, 0), one)
                       .getResult()
                 : one;
  }

  /// Whether segments have so many nodes on average.
  Value emitIsLarge(int64_t nodes) {
    Value most = arith::MulIOp::create(b, loc, numSegments, index(nodes));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, numNodes,
                                 most);
  }
  Value emit();

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value integer(OpBuilder &bb, int64_t value) {
    return arith::ConstantIntOp::create(bb, loc, bb.getI64Type(), value);
  }
  Value number(OpBuilder &bb, double value) {
    return arith::ConstantOp::create(bb, loc, bb.getF32FloatAttr(value));
  }
  Value toInteger(OpBuilder &bb, Value value) {
    return arith::IndexCastOp::create(bb, loc, bb.getI64Type(), value);
  }
  /// The smallest or largest number of each channel, whatever is NaN.
  Value emitExtremes(bool largest);
  Value emitSegments();
  /// How many of the last bits of a place on the curve are dropped, so that
  /// there are a few cells for each node.
  Value emitShift();
  /// The place on the curve of the point at `node`.
  Value emitCode(OpBuilder &bb, Value node, Value lows, Value scales);
  Value emitNumbers(Type type,
                    llvm::function_ref<Value(OpBuilder &, Value)> body);

  RewriterBase &b;
  Location loc;
  TypedValue<GNNGraphType> graph;
  Value points;
  int64_t channels, bits;
  /// Of a block-diagonal graph.
  Value pointers;
  Value numNodes, numSegments;
};
} // namespace

Value PointOrder::emitNumbers(
    Type type, llvm::function_ref<Value(OpBuilder &, Value)> body) {
  Value empty = tensor::EmptyOp::create(b, loc, OpFoldResult(numNodes), type);
  return linalg::GenericOp::create(
             b, loc, TypeRange{empty.getType()}, ValueRange(), empty,
             ArrayRef<AffineMap>{b.getMultiDimIdentityMap(1)},
             utils::IteratorType::parallel,
             [&](OpBuilder &bb, Location, ValueRange) {
               Value node = linalg::IndexOp::create(bb, loc, 0);
               linalg::YieldOp::create(bb, loc, body(bb, node));
             })
      .getResult(0);
}

Value PointOrder::emitExtremes(bool largest) {
  double infinity = std::numeric_limits<double>::infinity();
  Value init = linalg::FillOp::create(
                   b, loc, number(b, largest ? -infinity : infinity),
                   tensor::EmptyOp::create(b, loc, {channels}, b.getF32Type())
                       .getResult())
                   .getResult(0);
  AffineMap identity = b.getMultiDimIdentityMap(2);
  return linalg::GenericOp::create(
             b, loc, TypeRange{init.getType()}, points, init,
             ArrayRef<AffineMap>{identity, identity.getMinorSubMap(1)},
             ArrayRef<utils::IteratorType>{utils::IteratorType::reduction,
                                           utils::IteratorType::parallel},
             [&](OpBuilder &bb, Location, ValueRange v) {
               Value next = largest
                                ? arith::MaxNumFOp::create(bb, loc, v[0], v[1])
                                      .getResult()
                                : arith::MinNumFOp::create(bb, loc, v[0], v[1])
                                      .getResult();
               linalg::YieldOp::create(bb, loc, next);
             })
      .getResult(0);
}

Value PointOrder::emitSegments() {
  Value zero = index(0), one = index(1);
  auto load = [&](OpBuilder &bb, Value segment) {
    Value pointer = tensor::ExtractOp::create(bb, loc, pointers, segment);
    return arith::IndexCastOp::create(bb, loc, bb.getIndexType(), pointer);
  };
  Value empty =
      tensor::EmptyOp::create(b, loc, OpFoldResult(numNodes), b.getI64Type());
  return scf::ForOp::create(
             b, loc, zero, numSegments, one, empty,
             [&](OpBuilder &bb, Location, Value segment, ValueRange state) {
               Value next = arith::AddIOp::create(bb, loc, segment, one);
               Value value = toInteger(bb, segment);
               auto fill = scf::ForOp::create(
                   bb, loc, load(bb, segment), load(bb, next), one, state,
                   [&](OpBuilder &fb, Location, Value node, ValueRange inner) {
                     Value stored = tensor::InsertOp::create(fb, loc, value,
                                                             inner[0], node);
                     scf::YieldOp::create(fb, loc, stored);
                   });
               scf::YieldOp::create(bb, loc, fill.getResults());
             })
      .getResult(0);
}

Value PointOrder::emitShift() {
  constexpr int64_t cellsPerNode = 4;
  Value cells = arith::DivUIOp::create(
      b, loc, arith::MulIOp::create(b, loc, numNodes, index(cellsPerNode)),
      arith::MaxUIOp::create(b, loc, numSegments, index(1)));
  Value some = toInteger(b, arith::MaxUIOp::create(b, loc, cells, index(1)));
  // 63 less the zeros before the first bit is the logarithm.
  Value zeros = math::CountLeadingZerosOp::create(b, loc, some);
  Value all = integer(b, bits * channels - 63);
  return arith::MaxSIOp::create(
      b, loc, arith::AddIOp::create(b, loc, all, zeros), integer(b, 0));
}

Value PointOrder::emitCode(OpBuilder &bb, Value node, Value lows,
                           Value scales) {
  double most = (int64_t(1) << bits) - 1;
  Value code = integer(bb, 0);
  for (int64_t channel = 0; channel < channels; ++channel) {
    Value place = arith::ConstantIndexOp::create(bb, loc, channel);
    auto extract = [&](Value tensor, ValueRange indices) {
      return tensor::ExtractOp::create(bb, loc, tensor, indices);
    };
    Value offset = arith::SubFOp::create(
        bb, loc, extract(points, {node, place}), extract(lows, place));
    Value scaled =
        arith::MulFOp::create(bb, loc, offset, extract(scales, place));
    // What is NaN comes first.
    Value least = arith::MaxNumFOp::create(bb, loc, scaled, number(bb, 0));
    Value clamped = arith::MinNumFOp::create(bb, loc, least, number(bb, most));
    Value cell = arith::FPToUIOp::create(bb, loc, bb.getI64Type(), clamped);
    for (int64_t bit = 0; bit < bits; ++bit) {
      Value one = arith::AndIOp::create(
          bb, loc, arith::ShRUIOp::create(bb, loc, cell, integer(bb, bit)),
          integer(bb, 1));
      Value moved = arith::ShLIOp::create(
          bb, loc, one, integer(bb, bit * channels + channel));
      code = arith::OrIOp::create(bb, loc, code, moved);
    }
  }
  return code;
}

Value PointOrder::emit() {
  Value lows = emitExtremes(/*largest=*/false);
  Value highs = emitExtremes(/*largest=*/true);
  AffineMap identity = b.getMultiDimIdentityMap(1);
  Value scales =
      linalg::GenericOp::create(
          b, loc, TypeRange{lows.getType()}, ValueRange{lows, highs},
          tensor::EmptyOp::create(b, loc, {channels}, b.getF32Type())
              .getResult(),
          ArrayRef<AffineMap>{identity, identity, identity},
          utils::IteratorType::parallel,
          [&](OpBuilder &bb, Location, ValueRange v) {
            Value extent = arith::SubFOp::create(bb, loc, v[1], v[0]);
            Value most = number(bb, (int64_t(1) << bits) - 1);
            linalg::YieldOp::create(
                bb, loc,
                arith::DivFOp::create(bb, loc, most, extent).getResult());
          })
          .getResult(0);
  Value segments = pointers ? emitSegments() : Value();
  Value shift = emitShift();
  Value usedBits =
      arith::SubIOp::create(b, loc, integer(b, bits * channels), shift);
  IntegerType type = graph.getType().getIndexType();
  auto convert = [&](OpBuilder &bb, Value value) -> Value {
    if (value.getType() == type)
      return value;
    return arith::TruncIOp::create(bb, loc, type, value);
  };
  Value cells = emitNumbers(type, [&](OpBuilder &bb, Value node) {
    Value cell = arith::ShRUIOp::create(
        bb, loc, emitCode(bb, node, lows, scales), shift);
    if (segments) {
      Value segment = tensor::ExtractOp::create(bb, loc, segments, node);
      cell = arith::OrIOp::create(
          bb, loc, cell, arith::ShLIOp::create(bb, loc, segment, usedBits));
    }
    return convert(bb, cell);
  });
  Value nodes = emitNumbers(type, [&](OpBuilder &bb, Value node) {
    return convert(bb, toInteger(bb, node));
  });
  // An edge to each node's cell, sorted by these.
  Value numCells = arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      arith::ShLIOp::create(b, loc, toInteger(b, numSegments), usedBits));
  auto listed = [&](Topology topology) {
    return GNNGraphType::get(b.getContext(), topology, /*window=*/0,
                             /*bipartite=*/true, /*symmetric=*/false,
                             /*selfLoops=*/false, /*sorted=*/false,
                             type.getWidth());
  };
  Value inCells =
      MakeGraphOp::create(b, loc, listed(Topology::COO),
                          ValueRange{cells, nodes, numCells, numNodes});
  auto sorted = ToCSROp::create(b, loc, listed(Topology::CSR), TypeRange(),
                                inCells, ValueRange());
  return GraphPartsOp::create(b, loc, sorted.getResult()).getParts()[1];
}

/// Both ways to choose edges, of which the nodes that there are decide.
static void orderPoints(TopKGraphOp op, Value points, int64_t minNodes,
                        IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  PointOrder order(rewriter, op, points);
  auto getParts = [&](OpBuilder &b, Value graph) {
    return GraphPartsOp::create(b, loc, graph).getParts();
  };
  Value isLarge = order.emitIsLarge(minNodes);
  auto choice = scf::IfOp::create(
      rewriter, loc, isLarge,
      [&](OpBuilder &b, Location) {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPoint(b.getInsertionBlock(),
                                   b.getInsertionPoint());
        Value near = order.emit();
        auto ordered = cast<TopKGraphOp>(rewriter.clone(*op));
        ordered.getOrderMutable().assign(near);
        scf::YieldOp::create(rewriter, loc,
                             getParts(rewriter, ordered.getResult()));
      },
      [&](OpBuilder &b, Location) {
        Operation *plain = b.clone(*op);
        scf::YieldOp::create(b, loc, getParts(b, plain->getResult(0)));
      });
  rewriter.replaceOpWithNewOp<MakeGraphOp>(op, op.getResult().getType(),
                                           choice.getResults());
}

namespace {
struct OrderPointsPass
    : public gnn::impl::OrderPointsPassBase<OrderPointsPass> {
  using OrderPointsPassBase::OrderPointsPassBase;

  void runOnOperation() override {
    SmallVector<std::pair<TopKGraphOp, Value>> ops;
    getOperation()->walk([&](TopKGraphOp op) {
      if (Value points = getPoints(op, maxChannels))
        ops.emplace_back(op, points);
    });
    IRRewriter rewriter(&getContext());
    for (auto [op, points] : ops) {
      orderPoints(op, points, minNodes, rewriter);
      ++numOrdered;
    }
  }
};
} // namespace
