//===- Npy.h - Headers of NumPy arrays --------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_NPY_H
#define GNN_RUNTIME_NPY_H

#include "gnn/Runtime/Runtime.h"

#include <string_view>

namespace gnn::rt {

/// Every .npy file starts with this many bytes at least: the magic, the
/// version and the header's length, which npyHeaderLength decodes.
constexpr int64_t NpyPreambleSize = 12;

/// What the header of an array says.
struct NpyHeader {
  gnn_dtype DType = GNN_FLOAT32;
  /// Unsigned bytes, which the runtime takes as GNN_BOOL if all are 0 or 1.
  bool IsUInt8 = false;
  /// Strings, Python objects, dates or records: nothing for a tensor.
  bool IsForeign = false;
  bool IsFortranOrder = false;
  int32_t Rank = 0;
  int64_t Shape[GNN_MAX_RANK] = {};
};

/// Reads the preamble: where the header's text begins and how long it is.
/// `Where` names file and member in messages.
gnn_status parseNpyPreamble(const unsigned char *Bytes, const char *Where,
                            int64_t &TextOffset, int64_t &TextLength,
                            gnn_error *Error);

/// Parses the header's text, a Python dictionary.
gnn_status parseNpyHeader(std::string_view Text, const char *Where,
                          NpyHeader &Header, gnn_error *Error);

/// Room for the header of any gnn_tensor.
constexpr size_t NpyMaxWrittenHeader = 320;

/// Writes preamble and header for a tensor, a multiple of 64 bytes; returns
/// its length.
size_t formatNpyHeader(const gnn_tensor &Tensor, char *Buffer);

} // namespace gnn::rt

#endif // GNN_RUNTIME_NPY_H
