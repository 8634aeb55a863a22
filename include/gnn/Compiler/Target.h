//===- Target.h - The machine code is generated for -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_COMPILER_TARGET_H
#define GNN_COMPILER_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>
#include <vector>

namespace gnn {

/// A processor, as LLVM names it.
struct TargetSpec {
  std::string triple;
  std::string cpu;
  /// "+avx2,-avx512f", empty for what the processor has.
  std::string features;

  /// `cpu` is "native", any processor or level that LLVM knows for the triple
  /// (x86-64-v3, znver4, ...), or "aarch64" for that architecture's baseline.
  /// An empty triple is this machine's, or AArch64's where `cpu` is one of its
  /// processors.
  static llvm::Expected<TargetSpec> get(llvm::StringRef cpu,
                                        llvm::StringRef triple = "");

  /// Several processors, "x86-64-v4,x86-64-v3", in the order in which code for
  /// them is preferred; or "portable" for what there is of `portable`.
  static llvm::Expected<std::vector<TargetSpec>>
  getList(llvm::StringRef cpus, llvm::StringRef triple,
          llvm::ArrayRef<llvm::StringRef> portable);

  /// What `get` takes for it: LLVM calls the baseline of AArch64 "generic".
  std::string getName() const;

  /// Can code for this target be linked and run here?
  bool isHostArchitecture() const;

  /// `effort` is what LLVM does for the code's speed, in optimize and in
  /// emitMachineCode.
  std::unique_ptr<llvm::TargetMachine> createMachine(
      llvm::CodeGenOptLevel effort = llvm::CodeGenOptLevel::Aggressive) const;

  /// Elements of 32 bits in the widest vector register.
  int64_t getVectorWidth() const;
  /// Vector registers there are.
  int64_t getNumVectorRegisters() const;
  /// Whether there are registers of a bit for each element of a vector.
  bool hasMaskRegisters() const;
  /// Whether one instruction takes a maximum that keeps NaN.
  bool hasMaximum() const;
  /// Whether vectors of bfloat16 are multiplied and rounded by instructions.
  bool hasBFloat16Instructions() const;
  /// Bytes of a loop's results from which on they are better stored past the
  /// caches.
  int64_t getStreamBytes() const;
  /// Bytes that are gathered for these results at least: a row as long as
  /// theirs for each edge.
  int64_t getStreamGatheredBytes() const;
  /// Bytes that are stored past the caches at once, at least, where rows are no
  /// whole lines.
  int64_t getStreamPieceBytes() const;
  /// Whether rows that several tiles of attention read are better copied than
  /// read where they are.
  bool copiesTiles() const;
  /// Whether sums of products had better begin with a product than with zero.
  bool peelsProducts() const;
  /// Bytes of the cache that a core has to itself.
  int64_t getSecondCacheBytes() const;
  /// Whether there are AMX's registers for matrices, and products of bfloat16.
  bool hasMatrixTiles() const;
  /// Whether instructions look up floats in registers, and add products that
  /// are not rounded.
  bool hasRegisterTables() const;

  /// The features that a runtime can check before it runs code for this
  /// target, in the form "+avx2,+fma"; those of AMX only for code that uses
  /// them.
  std::string getCheckableFeatures(bool usesMatrixTiles = false) const;
};

} // namespace gnn

#endif // GNN_COMPILER_TARGET_H
