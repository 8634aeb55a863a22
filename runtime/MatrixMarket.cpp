//===- MatrixMarket.cpp - Reading Matrix Market files -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"
#include "TextGraph.h"

#include <cinttypes>
#include <cstring>

using namespace gnn;
using namespace gnn::rt;

static gnn_status addScalar(gnn_archive &archive, const char *name,
                            int64_t value, gnn_error *error) {
  gnn_tensor tensor;
  if (gnn_status status = allocateTensor(GNN_INT64, 0, nullptr, &tensor, error))
    return status;
  memcpy(tensor.data, &value, sizeof(value));
  return archive.add(name, tensor, error);
}

namespace {
/// Reads "%%MatrixMarket matrix coordinate real|integer|pattern
/// general|symmetric", the size line "rows columns entries" and the entries
/// "row column [value]", numbered from 1.
class MatrixMarketReader {
public:
  MatrixMarketReader(const char *path, gnn_archive &archive, gnn_error *error)
      : reader(path, error), path(path), archive(archive), error(error) {}

  gnn_status read();

private:
  gnn_status readBanner();
  gnn_status readSize();
  gnn_status readEntry(int64_t index);
  gnn_status readIndex(std::string_view field, const char *what, int64_t limit,
                       int64_t &result);

  LineReader reader;
  const char *path;
  gnn_archive &archive;
  gnn_error *error;
  bool symmetric = false;
  /// Whether there are entries on a side of the diagonal.
  bool hasLower = false, hasUpper = false;
  int64_t numRows = 0, numColumns = 0, numEntries = 0;
  EdgeList edges;
};
} // namespace

gnn_status MatrixMarketReader::readBanner() {
  std::string_view banner, object, format, field, symmetry, extra;
  if (!reader.nextLine() || !reader.nextField(banner, false) ||
      !equalsIgnoringCase(banner, "%%MatrixMarket"))
    return reader.failHere(GNN_FORMAT_ERROR,
                           "no Matrix Market file: the first line must start "
                           "with '%%%%MatrixMarket'");
  if (!reader.nextField(object, false) || !reader.nextField(format, false) ||
      !reader.nextField(field, false) || !reader.nextField(symmetry, false) ||
      reader.nextField(extra, false) || !equalsIgnoringCase(object, "matrix"))
    return reader.failHere(GNN_FORMAT_ERROR,
                           "the first line must be '%%%%MatrixMarket matrix "
                           "coordinate FIELD SYMMETRY'");
  if (!equalsIgnoringCase(format, "coordinate"))
    return reader.failHere(GNN_UNSUPPORTED,
                           "the format is '%s', but only 'coordinate' (a "
                           "sparse matrix) is read",
                           printField(format).text);
  edges.weighted = !equalsIgnoringCase(field, "pattern");
  if (edges.weighted && !equalsIgnoringCase(field, "real") &&
      !equalsIgnoringCase(field, "integer"))
    return reader.failHere(GNN_UNSUPPORTED,
                           "the field is '%s', but only 'real', 'integer' "
                           "and 'pattern' are read",
                           printField(field).text);
  symmetric = equalsIgnoringCase(symmetry, "symmetric");
  if (!symmetric && !equalsIgnoringCase(symmetry, "general"))
    return reader.failHere(GNN_UNSUPPORTED,
                           "the symmetry is '%s', but only 'general' and "
                           "'symmetric' are read",
                           printField(symmetry).text);
  return GNN_OK;
}

gnn_status MatrixMarketReader::readSize() {
  std::string_view rows, columns, entries, extra;
  if (!reader.nextContent("%"))
    return reader.failHere(GNN_FORMAT_ERROR,
                           "the file ends before its size line 'rows columns "
                           "entries'");
  if (!reader.nextField(rows, false) || !reader.nextField(columns, false) ||
      !reader.nextField(entries, false) || reader.nextField(extra, false))
    return reader.failHere(GNN_FORMAT_ERROR,
                           "the size line must be 'rows columns entries'");
  if (gnn_status status = reader.parseInteger(rows, "number of rows", numRows))
    return status;
  if (gnn_status status =
          reader.parseInteger(columns, "number of columns", numColumns))
    return status;
  if (gnn_status status =
          reader.parseInteger(entries, "number of entries", numEntries))
    return status;
  if (symmetric && numRows != numColumns)
    return reader.failHere(GNN_FORMAT_ERROR,
                           "a symmetric matrix must be square, but this one "
                           "has %" PRId64 " rows and %" PRId64 " columns",
                           numRows, numColumns);
  return GNN_OK;
}

gnn_status MatrixMarketReader::readIndex(std::string_view field,
                                         const char *what, int64_t limit,
                                         int64_t &result) {
  if (gnn_status status = reader.parseInteger(field, what, result))
    return status;
  if (result < 1 || result > limit)
    return reader.failHere(GNN_FORMAT_ERROR,
                           "%s %" PRId64 " is not in 1..%" PRId64, what, result,
                           limit);
  --result;
  return GNN_OK;
}

gnn_status MatrixMarketReader::readEntry(int64_t index) {
  std::string_view row, column, value, extra;
  if (index >= numEntries)
    return reader.failHere(GNN_FORMAT_ERROR,
                           "there are more entries than the %" PRId64
                           " of the size line",
                           numEntries);
  if (!reader.nextField(row, false) || !reader.nextField(column, false) ||
      (edges.weighted && !reader.nextField(value, false)) ||
      reader.nextField(extra, false))
    return reader.failHere(GNN_FORMAT_ERROR, "an entry of this matrix is '%s'",
                           edges.weighted ? "row column value" : "row column");
  int64_t destination, source;
  float weight = 0;
  if (gnn_status status = readIndex(row, "row", numRows, destination))
    return status;
  if (gnn_status status = readIndex(column, "column", numColumns, source))
    return status;
  hasLower |= destination > source;
  hasUpper |= destination < source;
  if (symmetric && hasLower && hasUpper)
    return reader.failHere(GNN_FORMAT_ERROR,
                           "a symmetric matrix lists one triangle, which "
                           "stands for both, but this one has entries below "
                           "and above its diagonal; call it 'general' if it "
                           "lists all entries");
  if (edges.weighted)
    if (gnn_status status = reader.parseWeight(value, weight))
      return status;
  if (!edges.add(source, destination, weight) ||
      (symmetric && source != destination &&
       !edges.add(destination, source, weight)))
    return failEdges(error, path, edges);
  return GNN_OK;
}

gnn_status MatrixMarketReader::read() {
  if (gnn_status status = reader.load())
    return status;
  if (gnn_status status = readBanner())
    return status;
  if (gnn_status status = readSize())
    return status;
  int64_t count = 0;
  for (; reader.nextContent("%"); ++count)
    if (gnn_status status = readEntry(count))
      return status;
  if (count < numEntries)
    return reader.failHere(GNN_FORMAT_ERROR,
                           "the file ends after %" PRId64 " of %" PRId64
                           " entries",
                           count, numEntries);
  if (gnn_status status = addEdges(archive, edges, error))
    return status;
  if (numRows == numColumns)
    return addScalar(archive, "num_nodes", numRows, error);
  if (gnn_status status = addScalar(archive, "num_sources", numColumns, error))
    return status;
  return addScalar(archive, "num_destinations", numRows, error);
}

gnn_status rt::readMatrixMarket(const char *path, gnn_archive &archive,
                                gnn_error *error) {
  return MatrixMarketReader(path, archive, error).read();
}
