//===- RecurrentCells.h - Steps of recurrent networks -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_RECURRENTCELLS_H
#define GNN_LIB_FRONTEND_RECURRENTCELLS_H

#include "LayerParts.h"

namespace gnn::frontend {

/// The weights of a torch.nn.GRUCell or LSTMCell, or of one layer of a GRU or
/// LSTM: for each gate a linear layer of what comes in, and one of what is
/// there.
class RecurrentWeights {
public:
  enum Side { Input, Hidden };

  /// `widths` are those of what comes in and of what is there. Names in the
  /// state_dict begin with `prefix`.
  RecurrentWeights(LayerBuilder &layer, llvm::StringRef prefix, int64_t gates,
                   std::array<int64_t, 2> widths, bool hasBias);

  /// What a gate's linear layer makes of rows of one side.
  mlir::Value apply(mlir::Value rows, Side side, int64_t gate) const;
  /// What it makes of rows of zeros, [width].
  mlir::Value getBias(Side side, int64_t gate) const;

private:
  std::string getName(llvm::StringRef kind, Side side) const;

  LayerBuilder &layer;
  std::string prefix;
  /// What the names end with: a GRU numbers its layers.
  std::string suffix;
  std::array<int64_t, 2> widths;
  std::array<std::vector<float>, 2> weights, biases;
};

/// Cho et al. 2014, as PyTorch has it: the new rows of what is there. Gates are
/// reset, update and new.
mlir::Value stepGRU(LayerBuilder &layer, const RecurrentWeights &weights,
                    mlir::Value input, mlir::Value hidden);

/// What an LSTM is between steps.
struct LSTMState {
  mlir::Value hidden, cell;
};

/// Hochreiter and Schmidhuber 1997 with a forget gate. Gates are input, forget,
/// cell and output.
LSTMState stepLSTM(LayerBuilder &layer, const RecurrentWeights &weights,
                   mlir::Value input, const LSTMState &state);
/// The first step, of zeros in zeros: a row for each of `numbers`, whatever
/// these are.
LSTMState startLSTM(LayerBuilder &layer, const RecurrentWeights &weights,
                    mlir::Value numbers);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_RECURRENTCELLS_H
