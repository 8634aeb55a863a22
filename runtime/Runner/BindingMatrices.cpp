//===- BindingMatrices.cpp - Sparse inputs from arrays of a file ----------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Binder.h"

#include "../Error.h"
#include "../Tensor.h"

#include <cinttypes>

using namespace gnn;
using namespace gnn::runner;
using gnn::rt::fail;

/// What `NAME.shape` says must agree with the model and the row pointers.
static gnn_status checkShape(const gnn_port &port, const gnn_tensor &shape,
                             const gnn_tensor &pointers, gnn_error *error) {
  bool isPair = shape.rank == 1 && shape.shape[0] == 2 &&
                (shape.dtype == GNN_INT32 || shape.dtype == GNN_INT64);
  if (!isPair)
    return fail(error, GNN_MISMATCH,
                "'%.200s.shape' must be two integers, the numbers of rows and "
                "columns, but is %s of shape %s",
                port.name, gnn_dtype_name(shape.dtype),
                rt::printShape(shape.rank, shape.shape).text);
  return rt::withIntegers(&shape, [&](const auto *sizes) {
    int64_t rows = sizes[0], columns = sizes[1];
    if (columns != port.shape[1])
      return fail(error, GNN_MISMATCH,
                  "sparse input '%.200s' has %" PRId64
                  " columns, but the model takes %" PRId64,
                  port.name, columns, port.shape[1]);
    if (pointers.rank == 1 && pointers.shape[0] != rows + 1)
      return fail(error, GNN_MISMATCH,
                  "'%.200s.indptr' has %" PRId64
                  " entries, but a matrix of %" PRId64
                  " rows in csr form has one more than rows",
                  port.name, pointers.shape[0], rows);
    return GNN_OK;
  });
}

/// From `NAME.indptr`, `NAME.indices` and `NAME.data`, which are what SciPy
/// has, or else from the dense `NAME`, once for all runs.
gnn_status Binder::makeMatrix(const gnn_port &port, gnn_graph **graph,
                              TensorHolder &values) {
  std::string name = port.name;
  const gnn_tensor *pointers = find((name + ".indptr").c_str());
  if (!pointers) {
    const gnn_tensor *dense = find(port.name);
    if (!dense)
      return missing(port.name,
                     ("which the model takes, nor '" + name + ".indptr', '" +
                      name + ".indices' and '" + name + ".data'")
                         .c_str());
    if (dense->rank != 2 || dense->shape[1] != port.shape[1])
      return fail(
          error, GNN_MISMATCH,
          "input '%.200s' has shape %s, but the model takes %s (-1: any "
          "size)",
          port.name, rt::printShape(dense->rank, dense->shape).text,
          rt::printShape(port.rank, port.shape).text);
    return gnn_graph_from_matrix(dense, graph, &values.tensor, error);
  }
  if (find(port.name))
    return fail(error, GNN_MISMATCH,
                "'%.300s' has both '%.200s' and '%.200s.indptr'; give the "
                "input in one form",
                path.c_str(), port.name, port.name);
  const gnn_tensor *columns = find((name + ".indices").c_str());
  const gnn_tensor *data = find((name + ".data").c_str());
  if (!columns || !data)
    return missing((name + (columns ? ".data" : ".indices")).c_str(),
                   ("which goes with '" + name + ".indptr'").c_str());
  if (const gnn_tensor *shape = find((name + ".shape").c_str()))
    if (gnn_status status = checkShape(port, *shape, *pointers, error))
      return status;
  if (gnn_status status =
          gnn_graph_from_csr(port.shape[1], pointers, columns, graph, error)) {
    std::string cause = error->message;
    return fail(error, status,
                "sparse input '%.200s', whose columns are sources: %.700s",
                port.name, cause.c_str());
  }
  if (data->rank != 1 || data->shape[0] != gnn_graph_num_edges(*graph))
    return fail(error, GNN_MISMATCH,
                "'%.200s.data' has shape %s, but '%.200s.indices' has %" PRId64
                " entries; the two must agree",
                port.name, rt::printShape(data->rank, data->shape).text,
                port.name, gnn_graph_num_edges(*graph));
  if (gnn_status status =
          gnn_tensor_convert(data, GNN_FLOAT32, &values.tensor, error)) {
    std::string cause = error->message;
    return fail(error, status, "'%.200s.data': %.700s", port.name,
                cause.c_str());
  }
  return GNN_OK;
}

gnn_status Binder::bindMatrix(const gnn_port &port, gnn_graph **graph) {
  matrixOf[static_cast<int32_t>(result.graphs.size())] = result.values.size();
  result.values.push_back(std::make_unique<TensorHolder>());
  return makeMatrix(port, graph, *result.values.back());
}
