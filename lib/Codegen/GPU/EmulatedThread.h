//===- EmulatedThread.h - What emulated kernels ask for ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_EMULATEDTHREAD_H
#define GNN_LIB_CODEGEN_GPU_EMULATEDTHREAD_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace gnn {

/// The fields of gnn_emulated_thread (gnn/Runtime/Runtime.h), in their order.
enum class ThreadField : int32_t {
  Thread,
  Block,
  BlockSize,
  GridSize,
  Shared,
  Barrier,
  Shuffle,
  Access,
  Fail,
  Multiply,
  LoadMatrices,
  Copy,
  GroupCopies,
  AwaitCopies,
  Vote
};

/// A pointer to a gnn_emulated_thread in code.
class EmulatedThread {
public:
  explicit EmulatedThread(mlir::Value pointer) : pointer(pointer) {}

  mlir::Value getPointer() const { return pointer; }

  /// `dimension` is for the first four fields, which have three numbers each.
  mlir::Value load(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                   ThreadField field, int32_t dimension = 0) const;

  /// Calls a function that a field points to, with the thread as first
  /// argument.
  mlir::Value call(mlir::OpBuilder &b, mlir::Location loc, ThreadField field,
                   mlir::Type result, mlir::ValueRange operands) const;

private:
  mlir::Value pointer;
};

/// The address of an element of a memref, which lies in no memory space.
mlir::Value getElementAddress(mlir::OpBuilder &b, mlir::Location loc,
                              const mlir::LLVMTypeConverter &converter,
                              mlir::Value memref, mlir::ValueRange indices);

/// Products of matrices by a warp and what brings their factors, as calls of
/// the emulator.
llvm::LogicalResult emulateMatrixOps(mlir::FunctionOpInterface function,
                                     const EmulatedThread &thread,
                                     const mlir::LLVMTypeConverter &converter);

/// What of a kernel touches arrays: loads, stores, and copies to workgroup
/// memory, which the emulator watches by itself.
struct KernelAccess {
  mlir::Operation *op;
  bool isInWorkgroup;
};

/// While types still say which memory is the workgroup's.
llvm::SmallVector<KernelAccess> findAccesses(mlir::Operation *kernel);

/// Makes accesses fail with a sentence if an index is out of bounds, and tells
/// the emulator of those that touch workgroup memory.
void addAccessChecks(mlir::ArrayRef<KernelAccess> accesses,
                     mlir::StringRef kernel, const EmulatedThread &thread,
                     const mlir::LLVMTypeConverter &converter);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_EMULATEDTHREAD_H
