//===- ProductLoops.cpp - Loops that products became ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn;

std::pair<Value, int64_t> gnn::splitOffset(OpFoldResult index) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return {Value(), *known};
  auto value = cast<Value>(index);
  if (auto add = value.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> offset = getConstantIntValue(add.getRhs()))
      return {add.getLhs(), *offset};
  return {value, 0};
}

bool gnn::accessesRow(VectorTransferOpInterface transfer) {
  return transfer.getVectorType().getRank() == 1 &&
         transfer.getPermutationMap().isMinorIdentity();
}

/// What `read` reads of the row that the step of `loop` says.
static std::optional<Panel> getPanel(vector::TransferReadOp read,
                                     scf::ForOp loop) {
  auto type = dyn_cast<MemRefType>(read.getBase().getType());
  if (!type || type.getRank() < 2 || !type.getLayout().isIdentity() ||
      !type.hasStaticShape() || !accessesRow(read) ||
      type.getElementTypeBitWidth() % 8 != 0 ||
      !loop.isDefinedOutsideOfLoop(read.getBase()))
    return std::nullopt;
  Panel panel{read.getBase(), llvm::to_vector(read.getIndices()), Value(), 0,
              0};
  auto [column, begin] = splitOffset(panel.outer.pop_back_val());
  if (panel.outer.pop_back_val() != loop.getInductionVar() ||
      (column && !loop.isDefinedOutsideOfLoop(column)) ||
      !llvm::all_of(panel.outer, [&](Value index) {
        return loop.isDefinedOutsideOfLoop(index);
      }))
    return std::nullopt;
  panel.column = column;
  panel.begin = begin;
  panel.end = begin + read.getVectorType().getDimSize(0);
  return panel;
}

SmallVector<Panel> gnn::findPanels(scf::ForOp loop) {
  SmallVector<Panel> panels;
  if (loop.getInitArgs().empty() ||
      !llvm::all_of(loop.getResultTypes(), llvm::IsaPred<VectorType>) ||
      getConstantIntValue(loop.getStep()) != 1)
    return panels;
  for (auto read : loop.getBody()->getOps<vector::TransferReadOp>()) {
    std::optional<Panel> panel = getPanel(read, loop);
    if (!panel)
      continue;
    Panel *known = llvm::find_if(panels, [&](const Panel &other) {
      return other.buffer == panel->buffer && other.outer == panel->outer &&
             other.column == panel->column;
    });
    if (known == panels.end()) {
      panels.push_back(*panel);
      continue;
    }
    known->begin = std::min(known->begin, panel->begin);
    known->end = std::max(known->end, panel->end);
  }
  return panels;
}

std::optional<PanelLoops> gnn::findPanelLoops(scf::ForOp loop,
                                              const Panel &panel) {
  auto rowTiles = dyn_cast<scf::ForOp>(loop->getParentOp());
  auto panels =
      rowTiles ? dyn_cast<scf::ForOp>(rowTiles->getParentOp()) : nullptr;
  if (!panels || panel.outer.size() != 1 || panel.column || panel.begin != 0 ||
      panel.end != panel.getType().getDimSize(2) ||
      !isZeroInteger(getAsOpFoldResult(rowTiles.getLowerBound())) ||
      !rowTiles.isDefinedOutsideOfLoop(panel.outer[0]) ||
      panels.isDefinedOutsideOfLoop(panel.outer[0]))
    return std::nullopt;
  return PanelLoops{panels, rowTiles};
}

std::optional<Panel> gnn::findTilePanel(scf::ForOp loop) {
  auto rowTiles = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (!rowTiles || !loop.getStaticTripCount() ||
      !getConstantIntValue(loop.getLowerBound()) ||
      !getConstantIntValue(rowTiles.getLowerBound()) ||
      !getConstantIntValue(rowTiles.getStep()))
    return std::nullopt;
  for (auto first : loop.getBody()->getOps<amx::TileLoadOp>()) {
    MemRefType type = first.getMemRefType();
    ValueRange indices = first.getIndices();
    if (type.getRank() != 3 || !type.hasStaticShape() ||
        !type.getLayout().isIdentity() ||
        indices[1] != loop.getInductionVar() ||
        !rowTiles.isDefinedOutsideOfLoop(first.getBase()) ||
        !rowTiles.isDefinedOutsideOfLoop(indices[0]) ||
        getConstantIntValue(loop.getStep()) !=
            first.getTileType().getDimSize(0))
      continue;
    int64_t read = 0;
    for (auto other : loop.getBody()->getOps<amx::TileLoadOp>())
      if (other.getBase() == first.getBase() &&
          llvm::equal(other.getIndices().drop_back(), indices.drop_back()))
        read += other.getTileType().getDimSize(1);
    if (read == type.getDimSize(2))
      return Panel{first.getBase(), {indices[0]}, Value(), 0, read};
  }
  return std::nullopt;
}

SmallVector<amx::TileStoreOp> gnn::findTileStores(scf::ForOp loop) {
  SmallVector<amx::TileStoreOp> stores;
  for (auto [init, result] : llvm::zip(loop.getInitArgs(), loop.getResults())) {
    if (!isa<amx::TileType>(result.getType()) || !result.hasOneUse())
      return {};
    auto store = dyn_cast<amx::TileStoreOp>(*result.user_begin());
    if (!store || store->getBlock() != loop->getBlock())
      return {};
    auto load = init.getDefiningOp<amx::TileLoadOp>();
    if (load && load.getBase() == store.getBase())
      return {};
    stores.push_back(store);
  }
  return stores;
}

std::optional<TileStores> gnn::findTileRows(scf::ForOp loop) {
  TileStores stores;
  std::pair<Value, int64_t> firstRow, firstColumn;
  for (auto [init, result] : llvm::zip(loop.getInitArgs(), loop.getResults())) {
    if (!result.hasOneUse() || !matchPattern(init, m_Constant()))
      return std::nullopt;
    auto store = dyn_cast<vector::TransferWriteOp>(*result.user_begin());
    if (!store || store->getBlock() != loop->getBlock() ||
        store.getVector() != result || !accessesRow(store))
      return std::nullopt;
    auto type = dyn_cast<MemRefType>(store.getBase().getType());
    if (!type || type.getRank() != 2)
      return std::nullopt;
    auto row = splitOffset(store.getIndices()[0]);
    auto column = splitOffset(store.getIndices()[1]);
    if (stores.firstRow.empty()) {
      firstRow = row;
      firstColumn = column;
    }
    int64_t distance = row.second - firstRow.second;
    int64_t bits =
        (column.second - firstColumn.second) * type.getElementTypeBitWidth();
    if (row.first != firstRow.first || column.first != firstColumn.first ||
        distance < 0 || distance > stores.numRows ||
        (!stores.firstRow.empty() &&
         store.getBase() != stores.firstRow.front().getBase()))
      return std::nullopt;
    if (distance == 0 && bits % (8 * lineBytes) == 0)
      stores.firstRow.push_back(store);
    stores.numRows = std::max(stores.numRows, distance + 1);
  }
  if (stores.firstRow.empty())
    return std::nullopt;
  return stores;
}

memref::LoadOp gnn::findFirstRow(scf::ForOp loop) {
  auto rowTiles = dyn_cast<scf::ForOp>(loop->getParentOp());
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!rowTiles || !trips || !isZeroInteger(loop.getLowerBound()) ||
      getConstantIntValue(loop.getStep()) != 1)
    return {};
  std::optional<int64_t> step = getConstantIntValue(rowTiles.getStep());
  for (auto first : loop.getBody()->getOps<memref::LoadOp>()) {
    MemRefType type = first.getMemRefType();
    if (type.getRank() != 2 || !type.getLayout().isIdentity() ||
        type.getDimSize(1) != trips->getSExtValue() ||
        type.getElementTypeBitWidth() % 8 != 0 ||
        first.getIndices()[1] != loop.getInductionVar() ||
        !loop.isDefinedOutsideOfLoop(first.getIndices()[0]) ||
        !rowTiles.isDefinedOutsideOfLoop(first.getMemRef()))
      continue;
    int64_t numRows = llvm::count_if(
        loop.getBody()->getOps<memref::LoadOp>(), [&](memref::LoadOp other) {
          return other.getMemRef() == first.getMemRef() &&
                 other.getIndices()[1] == loop.getInductionVar();
        });
    if (numRows == step)
      return first;
  }
  return {};
}

vector::TransferReadOp gnn::findRoundedRows(scf::ForOp loop,
                                            scf::ForallOp blocks) {
  vector::TransferReadOp found;
  blocks.walk([&](vector::TransferReadOp read) {
    auto type = dyn_cast<MemRefType>(read.getBase().getType());
    if (found || !type || type.getRank() != 2 ||
        !type.getLayout().isIdentity() || type.isDynamicDim(1) ||
        !read->hasOneUse() || !blocks.isDefinedOutsideOfLoop(read.getBase()))
      return;
    auto rounded = dyn_cast<arith::TruncFOp>(*read->user_begin());
    if (!rounded || !rounded->hasOneUse())
      return;
    auto write = dyn_cast<vector::TransferWriteOp>(*rounded->user_begin());
    auto add = read.getIndices()[0].getDefiningOp<arith::AddIOp>();
    if (!write || !add || add.getLhs() != blocks.getInductionVars()[0] ||
        !llvm::any_of(loop.getBody()->getOps<amx::TileLoadOp>(),
                      [&](amx::TileLoadOp load) {
                        return load.getBase() == write.getBase();
                      }))
      return;
    found = read;
  });
  return found;
}
