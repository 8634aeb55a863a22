//===- Archive.cpp - Named arrays in memory ---------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Archive.h"

#include "gnn/Runtime/Batches.h"

#include "Error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace gnn;
using namespace gnn::rt;

gnn_archive::~gnn_archive() {
  for (ArchiveEntry &entry : entries) {
    free(entry.name);
    gnn_tensor_release(&entry.tensor);
  }
}

gnn_status gnn_archive::add(std::string_view name, gnn_tensor tensor,
                            gnn_error *error) {
  char *copy = static_cast<char *>(malloc(name.size() + 1));
  if (!copy || !entries.push({copy, tensor})) {
    free(copy);
    gnn_tensor_release(&tensor);
    return fail(error, GNN_OUT_OF_MEMORY,
                "out of memory: the name of an array does not fit");
  }
  memcpy(copy, name.data(), name.size());
  copy[name.size()] = 0;
  return GNN_OK;
}

ArchiveEntry *gnn_archive::find(std::string_view name) {
  for (ArchiveEntry &entry : entries)
    if (name == entry.name)
      return &entry;
  return nullptr;
}

void gnn_archive::remove(std::string_view name) {
  ArchiveEntry *entry = find(name);
  if (!entry)
    return;
  free(entry->name);
  gnn_tensor_release(&entry->tensor);
  std::move(entry + 1, entries.end(), entry);
  entries.setSize(entries.size() - 1);
}

size_t gnn_archive_size(const gnn_archive *archive) {
  return static_cast<size_t>(archive->entries.size());
}

const char *gnn_archive_name(const gnn_archive *archive, size_t index) {
  if (index >= gnn_archive_size(archive))
    return nullptr;
  return archive->entries[static_cast<int64_t>(index)].name;
}

const gnn_tensor *gnn_archive_find(const gnn_archive *archive,
                                   const char *name) {
  if (!archive || !name)
    return nullptr;
  for (const ArchiveEntry &entry : archive->entries)
    if (strcmp(entry.name, name) == 0)
      return &entry.tensor;
  return nullptr;
}

void gnn_archive_destroy(gnn_archive *archive) { delete archive; }

gnn_status gnn_archive_set(gnn_archive *archive, const char *name,
                           gnn_tensor *tensor, gnn_error *error) {
  if (!tensor)
    return failNull(error, __func__, "tensor");
  gnn_tensor taken = *tensor;
  *tensor = gnn_tensor();
  if (!archive || !name) {
    gnn_tensor_release(&taken);
    return failNull(error, __func__, archive ? "name" : "archive");
  }
  ArchiveEntry *entry = archive->find(name);
  if (!entry)
    return archive->add(name, taken, error);
  gnn_tensor_release(&entry->tensor);
  entry->tensor = taken;
  return GNN_OK;
}
