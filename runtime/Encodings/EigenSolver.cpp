//===- EigenSolver.cpp - Smallest eigenvalues of Laplacians -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small matrices go to Eigen's dense solver. For large ones Spectra's restarted
// Lanczos method finds the largest eigenvalues of 2 I - L, which is quick where
// they stand apart, as on graphs that are well connected; where it does not
// converge (long paths, grids), those of the inverse of L + shift, from a
// sparse factorisation that such graphs are cheap in.
//
// One Krylov space holds one vector of each eigenspace. Spaces of more
// dimensions are common here (a zero per component, symmetric nodes), so the
// search is repeated in the complement of what was found until it finds nothing
// smaller. Operators with few different eigenvalues, as of complete graphs, can
// defeat Spectra's tridiagonal eigensolver, which gives up with an exception;
// then another start helps, or in the end the dense solver.
//
//===----------------------------------------------------------------------===//

#include "EigenSolver.h"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Spectra/SymEigsSolver.h>
#include <algorithm>
#include <exception>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

using namespace gnn::rt;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, Index>;

/// Up to here a dense solver is faster than a search that has to be repeated.
static constexpr int64_t kDenseSize = 200;
/// And up to here it is the last resort.
static constexpr int64_t kLastDenseSize = 4000;
static constexpr double kShift = 1e-6;
static constexpr double kTolerance = 1e-11;
/// Eigenvalues closer than this are one, for which any vectors will do.
static constexpr double kSameValue = 1e-9;

namespace {
using Factors = Eigen::SimplicialLDLT<SparseMatrix>;

/// What Spectra multiplies by, on the complement of `found`, which becomes the
/// eigenspace of 0, the smallest eigenvalue.
class Operator {
public:
  using Scalar = double;

  Operator(const SparseMatrix &matrix, const Factors *inverse,
           const std::vector<VectorXd> &found)
      : matrix(matrix), inverse(inverse), found(found) {}

  Index rows() const { return matrix.rows(); }
  Index cols() const { return matrix.cols(); }

  // NOLINTNEXTLINE(readability-identifier-naming): what Spectra calls.
  void perform_op(const double *in, double *out) const {
    VectorXd x = Eigen::Map<const VectorXd>(in, rows());
    project(x);
    VectorXd y;
    if (inverse)
      y = inverse->solve(x);
    else
      y = 2 * x - matrix * x;
    project(y);
    Eigen::Map<VectorXd>(out, rows()) = y;
  }

  void project(VectorXd &x) const {
    for (const VectorXd &vector : found)
      x -= vector.dot(x) * vector;
  }

private:
  const SparseMatrix &matrix;
  const Factors *inverse;
  const std::vector<VectorXd> &found;
};

class LaplacianSolver {
public:
  explicit LaplacianSolver(const SparseMatrix &matrix) : matrix(matrix) {}

  /// False if the search does not converge.
  bool solve(Index count);
  std::vector<Index> getOrder() const;

  std::vector<VectorXd> vectors;
  std::vector<double> values;

private:
  bool search(Index count);
  /// Whether it converged; nothing if Spectra gave up.
  std::optional<bool> searchFrom(const VectorXd &start, const Operator &op,
                                 Index count);
  VectorXd drawStart();
  void keep(VectorXd vector, const Operator &op);

  const SparseMatrix &matrix;
  Factors factors;
  const Factors *inverse = nullptr;
  uint64_t random = 1;
};
} // namespace

/// Another start each time: the last one has nothing left in the complement of
/// its part of an eigenspace.
VectorXd LaplacianSolver::drawStart() {
  VectorXd start(matrix.rows());
  for (double &value : start) {
    random = random * 6364136223846793005 + 1442695040888963407;
    value = double(random >> 11) / double(uint64_t(1) << 53) - 0.5;
  }
  return start;
}

void LaplacianSolver::keep(VectorXd vector, const Operator &op) {
  op.project(vector);
  vector.normalize();
  values.push_back(vector.dot(matrix * vector));
  vectors.push_back(std::move(vector));
}

std::optional<bool> LaplacianSolver::searchFrom(const VectorXd &start,
                                                const Operator &op,
                                                Index count) {
  Index subspace = std::min(matrix.rows(), std::max<Index>(2 * count + 1, 40));
  try {
    Operator copy = op;
    Spectra::SymEigsSolver<Operator> solver(copy, count, subspace);
    solver.init(start.data());
    solver.compute(Spectra::SortRule::LargestAlge, 100, kTolerance,
                   Spectra::SortRule::LargestAlge);
    if (solver.info() != Spectra::CompInfo::Successful)
      return false;
    MatrixXd result = solver.eigenvectors();
    // Those before are projected out of each, and are orthogonal already.
    for (Index i = 0; i < result.cols(); ++i)
      keep(result.col(i), op);
    return true;
  } catch (const std::runtime_error &) {
    return std::nullopt;
  }
}

/// Adds the `count` smallest eigenpairs in the complement of what was found.
bool LaplacianSolver::search(Index count) {
  constexpr int attempts = 4;
  Operator op(matrix, inverse, vectors);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    VectorXd start = drawStart();
    op.project(start);
    start.normalize();
    VectorXd image(matrix.rows());
    op.perform_op(start.data(), image.data());
    // A random vector is an eigenvector only where all are.
    if (count == 1 && (image - start.dot(image) * start).norm() < kTolerance) {
      keep(start, op);
      return true;
    }
    if (std::optional<bool> converged = searchFrom(start, op, count))
      return *converged;
  }
  return false;
}

std::vector<Index> LaplacianSolver::getOrder() const {
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return values[a] < values[b]; });
  return order;
}

bool LaplacianSolver::solve(Index count) {
  if (!search(count)) {
    factors.setShift(kShift);
    factors.compute(matrix);
    inverse = &factors;
    if (factors.info() != Eigen::Success || !search(count))
      return false;
  }
  while (Index(values.size()) < matrix.rows()) {
    double largest = values[getOrder()[count - 1]];
    if (!search(1))
      return false;
    if (values.back() >= largest - kSameValue)
      break;
  }
  return true;
}

static void writePairs(const std::vector<Index> &order, int64_t count,
                       const LaplacianSolver &solver, double *values,
                       double *vectors) {
  for (int64_t v = 0; v < count; ++v) {
    const VectorXd &vector = solver.vectors[order[v]];
    values[v] = solver.values[order[v]];
    std::copy(vector.begin(), vector.end(), vectors + v * vector.size());
  }
}

static EigenStatus solveDense(const SparseMatrix &matrix, int64_t count,
                              double *values, double *vectors) {
  Eigen::SelfAdjointEigenSolver<MatrixXd> solver{MatrixXd(matrix)};
  if (solver.info() != Eigen::Success)
    return EigenStatus::NotConverged;
  for (int64_t v = 0; v < count; ++v) {
    values[v] = solver.eigenvalues()[v];
    Eigen::Map<VectorXd>(vectors + v * matrix.rows(), matrix.rows()) =
        solver.eigenvectors().col(v);
  }
  return EigenStatus::Solved;
}

EigenStatus gnn::rt::findSmallestEigenpairs(int64_t size,
                                            const MatrixEntry *entries,
                                            int64_t numEntries, int64_t count,
                                            double *values,
                                            double *vectors) noexcept {
  try {
    SparseMatrix matrix(size, size);
    matrix.resizeNonZeros(numEntries);
    Index *begins = matrix.outerIndexPtr();
    // The analyser does not see how many there are.
    // NOLINTBEGIN(clang-analyzer-security.ArrayBound)
    for (int64_t e = 0; e < numEntries; ++e) {
      ++begins[entries[e].row + 1];
      matrix.innerIndexPtr()[e] = entries[e].column;
      matrix.valuePtr()[e] = entries[e].value;
    }
    // NOLINTEND(clang-analyzer-security.ArrayBound)
    std::partial_sum(begins, begins + size + 1, begins);
    // Lanczos wants room beyond what it looks for.
    if (size <= kDenseSize || count >= size / 2)
      return solveDense(matrix, count, values, vectors);
    LaplacianSolver solver(matrix);
    if (!solver.solve(count))
      return size <= kLastDenseSize ? solveDense(matrix, count, values, vectors)
                                    : EigenStatus::NotConverged;
    writePairs(solver.getOrder(), count, solver, values, vectors);
    return EigenStatus::Solved;
  } catch (const std::bad_alloc &) {
    return EigenStatus::OutOfMemory;
  } catch (const std::exception &) {
    return EigenStatus::NotConverged;
  }
}
