/*===- gnn/Runtime/Encodings.h - Encodings computed from a graph --*- C -*-===*\
|*                                                                            *|
|* Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.      *|
|* See LICENSE.TXT for license information.                                   *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What graph transformers read besides features: positions of nodes, and     *|
|* distances and paths between them. A library of its own, libgnn_encodings:  *|
|* programs that only run models need no eigensolver.                         *|
|*                                                                            *|
|* Everywhere `graph` is listed (CSR) and has the same nodes on both sides,   *|
|* and `node_pointers` says where the nodes of each graph of a batch begin,   *|
|* as gnn_batch_to_pointers gives it; NULL is one graph. No edge may lead     *|
|* from one graph of the batch to another. Results belong to the caller and   *|
|* are the same for any number of threads.                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef GNN_RUNTIME_ENCODINGS_H
#define GNN_RUNTIME_ENCODINGS_H

#include "gnn/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Eigenvectors 1 .. count of the Laplacian I - D^-1/2 A D^-1/2 of each graph of
   the batch, by ascending eigenvalue; the first one (0) is left out. Self loops
   do not count, duplicate edges add up, and a node without edges has the row
   of the identity. Edges must be the same, and weigh the same, in both
   directions. `edge_weight` is float32 [E] in the caller's edge order, or NULL.

   `vectors` is float32 [N, count], each column of unit length over the nodes of
   a graph and signed such that its component of largest magnitude is positive
   (the first of several); `values` is float32 [graphs, count]. A graph of n
   nodes has n - 1 such vectors at most; the columns after are zero. */
gnn_status gnn_encode_laplacian(const gnn_graph *graph,
                                const gnn_tensor *edge_weight,
                                const gnn_tensor *node_pointers, int64_t count,
                                gnn_tensor *vectors, gnn_tensor *values,
                                gnn_error *error);

/* The same for a model that learns from them, a row per node and vector:
   `pairs` is float32 [N, count, 2], the node's entry of the vector and the
   eigenvalue. Both are NaN in columns that the node's graph has no vectors for.
   `vectors` and `values` are gnn_encode_laplacian's, of the same graph and
   node_pointers. */
gnn_status gnn_encode_laplacian_pairs(const gnn_graph *graph,
                                      const gnn_tensor *node_pointers,
                                      const gnn_tensor *vectors,
                                      const gnn_tensor *values,
                                      gnn_tensor *pairs, gnn_error *error);

/* The probabilities that a walk of 1 .. steps edges ends where it began:
   float32 [N, steps]. A step goes to each successor of a node with probability
   1 / max(sum of the weights of the node's out-edges, 1), which is what PyTorch
   Geometric's AddRandomWalkPE computes: duplicate edges count once in the step
   and each in the sum. */
gnn_status gnn_encode_random_walk(const gnn_graph *graph,
                                  const gnn_tensor *edge_weight, int64_t steps,
                                  gnn_tensor *probabilities, gnn_error *error);

/* Numbers of edges into and out of each node, int64 [N]. */
gnn_status gnn_encode_degrees(const gnn_graph *graph, gnn_tensor *in_degrees,
                              gnn_tensor *out_degrees, gnn_error *error);

/* One value for each edge of the block-diagonal graph of the batch, in its
   order: for each graph, for each destination, all sources. `distances`, int64,
   are the numbers of edges on a shortest path from source to destination,
   `max_distance` where there are more, and max_distance + 1 where there is no
   path. `paths`, int64 [pairs, path_length], names the edges of one such path
   by their places in the caller's edge list, beginning at the destination; -1
   fills the rows of shorter paths, and edges past path_length are left out.
   `paths` may be NULL. */
gnn_status gnn_encode_shortest_paths(const gnn_graph *graph,
                                     const gnn_tensor *node_pointers,
                                     int64_t max_distance, int64_t path_length,
                                     gnn_tensor *distances, gnn_tensor *paths,
                                     gnn_error *error);

/* Makes the first node of each graph a virtual one, in `distances` as above:
   its pairs, that with itself too, get `number`. It must have no edges. */
gnn_status gnn_encode_virtual_nodes(const gnn_graph *graph,
                                    const gnn_tensor *node_pointers,
                                    int64_t number, gnn_tensor *distances,
                                    gnn_error *error);

/* What edges on paths have: for each row of `paths`, int64 [pairs, length] as
   above, the rows of `edge_values`, float32 [E] or [E, F] in the caller's edge
   order. `values` is float32 [pairs, length, F] (F is 1 for [E]) with zeros
   where a path has no edge, `lengths` int64 [pairs] the number of edges of each
   path, those that were left out not counted. */
gnn_status gnn_encode_path_values(const gnn_tensor *paths,
                                  const gnn_tensor *edge_values,
                                  gnn_tensor *values, gnn_tensor *lengths,
                                  gnn_error *error);

#ifdef __cplusplus
}
#endif

#endif /* GNN_RUNTIME_ENCODINGS_H */
