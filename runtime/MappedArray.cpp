//===- MappedArray.cpp - Arrays mapped from files ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Batches.h"

#include "Array.h"
#include "Error.h"
#include "Npy.h"
#include "Tensor.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace gnn;
using namespace gnn::rt;

namespace {
/// The whole of a file in memory.
struct Mapping {
  void *begin = MAP_FAILED;
  size_t bytes = 0;

  Mapping() = default;
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  ~Mapping() {
    if (begin != MAP_FAILED)
      munmap(begin, bytes);
  }

  gnn_status map(const char *path, gnn_error *error);
};
} // namespace

gnn_status Mapping::map(const char *path, gnn_error *error) {
  // A pipe would be waited for.
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info = {};
  int cause = file < 0 || fstat(file, &info) != 0 ? errno : 0;
  bool isRegular = S_ISREG(info.st_mode);
  bytes = static_cast<size_t>(info.st_size);
  if (!cause && isRegular && bytes >= npyPreambleSize) {
    begin = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (begin == MAP_FAILED)
      cause = errno;
    else // Rows are read here and there.
      madvise(begin, bytes, MADV_RANDOM);
  }
  if (file >= 0)
    close(file);
  if (cause)
    return fail(error, GNN_IO_ERROR, "'%.400s' cannot be read: %s", path,
                strerror(cause));
  if (!isRegular)
    return fail(error, GNN_IO_ERROR,
                "'%.400s' cannot be read: it is not a regular file", path);
  if (bytes < npyPreambleSize)
    return fail(error, GNN_FORMAT_ERROR,
                "'%.400s' has %zu bytes, which is too short for a NumPy array",
                path, bytes);
  return GNN_OK;
}

static void unmap(void *mapping) { delete static_cast<Mapping *>(mapping); }

/// What a mapped array must be besides well-formed.
static gnn_status checkHeader(const NpyHeader &header, const char *where,
                              const char *data, int64_t bytes,
                              gnn_error *error) {
  if (header.isText)
    return fail(error, GNN_UNSUPPORTED,
                "%s holds text or dates; save an array of numbers instead",
                where);
  if (header.isFortranOrder && header.rank > 1)
    return fail(error, GNN_UNSUPPORTED,
                "%s is in Fortran order, which cannot be mapped by rows; save "
                "numpy.ascontiguousarray of it",
                where);
  int64_t elements, needed;
  if (!shapeSize(header.dtype, header.rank, header.shape, elements, needed) ||
      needed != bytes)
    return fail(error, GNN_FORMAT_ERROR,
                "%s has shape %s of %s, but %" PRId64 " bytes of data", where,
                printShape(header.rank, header.shape).text,
                gnn_dtype_name(header.dtype), bytes);
  if (reinterpret_cast<uintptr_t>(data) % gnn_dtype_size(header.dtype) != 0)
    return fail(error, GNN_UNSUPPORTED,
                "%s has a header whose length does not align what follows; "
                "write it with numpy.save",
                where);
  if (header.dtype == GNN_BOOL)
    for (int64_t i = 0; i < bytes; ++i)
      if (static_cast<unsigned char>(data[i]) > 1)
        return fail(error, header.isUInt8 ? GNN_UNSUPPORTED : GNN_FORMAT_ERROR,
                    "%s is %s and holds %d; only 0 and 1 are accepted, so save "
                    "it as int32 if it holds numbers",
                    where, header.isUInt8 ? "uint8" : "bool",
                    static_cast<unsigned char>(data[i]));
  return GNN_OK;
}

gnn_status gnn_tensor_map(const char *path, gnn_tensor *tensor,
                          gnn_error *error) {
  if (!tensor)
    return failNull(error, __func__, "tensor");
  if (!path)
    return failNull(error, __func__, "path");
  std::unique_ptr<Mapping> mapping(new (std::nothrow) Mapping);
  if (!mapping)
    return failMemory(error, "a mapping", sizeof(Mapping));
  if (gnn_status status = mapping->map(path, error))
    return status;
  char where[512];
  snprintf(where, sizeof(where), "'%.400s'", path);
  char *begin = static_cast<char *>(mapping->begin);
  auto fileBytes = static_cast<int64_t>(mapping->bytes);
  int64_t textOffset, textLength;
  if (gnn_status status =
          parseNpyPreamble(reinterpret_cast<unsigned char *>(begin), where,
                           textOffset, textLength, error))
    return status;
  int64_t headerBytes = textOffset + textLength;
  if (headerBytes > fileBytes)
    return fail(error, GNN_FORMAT_ERROR,
                "%s has a header of %" PRId64 " bytes, but is only %" PRId64
                " bytes long",
                where, headerBytes, fileBytes);
  NpyHeader header;
  if (gnn_status status =
          parseNpyHeader({begin + textOffset, static_cast<size_t>(textLength)},
                         where, header, error))
    return status;
  if (gnn_status status = checkHeader(header, where, begin + headerBytes,
                                      fileBytes - headerBytes, error))
    return status;
  *tensor = gnn_tensor_borrow(begin + headerBytes, header.dtype, header.rank,
                              header.shape);
  tensor->release = unmap;
  tensor->owner = mapping.release();
  return GNN_OK;
}

/// Gives the pages of a mapped tensor back; does nothing with other tensors.
static void evict(const gnn_tensor &tensor) {
  if (tensor.release != unmap)
    return;
  const auto *mapping = static_cast<const Mapping *>(tensor.owner);
  madvise(mapping->begin, mapping->bytes, MADV_DONTNEED);
}

gnn_status gnn_tensor_gather(const gnn_tensor *rows, const int32_t *indices,
                             int64_t count, gnn_tensor *gathered,
                             gnn_error *error) {
  if (!gathered)
    return failNull(error, __func__, "gathered");
  if (gnn_status status = checkTensor(rows, "rows", error))
    return status;
  if (rows->rank == 0)
    return fail(error, GNN_INVALID_ARGUMENT,
                "rows has rank 0 and thus no rows to gather");
  if (count < 0)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%" PRId64 " rows cannot be gathered; give 0 or more", count);
  if (count && !indices)
    return failNull(error, __func__, "indices");
  for (int64_t i = 0; i < count; ++i)
    if (indices[i] < 0 || indices[i] >= rows->shape[0])
      return fail(error, GNN_INVALID_ARGUMENT,
                  "indices[%" PRId64 "] is %d, but there are %" PRId64
                  " rows, numbered from 0",
                  i, indices[i], rows->shape[0]);
  int64_t shape[GNN_MAX_RANK];
  memcpy(shape, rows->shape, sizeof(shape));
  shape[0] = count;
  gnn_tensor result;
  if (gnn_status status =
          allocateTensor(rows->dtype, rows->rank, shape, &result, error))
    return status;
  int64_t elements, bytes;
  shapeSize(rows->dtype, rows->rank, shape, elements, bytes);
  // Pages of a mapped file that were read stay resident, and the system maps
  // those beside them as well, so they are given back from time to time.
  constexpr int64_t chunk = 1024;
  int64_t rowBytes = count ? bytes / count : 0;
  for (int64_t i = 0; i < count; i += chunk) {
    gatherRows(static_cast<char *>(result.data) + i * rowBytes, rows->data,
               rowBytes, indices + i, count - i < chunk ? count - i : chunk);
    evict(*rows);
  }
  *gathered = result;
  return GNN_OK;
}
