//===- DeviceImage.h - Kernels as a driver takes them ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_DEVICEIMAGE_H
#define GNN_RUNTIME_DEVICE_DEVICEIMAGE_H

#include "../Array.h"
#include "gnn/Runtime/Runtime.h"

namespace gnn::rt {

/// The image of a model's kernels, which its library may have compressed.
class DeviceImage {
public:
  gnn_status open(const gnn_model &model, gnn_error *error);

  const void *getData() const { return data; }
  int64_t getBytes() const { return bytes; }

  /// Frees what was unpacked.
  void release() {
    unpacked.clear();
    data = nullptr;
  }

private:
  const void *data = nullptr;
  int64_t bytes = 0;
  Array<unsigned char> unpacked;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_DEVICEIMAGE_H
