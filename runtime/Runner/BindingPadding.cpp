//===- BindingPadding.cpp - Sentences that are padded ---------------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokenizers make all sentences as long as the longest, and say in an
// `attention_mask` which tokens are none. A block-diagonal graph has sentences
// of any length, and a token's row depends on nothing after its sentence, so
// padding there is dropped before the model runs.
//
//===----------------------------------------------------------------------===//

#include "Binder.h"

#include "../Archive.h"
#include "../Error.h"
#include "../Tensor.h"

#include <cinttypes>
#include <cstring>

using namespace gnn;
using namespace gnn::runner;
using gnn::rt::fail;
using gnn::rt::printShape;

static constexpr const char *maskName = "attention_mask";

bool gnn::runner::takesPadding(const gnn_model &model,
                               const std::string &name) {
  const gnn_port *nodes = nullptr;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (strcmp(port.name, maskName) == 0)
      return false; // The model has a use of its own for it.
    if (!nodes && port.kind == GNN_PORT_GRAPH && !port.bipartite)
      nodes = &port;
  }
  return name == maskName && nodes && !nodes->node_types[0] &&
         nodes->topology == GNN_TOPOLOGY_BLOCK_DIAGONAL;
}

/// Whether an array has something for each element of the mask.
static bool isPerToken(const gnn_tensor &array, const gnn_tensor &mask) {
  return array.rank >= mask.rank &&
         std::equal(mask.shape, mask.shape + mask.rank, array.shape);
}

/// Where each sentence begins among the elements of the mask: those of a row,
/// or what `batch` and `ptr` say.
gnn_status Binder::findSentences(const gnn_tensor &mask,
                                 TensorHolder &pointers) {
  if (mask.rank == 1) {
    int32_t number = findSquareGraph(0);
    TensorHolder made;
    if (gnn_status status =
            makeSegments(getGraphPort(model, number), number, made))
      return status;
    // A graph has them checked.
    gnn_graph *graph = nullptr;
    if (gnn_status status =
            gnn_graph_block_diagonal(&made.tensor, &made.tensor, &graph, error))
      return status;
    gnn_graph_destroy(graph);
    return gnn_tensor_convert(&made.tensor, GNN_INT32, &pointers.tensor, error);
  }
  for (const char *other : {"batch", "ptr"})
    if (find(other))
      return fail(error, GNN_MISMATCH,
                  "'%s' has a row per sentence, but '%s' says as well which "
                  "tokens are of one; one must go",
                  maskName, other);
  if (gnn_tensor_size(&mask) > INT32_MAX)
    return fail(error, GNN_UNSUPPORTED, "'%s' has more than %d elements",
                maskName, INT32_MAX);
  int64_t count = mask.shape[0] + 1;
  if (gnn_status status =
          gnn_tensor_allocate(GNN_INT32, 1, &count, &pointers.tensor, error))
    return status;
  auto *begins = static_cast<int32_t *>(pointers.tensor.data);
  for (int64_t i = 0; i < count; ++i)
    begins[i] = static_cast<int32_t>(i * mask.shape[1]);
  return GNN_OK;
}

/// The numbers of the tokens that are no padding. `pointers` become those of
/// what is left of each sentence.
gnn_status Binder::findTokens(const gnn_tensor &mask, gnn_tensor &pointers,
                              std::vector<int32_t> &tokens) {
  TensorHolder flags;
  if (gnn_status status =
          gnn_tensor_convert(&mask, GNN_BOOL, &flags.tensor, error))
    return fail(error, status, "'%s': %.300s", maskName,
                std::string(error->message).c_str());
  const auto *isToken = static_cast<const uint8_t *>(flags.tensor.data);
  auto *begins = static_cast<int32_t *>(pointers.data);
  int64_t count = pointers.shape[0] - 1, size = gnn_tensor_size(&mask);
  if (begins[count] != size)
    return fail(error, GNN_MISMATCH,
                "'%s' has %" PRId64 " elements, but there are %d tokens",
                maskName, size, begins[count]);
  for (int64_t i = 0, end = begins[0]; i < count; ++i) {
    int64_t begin = end;
    end = begins[i + 1];
    begins[i] = static_cast<int32_t>(tokens.size());
    for (int64_t j = begin; j < end; ++j) {
      if (isToken[j] && j > begin && !isToken[j - 1])
        return fail(error, GNN_UNSUPPORTED,
                    "'%s' has a 1 after a 0 in sentence %" PRId64
                    "; padding must follow the tokens of a sentence",
                    maskName, i);
      if (isToken[j])
        tokens.push_back(static_cast<int32_t>(j));
    }
  }
  begins[count] = static_cast<int32_t>(tokens.size());
  return GNN_OK;
}

/// Keeps of every array with an element or row per token those of `tokens`.
gnn_status Binder::gatherTokens(const gnn_tensor &mask,
                                const std::vector<int32_t> &tokens) {
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    const gnn_tensor *rows = find(port.name);
    bool countsEdges;
    if (rows && countsRows(model, port, countsEdges) && !countsEdges &&
        !isPerToken(*rows, mask))
      return fail(error, GNN_MISMATCH,
                  "input '%.140s' has shape %s, but '%s' has shape %s; both "
                  "must have something for each token",
                  port.name, printShape(rows->rank, rows->shape).text, maskName,
                  printShape(mask.rank, mask.shape).text);
  }
  int64_t numRows = gnn_tensor_size(&mask);
  int32_t joined = mask.rank - 1;
  for (size_t i = 0, e = gnn_archive_size(&file); i < e; ++i) {
    std::string name = gnn_archive_name(&file, i);
    gnn_tensor rows = *find(name.c_str());
    if (name == maskName || !isPerToken(rows, mask))
      continue;
    rows.rank -= joined;
    std::copy(rows.shape + joined, rows.shape + joined + rows.rank, rows.shape);
    rows.shape[0] = numRows;
    TensorHolder kept;
    if (gnn_status status = gnn_tensor_gather(
            &rows, tokens.data(), static_cast<int64_t>(tokens.size()),
            &kept.tensor, error))
      return status;
    if (gnn_status status =
            gnn_archive_set(&file, name.c_str(), &kept.tensor, error))
      return status;
  }
  return GNN_OK;
}

gnn_status Binder::dropPadding() {
  const gnn_tensor *mask = find(maskName);
  if (!mask || !takesPadding(model, maskName))
    return GNN_OK;
  if (mask->rank != 1 && mask->rank != 2)
    return fail(error, GNN_MISMATCH,
                "'%s' must have an element for each token, or a row of them "
                "for each sentence, but has shape %s",
                maskName, printShape(mask->rank, mask->shape).text);
  TensorHolder pointers;
  std::vector<int32_t> tokens;
  if (gnn_status status = findSentences(*mask, pointers))
    return status;
  if (gnn_status status = findTokens(*mask, pointers.tensor, tokens))
    return status;
  size_t size = static_cast<size_t>(gnn_tensor_size(mask));
  if (mask->rank == 1 && tokens.size() == size)
    return GNN_OK;
  if (gnn_status status = gatherTokens(*mask, tokens))
    return status;
  if (tokens.size() < size)
    result.notes.push_back(std::to_string(size - tokens.size()) + " of " +
                           std::to_string(size) +
                           " tokens are padding and left out");
  for (const char *stale : {maskName, "batch", "num_graphs", "num_nodes"})
    file.remove(stale);
  return gnn_archive_set(&file, "ptr", &pointers.tensor, error);
}
