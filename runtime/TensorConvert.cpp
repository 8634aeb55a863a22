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
  uint8_t value;
};
} // namespace

/// Converts one element; false where the value has no counterpart.
template <typename To, typename From>
static bool convertElement(From value, To &result) {
  if constexpr (std::is_same_v<From, Bool>) {
    return convertElement<To>(static_cast<int32_t>(value.value != 0), result);
  } else if constexpr (std::is_same_v<To, Bool>) {
    result.value = value != 0;
    return value == 0 || value == 1;
  } else if constexpr (std::is_same_v<To, float> &&
                       std::is_same_v<From, double>) {
    result = static_cast<float>(value);
    return std::isfinite(result) || !std::isfinite(value);
  } else if constexpr (std::is_floating_point_v<To>) {
    result = static_cast<To>(value);
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    // 2^31 or 2^63, which are exact, unlike the maximum itself.
    constexpr From limit =
        -static_cast<From>(std::numeric_limits<To>::lowest());
    if (!(value >= -limit && value < limit) || value != std::trunc(value))
      return false;
    result = static_cast<To>(value);
    return true;
  } else {
    result = static_cast<To>(value);
    return static_cast<From>(result) == value;
  }
}

/// Prints a value and why it cannot be a `To`.
template <typename To, typename From>
static void explain(From value, char *text, size_t size) {
  if constexpr (std::is_same_v<From, Bool>) {
    snprintf(text, size, "a bool");
  } else if constexpr (std::is_floating_point_v<From>) {
    const char *reason = "which is out of range";
    if (std::is_same_v<To, Bool>)
      reason = "but must be 0 or 1";
    else if (!std::isfinite(value))
      reason = "which is not finite";
    else if (value != std::trunc(value) && !std::is_floating_point_v<To>)
      reason = "which is not integral";
    snprintf(text, size, "%.9g, %s", static_cast<double>(value), reason);
  } else {
    snprintf(text, size, "%" PRId64 ", %s", static_cast<int64_t>(value),
             std::is_same_v<To, Bool> ? "but must be 0 or 1"
                                      : "which is out of range");
  }
}

/// Prints "tensor[1][2]".
static void printPosition(const gnn_tensor *tensor, int64_t flat, char *text,
                          size_t size) {
  int64_t index[GNN_MAX_RANK];
  for (int32_t i = tensor->rank - 1; i >= 0; --i) {
    index[i] = flat % tensor->shape[i];
    flat /= tensor->shape[i];
  }
  size_t used = static_cast<size_t>(snprintf(text, size, "tensor"));
  for (int32_t i = 0; i < tensor->rank; ++i)
    used += static_cast<size_t>(
        snprintf(text + used, size - used, "[%" PRId64 "]", index[i]));
}

template <typename To, typename From>
static gnn_status convertAll(const gnn_tensor *tensor, gnn_tensor *converted,
                             int64_t elements, gnn_error *error) {
  const From *source = static_cast<const From *>(tensor->data);
  To *result = static_cast<To *>(converted->data);
  for (int64_t i = 0; i < elements; ++i) {
    if (convertElement<To>(source[i], result[i]))
      continue;
    char position[GNN_MAX_RANK * 22 + 8], reason[64];
    printPosition(tensor, i, position, sizeof(position));
    explain<To>(source[i], reason, sizeof(reason));
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s cannot be converted from %s to %s: it is %s", position,
                gnn_dtype_name(tensor->dtype), gnn_dtype_name(converted->dtype),
                reason);
  }
  return GNN_OK;
}

template <typename To>
static gnn_status convertTo(const gnn_tensor *tensor, gnn_tensor *converted,
                            int64_t elements, gnn_error *error) {
  switch (tensor->dtype) {
  case GNN_FLOAT32:
    return convertAll<To, float>(tensor, converted, elements, error);
  case GNN_FLOAT64:
    return convertAll<To, double>(tensor, converted, elements, error);
  case GNN_INT32:
    return convertAll<To, int32_t>(tensor, converted, elements, error);
  case GNN_INT64:
    return convertAll<To, int64_t>(tensor, converted, elements, error);
  case GNN_BOOL:
    return convertAll<To, Bool>(tensor, converted, elements, error);
  }
  return GNN_INVALID_ARGUMENT; // checkTensor has refused it
}

static gnn_status convert(const gnn_tensor *tensor, gnn_tensor *converted,
                          int64_t elements, gnn_error *error) {
  switch (converted->dtype) {
  case GNN_FLOAT32:
    return convertTo<float>(tensor, converted, elements, error);
  case GNN_FLOAT64:
    return convertTo<double>(tensor, converted, elements, error);
  case GNN_INT32:
    return convertTo<int32_t>(tensor, converted, elements, error);
  case GNN_INT64:
    return convertTo<int64_t>(tensor, converted, elements, error);
  case GNN_BOOL:
    return convertTo<Bool>(tensor, converted, elements, error);
  }
  return GNN_INVALID_ARGUMENT; // allocateTensor has refused it
}

gnn_status gnn_tensor_convert(const gnn_tensor *tensor, gnn_dtype dtype,
                              gnn_tensor *converted, gnn_error *error) {
  if (!converted)
    return failNull(error, __func__, "converted");
  if (gnn_status status = checkTensor(tensor, "the tensor", error))
    return status;
  gnn_tensor result;
  if (gnn_status status =
          allocateTensor(dtype, tensor->rank, tensor->shape, &result, error))
    return status;
  if (gnn_status status =
          convert(tensor, &result, gnn_tensor_size(tensor), error)) {
    gnn_tensor_release(&result);
    return status;
  }
  *converted = result;
  return GNN_OK;
}
