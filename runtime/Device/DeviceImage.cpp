//===- DeviceImage.cpp - Kernels as a driver takes them --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceImage.h"

#include "../Error.h"

#include <zlib.h>

using namespace gnn::rt;

gnn_status DeviceImage::open(const gnn_model &model, gnn_error *error) {
  const gnn_device_code &code = *model.device;
  data = code.image;
  bytes = code.image_bytes;
  if (!code.packed_bytes)
    return GNN_OK;
  // PTX is text that ends in NUL.
  if (!unpacked.allocate(bytes + 1))
    return failMemory(error, "a model's kernels", bytes);
  auto length = static_cast<uLongf>(bytes);
  int result = uncompress(unpacked.data(), &length,
                          static_cast<const Bytef *>(code.image),
                          static_cast<uLong>(code.packed_bytes));
  if (result == Z_MEM_ERROR)
    return failMemory(error, "a model's kernels", bytes);
  if (result != Z_OK || static_cast<int64_t>(length) != bytes)
    return fail(error, GNN_FORMAT_ERROR,
                "the description of model '%s' is malformed: its kernels "
                "cannot be unpacked",
                model.name);
  unpacked[bytes] = '\0';
  data = unpacked.data();
  return GNN_OK;
}
