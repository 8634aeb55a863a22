//===- Statistics.h - LLVM's statistics without NDEBUG ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comes before all else in builds with assertions. Without NDEBUG LLVM's
// headers give statistics, which passes consist of, members that a library
// built with NDEBUG, as packages are, does not initialise. Nothing else in them
// changes with it.
//
//===----------------------------------------------------------------------===//

#if !defined(NDEBUG) && __has_include("llvm/ADT/Statistic.h")
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#endif
