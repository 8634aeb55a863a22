//===- Runner.cpp - Runs a model on a graph file, as a program does -------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Runner.h"

#include "Batches.h"

#include "../Session.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>

using namespace gnn::runner;

namespace {
class Run {
public:
  Run(const Options &options, const Engine &engine)
      : options(options), engine(engine) {}

  gnn_status operator()(gnn_error *error);
  const Report &getReport() const { return report; }

private:
  bool usesBatches() const {
    return !options.fanOuts.empty() || options.clusters;
  }
  gnn_status prepare(gnn_error *error);
  gnn_status runOnce(double &runMs, gnn_error *error);
  gnn_status execute(gnn_error *error);
  void describe();
  gnn_status evaluate(gnn_error *error);
  gnn_status writeOutputs(gnn_error *error);

  const Options &options;
  const Engine &engine;
  Report report;
  ArchivePtr file;
  std::string graphLabel;
  Inputs inputs;
  std::unique_ptr<BatchRunner> batches;
  std::vector<TensorHolder> outputs;
};
} // namespace

/// A field of /proc/self/status in bytes, or 0 where there is none.
static int64_t readProcessStatus(const char *field) {
  FILE *status = fopen("/proc/self/status", "r");
  if (!status)
    return 0;
  char line[256];
  int64_t kilobytes = 0;
  size_t length = strlen(field);
  while (fgets(line, sizeof(line), status))
    if (strncmp(line, field, length) == 0 && line[length] == ':')
      kilobytes = strtoll(line + length + 1, nullptr, 10);
  fclose(status);
  return kilobytes * 1024;
}

/// Makes VmHWM, the largest resident set, start again from the current one.
static void resetPeakMemory() {
  if (FILE *file = fopen("/proc/self/clear_refs", "w")) {
    fputs("5", file);
    fclose(file);
  }
}

static int64_t countBytes(const gnn_tensor &tensor) {
  return gnn_tensor_size(&tensor) *
         static_cast<int64_t>(gnn_dtype_size(tensor.dtype));
}

gnn_status Run::prepare(gnn_error *error) {
  if (options.threads > 0)
    if (gnn_status status = gnn_set_num_threads(options.threads, error))
      return status;
  Stopwatch reading;
  if (gnn_status status =
          readGraphs(options, *engine.model, file, graphLabel, error))
    return status;
  report.readMs = reading.getMs();

  Stopwatch binding;
  if (gnn_status status = bindInputs(*engine.model, *file, graphLabel,
                                     !usesBatches(), inputs, error))
    return status;
  if (usesBatches()) {
    batches =
        std::make_unique<BatchRunner>(options, engine, inputs, graphLabel);
    if (gnn_status status = batches->prepare(error))
      return status;
  }
  report.bindMs = binding.getMs();
  return GNN_OK;
}

gnn_status Run::runOnce(double &runMs, gnn_error *error) {
  outputs.clear();
  outputs.resize(engine.model->num_outputs);
  if (batches)
    return batches->run(outputs, report, runMs, error);
  Stopwatch running;
  if (gnn_status status =
          engine.run(inputs.getGraphs(), inputs.getTensors(), outputs, error))
    return status;
  runMs = running.getMs();
  return GNN_OK;
}

/// Nodes and edges of the first graph or, where nodes have types, of all types
/// together; meta-paths are not counted.
static void countGraphs(const gnn_model &model,
                        const std::vector<const gnn_graph *> &graphs,
                        const std::vector<const gnn_tensor *> &arrays,
                        Report &report) {
  std::map<std::string, int64_t> nodes;
  size_t number = 0, arrayNumber = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind == GNN_PORT_TENSOR) {
      const gnn_tensor *array = arrays[arrayNumber++];
      if (port.node_types[0])
        nodes[port.node_types[0]] = array->shape[0];
    } else if (port.kind == GNN_PORT_GRAPH) {
      const gnn_graph *graph = graphs[number++];
      if (!port.node_types[0])
        continue;
      nodes[port.node_types[0]] = gnn_graph_num_sources(graph);
      nodes[port.node_types[1]] = gnn_graph_num_destinations(graph);
      if (!port.path_length)
        report.edges += gnn_graph_num_edges(graph);
    }
  }
  for (const auto &[type, count] : nodes)
    report.nodes += count;
  if (!nodes.empty())
    return;
  if (!graphs.empty()) {
    report.nodes = std::max(gnn_graph_num_sources(graphs.front()),
                            gnn_graph_num_destinations(graphs.front()));
    report.edges = gnn_graph_num_edges(graphs.front());
  } else if (!arrays.empty() && arrays.front()->rank > 0) {
    report.nodes = arrays.front()->shape[0];
  }
}

gnn_status Run::execute(gnn_error *error) {
  resetPeakMemory();
  int64_t before = readProcessStatus("VmRSS");
  for (int i = 0; i < options.repeat; ++i) {
    double runMs = 0;
    if (gnn_status status = runOnce(runMs, error))
      return status;
    report.runMs.push_back(runMs);
  }
  report.peakBytes = readProcessStatus("VmHWM");
  report.runBytes = std::max<int64_t>(0, report.peakBytes - before);
  describe();
  return GNN_OK;
}

void Run::describe() {
  std::vector<const gnn_graph *> graphs = inputs.getGraphs();
  report.model = engine.model->name;
  report.graph = graphLabel;
  report.notes = inputs.notes;
  report.prepareName = engine.prepareName;
  report.prepareMs = engine.prepareMs;
  report.threads = gnn_num_threads();
  report.threadsOfRun =
      engine.getThreads ? engine.getThreads() : report.threads;
  report.device = engine.device;
  if (report.device.empty() && engine.model->target_cpu)
    report.targetCPU = engine.model->target_cpu;
  if (options.replay && engine.describeReplays)
    report.replays = engine.describeReplays();
  if (!options.recompute && engine.getPreparations)
    report.preparations = engine.getPreparations();
  report.weightBytes = engine.model->weight_bytes;
  for (const gnn_graph *graph : graphs) {
    if (gnn_graph_topology(graph) == GNN_TOPOLOGY_CSR)
      report.inputBytes += 4 * (gnn_graph_num_destinations(graph) + 1 +
                                gnn_graph_num_edges(graph));
  }
  countGraphs(*engine.model, graphs, inputs.arrays, report);
  // In batches the arrays are read where they are, mapped or not.
  for (const gnn_tensor *array : inputs.arrays)
    if (batches)
      report.inputBytes += countBytes(*array);
  for (const TensorHolder &holder : inputs.tensors)
    report.inputBytes += countBytes(holder.tensor);
  for (const TensorHolder &output : outputs)
    report.outputBytes += countBytes(output.tensor);
}

/// Segments of a block-diagonal graph that only pools are graphs of a batch.
static const char *nameRows(const gnn_model &model, const gnn_port &output) {
  int32_t number = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind != GNN_PORT_GRAPH || number++ != output.graph)
      continue;
    bool isPooled = output.axis == GNN_AXIS_DESTINATION && port.bipartite &&
                    port.topology == GNN_TOPOLOGY_BLOCK_DIAGONAL;
    return isPooled ? "graphs" : "nodes";
  }
  return "nodes";
}

gnn_status Run::evaluate(gnn_error *error) {
  const OutputRows *rows = batches ? batches->getRows() : nullptr;
  report.accuracyRows = nameRows(*engine.model, engine.model->outputs[0]);
  report.accuracies = computeAccuracies(engine.model->outputs[0],
                                        outputs.front().tensor, rows, *file);
  if (options.check.empty())
    return GNN_OK;
  gnn_archive *archive = nullptr;
  if (gnn_status status =
          gnn_archive_read(options.check.c_str(), &archive, error))
    return status;
  ArchivePtr reference(archive);
  report.isChecked = true;
  return compareOutputs(*engine.model, outputs, rows, *reference, options,
                        report.comparison, error);
}

gnn_status Run::writeOutputs(gnn_error *error) {
  std::vector<const char *> names;
  std::vector<gnn_tensor> tensors;
  for (uint32_t i = 0; i < engine.model->num_outputs; ++i) {
    names.push_back(engine.model->outputs[i].name);
    tensors.push_back(outputs[i].tensor);
  }
  return gnn_archive_write(options.output.c_str(), names.data(), tensors.data(),
                           tensors.size(), error);
}

gnn_status Run::operator()(gnn_error *error) {
  if (gnn_status status = prepare(error))
    return status;
  if (gnn_status status = execute(error))
    return status;
  if (gnn_status status = evaluate(error))
    return status;
  if (!options.output.empty())
    if (gnn_status status = writeOutputs(error))
      return status;
  if (!options.json.empty())
    return writeJson(report, options.json, error);
  return GNN_OK;
}

int gnn::runner::run(const Options &options, const Engine &engine,
                     const char *program) {
  Run run(options, engine);
  gnn_error error = {};
  if (run(&error)) {
    printError(program, error.message);
    return EXIT_FAILURE;
  }
  const Report &report = run.getReport();
  if (!options.quiet)
    printTable(report);
  int code = finishOutput(program);
  if (report.comparison.matches)
    return code;
  printError(program, "the outputs differ from '" + options.check +
                          "': " + report.comparison.worst);
  return EXIT_FAILURE;
}

gnn_status gnn::runner::checkInputs(
    const gnn_model &model, const std::vector<const gnn_graph *> &graphs,
    const std::vector<gnn_tensor> &tensors, gnn_error *error) {
  std::vector<gnn_tensor> outputs(model.num_outputs);
  return gnn::rt::checkInputs(model, /*device=*/nullptr, graphs.data(),
                              graphs.size(), tensors.data(), tensors.size(),
                              outputs.data(), outputs.size(), error);
}

static std::string describeReplays(const gnn_replay_usage &usage) {
  std::string result = std::to_string(usage.captures) + " runs captured, " +
                       std::to_string(usage.replays) + " replayed";
  return usage.obstacle ? result + "; none any more: " + usage.obstacle
                        : result;
}

Engine gnn::runner::makeEngine(gnn_session *session) {
  Engine engine;
  engine.model = gnn_session_model(session);
  if (const char *device = gnn_session_device_name(session))
    engine.device = device;
  engine.run = [session](const std::vector<const gnn_graph *> &graphs,
                         const std::vector<gnn_tensor> &tensors,
                         std::vector<TensorHolder> &outputs, gnn_error *error) {
    std::vector<gnn_tensor> results(outputs.size());
    gnn_status status =
        gnn_session_run(session, graphs.data(), graphs.size(), tensors.data(),
                        tensors.size(), results.data(), results.size(), error);
    if (status == GNN_OK)
      for (size_t i = 0; i < results.size(); ++i)
        outputs[i].tensor = results[i];
    return status;
  };
  engine.getPreparations = [session] {
    return gnn_session_preparation_usage(session);
  };
  engine.getThreads = [session] { return gnn_session_threads(session); };
  engine.describeReplays = [session] {
    return describeReplays(gnn_session_replay_usage(session));
  };
  return engine;
}

gnn_session_options gnn::runner::getSessionOptions(const Options &options) {
  gnn_session_options result = gnn_session_default_options();
  if (!options.weights.empty())
    result.weights_path = options.weights.c_str();
  result.device = options.device;
  result.replay = options.replay;
  result.recompute = options.recompute;
  result.all_threads = options.allThreads;
  if (!options.targetCPU.empty())
    result.target_cpu = options.targetCPU.c_str();
  return result;
}

/// The weights file of a program lies beside it, as that of a library does.
static std::string findWeights(const char *program) {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return (length > 0 ? std::string(path, static_cast<size_t>(length))
                     : std::string(program)) +
         ".weights";
}

extern "C" int gnn_main(const gnn_model *model, int argumentCount,
                        char **arguments) {
  ignoreFileSizeSignal();
  Options options;
  if (std::optional<int> code =
          parseOptions(argumentCount, arguments, Models::Own, options))
    return *code;
  Stopwatch loading;
  gnn_session *session = nullptr;
  gnn_error error = {};
  if (options.weights.empty() && model->weight_bytes > 0 && !model->weights)
    options.weights = findWeights(arguments[0]);
  gnn_session_options sessionOptions = getSessionOptions(options);
  if (gnn_session_create_with(model, &sessionOptions, &session, &error)) {
    printError(arguments[0], error.message);
    return EXIT_FAILURE;
  }
  Engine engine = makeEngine(session);
  engine.prepareName = "load";
  engine.prepareMs = loading.getMs();
  int code = run(options, engine, arguments[0]);
  gnn_session_destroy(session);
  return code;
}
