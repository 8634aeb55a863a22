//===- Rows.h - What is measured, and what bounds it ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_BENCH_ROWS_H
#define GNN_BENCH_ROWS_H

#include "Kernel.h"
#include <functional>

namespace gnn::bench {

/// A kernel and what the machine needs for its work at the least.
struct Case {
  std::unique_ptr<Kernel> kernel;
  /// Runs the calibrators: the seconds in which a kernel would be done that ran
  /// at their rates.
  std::function<double(int32_t threads)> getBound;
  /// The same, with what an aggregation writes, if it is one.
  std::function<double(int32_t threads)> getWrittenBound;
  double flops = 0;
  /// Bytes of rows that are gathered.
  double bytes = 0;
};

/// A row of the table. `make` compiles and allocates, and runs only for rows
/// that are asked for.
struct Row {
  std::string name;
  std::function<llvm::Expected<Case>()> make;
};

/// All rows. `kernels` is the folder of the templates, compiled with `options`
/// for this machine, whose inputs begin `inputOffset` floats behind a line of
/// the caches; `graphs` must outlive what is returned.
std::vector<Row> makeRows(std::string kernels, CompilerOptions options,
                          int64_t inputOffset, GraphStore &graphs);

} // namespace gnn::bench

#endif // GNN_BENCH_ROWS_H
