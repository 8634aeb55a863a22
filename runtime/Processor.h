//===- Processor.h - What this machine can run -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_PROCESSOR_H
#define GNN_RUNTIME_PROCESSOR_H

#include <string_view>

namespace gnn::rt {

enum class Support { Yes, No, Unknown };

/// Whether this machine has what LLVM calls `feature`. What it does not know is
/// no reason to refuse code: TargetSpec::getCheckableFeatures names what it
/// does.
Support cpuSupports(std::string_view feature);

/// Linux gives the registers of AMX to a process that asks for them, and to all
/// of its threads; asking again does nothing. Sets errno where it fails.
bool requestMatrixTiles();

} // namespace gnn::rt

#endif // GNN_RUNTIME_PROCESSOR_H
