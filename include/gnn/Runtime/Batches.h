/*===- gnn/Runtime/Batches.h - Parts and batches of graphs --------*- C -*-===*\
|*                                                                            *|
|* Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.      *|
|* See LICENSE.TXT for license information.                                   *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* For graphs that are too large to run a model on at once: sampled           *|
|* neighbourhoods, partitions, arrays mapped from files. For graphs that are  *|
|* too small to be run one by one: many graphs as one.                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef GNN_RUNTIME_BATCHES_H
#define GNN_RUNTIME_BATCHES_H

#include "gnn/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Parts of a graph --------------------------------------------------===*/

/* Cuts parts out of one graph, which must outlive it. Its memory is as large as
   the graph has nodes and serves any number of parts, so that the cost of each
   does not depend on the size of the graph. Calls with one sampler must not
   overlap; use one sampler per calling thread. */
typedef struct gnn_sampler gnn_sampler;

/* A graph of some nodes and edges of another, its nodes numbered anew. */
typedef struct gnn_subgraph gnn_subgraph;

/* Wants a CSR graph with as many sources as destinations. */
gnn_status gnn_sampler_create(const gnn_graph *graph, gnn_sampler **sampler,
                              gnn_error *error);
void gnn_sampler_destroy(gnn_sampler *sampler);

/* How neighbours are drawn. */
typedef struct gnn_sampling {
  const int64_t *fan_outs; /* in-edges to draw of a node, for each hop from the
                              seeds; -1: all of them */
  size_t num_hops;
  uint64_t seed;   /* of the random numbers */
  int32_t replace; /* 1: an edge may be drawn several times */
  int32_t reserved;
} gnn_sampling;

/* Draws in-neighbours of the seeds, then of the nodes that are new, and so on,
   as PyTorch Geometric's NeighborLoader does with its defaults (one subgraph
   for all seeds, drawn edges only). The seeds are the first nodes of the
   result, in their order, and must differ; then follow the nodes of each hop.
   A node's in-edges keep the order they have in the graph. Nodes of the last
   hop have no in-edges. Edges out of the nodes are not looked for, so sessions
   refuse the result for models that read these (`reads_out_edges`). What is
   drawn for a node depends on the seed, the node and its hop alone: not on the
   other nodes, nor on the number of threads. `seeds` is int32 or int64, [S]. */
gnn_status gnn_sampler_neighbors(gnn_sampler *sampler, const gnn_tensor *seeds,
                                 const gnn_sampling *sampling,
                                 gnn_subgraph **subgraph, gnn_error *error);

/* Takes some nodes, which must differ, and all edges among them, in the order
   they have in the graph. `nodes` is int32 or int64, [S]. */
gnn_status gnn_sampler_induced(gnn_sampler *sampler, const gnn_tensor *nodes,
                               gnn_subgraph **subgraph, gnn_error *error);

/* Owned by the subgraph. */
const gnn_graph *gnn_subgraph_graph(const gnn_subgraph *subgraph);
/* The node of the whole graph that each node is. */
const int32_t *gnn_subgraph_nodes(const gnn_subgraph *subgraph);
/* The position that each edge has in the edge list the whole graph was made
   of. The subgraph's edges are sorted by destination. */
const int32_t *gnn_subgraph_edges(const gnn_subgraph *subgraph);
void gnn_subgraph_destroy(gnn_subgraph *subgraph);

/* Divides the nodes of a CSR graph with as many sources as destinations into
   parts of about the same size with few edges between them (METIS), and gives
   the part of each node, int32 [N]. The direction of edges does not count, nor
   do duplicates and self loops. There may be parts without nodes. */
gnn_status gnn_graph_partition(const gnn_graph *graph, int64_t num_parts,
                               gnn_tensor *parts, gnn_error *error);

/*===-- Arrays ------------------------------------------------------------===*/

/* Copies `count` rows: row i of the result is row indices[i] of `rows`. Of a
   mapped file this reads no other rows, and keeps none in memory. */
gnn_status gnn_tensor_gather(const gnn_tensor *rows, const int32_t *indices,
                             int64_t count, gnn_tensor *gathered,
                             gnn_error *error);

/* The same of a sparse matrix, a CSR graph from columns to rows, and of its
   `values`, one for each edge. */
gnn_status gnn_graph_gather_rows(const gnn_graph *matrix,
                                 const gnn_tensor *values,
                                 const int32_t *indices, int64_t count,
                                 gnn_graph **gathered,
                                 gnn_tensor *gathered_values, gnn_error *error);

/* Maps a NumPy .npy file in C order read-only: only the parts that are read use
   memory, and gnn_tensor_gather gives that back. Element types as for
   gnn_archive_read. The file must not be cut short while it is mapped. */
gnn_status gnn_tensor_map(const char *path, gnn_tensor *tensor,
                          gnn_error *error);

/* Puts an array into the archive in place of the one of that name, if any, and
   takes it over: `tensor` is empty afterwards, also on failure. */
gnn_status gnn_archive_set(gnn_archive *archive, const char *name,
                           gnn_tensor *tensor, gnn_error *error);

/*===-- Many graphs as one ------------------------------------------------===*/

/* Joins the arrays of several graphs to those of the graph in which they lie
   side by side, as PyTorch Geometric's Batch.from_data_list does; not for
   graphs with node types. All must have arrays of the same names, element types
   and widths; `names` are for messages, or NULL. Rows are put one after the
   other, except in `edge_index`, `face` and other names with "index" in them,
   where the last dimension is, and the numbers are raised by the nodes of the
   graphs before; with "batch" in them, by the largest number of the graphs
   before, each, and one. Numbers (rank 0) become a vector, one element per
   graph, but `num_nodes` the sum. A graph has as many nodes as its `num_nodes`
   says, or else the rows of its `x`, or else one more than the largest number
   in its `edge_index`; that must name no other nodes. The result also has
   `batch`, the graph of each node, int64 [N], and `ptr`, where each graph's
   nodes begin, int64 [count + 1]; the graphs must not have these themselves. */
gnn_status gnn_archive_batch(const gnn_archive *const *graphs,
                             const char *const *names, size_t count,
                             gnn_archive **batch, gnn_error *error);

#ifdef __cplusplus
}
#endif

#endif /* GNN_RUNTIME_BATCHES_H */
