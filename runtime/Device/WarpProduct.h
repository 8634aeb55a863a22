//===- WarpProduct.h - Products of matrices by a warp ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_WARPPRODUCT_H
#define GNN_RUNTIME_DEVICE_WARPPRODUCT_H

#include "gnn/Runtime/Runtime.h"

namespace gnn::rt {

/// The product of a matrix of 16 rows and one of 8 columns, whose elements the
/// lanes of a warp hold in registers as PTX's mma.sync has them. Lane l holds
/// of the first factor rows l / 4 and l / 4 + 8, of the second one column
/// l / 4, and of the sums both rows in columns 2 (l % 4) and 2 (l % 4) + 1.
class WarpProduct {
public:
  static constexpr int32_t numLanes = 32;
  static constexpr int32_t numRows = 16, numColumns = 8, maxDepth = 16;

  struct Lane {
    const uint32_t *first;
    const uint32_t *second;
    float *sums;
  };

  WarpProduct(gnn_factor_type type, const Lane *lanes);

  /// Adds the products to the sums, from the first to the last.
  void run();

private:
  void readPairs(float (*toFloat)(uint16_t));
  void readSingles();

  const Lane *lanes;
  int32_t depth;
  float first[numRows][maxDepth];
  float second[maxDepth][numColumns];
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_WARPPRODUCT_H
