//===- TensorConvert.cpp - Checked conversion between dtypes ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Tensor.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>
#include <type_traits>

using namespace gnn;
using namespace gnn::rt;

namespace {
/// A GNN_BOOL element. Distinct from uint8_t so that overloads can tell.
struct Bool {
  uint8_t Value;
};
} // namespace

/// Converts one element; false where the value has no counterpart.
template <typename To, typename From>
static bool convertElement(From Value, To &Result) {
  if constexpr (std::is_same_v<From, Bool>) {
    return convertElement<To>(static_cast<int32_t>(Value.Value != 0), Result);
  } else if constexpr (std::is_same_v<To, Bool>) {
    Result.Value = Value != 0;
    return Value == 0 || Value == 1;
  } else if constexpr (std::is_same_v<To, float> &&
                       std::is_same_v<From, double>) {
    Result = static_cast<float>(Value);
    return std::isfinite(Result) || !std::isfinite(Value);
  } else if constexpr (std::is_floating_point_v<To>) {
    Result = static_cast<To>(Value);
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    // 2^31 or 2^63, which are exact, unlike the maximum itself.
    constexpr From Limit =
        -static_cast<From>(std::numeric_limits<To>::lowest());
    if (!(Value >= -Limit && Value < Limit) || Value != std::trunc(Value))
      return false;
    Result = static_cast<To>(Value);
    return true;
  } else {
    Result = static_cast<To>(Value);
    return static_cast<From>(Result) == Value;
  }
}

/// Prints a value and why it cannot be a `To`.
template <typename To, typename From>
static void explain(From Value, char *Text, size_t Size) {
  if constexpr (std::is_same_v<From, Bool>) {
    snprintf(Text, Size, "a bool");
  } else if constexpr (std::is_floating_point_v<From>) {
    const char *Reason = "which is out of range";
    if (std::is_same_v<To, Bool>)
      Reason = "but must be 0 or 1";
    else if (!std::isfinite(Value))
      Reason = "which is not finite";
    else if (Value != std::trunc(Value) && !std::is_floating_point_v<To>)
      Reason = "which is not integral";
    snprintf(Text, Size, "%.9g, %s", static_cast<double>(Value), Reason);
  } else {
    snprintf(Text, Size, "%" PRId64 ", %s", static_cast<int64_t>(Value),
             std::is_same_v<To, Bool> ? "but must be 0 or 1"
                                      : "which is out of range");
  }
}

/// Prints "tensor[1][2]".
static void printPosition(const gnn_tensor *Tensor, int64_t Flat, char *Text,
                          size_t Size) {
  int64_t Index[GNN_MAX_RANK];
  for (int32_t I = Tensor->rank - 1; I >= 0; --I) {
    Index[I] = Flat % Tensor->shape[I];
    Flat /= Tensor->shape[I];
  }
  size_t Used = static_cast<size_t>(snprintf(Text, Size, "tensor"));
  for (int32_t I = 0; I < Tensor->rank; ++I)
    Used += static_cast<size_t>(
        snprintf(Text + Used, Size - Used, "[%" PRId64 "]", Index[I]));
}

template <typename To, typename From>
static gnn_status convertAll(const gnn_tensor *Tensor, gnn_tensor *Converted,
                             int64_t Elements, gnn_error *Error) {
  const From *Source = static_cast<const From *>(Tensor->data);
  To *Result = static_cast<To *>(Converted->data);
  for (int64_t I = 0; I < Elements; ++I) {
    if (convertElement<To>(Source[I], Result[I]))
      continue;
    char Position[GNN_MAX_RANK * 22 + 8], Reason[64];
    printPosition(Tensor, I, Position, sizeof(Position));
    explain<To>(Source[I], Reason, sizeof(Reason));
    return fail(Error, GNN_INVALID_ARGUMENT,
                "%s cannot be converted from %s to %s: it is %s", Position,
                gnn_dtype_name(Tensor->dtype), gnn_dtype_name(Converted->dtype),
                Reason);
  }
  return GNN_OK;
}

template <typename To>
static gnn_status convertTo(const gnn_tensor *Tensor, gnn_tensor *Converted,
                            int64_t Elements, gnn_error *Error) {
  switch (Tensor->dtype) {
  case GNN_FLOAT32:
    return convertAll<To, float>(Tensor, Converted, Elements, Error);
  case GNN_FLOAT64:
    return convertAll<To, double>(Tensor, Converted, Elements, Error);
  case GNN_INT32:
    return convertAll<To, int32_t>(Tensor, Converted, Elements, Error);
  case GNN_INT64:
    return convertAll<To, int64_t>(Tensor, Converted, Elements, Error);
  case GNN_BOOL:
    return convertAll<To, Bool>(Tensor, Converted, Elements, Error);
  }
  return GNN_INVALID_ARGUMENT; // checkTensor has refused it
}

static gnn_status convert(const gnn_tensor *Tensor, gnn_tensor *Converted,
                          int64_t Elements, gnn_error *Error) {
  switch (Converted->dtype) {
  case GNN_FLOAT32:
    return convertTo<float>(Tensor, Converted, Elements, Error);
  case GNN_FLOAT64:
    return convertTo<double>(Tensor, Converted, Elements, Error);
  case GNN_INT32:
    return convertTo<int32_t>(Tensor, Converted, Elements, Error);
  case GNN_INT64:
    return convertTo<int64_t>(Tensor, Converted, Elements, Error);
  case GNN_BOOL:
    return convertTo<Bool>(Tensor, Converted, Elements, Error);
  }
  return GNN_INVALID_ARGUMENT; // allocateTensor has refused it
}

gnn_status gnn_tensor_convert(const gnn_tensor *Tensor, gnn_dtype DType,
                              gnn_tensor *Converted, gnn_error *Error) {
  if (!Converted)
    return failNull(Error, __func__, "converted");
  if (gnn_status Status = checkTensor(Tensor, "the tensor", Error))
    return Status;
  gnn_tensor Result;
  if (gnn_status Status =
          allocateTensor(DType, Tensor->rank, Tensor->shape, &Result, Error))
    return Status;
  if (gnn_status Status =
          convert(Tensor, &Result, gnn_tensor_size(Tensor), Error)) {
    gnn_tensor_release(&Result);
    return Status;
  }
  *Converted = Result;
  return GNN_OK;
}
