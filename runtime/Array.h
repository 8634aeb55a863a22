//===- Array.h - Arrays whose allocation may fail ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime is built without exceptions, so std::vector would terminate the
// process when memory runs out. Array reports that to its user instead.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_ARRAY_H
#define GNN_RUNTIME_ARRAY_H

#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace gnn::rt {

/// A malloc-backed array of trivial elements. Its data is never NULL after a
/// successful allocation, even where it is empty.
template <typename T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { free(Data); }

  /// Replaces the contents by `Count` uninitialized elements.
  [[nodiscard]] bool allocate(int64_t Count) {
    return reset(Count, fits(Count) ? malloc(bytes(Count)) : nullptr);
  }

  /// Replaces the contents by `Count` zeroed elements.
  [[nodiscard]] bool allocateZeroed(int64_t Count) {
    return reset(Count, fits(Count) ? calloc(bytes(Count), 1) : nullptr);
  }

  /// Appends an element.
  [[nodiscard]] bool push(const T &Element) {
    return reserve(Size + 1) && (Data[Size++] = Element, true);
  }

  /// Makes room for `Count` elements in all, growing geometrically.
  [[nodiscard]] bool reserve(int64_t Count) {
    if (Count <= Capacity)
      return true;
    int64_t Wanted = Count < 16 ? 16 : Count;
    if (Wanted < Capacity + Capacity / 2)
      Wanted = Capacity + Capacity / 2;
    if (!fits(Wanted))
      return false;
    void *Grown = realloc(static_cast<void *>(Data), bytes(Wanted));
    if (!Grown)
      return false;
    Data = static_cast<T *>(Grown);
    Capacity = Wanted;
    return true;
  }

  /// Declares the first `Count` reserved elements used.
  void setSize(int64_t Count) { Size = Count; }

  void clear() {
    free(Data);
    Data = nullptr;
    Size = Capacity = 0;
  }

  T *data() { return Data; }
  const T *data() const { return Data; }
  int64_t size() const { return Size; }
  T &operator[](int64_t Index) { return Data[Index]; }
  const T &operator[](int64_t Index) const { return Data[Index]; }
  T *begin() { return Data; }
  T *end() { return Data + Size; }
  const T *begin() const { return Data; }
  const T *end() const { return Data + Size; }

private:
  static bool fits(int64_t Count) {
    return Count >= 0 && static_cast<uint64_t>(Count) < PTRDIFF_MAX / sizeof(T);
  }

  static size_t bytes(int64_t Count) {
    return (Count ? static_cast<size_t>(Count) : 1) * sizeof(T);
  }

  bool reset(int64_t Count, void *Memory) {
    if (!Memory)
      return false;
    free(Data);
    Data = static_cast<T *>(Memory);
    Size = Capacity = Count;
    return true;
  }

  T *Data = nullptr;
  int64_t Size = 0;
  int64_t Capacity = 0;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_ARRAY_H
