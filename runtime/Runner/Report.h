//===- Report.h - What a run found out --------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_RUNNER_REPORT_H
#define GNN_RUNTIME_RUNNER_REPORT_H

#include "gnn/Runtime/Runner.h"

namespace gnn::runner {

/// How the outputs compare with a reference.
struct Comparison {
  bool matches = true;
  /// Largest difference, in units of the reference's largest magnitude.
  double relativeError = 0;
  std::string worst; ///< Where that is: "y[3, 1]".
};

/// Which node each row of the outputs is of, where it is not row after row all
/// nodes.
struct OutputRows {
  std::vector<int32_t> nodes;
  int64_t numNodes = 0; ///< Of the graph.
};

/// Compares every output with the array `prefix` + its name in `reference`. If
/// there are `rows`, with those of these nodes in it.
gnn_status compareOutputs(const gnn_model &model,
                          const std::vector<TensorHolder> &outputs,
                          const OutputRows *rows, const gnn_archive &reference,
                          const Options &options, Comparison &result,
                          gnn_error *error);

/// Share of the nodes whose largest output is the one that the labels `y`
/// name, for each mask of the file ("train", "val", "test") or for "all" nodes.
/// Empty if the file has no labels that fit. Where the nodes have a type, its
/// name is part of the arrays': `y/paper`, `train_mask/paper`.
std::vector<std::pair<std::string, double>>
computeAccuracies(const gnn_port &port, const gnn_tensor &output,
                  const OutputRows *rows, const gnn_archive &file);

/// Everything that is reported about a run.
struct Report {
  std::string model;
  std::string graph;
  std::vector<std::string> notes;
  int64_t nodes = 0, edges = 0;
  std::string prepareName;
  double prepareMs = 0, readMs = 0, bindMs = 0;
  /// Of the last run: batches, seeds (or nodes in clusters), the largest batch,
  /// and the time to make the batches.
  int64_t batches = 0, seeds = 0, batchNodes = 0, batchEdges = 0;
  double sampleMs = 0;
  std::vector<double> runMs;
  int threads = 0;
  int threadsOfRun = 0; ///< That the last run was given of these.
  std::string device;   ///< Empty for the CPU.
  std::string replays;  ///< Empty without --replay.
  gnn_preparation_usage preparations = {}; ///< Part of the first run.
  std::string targetCPU; ///< The processor that the code was compiled for.
  int64_t inputBytes = 0, outputBytes = 0, weightBytes = 0;
  /// Largest resident set, of the process and beyond what it was before the
  /// first run.
  int64_t peakBytes = 0, runBytes = 0;
  std::vector<std::pair<std::string, double>> accuracies;
  /// What these count, the rows of the first output.
  const char *accuracyRows = "nodes";
  bool isChecked = false;
  Comparison comparison;

  double getMedianRunMs() const;
};

void printTable(const Report &report);
gnn_status writeJson(const Report &report, const std::string &path,
                     gnn_error *error);

} // namespace gnn::runner

#endif // GNN_RUNTIME_RUNNER_REPORT_H
