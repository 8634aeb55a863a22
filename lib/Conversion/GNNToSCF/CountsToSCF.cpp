//===- CountsToSCF.cpp - Numbers of nodes and edges, degrees ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeSort.h"
#include "FeatureEmitter.h"
#include "GraphEmitter.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

namespace {
struct LowerNumNodes : public OpRewritePattern<NumNodesOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NumNodesOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    bool isSource = op.getSide() == NodeSide::Source;
    auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
    Value result;
    switch (op.getGraph().getType().getTopology()) {
    case Topology::CSR:
      result = parts.getParts()[2];
      if (!isSource) {
        Value size =
            tensor::DimOp::create(rewriter, loc, parts.getParts()[0], 0);
        result = arith::SubIOp::create(rewriter, loc, size,
                                       emitConstant(rewriter, loc, 1));
      }
      break;
    case Topology::COO:
      result = parts.getParts()[isSource ? 3 : 2];
      break;
    case Topology::Complete:
    case Topology::Causal:
    case Topology::Window:
      result = parts.getParts()[isSource ? 1 : 0];
      break;
    case Topology::BlockDiagonal: {
      Value pointers = parts.getParts()[isSource ? 1 : 0];
      Value size = tensor::DimOp::create(rewriter, loc, pointers, 0);
      result = loadIndex(rewriter, loc, pointers,
                         arith::SubIOp::create(rewriter, loc, size,
                                               emitConstant(rewriter, loc, 1)));
      break;
    }
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerNumEdges : public OpRewritePattern<NumEdgesOp> {
  LowerNumEdges(MLIRContext *context, bool inParallel)
      : OpRewritePattern(context), inParallel(inParallel) {}

  LogicalResult matchAndRewrite(NumEdgesOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (op.getGraph().getType().getTopology() == Topology::COO) {
      auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
      rewriter.replaceOpWithNewOp<tensor::DimOp>(op, parts.getParts()[0], 0);
      return success();
    }
    RowAccess rows(rewriter, loc, op.getGraph(), inParallel);
    rewriter.replaceOp(op, rows.getNumEdges(rewriter, loc));
    return success();
  }

private:
  bool inParallel;
};

struct LowerDegree : public OpRewritePattern<DegreeOp> {
  LowerDegree(MLIRContext *context, bool inParallel)
      : OpRewritePattern(context), inParallel(inParallel) {}

  LogicalResult matchAndRewrite(DegreeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    Type elementType = op.getType().getElementType();
    if (graph.getTopology() == Topology::COO ||
        (op.getSide() == NodeSide::Source &&
         (graph.isListed() || graph.getTopology() == Topology::Causal)))
      return lowerByCounting(op, rewriter);
    // The out-degree of a source is the in-degree in the reversed graph.
    TypedValue<GNNGraphType> counted = op.getGraph();
    if (op.getSide() == NodeSide::Source)
      counted = ReverseOp::create(rewriter, loc, TypeRange{graph}, counted,
                                  ValueRange{})
                    .getResult();
    RowAccess rows(rewriter, loc, counted, inParallel);
    rewriter.replaceOp(
        op, emitNumbers(rewriter, loc, rows.getNumDestinations(), elementType,
                        [&](OpBuilder &b, Location l, Value row) -> Value {
                          auto [begin, end] = rows.getRange(b, l, row);
                          return arith::SubIOp::create(b, l, end, begin);
                        }));
    return success();
  }

private:
  /// How far apart a node's edges begin and end in the order of their nodes.
  static Value emitSortedDegrees(OpBuilder &builder, Location loc, Value keys,
                                 Value numNodes, Type elementType) {
    EdgeSort order(builder, loc, keys);
    return emitNumbers(builder, loc, numNodes, elementType,
                       [&](OpBuilder &b, Location l, Value node) -> Value {
                         Value next =
                             emitAddIndex(b, l, node, emitConstant(b, l, 1));
                         Value end = order.emitNumBefore(b, l, next);
                         Value begin = order.emitNumBefore(b, l, node);
                         return arith::SubIOp::create(b, l, end, begin);
                       });
  }

  /// Where no formula gives the count: one pass over the edges.
  LogicalResult lowerByCounting(DegreeOp op, PatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    bool isSource = op.getSide() == NodeSide::Source;
    Type elementType = op.getType().getElementType();
    Value numNodes =
        NumNodesOp::create(rewriter, loc, op.getSide(), op.getGraph());
    auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
    if (graph.getTopology() == Topology::Causal) {
      // Destinations j, j + 1, ... see source j.
      Value numDestinations = parts.getParts()[0];
      rewriter.replaceOp(
          op, emitNumbers(rewriter, loc, numNodes, elementType,
                          [&](OpBuilder &b, Location l, Value node) -> Value {
                            return arith::SubIOp::create(b, l, numDestinations,
                                                         node);
                          }));
      return success();
    }
    Value keys = parts.getParts()[graph.getTopology() == Topology::CSR ? 1
                                  : isSource                           ? 1
                                                                       : 0];
    if (inParallel) {
      rewriter.replaceOp(
          op, emitSortedDegrees(rewriter, loc, keys, numNodes, elementType));
      return success();
    }
    // A float would stop at the first number that it has no next one of.
    Type countType = graph.getIndexType();
    Value zero = emitScalar(rewriter, loc, countType, 0);
    Value one = emitScalar(rewriter, loc, countType, 1);
    Value empty = tensor::EmptyOp::create(rewriter, loc, OpFoldResult(numNodes),
                                          countType);
    Value counts =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    Value numEdges = tensor::DimOp::create(rewriter, loc, keys, 0);
    auto loop = scf::ForOp::create(
        rewriter, loc, emitConstant(rewriter, loc, 0), numEdges,
        emitConstant(rewriter, loc, 1), ValueRange{counts},
        [&](OpBuilder &b, Location l, Value edge, ValueRange args) {
          Value node = loadIndex(b, l, keys, edge);
          Value count =
              tensor::ExtractOp::create(b, l, args[0], ValueRange{node});
          Value next = tensor::InsertOp::create(b, l, emitAdd(b, l, count, one),
                                                args[0], ValueRange{node});
          scf::YieldOp::create(b, l, next);
        });
    Value counted = loop.getResult(0);
    rewriter.replaceOp(op,
                       emitNumbers(rewriter, loc, numNodes, elementType,
                                   [&](OpBuilder &b, Location l, Value node) {
                                     return loadIndex(b, l, counted, node);
                                   }));
    return success();
  }

  bool inParallel;
};

struct LowerPosition : public OpRewritePattern<PositionOp> {
  LowerPosition(MLIRContext *context, bool inParallel)
      : OpRewritePattern(context), inParallel(inParallel) {}

  LogicalResult matchAndRewrite(PositionOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type elementType = op.getType().getElementType();
    Value numNodes =
        NumNodesOp::create(rewriter, loc, NodeSide::Destination, op.getGraph());
    if (op.getGraph().getType().getTopology() != Topology::BlockDiagonal) {
      rewriter.replaceOp(op, emitNumbers(rewriter, loc, numNodes, elementType,
                                         [](OpBuilder &, Location, Value node) {
                                           return node;
                                         }));
      return success();
    }
    auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
    Value pointers = parts.getParts()[0];
    Value zero = emitConstant(rewriter, loc, 0);
    Value one = emitConstant(rewriter, loc, 1);
    Value size = tensor::DimOp::create(rewriter, loc, pointers, 0);
    if (inParallel) {
      rewriter.replaceOp(
          op, emitNumbers(rewriter, loc, numNodes, elementType,
                          [&](OpBuilder &b, Location l, Value node) {
                            Value first =
                                emitFirstOfSegment(b, l, pointers, size, node);
                            return arith::SubIOp::create(b, l, node, first);
                          }));
      return success();
    }
    // Segment by segment: no node has to search for its own.
    Value empty = tensor::EmptyOp::create(rewriter, loc, OpFoldResult(numNodes),
                                          elementType);
    Value numSegments = arith::SubIOp::create(rewriter, loc, size, one);
    auto loop = scf::ForOp::create(
        rewriter, loc, zero, numSegments, one, ValueRange{empty},
        [&](OpBuilder &b, Location l, Value segment, ValueRange args) {
          Value first = loadIndex(b, l, pointers, segment);
          Value end =
              loadIndex(b, l, pointers, emitAddIndex(b, l, segment, one));
          auto nodes = scf::ForOp::create(
              b, l, first, end, one, args,
              [&](OpBuilder &bb, Location ll, Value node, ValueRange inner) {
                Value place = arith::SubIOp::create(bb, ll, node, first);
                scf::YieldOp::create(bb, ll,
                                     storeIndex(bb, ll, place, inner[0], node));
              });
          scf::YieldOp::create(b, l, nodes.getResults());
        });
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }

private:
  static Value emitFirstOfSegment(OpBuilder &builder, Location loc,
                                  Value pointers, Value size, Value node) {
    Value zero = emitConstant(builder, loc, 0);
    Value one = emitConstant(builder, loc, 1);
    Value next = emitBisection(
        builder, loc, zero, size, [&](OpBuilder &b, Location l, Value place) {
          return arith::CmpIOp::create(b, l, arith::CmpIPredicate::ule,
                                       loadIndex(b, l, pointers, place), node);
        });
    return loadIndex(builder, loc, pointers,
                     arith::SubIOp::create(builder, loc, next, one));
  }

  bool inParallel;
};
} // namespace

void gnn::populateCountsToSCFPatterns(RewritePatternSet &patterns,
                                      bool inParallel) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LowerNumNodes>(context);
  patterns.add<LowerNumEdges, LowerDegree, LowerPosition>(context, inParallel);
}
