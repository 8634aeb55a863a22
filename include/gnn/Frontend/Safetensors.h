//===- Safetensors.h - Reader of the safetensors format ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_FRONTEND_SAFETENSORS_H
#define GNN_FRONTEND_SAFETENSORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace gnn {

/// The tensors of a safetensors file: eight bytes with the length of the
/// header, the header (JSON: name -> dtype, shape, data_offsets), the data.
class Safetensors {
public:
  struct Entry {
    std::string name;
    /// As in the file: F32, BF16, I64, ...
    std::string dtype;
    llvm::SmallVector<int64_t> shape;
    /// Little-endian, row-major, not necessarily aligned.
    llvm::StringRef data;

    int64_t getNumElements() const;
  };

  /// Checks everything but the dtypes that `readFloats` accepts. The error is a
  /// sentence without the file's name.
  static llvm::Expected<Safetensors>
  parse(std::unique_ptr<llvm::MemoryBuffer> buffer);

  /// In the order of their data.
  llvm::ArrayRef<Entry> getEntries() const { return entries; }
  /// Null if there is none of this name.
  const Entry *lookup(llvm::StringRef name) const;
  /// Gives entries the names that `getName` makes of theirs. An entry keeps its
  /// name if there is another of the new one.
  void rename(llvm::function_ref<std::string(llvm::StringRef)> getName);

  /// The values as f32. F64 is rounded, F16 and BF16 are exact; other dtypes
  /// are an error.
  static llvm::Expected<std::vector<float>> readFloats(const Entry &entry);

private:
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::vector<Entry> entries;
  llvm::StringMap<size_t> indices;
};

/// `[16, 34]`, as messages write a shape.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

} // namespace gnn

#endif // GNN_FRONTEND_SAFETENSORS_H
