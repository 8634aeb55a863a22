//===- Compose.cpp - Graphs along paths of two edges ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product of two sparse boolean matrices, row by row and in two passes: one
// counts what each row will hold, one fills it in.
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "Error.h"
#include "gnn/Runtime/Runtime.h"

#include <algorithm>
#include <cinttypes>

using namespace gnn;
using namespace gnn::rt;

static gnn_status checkOperand(const gnn_graph *graph, const char *which,
                               gnn_error *error) {
  if (gnn_graph_topology(graph) == GNN_TOPOLOGY_CSR)
    return GNN_OK;
  return fail(error, GNN_UNSUPPORTED,
              "gnn_graph_compose takes csr graphs, but its %s one is %s", which,
              gnn_topology_name(gnn_graph_topology(graph)));
}

namespace {
/// Visits the sources that reach one destination of the second graph.
class Composer {
public:
  Composer(const gnn_graph *first, const gnn_graph *second)
      : firstRows(gnn_graph_row_pointers(first)),
        firstColumns(gnn_graph_column_indices(first)),
        secondRows(gnn_graph_row_pointers(second)),
        secondColumns(gnn_graph_column_indices(second)) {}

  /// `lastRow` has an entry per source, none of which was `row` before.
  template <typename Visitor>
  void visit(int32_t row, Array<int32_t> &lastRow, Visitor visitor) const {
    for (int32_t i = secondRows[row]; i < secondRows[row + 1]; ++i) {
      int32_t middle = secondColumns[i];
      for (int32_t j = firstRows[middle]; j < firstRows[middle + 1]; ++j) {
        int32_t source = firstColumns[j];
        if (lastRow[source] == row)
          continue;
        lastRow[source] = row;
        visitor(source);
      }
    }
  }

private:
  const int32_t *firstRows, *firstColumns, *secondRows, *secondColumns;
};
} // namespace

gnn_status gnn_graph_compose(const gnn_graph *first, const gnn_graph *second,
                             gnn_graph **graph, gnn_error *error) {
  if (!graph)
    return failNull(error, __func__, "graph");
  *graph = nullptr;
  if (!first || !second)
    return failNull(error, __func__, first ? "second" : "first");
  if (gnn_status status = checkOperand(first, "first", error))
    return status;
  if (gnn_status status = checkOperand(second, "second", error))
    return status;
  if (gnn_graph_num_destinations(first) != gnn_graph_num_sources(second))
    return fail(error, GNN_MISMATCH,
                "the first graph has %" PRId64 " destination nodes, but the "
                "second one has %" PRId64
                " source nodes; a path goes through nodes of both",
                gnn_graph_num_destinations(first),
                gnn_graph_num_sources(second));

  int64_t numSources = gnn_graph_num_sources(first);
  auto numRows = static_cast<int32_t>(gnn_graph_num_destinations(second));
  Array<int32_t> lastRow, rowPointers, columns;
  if (!lastRow.allocate(numSources) || !rowPointers.allocate(numRows + 1L))
    return failMemory(error, "a composed graph", 4 * (numSources + numRows));
  std::fill(lastRow.begin(), lastRow.end(), -1);
  Composer composer(first, second);
  int64_t numEdges = 0;
  rowPointers[0] = 0;
  for (int32_t row = 0; row < numRows; ++row) {
    composer.visit(row, lastRow, [&](int32_t) { ++numEdges; });
    if (numEdges > INT32_MAX)
      return fail(error, GNN_UNSUPPORTED,
                  "the composed graph has more than 2147483647 edges, which is "
                  "as many as edge numbers of 32 bits can tell apart");
    rowPointers[row + 1L] = static_cast<int32_t>(numEdges);
  }

  if (!columns.allocate(numEdges))
    return failMemory(error, "a composed graph", 4 * numEdges);
  std::fill(lastRow.begin(), lastRow.end(), -1);
  int32_t *next = columns.data();
  for (int32_t row = 0; row < numRows; ++row) {
    int32_t *begin = next;
    composer.visit(row, lastRow, [&](int32_t source) { *next++ = source; });
    std::sort(begin, next);
  }

  int64_t numPointers = rowPointers.size();
  gnn_tensor pointers =
      gnn_tensor_borrow(rowPointers.data(), GNN_INT32, 1, &numPointers);
  gnn_tensor indices =
      gnn_tensor_borrow(columns.data(), GNN_INT32, 1, &numEdges);
  return gnn_graph_from_csr(numSources, &pointers, &indices, graph, error);
}
