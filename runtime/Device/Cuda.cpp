//===- Cuda.cpp - NVIDIA GPUs -----------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "../Error.h"

gnn_status gnn::rt::openCuda(const gnn_model &model, const DeviceChoice &,
                             Device *&, gnn_error *error) {
  return fail(error, GNN_UNSUPPORTED,
              "model '%s' was compiled for NVIDIA GPUs, which this runtime "
              "does not run on",
              model.name);
}
