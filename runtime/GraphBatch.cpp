//===- GraphBatch.cpp - Many graphs as one ----------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Batches.h"

#include "Archive.h"
#include "Error.h"
#include "Tensor.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>

using namespace gnn;
using namespace gnn::rt;

namespace {
/// Joins the arrays of graphs.
class Joiner {
public:
  Joiner(const gnn_archive *const *graphs, const char *const *names,
         int64_t count, gnn_archive &result, gnn_error *error)
      : graphs(graphs), names(names), count(count), result(result),
        error(error) {}

  gnn_status join();

private:
  /// What one graph is called in messages: its name or its number.
  struct Name {
    char text[320];
  };
  Name nameOf(int64_t graph) const;

  gnn_status countNodes(int64_t graph, int64_t &numNodes);
  gnn_status checkNames(int64_t graph);
  gnn_status joinArray(const char *name);
  gnn_status checkArray(const char *name, int64_t graph,
                        const gnn_tensor &first);
  gnn_status raise(const char *name, int64_t graph, const gnn_tensor &joined,
                   int64_t outer, int64_t begin, int64_t extent, int64_t inner,
                   int64_t &before);
  gnn_status addNodeNumbers();

  const gnn_archive *const *graphs;
  const char *const *names;
  int64_t count;
  gnn_archive &result;
  gnn_error *error;
  Array<int64_t> pointers; ///< Where each graph's nodes begin.
};
} // namespace

Joiner::Name Joiner::nameOf(int64_t graph) const {
  Name name;
  if (names)
    snprintf(name.text, sizeof(name.text), "'%.300s'", names[graph]);
  else
    snprintf(name.text, sizeof(name.text), "graph %" PRId64, graph);
  return name;
}

static bool isNamedIndex(const char *name) {
  return strstr(name, "index") || strcmp(name, "face") == 0;
}

/// The largest number in an array of integers, or -1.
static int64_t findLargest(const gnn_tensor &tensor) {
  int64_t largest = -1;
  auto look = [&](const auto *values) {
    for (int64_t i = 0, size = gnn_tensor_size(&tensor); i < size; ++i)
      largest = std::max<int64_t>(largest, values[i]);
    return GNN_OK;
  };
  if (tensor.dtype == GNN_INT32 || tensor.dtype == GNN_INT64)
    (void)withIntegers(&tensor, look);
  return largest;
}

gnn_status Joiner::countNodes(int64_t graph, int64_t &numNodes) {
  const gnn_tensor *number = gnn_archive_find(graphs[graph], "num_nodes");
  const gnn_tensor *rows = gnn_archive_find(graphs[graph], "x");
  const gnn_tensor *edges = gnn_archive_find(graphs[graph], "edge_index");
  if (number) {
    numNodes = gnn_tensor_size(number) == 1 ? findLargest(*number) : -1;
    if (numNodes < 0)
      return fail(error, GNN_FORMAT_ERROR,
                  "%s: 'num_nodes' must be one integer of 0 or more",
                  nameOf(graph).text);
  } else if (rows && rows->rank > 0) {
    numNodes = rows->shape[0];
  } else if (edges) {
    numNodes = findLargest(*edges);
    // The sum below must not overflow.
    numNodes = std::min<int64_t>(numNodes, INT32_MAX) + 1;
  } else {
    return fail(error, GNN_MISMATCH,
                "%s has neither 'num_nodes' nor 'x' nor 'edge_index', so it "
                "does not say how many nodes there are",
                nameOf(graph).text);
  }
  return GNN_OK;
}

gnn_status Joiner::checkNames(int64_t graph) {
  for (const char *name : {"batch", "ptr"})
    if (gnn_archive_find(graphs[graph], name))
      return fail(error, GNN_UNSUPPORTED,
                  "%s has an array '%s', so it holds several graphs already; "
                  "only single graphs can be joined",
                  nameOf(graph).text, name);
  for (const char *name : {"indptr", "num_sources"})
    if (gnn_archive_find(graphs[graph], name))
      return fail(error, GNN_UNSUPPORTED,
                  "%s has an array '%s', but only graphs that list their edges "
                  "as 'edge_index' and whose sources are their destinations "
                  "can be joined",
                  nameOf(graph).text, name);
  for (const ArchiveEntry &entry : graphs[graph]->entries)
    if (const char *ending = strrchr(entry.name, '.');
        ending && strcmp(ending, ".indptr") == 0)
      return fail(error, GNN_UNSUPPORTED,
                  "%s has an array '%.200s', which is of a sparse matrix; only "
                  "graphs whose matrices are dense can be joined",
                  nameOf(graph).text, entry.name);
  for (const ArchiveEntry &entry : graphs[graph]->entries)
    if (strchr(entry.name, '/'))
      return fail(error, GNN_UNSUPPORTED,
                  "%s has an array '%.200s', which is of a graph with node "
                  "types; only graphs whose nodes are all of one type can be "
                  "joined",
                  nameOf(graph).text, entry.name);
  for (const ArchiveEntry &entry : graphs[graph]->entries)
    if (strcmp(entry.name, "num_nodes") != 0 &&
        !gnn_archive_find(graphs[0], entry.name))
      return fail(error, GNN_MISMATCH,
                  "%s has an array '%.200s', but %s has none; graphs that are "
                  "joined must have the same arrays",
                  nameOf(graph).text, entry.name, nameOf(0).text);
  return GNN_OK;
}

gnn_status Joiner::checkArray(const char *name, int64_t graph,
                              const gnn_tensor &first) {
  const gnn_tensor *array = gnn_archive_find(graphs[graph], name);
  if (!array)
    return fail(error, GNN_MISMATCH,
                "%s has no array '%.200s', but %s has one; graphs that are "
                "joined must have the same arrays",
                nameOf(graph).text, name, nameOf(0).text);
  bool fits = array->rank == first.rank && array->dtype == first.dtype;
  int32_t joined = isNamedIndex(name) ? first.rank - 1 : 0;
  for (int32_t i = 0; fits && i < first.rank; ++i)
    fits = i == joined || array->shape[i] == first.shape[i];
  if (!fits)
    return fail(error, GNN_MISMATCH,
                "%s: '%.100s' is %s of shape %s, which cannot be joined with "
                "%s of shape %s in %s",
                nameOf(graph).text, name, gnn_dtype_name(array->dtype),
                printShape(array->rank, array->shape).text,
                gnn_dtype_name(first.dtype),
                printShape(first.rank, first.shape).text, nameOf(0).text);
  return GNN_OK;
}

/// Raises the numbers of one graph where the name says that they count nodes or
/// segments. `before` is what segments are raised by. Edges must stay within
/// their graph: a number too large would be a node of another graph.
gnn_status Joiner::raise(const char *name, int64_t graph,
                         const gnn_tensor &joined, int64_t outer, int64_t begin,
                         int64_t extent, int64_t inner, int64_t &before) {
  bool isIndex = isNamedIndex(name), isBatch = strstr(name, "batch");
  if (!isIndex && !isBatch)
    return GNN_OK;
  if (joined.dtype != GNN_INT32 && joined.dtype != GNN_INT64)
    return fail(error, GNN_MISMATCH,
                "%s: '%.100s' is %s, but numbers of nodes or graphs must be "
                "int32 or int64",
                nameOf(graph).text, name, gnn_dtype_name(joined.dtype));
  // A vector of one number per graph was made of numbers.
  int64_t total = joined.shape[isIndex ? joined.rank - 1 : 0];
  int64_t by = isBatch ? before : pointers[graph];
  bool isEdges = strcmp(name, "edge_index") == 0;
  int64_t numNodes = pointers[graph + 1] - pointers[graph];
  int64_t largest =
      isBatch ? findLargest(*gnn_archive_find(graphs[graph], name)) : -1;
  auto add = [&](auto *values) {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = begin * inner; i < (begin + extent) * inner; ++i) {
        auto &value = values[o * total * inner + i];
        if (isEdges && (value < 0 || value >= numNodes))
          return fail(error, GNN_INVALID_ARGUMENT,
                      "%s: edge_index[%" PRId64 "][%" PRId64 "] is %" PRId64
                      ", but the graph has %" PRId64 " node%s",
                      nameOf(graph).text, o, i - begin * inner,
                      static_cast<int64_t>(value), numNodes,
                      numNodes == 1 ? "" : "s");
        int64_t raised;
        if (__builtin_add_overflow(static_cast<int64_t>(value), by, &raised) ||
            raised > INT32_MAX)
          return fail(error, GNN_UNSUPPORTED,
                      "%s: a number in '%.100s' becomes more than 2147483647 "
                      "in the batch",
                      nameOf(graph).text, name);
        value = static_cast<std::remove_reference_t<decltype(value)>>(raised);
      }
    return GNN_OK;
  };
  before += largest + 1;
  return joined.dtype == GNN_INT32 ? add(static_cast<int32_t *>(joined.data))
                                   : add(static_cast<int64_t *>(joined.data));
}

gnn_status Joiner::joinArray(const char *name) {
  const gnn_tensor &first = *gnn_archive_find(graphs[0], name);
  int32_t rank = std::max(first.rank, 1);
  int32_t along = isNamedIndex(name) ? rank - 1 : 0;
  auto extentOf = [&](const gnn_tensor &tensor) {
    return tensor.rank == 0 ? 1 : tensor.shape[along];
  };
  int64_t shape[GNN_MAX_RANK] = {};
  memcpy(shape, first.shape, sizeof(shape));
  shape[along] = 0;
  for (int64_t g = 0; g < count; ++g) {
    if (gnn_status status = checkArray(name, g, first))
      return status;
    shape[along] += extentOf(*gnn_archive_find(graphs[g], name));
  }
  gnn_tensor joined;
  if (gnn_status status =
          allocateTensor(first.dtype, rank, shape, &joined, error))
    return status;

  int64_t outer = 1, inner = 1;
  for (int32_t i = 0; i < along; ++i)
    outer *= shape[i];
  for (int32_t i = along + 1; i < rank; ++i)
    inner *= shape[i];
  int64_t width = inner * static_cast<int64_t>(gnn_dtype_size(first.dtype));
  int64_t begin = 0, before = 0;
  for (int64_t g = 0; g < count; ++g) {
    const gnn_tensor &part = *gnn_archive_find(graphs[g], name);
    int64_t extent = extentOf(part);
    if (extent && width)
      for (int64_t o = 0; o < outer; ++o)
        memcpy(static_cast<char *>(joined.data) +
                   (o * shape[along] + begin) * width,
               static_cast<const char *>(part.data) + o * extent * width,
               static_cast<size_t>(extent * width));
    if (gnn_status status =
            raise(name, g, joined, outer, begin, extent, inner, before)) {
      gnn_tensor_release(&joined);
      return status;
    }
    begin += extent;
  }
  return result.add(name, joined, error);
}

/// Adds `num_nodes`, `batch` and `ptr`.
gnn_status Joiner::addNodeNumbers() {
  int64_t numNodes = pointers[count], numPointers = count + 1;
  gnn_tensor tensor;
  if (gnn_status status = allocateTensor(GNN_INT64, 0, nullptr, &tensor, error))
    return status;
  *static_cast<int64_t *>(tensor.data) = numNodes;
  if (gnn_status status = result.add("num_nodes", tensor, error))
    return status;
  if (gnn_status status =
          allocateTensor(GNN_INT64, 1, &numNodes, &tensor, error))
    return status;
  for (int64_t g = 0; g < count; ++g)
    std::fill(static_cast<int64_t *>(tensor.data) + pointers[g],
              static_cast<int64_t *>(tensor.data) + pointers[g + 1], g);
  if (gnn_status status = result.add("batch", tensor, error))
    return status;
  if (gnn_status status =
          allocateTensor(GNN_INT64, 1, &numPointers, &tensor, error))
    return status;
  std::copy(pointers.begin(), pointers.end(),
            static_cast<int64_t *>(tensor.data));
  return result.add("ptr", tensor, error);
}

gnn_status Joiner::join() {
  if (!pointers.allocate(count + 1))
    return failMemory(error, "a batch", count * 8);
  pointers[0] = 0;
  for (int64_t g = 0; g < count; ++g) {
    if (gnn_status status = checkNames(g))
      return status;
    int64_t numNodes = 0;
    if (gnn_status status = countNodes(g, numNodes))
      return status;
    if (numNodes > INT32_MAX - pointers[g])
      return fail(error, GNN_UNSUPPORTED,
                  "with %s the batch has more than 2147483647 nodes, but node "
                  "numbers are 32 bits wide; make several batches",
                  nameOf(g).text);
    pointers[g + 1] = pointers[g] + numNodes;
  }
  for (const ArchiveEntry &entry : graphs[0]->entries)
    if (strcmp(entry.name, "num_nodes") != 0)
      if (gnn_status status = joinArray(entry.name))
        return status;
  return addNodeNumbers();
}

gnn_status gnn_archive_batch(const gnn_archive *const *graphs,
                             const char *const *names, size_t count,
                             gnn_archive **batch, gnn_error *error) {
  if (!batch)
    return failNull(error, __func__, "batch");
  *batch = nullptr;
  if (count == 0 || count >= INT32_MAX)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%zu graphs cannot be joined; give 1 to 2147483646", count);
  if (!graphs)
    return failNull(error, __func__, "graphs");
  for (size_t i = 0; i < count; ++i)
    if (!graphs[i])
      return failNull(error, __func__, "graphs[i]");
  ArchivePtr result(new (std::nothrow) gnn_archive);
  if (!result)
    return failMemory(error, "an archive", sizeof(gnn_archive));
  if (gnn_status status =
          Joiner(graphs, names, static_cast<int64_t>(count), *result, error)
              .join())
    return status;
  *batch = result.release();
  return GNN_OK;
}
