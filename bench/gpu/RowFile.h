//===- RowFile.h - What is to be timed --------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_BENCH_GPU_ROWFILE_H
#define GNN_BENCH_GPU_ROWFILE_H

#include <cstdint>
#include <string>
#include <vector>

namespace gnn::bench {

/// A line of rows.txt, which says what the fields are.
struct Row {
  std::string family, name, kernel, precision, shapes, graph;
  int64_t rows = 0;
  bool replay = false;
  std::string ceiling;
  double workOfRow = 0, workOfEdge = 0;
};

/// Reads such a file. On failure, `mistake` says what is wrong and where.
std::vector<Row> readRows(const std::string &path, std::string &mistake);

} // namespace gnn::bench

#endif // GNN_BENCH_GPU_ROWFILE_H
