//===- ModelInfo.cpp - What a compiled model tells of itself ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/ModelInfo.h"
#include "gnn/Compiler/RowAxis.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mlir;
using namespace gnn;

std::string ModelInfo::getSymbolName() const {
  std::string symbol = name;
  for (char &c : symbol)
    if (!llvm::isAlnum(c))
      c = '_';
  // The runtime has names such as gnn_model and gnn_session_model, and C keeps
  // those with underscores in front for itself.
  StringRef start =
      StringRef(symbol).take_until([](char c) { return c == '_'; });
  if (start == "gnn" || start.empty() || llvm::isDigit(start.front()))
    symbol.insert(0, "model_");
  return symbol;
}

func::FuncOp gnn::findEntry(ModuleOp module) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    if (entry) {
      InFlightDiagnostic diagnostic =
          function.emitError("a model has one public function, but this is the "
                             "second: make all but one `private`");
      diagnostic.attachNote(entry.getLoc()) << "the first one";
      return nullptr;
    }
    entry = function;
  }
  if (!entry) {
    module.emitError("a model needs a public function");
    return nullptr;
  }
  if (!entry.getBody().hasOneBlock()) {
    entry.emitError("the model's function must be one block; use scf for loops "
                    "and conditions");
    return nullptr;
  }
  return entry;
}

static FailureOr<gnn_dtype> getDType(Type type) {
  if (type.isF32())
    return GNN_FLOAT32;
  if (type.isF64())
    return GNN_FLOAT64;
  if (type.isSignlessInteger(32))
    return GNN_INT32;
  if (type.isSignlessInteger(64))
    return GNN_INT64;
  if (type.isSignlessInteger(1))
    return GNN_BOOL;
  return failure();
}

static gnn_topology getTopology(Topology topology) {
  switch (topology) {
  case Topology::CSR:
  case Topology::COO: // Arrives sorted, see gnn-coo-to-csr.
    return GNN_TOPOLOGY_CSR;
  case Topology::Complete:
    return GNN_TOPOLOGY_COMPLETE;
  case Topology::Causal:
    return GNN_TOPOLOGY_CAUSAL;
  case Topology::Window:
    return GNN_TOPOLOGY_WINDOW;
  case Topology::BlockDiagonal:
    return GNN_TOPOLOGY_BLOCK_DIAGONAL;
  }
  llvm_unreachable("unknown topology");
}

static LogicalResult describeGraph(func::FuncOp entry, unsigned index,
                                   GNNGraphType type, PortInfo &port) {
  if (!type.getIndexType().isInteger(32))
    return entry.emitError() << "argument " << index << " has type " << type
                             << ", but graphs enter a model with indices of "
                                "type i32";
  port.kind = GNN_PORT_GRAPH;
  port.topology = getTopology(type.getTopology());
  port.window = type.getWindow();
  port.isBipartite = type.getBipartite();
  port.axis = GNN_AXIS_ANY;
  return success();
}

/// Fills in what the port's type says.
static LogicalResult describeTensor(func::FuncOp entry, const Twine &what,
                                    Type type, bool isWeight, PortInfo &port) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return entry.emitError() << what << " has type " << type
                             << ", but a model takes and returns ranked tensors"
                             << " (and takes graphs)";
  // Pairs of bfloat16, which only gnn-pack-weights makes, are numbers of 32
  // bits to the runtime.
  bool isPairs = isWeight && tensor.getElementType().isBF16() &&
                 tensor.getRank() > 0 && tensor.getShape().back() == 2;
  FailureOr<gnn_dtype> dtype =
      isPairs ? GNN_INT32 : getDType(tensor.getElementType());
  if (failed(dtype))
    return entry.emitError()
           << what << " has element type " << tensor.getElementType()
           << ", expected f32, f64, i32, i64 or i1";
  if (tensor.getRank() > GNN_MAX_RANK)
    return entry.emitError() << what << " has rank " << tensor.getRank()
                             << ", expected at most " << GNN_MAX_RANK;
  port.dtype = *dtype;
  for (int64_t size : tensor.getShape())
    port.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
  if (isPairs)
    port.shape.back() = 1;
  return success();
}

/// Reads gnn.axis and gnn.graph; without them what the row axis follows from.
static LogicalResult describeAxis(func::FuncOp entry, const Twine &what,
                                  DictionaryAttr attributes,
                                  std::optional<RowAxis> derived,
                                  unsigned numGraphs, PortInfo &port) {
  if (port.shape.empty() || port.shape.front() != -1) {
    port.axis = GNN_AXIS_FIXED;
    return success();
  }
  port.axis = GNN_AXIS_ANY;
  if (derived) {
    port.axis = derived->axis;
    port.graph = derived->graph;
  }
  auto axis = attributes ? attributes.getAs<StringAttr>(GNNDialect::kAxisAttr)
                         : nullptr;
  if (axis) {
    auto value = llvm::StringSwitch<std::optional<gnn_axis>>(axis)
                     .Case("source", GNN_AXIS_SOURCE)
                     .Case("destination", GNN_AXIS_DESTINATION)
                     .Case("edge", GNN_AXIS_EDGE)
                     .Case("any", GNN_AXIS_ANY)
                     .Default(std::nullopt);
    if (!value)
      return entry.emitError() << what << " has gnn.axis = " << axis
                               << ", expected \"source\", \"destination\", "
                                  "\"edge\" or \"any\"";
    port.axis = *value;
    port.graph = 0;
  }
  auto graph = attributes
                   ? attributes.getAs<IntegerAttr>(GNNDialect::kGraphAttr)
                   : nullptr;
  if (graph)
    port.graph = graph.getInt();
  if (port.axis != GNN_AXIS_ANY &&
      (port.graph < 0 || port.graph >= int32_t(numGraphs)))
    return entry.emitError() << what << " has gnn.graph = " << port.graph
                             << ", but the function takes " << numGraphs
                             << " graph" << (numGraphs == 1 ? "" : "s");
  return success();
}

/// Which nodes of an earlier graph the sources of a graph, or the rows of a
/// sparse matrix, are: what gnn.axis and gnn.graph say or, for sources without
/// them, what follows from the ops.
static LogicalResult describeSources(func::FuncOp entry, const Twine &what,
                                     DictionaryAttr attributes,
                                     std::optional<RowAxis> derived,
                                     int32_t numEarlierGraphs, PortInfo &port) {
  auto columns = attributes
                     ? attributes.getAs<IntegerAttr>(GNNDialect::kColumnsAttr)
                     : nullptr;
  if (columns) {
    port.shape = {-1, columns.getInt()};
  } else if (derived) {
    port.axis = derived->axis;
    port.graph = derived->graph;
  }
  auto axis = attributes ? attributes.getAs<StringAttr>(GNNDialect::kAxisAttr)
                         : nullptr;
  if (!axis)
    return success();
  auto graph = attributes.getAs<IntegerAttr>(GNNDialect::kGraphAttr);
  port.graph = graph ? graph.getInt() : 0;
  bool isSource = axis == "source";
  if ((!isSource && axis != "destination") || port.graph < 0 ||
      port.graph >= numEarlierGraphs)
    return entry.emitError()
           << what << " has gnn.axis = " << axis
           << " and gnn.graph = " << port.graph
           << ", expected \"source\" or \"destination\" of a graph before it";
  port.axis = isSource ? GNN_AXIS_SOURCE : GNN_AXIS_DESTINATION;
  return success();
}

static std::string getName(DictionaryAttr attributes, const Twine &otherwise) {
  if (attributes)
    if (auto name = attributes.getAs<StringAttr>(GNNDialect::kNameAttr))
      return name.str();
  return otherwise.str();
}

/// Reads gnn.node_types and gnn.path.
static LogicalResult describeTypes(func::FuncOp entry, const Twine &what,
                                   DictionaryAttr attributes,
                                   int32_t numEarlierGraphs, PortInfo &port) {
  if (!attributes)
    return success();
  bool isGraph = port.kind == GNN_PORT_GRAPH;
  if (auto types = attributes.getAs<ArrayAttr>(GNNDialect::kNodeTypesAttr)) {
    for (auto type : types.getAsRange<StringAttr>())
      port.nodeTypes.push_back(type.str());
    if (port.nodeTypes.size() != (isGraph ? 2 : 1))
      return entry.emitError()
             << what << " has gnn.node_types = " << types << ", expected "
             << (isGraph ? "those of sources and destinations"
                         : "that of its rows");
  }
  if (auto path = attributes.getAs<DenseI32ArrayAttr>(GNNDialect::kPathAttr)) {
    llvm::append_range(port.path, path.asArrayRef());
    if (!isGraph || port.path.size() < 2 ||
        llvm::any_of(port.path, [&](int32_t graph) {
          return graph < 0 || graph >= numEarlierGraphs;
        }))
      return entry.emitError()
             << what << " has gnn.path = " << path
             << ", expected a graph's two or more graphs before it";
  }
  return success();
}

FailureOr<ModelInfo> gnn::describeModel(func::FuncOp entry) {
  ModelInfo info;
  if (auto name = entry->getAttrOfType<StringAttr>(GNNDialect::kModelAttr))
    info.name = name.str();
  else
    info.name = entry.getName().str();
  if (auto layers = entry->getAttrOfType<ArrayAttr>(GNNDialect::kLayersAttr))
    for (auto layer : layers.getAsRange<StringAttr>())
      info.layers += (layer.getValue() + "\n").str();

  auto module = entry->getParentOfType<ModuleOp>();
  info.readsNodeNumbers = readsNodeNumbers(module);
  info.readsOutEdges = readsOutEdges(module);
  RowAxisAnalysis rows(entry);
  unsigned numGraphs = llvm::count_if(entry.getArgumentTypes(), [](Type type) {
    return isa<GNNGraphType>(type);
  });
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    PortInfo port;
    DictionaryAttr attributes = entry.getArgAttrDict(index);
    port.name = getName(attributes, "arg" + Twine(index));
    std::string what = ("argument " + Twine(index)).str();
    if (auto graph = dyn_cast<GNNGraphType>(type)) {
      if (failed(describeGraph(entry, index, graph, port)))
        return failure();
      int32_t number = llvm::count_if(info.inputs, [](const PortInfo &input) {
        return input.kind == GNN_PORT_GRAPH;
      });
      if (failed(describeSources(entry, what, attributes,
                                 rows.lookupSources(number), number, port)) ||
          failed(describeTypes(entry, what, attributes, number, port)))
        return failure();
    } else {
      bool isWeight =
          attributes && attributes.contains(GNNDialect::kWeightAttr);
      if (failed(describeTensor(entry, what, type, isWeight, port)) ||
          failed(describeAxis(entry, what, attributes,
                              rows.lookup(entry.getArgument(index)), numGraphs,
                              port)) ||
          failed(describeTypes(entry, what, attributes, 0, port)))
        return failure();
      if (isWeight) {
        port.kind = GNN_PORT_WEIGHT;
        port.value =
            cast<ElementsAttr>(attributes.get(GNNDialect::kWeightAttr));
        // A cache line each, so that vector loads of rows can be aligned.
        port.offset = llvm::alignTo(info.weightBytes, 64);
        info.weightBytes =
            port.offset + ShapedType::getNumElements(port.shape) *
                              int64_t(gnn_dtype_size(port.dtype));
      }
    }
    if (attributes) {
      if (auto limit = attributes.getAs<IntegerAttr>(GNNDialect::kLimitAttr))
        port.limit = limit.getInt();
      if (auto limits =
              attributes.getAs<DenseI32ArrayAttr>(GNNDialect::kLimitAttr))
        port.limits.assign(limits.asArrayRef().begin(),
                           limits.asArrayRef().end());
    }
    info.inputs.push_back(std::move(port));
  }

  auto results = cast<func::ReturnOp>(entry.getBody().back().getTerminator());
  for (auto [index, type] : llvm::enumerate(entry.getResultTypes())) {
    PortInfo port;
    DictionaryAttr attributes = entry.getResultAttrDict(index);
    port.name =
        getName(attributes,
                entry.getNumResults() == 1 ? Twine("y") : "y" + Twine(index));
    std::string what = ("result " + Twine(index)).str();
    if (failed(describeTensor(entry, what, type, /*isWeight=*/false, port)) ||
        failed(describeAxis(entry, what, attributes,
                            rows.lookup(results.getOperand(index)), numGraphs,
                            port)) ||
        failed(describeTypes(entry, what, attributes, 0, port)))
      return failure();
    if (llvm::any_of(info.outputs, [&](const PortInfo &other) {
          return other.name == port.name;
        }))
      return entry.emitError() << "two results are named '" << port.name << "'";
    info.outputs.push_back(std::move(port));
  }
  if (info.outputs.empty())
    return entry.emitError("a model returns at least one tensor");
  if (info.weightBytes > 0) {
    // As gnn_weight_hash of the file, which is not in memory at once.
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    writeWeights(info, [&](ArrayRef<char> bytes) {
      XXH3_64bits_update(&state, bytes.data(), bytes.size());
    });
    info.weightHash = XXH3_64bits_digest(&state);
  }
  return info;
}

void gnn::writeWeights(const ModelInfo &info,
                       llvm::function_ref<void(ArrayRef<char>)> write) {
  static constexpr char zeros[64] = {};
  int64_t offset = 0;
  for (const PortInfo &port : info.inputs) {
    if (port.kind != GNN_PORT_WEIGHT)
      continue;
    assert(port.offset >= offset && port.offset - offset < 64 &&
           "weights are in the order of their offsets");
    write(ArrayRef(zeros).take_front(port.offset - offset));
    auto resource = dyn_cast<DenseResourceElementsAttr>(port.value);
    ArrayRef<char> data =
        resource ? resource.getData()
                 : cast<DenseElementsAttr>(port.value).getRawData();
    // A splat is stored as one element.
    int64_t repeats =
        port.value.isSplat() && !resource ? port.value.getNumElements() : 1;
    for (int64_t i = 0; i < repeats; ++i)
      write(data);
    offset = port.offset + repeats * int64_t(data.size());
  }
  assert(offset == info.weightBytes && "weights have other sizes than types");
}

std::vector<char> gnn::serializeWeights(const ModelInfo &info) {
  std::vector<char> bytes;
  bytes.reserve(info.weightBytes);
  writeWeights(info, [&](ArrayRef<char> part) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  });
  return bytes;
}
