//===- ModelBuilder.h - Descriptions to functions ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_MODELBUILDER_H
#define GNN_LIB_FRONTEND_MODELBUILDER_H

#include "LayerBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gnn::frontend {

/// Builds the function `forward` of a model: its graphs, its inputs, one layer
/// after the other, its outputs.
class ModelBuilder {
public:
  ModelBuilder(mlir::MLIRContext &context, const Node &description,
               Weights &weights, Reporter &reporter)
      : description(description), weights(weights), reporter(reporter),
        builder(&context) {}

  /// Null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> build();

private:
  /// A tensor that the caller passes.
  struct Input {
    enum class Per { Node, Source, Destination, Edge };

    std::string name;
    Per per = Per::Node;
    /// Of one row.
    llvm::SmallVector<int64_t> shape;
    Position position;
  };
  /// A value that layers may read: an input or the result of a layer.
  struct NamedValue {
    Features features;
    /// For inputs with a value per edge, features.value is null and this the
    /// argument's values.
    mlir::Value edges;
    bool isInput = false;
  };

  llvm::LogicalResult readModel();
  llvm::LogicalResult readName();
  llvm::LogicalResult readGraph();
  llvm::LogicalResult readInputs();
  llvm::LogicalResult readInput(const Node &node);
  llvm::LogicalResult readChannels(const Node &node, Input &input);
  llvm::LogicalResult checkGraph();

  void createFunction();
  llvm::LogicalResult buildLayers(const Node &layers);
  llvm::LogicalResult buildLayer(const Node &layer, size_t number);
  llvm::LogicalResult readLayerName(const Node &layer, std::string &name);
  llvm::LogicalResult readLayerInputs(const Node &layer,
                                      llvm::SmallVector<Features> &inputs);
  llvm::LogicalResult checkRows(const Node &layer, const LayerSpec &spec,
                                llvm::ArrayRef<Features> inputs, Rows &result);
  /// Checks what message passing on the model's graph needs.
  llvm::LogicalResult checkGraphInputs(const Node &layer, const LayerSpec &spec,
                                       llvm::ArrayRef<Features> inputs,
                                       Rows &result);
  llvm::FailureOr<mlir::Value> readEdgeInput(const Node &layer,
                                             const LayerSpec &spec);
  llvm::FailureOr<NamedValue> lookup(const Node &name);
  llvm::LogicalResult createOutputs();

  bool isBipartite() const { return graphType.getBipartite(); }

  const Node &description;
  Weights &weights;
  Reporter &reporter;
  mlir::OpBuilder builder;

  std::string name;
  GNNGraphType graphType;
  Position graphPosition;
  std::vector<Input> inputs;
  bool hasPooling = false;

  mlir::func::FuncOp function;
  mlir::Value graph;
  /// Null without a pooling layer.
  mlir::Value batch;
  /// In the order they are made, for messages; names differ.
  std::vector<std::pair<std::string, NamedValue>> values;
  /// The result of the layer before, or the first input.
  Features current;
  bool lastLayerHasName = false;
  llvm::SmallVector<std::string> layerTexts;
};

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_MODELBUILDER_H
