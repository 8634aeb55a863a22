//===- Check.cpp - Comparing outputs with references and labels -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "../Error.h"
#include "../Tensor.h"
#include "gnn/Runtime/Batches.h"

#include <cinttypes>
#include <cmath>

using namespace gnn::runner;
using gnn::rt::fail;
using gnn::rt::printShape;

static double readElement(const gnn_tensor &tensor, int64_t index) {
  switch (tensor.dtype) {
  case GNN_FLOAT32:
    return static_cast<const float *>(tensor.data)[index];
  case GNN_FLOAT64:
    return static_cast<const double *>(tensor.data)[index];
  case GNN_INT32:
    return static_cast<const int32_t *>(tensor.data)[index];
  case GNN_INT64:
    return static_cast<double>(
        static_cast<const int64_t *>(tensor.data)[index]);
  case GNN_BOOL:
    return static_cast<const uint8_t *>(tensor.data)[index];
  }
  return 0;
}

/// "[3, 1]" of a position.
static std::string formatPosition(const gnn_tensor &tensor, int64_t position) {
  std::string result = "]";
  for (int32_t i = tensor.rank - 1; i >= 0; --i) {
    result.insert(0, std::to_string(position % tensor.shape[i]));
    if (i > 0)
      result.insert(0, ", ");
    position /= tensor.shape[i];
  }
  return "[" + result;
}

static bool haveSameShape(const gnn_tensor &a, const gnn_tensor &b) {
  if (a.rank != b.rank)
    return false;
  for (int32_t i = 0; i < a.rank; ++i)
    if (a.shape[i] != b.shape[i])
      return false;
  return true;
}

static void compare(const char *name, const gnn_tensor &output,
                    const gnn_tensor &reference, const Options &options,
                    Comparison &result) {
  int64_t size = gnn_tensor_size(&output);
  double magnitude = 0;
  for (int64_t i = 0; i < size; ++i)
    if (double value = std::fabs(readElement(reference, i));
        std::isfinite(value))
      magnitude = std::fmax(magnitude, value);
  double tolerance =
      options.absoluteTolerance + options.relativeTolerance * magnitude;
  for (int64_t i = 0; i < size; ++i) {
    double got = readElement(output, i), wanted = readElement(reference, i);
    // Equal infinities, and NaN where NaN is wanted.
    if (got == wanted || (std::isnan(got) && std::isnan(wanted)))
      continue;
    double difference = std::fabs(got - wanted);
    bool matches = difference <= tolerance;
    double relative = std::isnan(difference)
                          ? HUGE_VAL
                          : difference / (magnitude > 0 ? magnitude : 1);
    result.matches &= matches;
    if (relative > result.relativeError) {
      result.relativeError = relative;
      char values[96];
      snprintf(values, sizeof(values), ": %.9g, expected %.9g", got, wanted);
      result.worst = name + formatPosition(output, i) + values;
    }
  }
}

gnn_status gnn::runner::compareOutputs(const gnn_model &model,
                                       const std::vector<TensorHolder> &outputs,
                                       const OutputRows *rows,
                                       const gnn_archive &reference,
                                       const Options &options,
                                       Comparison &result, gnn_error *error) {
  for (uint32_t i = 0; i < model.num_outputs; ++i) {
    std::string name = options.checkPrefix + model.outputs[i].name;
    const gnn_tensor *wanted = gnn_archive_find(&reference, name.c_str());
    if (!wanted)
      return fail(
          error, GNN_MISMATCH,
          "'%.300s' has no array '%.200s' to check output '%.200s' with",
          options.check.c_str(), name.c_str(), model.outputs[i].name);
    const gnn_tensor &got = outputs[i].tensor;
    TensorHolder gathered;
    if (rows) {
      if (wanted->rank == 0 || wanted->shape[0] != rows->numNodes)
        return fail(error, GNN_MISMATCH,
                    "'%.200s' in '%.300s' has shape %s, but to check seeds it "
                    "must have a row for each of the graph's %" PRId64 " nodes",
                    name.c_str(), options.check.c_str(),
                    printShape(wanted->rank, wanted->shape).text,
                    rows->numNodes);
      if (gnn_status status =
              gnn_tensor_gather(wanted, rows->nodes.data(),
                                static_cast<int64_t>(rows->nodes.size()),
                                &gathered.tensor, error))
        return status;
      wanted = &gathered.tensor;
    }
    if (!haveSameShape(got, *wanted))
      return fail(error, GNN_MISMATCH,
                  "output '%.200s' has shape %s, but '%.200s' in '%.300s' has "
                  "shape %s",
                  model.outputs[i].name, printShape(got.rank, got.shape).text,
                  name.c_str(), options.check.c_str(),
                  printShape(wanted->rank, wanted->shape).text);
    compare(model.outputs[i].name, got, *wanted, options, result);
  }
  return GNN_OK;
}

/// Is `tensor` a vector of `size` elements of one of the dtypes?
static bool isVector(const gnn_tensor *tensor, int64_t size, gnn_dtype dtype,
                     gnn_dtype otherDType) {
  return tensor && tensor->rank == 1 && tensor->shape[0] == size &&
         (tensor->dtype == dtype || tensor->dtype == otherDType);
}

std::vector<std::pair<std::string, double>>
gnn::runner::computeAccuracies(const gnn_port &port, const gnn_tensor &output,
                               const OutputRows *rows,
                               const gnn_archive &file) {
  std::vector<std::pair<std::string, double>> result;
  std::string suffix =
      port.node_types[0] ? std::string("/") + port.node_types[0] : "";
  const gnn_tensor *labels = gnn_archive_find(&file, ("y" + suffix).c_str());
  if (output.rank != 2 || output.shape[1] < 2)
    return result;
  int64_t numRows = output.shape[0], numClasses = output.shape[1];
  int64_t numNodes = rows ? rows->numNodes : numRows;
  if (!isVector(labels, numNodes, GNN_INT64, GNN_INT32))
    return result;
  auto nodeOf = [&](int64_t row) { return rows ? rows->nodes[row] : row; };
  std::vector<bool> isRight(numRows);
  for (int64_t row = 0; row < numRows; ++row) {
    int64_t best = 0;
    for (int64_t i = 1; i < numClasses; ++i)
      if (readElement(output, row * numClasses + i) >
          readElement(output, row * numClasses + best))
        best = i;
    isRight[row] =
        static_cast<double>(best) == readElement(*labels, nodeOf(row));
  }
  auto add = [&](const char *name, const gnn_tensor *mask) {
    int64_t count = 0, right = 0;
    for (int64_t row = 0; row < numRows; ++row) {
      if (mask && readElement(*mask, nodeOf(row)) == 0)
        continue;
      ++count;
      right += isRight[row];
    }
    if (count > 0)
      result.emplace_back(name, static_cast<double>(right) /
                                    static_cast<double>(count));
  };
  for (const char *name : {"train", "val", "test"}) {
    std::string array = std::string(name) + "_mask" + suffix;
    const gnn_tensor *mask = gnn_archive_find(&file, array.c_str());
    if (isVector(mask, numNodes, GNN_BOOL, GNN_BOOL))
      add(name, mask);
  }
  if (result.empty())
    add("all", nullptr);
  return result;
}
