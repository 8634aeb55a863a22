//===- RoundTF32.h - Rounding to 19 bits of float32 -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tf32 is float32 of which tensor cores look at the sign, the exponent and 10
// bits of the mantissa. Numbers rounded to it are float32 like any other, so
// that the rounding is all that says which products may use tensor cores.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_ROUNDTF32_H
#define GNN_LIB_CODEGEN_ROUNDTF32_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace gnn {

/// `value`, an f32, rounded to tf32, to nearest, ties away from zero; NaN is
/// kept.
mlir::Value roundToTF32(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value);

/// What `value` was rounded from by the above; null if it was not.
mlir::Value getRoundedToTF32(mlir::Value value);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_ROUNDTF32_H
