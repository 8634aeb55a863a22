//===- Graphs.h - Graphs to measure on --------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Graphs of the shapes that real ones have, drawn from a fixed seed, and the
// real ones themselves. C, as Calibrators.h is.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_BENCH_GRAPHS_H
#define GNN_BENCH_GRAPHS_H

#include "gnn/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names that gnn_bench_graph takes, NULL at the end. */
extern const char *const gnn_bench_graph_names[];

/* How many edges a generated graph has; 0 for others. */
int64_t gnn_bench_graph_edges(const char *name);

/* Makes the graph of that name. A real one (cora, citeseer, facebook) is read
   from NAME.npz in `folder`, which is not needed for the others. `edges` is
   int64 [2, E], to be released by the caller, in no particular order. */
gnn_status gnn_bench_graph(const char *name, const char *folder,
                           int64_t *num_nodes, gnn_tensor *edges,
                           gnn_error *error);

#ifdef __cplusplus
}
#endif

#endif /* GNN_BENCH_GRAPHS_H */
