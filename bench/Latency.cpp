//===- Latency.cpp - Time of single runs, seen from C -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Runtime.h"

#include <chrono>
#include <vector>

using Clock = std::chrono::steady_clock;

/// Runs a model and drops its results, once uncounted and then `count` times.
/// Writes the seconds of each of these. Called from Python.
extern "C" gnn_status
gnn_bench_time(gnn_session *session, const gnn_graph *const *graphs,
               size_t numGraphs, const gnn_tensor *tensors, size_t numTensors,
               double *seconds, size_t count, gnn_error *error) {
  std::vector<gnn_tensor> outputs(gnn_session_model(session)->num_outputs);
  for (size_t run = 0; run <= count; ++run) {
    auto start = Clock::now();
    if (gnn_status status =
            gnn_session_run(session, graphs, numGraphs, tensors, numTensors,
                            outputs.data(), outputs.size(), error))
      return status;
    for (gnn_tensor &output : outputs)
      gnn_tensor_release(&output);
    if (run > 0)
      seconds[run - 1] =
          std::chrono::duration<double>(Clock::now() - start).count();
  }
  return GNN_OK;
}
