//===- EigenSolver.h - Smallest eigenvalues of Laplacians -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between code without exceptions and libraries that throw them: nothing
// leaves here but a result.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_ENCODINGS_EIGENSOLVER_H
#define GNN_RUNTIME_ENCODINGS_EIGENSOLVER_H

#include <cstdint>

namespace gnn::rt {

/// An entry of a sparse matrix.
struct MatrixEntry {
  int64_t row, column;
  double value;
};

enum class EigenStatus { Solved, OutOfMemory, NotConverged };

/// The `count` smallest eigenvalues, ascending, and unit eigenvectors of the
/// symmetric matrix with `numEntries` entries, sorted by row and column, whose
/// eigenvalues lie in [0, 2].
/// Vector v is written to vectors[v * size] and on. `count` <= `size`.
EigenStatus findSmallestEigenpairs(int64_t size, const MatrixEntry *entries,
                                   int64_t numEntries, int64_t count,
                                   double *values, double *vectors) noexcept;

} // namespace gnn::rt

#endif // GNN_RUNTIME_ENCODINGS_EIGENSOLVER_H
