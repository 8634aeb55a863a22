//===- Batches.h - Running a model batch by batch ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_RUNNER_BATCHES_H
#define GNN_RUNTIME_RUNNER_BATCHES_H

#include "Report.h"

#include "gnn/Runtime/Batches.h"

namespace gnn::runner {

struct SamplerDeleter {
  void operator()(gnn_sampler *sampler) const { gnn_sampler_destroy(sampler); }
};
struct SubgraphDeleter {
  void operator()(gnn_subgraph *subgraph) const {
    gnn_subgraph_destroy(subgraph);
  }
};
using SamplerPtr = std::unique_ptr<gnn_sampler, SamplerDeleter>;
using SubgraphPtr = std::unique_ptr<gnn_subgraph, SubgraphDeleter>;

/// Reads the graph or graphs of `Options` and maps features. `Label` becomes
/// what messages call it.
gnn_status readGraphs(const Options &options, const gnn_model &model,
                      ArchivePtr &result, std::string &label, gnn_error *error);

/// Whether an input has a row for each node, or for each edge.
bool countsRows(const gnn_model &model, const gnn_port &port,
                bool &countsEdges);

/// Whether an array of this name has a part in a run of the model.
bool isReadBy(const gnn_model &model, const std::string &name);

/// Whether an array of this name tells of padding among the model's nodes.
bool takesPadding(const gnn_model &model, const std::string &name);

/// The port of graph `number`, which is there.
const gnn_port &getGraphPort(const gnn_model &model, int32_t number);

/// Converts a tensor to what the port takes.
gnn_status convertInput(const gnn_port &port, const std::string &path,
                        TensorHolder &tensor, gnn_error *error);

/// Runs a model on parts of its graph, sampled from seeds or clusters, and puts
/// the rows of the seeds or of all nodes together.
class BatchRunner {
public:
  /// `Path` is the graph's name in messages.
  BatchRunner(const Options &options, const Engine &engine,
              const Inputs &inputs, const std::string &path)
      : options(options), engine(engine), inputs(inputs), path(path) {}

  /// Checks that the model can run so, and finds the seeds.
  gnn_status prepare(gnn_error *error);

  /// Runs all batches; `RunMs` is what the model itself took.
  gnn_status run(std::vector<TensorHolder> &outputs, Report &report,
                 double &runMs, gnn_error *error);

  /// NULL: all nodes in their order.
  const OutputRows *getRows() const {
    return options.clusters || options.seeds == "all" ? nullptr : &rows;
  }

private:
  /// What to run on, and which of its rows go where.
  struct Batch {
    SubgraphPtr part;
    std::vector<int32_t> from, to;
    int64_t numSeeds = 0;
  };

  const char *optionName() const {
    return options.clusters ? "--clusters" : "--sample";
  }
  gnn_status checkModel(gnn_error *error) const;
  gnn_status checkArrays(gnn_error *error) const;
  gnn_status readSeeds(gnn_error *error);
  gnn_status parseSeeds(gnn_error *error);
  gnn_status takeSeeds(const gnn_tensor &array, gnn_error *error);
  gnn_status addSeed(int64_t node, gnn_error *error);
  gnn_status runSampled(std::vector<TensorHolder> &outputs, gnn_error *error);
  gnn_status runClusters(std::vector<TensorHolder> &outputs, gnn_error *error);
  gnn_status runBatch(const Batch &batch, std::vector<TensorHolder> &outputs,
                      gnn_error *error);
  gnn_status gather(const Batch &batch, std::vector<GraphPtr> &matrices,
                    std::vector<TensorHolder> &tensors, gnn_error *error) const;
  gnn_status gatherArray(const Batch &batch, const gnn_port &port,
                         const gnn_tensor &array,
                         std::vector<GraphPtr> &matrices, TensorHolder &tensor,
                         gnn_error *error) const;
  gnn_status collect(const Batch &batch,
                     const std::vector<TensorHolder> &results,
                     std::vector<TensorHolder> &outputs,
                     gnn_error *error) const;
  gnn_status save(const Batch &batch, const std::vector<GraphPtr> &matrices,
                  const std::vector<TensorHolder> &tensors,
                  gnn_error *error) const;

  const Options &options;
  const Engine &engine;
  const Inputs &inputs;
  const std::string &path;
  SamplerPtr sampler;
  OutputRows rows;
  /// Of the run in progress.
  Report *report = nullptr;
  double modelMs = 0;
};

} // namespace gnn::runner

#endif // GNN_RUNTIME_RUNNER_BATCHES_H
