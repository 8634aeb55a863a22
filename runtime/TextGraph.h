//===- TextGraph.h - Reading graphs written as text -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_TEXTGRAPH_H
#define GNN_RUNTIME_TEXTGRAPH_H

#include "Archive.h"
#include "Array.h"

#include "gnn/Runtime/Runtime.h"

#include <string_view>

namespace gnn::rt {

/// Splits a text file into lines and lines into fields.
class LineReader {
public:
  LineReader(const char *path, gnn_error *error) : path(path), error(error) {}

  /// Reads the whole file.
  gnn_status load();

  /// Goes to the next line, without its end; false at the end of the file.
  bool nextLine();

  /// Goes to the next line that has more than blanks and comments.
  bool nextContent(std::string_view commentStarts);

  /// Takes the next field; fields are separated by blanks or, if `commas`, by
  /// a comma among them. False at the end of the line.
  bool nextField(std::string_view &field, bool commas);

  /// Fails with "path:line: " before the message.
  gnn_status failHere(gnn_status status, const char *format, ...)
      __attribute__((format(printf, 3, 4)));

  /// Wants the number of a node or a count, 0 or above.
  gnn_status parseInteger(std::string_view field, const char *what,
                          int64_t &result);

  /// Wants a finite number that float32 can hold.
  gnn_status parseWeight(std::string_view field, float &result);

private:
  const char *path;
  gnn_error *error;
  Array<char> text;
  std::string_view rest;
  std::string_view line;
  std::string_view fields; // what nextField has not taken
  bool firstField = true;
  int64_t lineNumber = 0;
};

/// The edges read so far; every edge or none has a weight.
struct EdgeList {
  Array<int64_t> sources;
  Array<int64_t> destinations;
  Array<float> weights;
  bool weighted = false;

  [[nodiscard]] bool add(int64_t source, int64_t destination, float weight) {
    return sources.push(source) && destinations.push(destination) &&
           (!weighted || weights.push(weight));
  }
};

/// Compares without regard to the case of ASCII letters.
bool equalsIgnoringCase(std::string_view field, std::string_view word);

/// The start of a field that may be anything, for messages.
struct FieldText {
  char text[41];
};
FieldText printField(std::string_view field);

/// Reports that the edges of a file do not fit into memory.
gnn_status failEdges(gnn_error *error, const char *path, const EdgeList &edges);

/// Adds `edge_index` and, where there are weights, `edge_weight`.
gnn_status addEdges(gnn_archive &archive, const EdgeList &edges,
                    gnn_error *error);

/// Reads an edge list.
gnn_status readEdgeList(const char *path, gnn_archive &archive,
                        gnn_error *error);

/// Reads a Matrix Market file.
gnn_status readMatrixMarket(const char *path, gnn_archive &archive,
                            gnn_error *error);

} // namespace gnn::rt

#endif // GNN_RUNTIME_TEXTGRAPH_H
