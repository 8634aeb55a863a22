/*===- karate.c - A C program with a compiled model in it ---------*- C -*-===*\
|*                                                                            *|
|* Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.      *|
|* See LICENSE.TXT for license information.                                   *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Prints the community of each node of a graph file, as the GCN of           *|
|* examples/karate sees it.                                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "karate_gcn.h"
#include <stdio.h>

static gnn_error error;
#define TRY(CALL)                                                              \
  if ((CALL) != GNN_OK)                                                        \
  return fprintf(stderr, "error: %s\n", error.message), 1

int main(int argc, char **argv) {
  gnn_archive *file;
  gnn_session *session;
  gnn_graph *graph;
  gnn_tensor scores;
  TRY(gnn_archive_read(argc > 1 ? argv[1] : "karate.npz", &file, &error));
  const gnn_tensor *x = gnn_archive_find(file, "x");
  int64_t nodes = x && x->rank > 0 ? x->shape[0] : 0;
  TRY(gnn_graph_from_coo(nodes, nodes, gnn_archive_find(file, "edge_index"),
                         &graph, &error));
  TRY(gnn_session_create(&karate_gcn_model, NULL, &session, &error));
  const gnn_graph *graphs[] = {graph};
  TRY(gnn_session_run(session, graphs, 1, x, x ? 1 : 0, &scores, 1, &error));
  for (int64_t node = 0; node < nodes; ++node) {
    const float *row = (float *)scores.data + node * scores.shape[1];
    int best = 0;
    for (int i = 1; i < scores.shape[1]; ++i)
      best = row[i] > row[best] ? i : best;
    printf("%d%s", best, node + 1 < nodes ? " " : "\n");
  }
  gnn_tensor_release(&scores);
  gnn_session_destroy(session);
  gnn_graph_destroy(graph);
  gnn_archive_destroy(file);
  return 0;
}
