//===- Description.h - Model descriptions as trees --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_DESCRIPTION_H
#define GNN_LIB_FRONTEND_DESCRIPTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gnn::frontend {

/// Counted from 1, as editors do.
struct Position {
  unsigned line = 1;
  unsigned column = 1;
};

/// A piece of a YAML or JSON file and where it stands.
struct Node {
  enum class Kind { Scalar, Sequence, Mapping };

  Kind kind = Kind::Scalar;
  Position position;
  /// The value of a scalar, without quotes.
  std::string text;
  /// A quoted scalar is always a string.
  bool isQuoted = false;
  std::vector<Node> elements;
  /// Keys are scalars and differ.
  std::vector<std::pair<Node, Node>> entries;

  bool isScalar() const { return kind == Kind::Scalar; }
  bool isSequence() const { return kind == Kind::Sequence; }
  bool isMapping() const { return kind == Kind::Mapping; }
  bool isNull() const;
  std::optional<int64_t> getInteger() const;
  std::optional<double> getNumber() const;
  std::optional<bool> getBoolean() const;
  /// The value under a key of a mapping, or null.
  const Node *find(llvm::StringRef key) const;
  /// In one line, `[a, b]` and `{k: v}`.
  std::string format() const;
  /// What a reader would call it, for messages: `the number 3`, `a list`.
  std::string describe() const;
};

/// Prints the first error about a model and remembers that there was one.
class Reporter {
public:
  Reporter(llvm::raw_ostream &stream) : stream(stream) {}

  void setDescriptionPath(llvm::StringRef path) { this->path = path.str(); }
  llvm::StringRef getDescriptionPath() const { return path; }

  /// An error in the description.
  llvm::LogicalResult error(Position position, const llvm::Twine &message);
  llvm::LogicalResult error(const Node &node, const llvm::Twine &message) {
    return error(node.position, message);
  }
  /// An error about another file as a whole. These may be several.
  llvm::LogicalResult fileError(llvm::StringRef file,
                                const llvm::Twine &message);

  bool hadError() const { return reported; }

private:
  /// Names in it may be any that a file has.
  void print(const llvm::Twine &line);

  llvm::raw_ostream &stream;
  std::string path;
  bool reported = false;
};

/// Parses YAML, of which JSON is a part.
llvm::FailureOr<Node> parseDescription(llvm::StringRef text,
                                       Reporter &reporter);

/// `; did you mean 'GCNConv'?` if one of `accepted` is spelled nearly so, and
/// else nothing.
std::string suggest(llvm::StringRef given,
                    llvm::ArrayRef<llvm::StringRef> accepted);
/// `a, b or c`.
std::string formatChoices(llvm::ArrayRef<llvm::StringRef> choices);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_DESCRIPTION_H
