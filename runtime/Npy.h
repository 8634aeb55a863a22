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
constexpr int64_t npyPreambleSize = 12;

/// What the header of an array says.
struct NpyHeader {
  gnn_dtype dtype = GNN_FLOAT32;
  /// Unsigned bytes, which the runtime takes as GNN_BOOL if all are 0 or 1.
  bool isUInt8 = false;
  /// Strings or dates, such as names of nodes: nothing for a tensor.
  bool isText = false;
  /// Bytes of each string of text that has one byte a character, else 0.
  int64_t textBytes = 0;
  bool isFortranOrder = false;
  int32_t rank = 0;
  int64_t shape[GNN_MAX_RANK] = {};
};

/// Reads the preamble: where the header's text begins and how long it is.
/// `where` names file and member in messages.
gnn_status parseNpyPreamble(const unsigned char *bytes, const char *where,
                            int64_t &textOffset, int64_t &textLength,
                            gnn_error *error);

/// Parses the header's text, a Python dictionary.
gnn_status parseNpyHeader(std::string_view text, const char *where,
                          NpyHeader &header, gnn_error *error);

/// Room for the header of any gnn_tensor.
constexpr size_t npyMaxWrittenHeader = 320;

/// Writes preamble and header for a tensor, a multiple of 64 bytes; returns
/// its length.
size_t formatNpyHeader(const gnn_tensor &tensor, char *buffer);

} // namespace gnn::rt

#endif // GNN_RUNTIME_NPY_H
