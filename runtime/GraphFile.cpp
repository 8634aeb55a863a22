//===- GraphFile.cpp - Reading graphs by file ending ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Archive.h"
#include "Error.h"
#include "Tensor.h"
#include "TextGraph.h"

#include <new>

using namespace gnn;
using namespace gnn::rt;

/// Replaces the array, if there is one, by int64 of the wanted shape: rank 0,
/// or [2, E] for an edge index.
static gnn_status normalize(const char *path, gnn_archive &archive,
                            const char *name, bool isEdgeIndex,
                            gnn_error *error) {
  ArchiveEntry *entry = archive.find(name);
  if (!entry)
    return GNN_OK;
  gnn_tensor &tensor = entry->tensor;
  bool fits = isEdgeIndex ? tensor.rank == 2 && tensor.shape[0] == 2
                          : gnn_tensor_size(&tensor) == 1;
  if (!fits || (tensor.dtype != GNN_INT64 && tensor.dtype != GNN_INT32))
    return fail(error, GNN_FORMAT_ERROR,
                "'%.300s': array '%s' is %s of shape %s, but must be int64 or "
                "int32 of shape %s",
                path, name, gnn_dtype_name(tensor.dtype),
                printShape(tensor.rank, tensor.shape).text,
                isEdgeIndex ? "[2, E]" : "[]");
  if (!isEdgeIndex)
    tensor.rank = 0;
  if (tensor.dtype == GNN_INT64)
    return GNN_OK;
  gnn_tensor converted;
  if (gnn_status status =
          gnn_tensor_convert(&tensor, GNN_INT64, &converted, error))
    return status;
  gnn_tensor_release(&tensor);
  tensor = converted;
  return GNN_OK;
}

static gnn_status readNpz(const char *path, gnn_archive **archive,
                          gnn_error *error) {
  gnn_archive *raw;
  if (gnn_status status = gnn_archive_read(path, &raw, error))
    return status;
  ArchivePtr result(raw);
  if (gnn_status status = normalize(path, *raw, "edge_index", true, error))
    return status;
  for (const char *name : {"num_nodes", "num_sources", "num_destinations"})
    if (gnn_status status = normalize(path, *raw, name, false, error))
      return status;
  *archive = result.release();
  return GNN_OK;
}

gnn_status gnn_graph_file_read(const char *path, gnn_archive **archive,
                               gnn_error *error) {
  if (!archive)
    return failNull(error, __func__, "archive");
  *archive = nullptr;
  if (!path)
    return failNull(error, __func__, "path");
  std::string_view ending = path;
  size_t dot = ending.find_last_of("./");
  ending = dot == std::string_view::npos || ending[dot] == '/'
               ? std::string_view()
               : ending.substr(dot);
  if (equalsIgnoringCase(ending, ".npz"))
    return readNpz(path, archive, error);

  bool isEdgeList = false;
  for (const char *known : {".txt", ".edges", ".csv", ".tsv"})
    isEdgeList |= equalsIgnoringCase(ending, known);
  if (!isEdgeList && !equalsIgnoringCase(ending, ".mtx"))
    return fail(error, GNN_UNSUPPORTED,
                "'%.400s' has an unknown kind of graph; its ending must be "
                ".npz, .mtx, .txt, .edges, .csv or .tsv",
                path);
  ArchivePtr result(new (std::nothrow) gnn_archive);
  if (!result)
    return failMemory(error, "an archive", sizeof(gnn_archive));
  gnn_status status = isEdgeList ? readEdgeList(path, *result, error)
                                 : readMatrixMarket(path, *result, error);
  if (status)
    return status;
  *archive = result.release();
  return GNN_OK;
}
