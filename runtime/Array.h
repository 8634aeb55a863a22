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
  ~Array() { free(static_cast<void *>(storage)); }

  /// Replaces the contents by `number` uninitialized elements.
  [[nodiscard]] bool allocate(int64_t number) {
    return reset(number, fits(number) ? malloc(bytes(number)) : nullptr);
  }

  /// Replaces the contents by `number` zeroed elements.
  [[nodiscard]] bool allocateZeroed(int64_t number) {
    return reset(number, fits(number) ? calloc(bytes(number), 1) : nullptr);
  }

  /// Appends an element.
  [[nodiscard]] bool push(const T &element) {
    if (!reserve(count + 1))
      return false;
    storage[count++] = element;
    return true;
  }

  /// Makes room for `number` elements in all, growing geometrically.
  [[nodiscard]] bool reserve(int64_t number) {
    if (number <= capacity)
      return true;
    int64_t wanted = number < 16 ? 16 : number;
    if (wanted < capacity + capacity / 2)
      wanted = capacity + capacity / 2;
    if (!fits(wanted))
      return false;
    void *grown = realloc(static_cast<void *>(storage), bytes(wanted));
    if (!grown)
      return false;
    storage = static_cast<T *>(grown);
    capacity = wanted;
    return true;
  }

  /// Declares the first `number` reserved elements used.
  void setSize(int64_t number) { count = number; }

  void clear() {
    free(static_cast<void *>(storage));
    storage = nullptr;
    count = capacity = 0;
  }

  T *data() { return storage; }
  const T *data() const { return storage; }
  int64_t size() const { return count; }
  T &operator[](int64_t index) { return storage[index]; }
  const T &operator[](int64_t index) const { return storage[index]; }
  T *begin() { return storage; }
  T *end() { return storage + count; }
  const T *begin() const { return storage; }
  const T *end() const { return storage + count; }

private:
  static bool fits(int64_t number) {
    return number >= 0 &&
           static_cast<uint64_t>(number) < PTRDIFF_MAX / sizeof(T);
  }

  static size_t bytes(int64_t number) {
    return (number ? static_cast<size_t>(number) : 1) * sizeof(T);
  }

  bool reset(int64_t number, void *memory) {
    if (!memory)
      return false;
    free(static_cast<void *>(storage));
    storage = static_cast<T *>(memory);
    count = capacity = number;
    return true;
  }

  T *storage = nullptr;
  int64_t count = 0;
  int64_t capacity = 0;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_ARRAY_H
