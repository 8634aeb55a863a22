//===- Interpret.cpp - Running a model by the specification -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpret.h"
#include "gnn/Compiler/Compiler.h"
#include "gnn/Compiler/ModelInfo.h"
#include "gnn/Interpreter/Interpreter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace gnn;

/// The ports of `infos` as the C interface has them; names are borrowed.
static std::vector<gnn_port> makePorts(const std::vector<PortInfo> &infos) {
  std::vector<gnn_port> ports;
  for (const PortInfo &info : infos) {
    gnn_port port = {};
    port.name = info.name.c_str();
    port.kind = info.kind;
    port.dtype = info.dtype;
    port.topology = info.topology;
    port.rank = info.shape.size();
    port.axis = info.axis;
    port.graph = info.graph;
    port.window = info.window;
    llvm::copy(info.shape, port.shape);
    port.bipartite = info.isBipartite;
    port.path_length = info.path.size();
    port.path = info.path.empty() ? nullptr : info.path.data();
    for (auto [i, type] : llvm::enumerate(info.nodeTypes))
      port.node_types[i] = type.c_str();
    port.limit = info.limit;
    port.num_limits = info.limits.size();
    port.limits = info.limits.data();
    ports.push_back(port);
  }
  return ports;
}

static double readElement(const gnn_tensor &tensor, int64_t i) {
  return tensor.dtype == GNN_FLOAT32
             ? static_cast<const float *>(tensor.data)[i]
             : static_cast<const double *>(tensor.data)[i];
}

static int64_t readInteger(const gnn_tensor &tensor, int64_t i) {
  switch (tensor.dtype) {
  case GNN_INT32:
    return static_cast<const int32_t *>(tensor.data)[i];
  case GNN_INT64:
    return static_cast<const int64_t *>(tensor.data)[i];
  default:
    return static_cast<const uint8_t *>(tensor.data)[i];
  }
}

static interpreter::Value toValue(const gnn_tensor &tensor) {
  bool isFloat = tensor.dtype == GNN_FLOAT32 || tensor.dtype == GNN_FLOAT64;
  auto value = interpreter::Tensor::getZero(
      llvm::ArrayRef(tensor.shape, tensor.rank), isFloat);
  for (int64_t i = 0, e = value.size(); i < e; ++i) {
    if (isFloat)
      value.floats[i] = readElement(tensor, i);
    else
      value.integers[i] = readInteger(tensor, i);
  }
  return value;
}

/// Edge values come in the caller's order, the interpreter's graph is sorted.
static FailureOr<interpreter::Value> toValue(const gnn_tensor &tensor,
                                             const gnn_port &port,
                                             ArrayRef<const gnn_graph *> graphs,
                                             gnn_error *error) {
  if (port.axis != GNN_AXIS_EDGE)
    return toValue(tensor);
  runner::TensorHolder sorted;
  if (gnn_graph_permute_edges(graphs[port.graph], &tensor, &sorted.tensor,
                              error))
    return failure();
  return toValue(sorted.tensor);
}

static std::vector<int64_t> widen(const int32_t *values, int64_t count) {
  return std::vector<int64_t>(values, values + count);
}

/// The destination of each edge of a csr graph.
static std::vector<int64_t> expandRows(const gnn_graph *graph) {
  std::vector<int64_t> destinations;
  const int32_t *rowPointers = gnn_graph_row_pointers(graph);
  for (int64_t row = 0; row < gnn_graph_num_destinations(graph); ++row)
    destinations.insert(destinations.end(),
                        rowPointers[row + 1] - rowPointers[row], row);
  return destinations;
}

/// `type` tells csr from coo, whose edges the runtime sorts as well.
static FailureOr<interpreter::Graph> toGraph(const gnn_graph *graph,
                                             GNNGraphType type, Location loc) {
  auto emitError = [&] { return mlir::emitError(loc); };
  int64_t sources = gnn_graph_num_sources(graph);
  int64_t destinations = gnn_graph_num_destinations(graph);
  switch (gnn_graph_topology(graph)) {
  case GNN_TOPOLOGY_CSR: {
    std::vector<int64_t> columns =
        widen(gnn_graph_column_indices(graph), gnn_graph_num_edges(graph));
    if (type.getTopology() == Topology::COO)
      return interpreter::makeCOOGraph(emitError, expandRows(graph), columns,
                                       destinations, sources);
    return interpreter::makeCSRGraph(
        emitError, widen(gnn_graph_row_pointers(graph), destinations + 1),
        columns, sources);
  }
  case GNN_TOPOLOGY_COMPLETE:
    return interpreter::makeDenseGraph(emitError, Topology::Complete, 0,
                                       destinations, sources);
  case GNN_TOPOLOGY_CAUSAL:
    return interpreter::makeDenseGraph(emitError, Topology::Causal, 0,
                                       destinations, sources);
  case GNN_TOPOLOGY_WINDOW:
    return interpreter::makeDenseGraph(emitError, Topology::Window,
                                       gnn_graph_window(graph), destinations,
                                       sources);
  case GNN_TOPOLOGY_BLOCK_DIAGONAL: {
    int64_t pointers = gnn_graph_num_segments(graph) + 1;
    return interpreter::makeBlockDiagonalGraph(
        emitError, widen(gnn_graph_destination_pointers(graph), pointers),
        widen(gnn_graph_source_pointers(graph), pointers));
  }
  }
  return failure();
}

/// Takes `module` to loops whose matrix products round their factors, as
/// kernels do. Graphs become their parts; returns the types of the arguments
/// before that.
static FailureOr<SmallVector<Type>> roundProducts(ModuleOp module,
                                                  Precision factors) {
  GNNToLLVMOptions options;
  options.vectorize = false;
  options.precision = factors;
  PassManager optimize(module.getContext());
  buildOptimizePipeline(optimize, options);
  if (failed(optimize.run(module)))
    return failure();
  SmallVector<Type> types(findEntry(module).getArgumentTypes());

  PassManager lower(module.getContext());
  buildLowerPipeline(lower, options);
  OpPassManager &functions = lower.nest<func::FuncOp>();
  functions.addPass(createHoistMasksPass());
  RoundProductsPassOptions round;
  round.factors = factors;
  round.severalWeights = true;
  functions.addPass(createRoundProductsPass(round));
  if (failed(lower.run(module)))
    return failure();
  return types;
}

/// Puts the rows of an edge tensor, which are in the order of the sorted graph,
/// back into the order of the caller's edges.
static interpreter::Tensor restoreEdgeOrder(const interpreter::Tensor &value,
                                            const gnn_graph *graph) {
  const int32_t *permutation = gnn_graph_edge_permutation(graph);
  if (!permutation || value.size() == 0)
    return value;
  interpreter::Tensor restored = value;
  int64_t width = value.size() / value.shape.front();
  for (int64_t edge = 0; edge < value.shape.front(); ++edge)
    for (int64_t i = 0; i < width; ++i)
      restored.set(permutation[edge] * width + i, value.get(edge * width + i));
  return restored;
}

static gnn_status fromValue(const interpreter::Tensor &value,
                            const gnn_port &port, gnn_tensor *tensor,
                            gnn_error *error) {
  auto dtype = static_cast<gnn_dtype>(port.dtype);
  if (gnn_status status = gnn_tensor_allocate(
          dtype, value.shape.size(), value.shape.data(), tensor, error))
    return status;
  for (int64_t i = 0, e = value.size(); i < e; ++i) {
    switch (dtype) {
    case GNN_FLOAT32:
      static_cast<float *>(tensor->data)[i] = value.floats[i];
      break;
    case GNN_FLOAT64:
      static_cast<double *>(tensor->data)[i] = value.floats[i];
      break;
    case GNN_INT32:
      static_cast<int32_t *>(tensor->data)[i] = value.integers[i];
      break;
    case GNN_INT64:
      static_cast<int64_t *>(tensor->data)[i] = value.integers[i];
      break;
    case GNN_BOOL:
      static_cast<uint8_t *>(tensor->data)[i] = value.integers[i];
      break;
    }
  }
  return GNN_OK;
}

/// What a diagnostic said, for the caller who reports it.
static gnn_status setError(gnn_error *error, StringRef message) {
  error->status = GNN_INVALID_ARGUMENT;
  snprintf(error->message, sizeof(error->message), "%s", message.str().c_str());
  return error->status;
}

int gnn::interpretModel(const runner::Options &options, ModuleOp module,
                        const char *program) {
  func::FuncOp entry = findEntry(module);
  FailureOr<ModelInfo> info =
      entry ? describeModel(entry) : FailureOr<ModelInfo>();
  if (failed(info))
    return EXIT_FAILURE;
  std::optional<Precision> factors = parsePrecision(options.factors);
  if (!factors) {
    runner::printError(program, "--interpret rounds factors to f32, tf32, bf16 "
                                "or f16, not '" +
                                    options.factors + "'");
    return EXIT_FAILURE;
  }
  bool isRounded = *factors != Precision::Float32;
  SmallVector<Type> types(entry.getArgumentTypes());
  if (isRounded) {
    FailureOr<SmallVector<Type>> lowered = roundProducts(module, *factors);
    if (failed(lowered))
      return EXIT_FAILURE;
    types = std::move(*lowered);
    entry = findEntry(module);
  }
  std::vector<gnn_port> inputs = makePorts(info->inputs);
  std::vector<gnn_port> outputs = makePorts(info->outputs);
  gnn_model model = {};
  model.abi_version = GNN_ABI_VERSION;
  model.num_inputs = inputs.size();
  model.num_outputs = outputs.size();
  model.reads_node_numbers = info->readsNodeNumbers;
  model.reads_out_edges = info->readsOutEdges;
  model.inputs = inputs.data();
  model.outputs = outputs.data();
  model.name = info->name.c_str();
  model.layers = info->layers.c_str();

  runner::Engine engine;
  engine.model = &model;
  engine.prepareName = "import";
  engine.run = [&](const std::vector<const gnn_graph *> &graphs,
                   const std::vector<gnn_tensor> &tensors,
                   std::vector<runner::TensorHolder> &results,
                   gnn_error *error) {
    if (gnn_status status = runner::checkInputs(model, graphs, tensors, error))
      return status;
    std::string message;
    ScopedDiagnosticHandler handler(module.getContext(),
                                    [&](Diagnostic &diagnostic) {
                                      if (message.empty())
                                        message = diagnostic.str();
                                      return success();
                                    });
    std::vector<interpreter::Value> arguments;
    size_t nextGraph = 0, nextTensor = 0;
    for (auto [port, type] : llvm::zip(inputs, types)) {
      if (port.kind == GNN_PORT_GRAPH) {
        auto graph = toGraph(graphs[nextGraph++], cast<GNNGraphType>(type),
                             entry.getLoc());
        if (failed(graph))
          return setError(error, message);
        if (isRounded)
          llvm::append_range(arguments, interpreter::getParts(*graph));
        else
          arguments.push_back(std::move(*graph));
        continue;
      }
      auto value = toValue(tensors[nextTensor++], port, graphs, error);
      if (failed(value))
        return error->status;
      arguments.push_back(std::move(*value));
    }
    auto values = interpreter::evaluate(entry, arguments);
    if (failed(values))
      return setError(error, message);
    for (size_t i = 0; i < values->size(); ++i) {
      auto &value = std::get<interpreter::Tensor>((*values)[i]);
      if (outputs[i].axis == GNN_AXIS_EDGE)
        value = restoreEdgeOrder(value, graphs[outputs[i].graph]);
      if (gnn_status status =
              fromValue(value, outputs[i], &results[i].tensor, error))
        return status;
    }
    return GNN_OK;
  };
  return runner::run(options, engine, program);
}
