//===- LibraryFile.cpp - Files that are to be loaded ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryFile.h"
#include "Error.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace gnn;
using namespace gnn::rt;

/// Loading a library maps what its headers promise, and touching a part that
/// the file does not have ends the process. Files of any other kind are left to
/// the loader, which says what is wrong with them.
static bool isCutShort(int file, uint64_t size) {
  Elf64_Ehdr header = {};
  ssize_t bytes = pread(file, &header, sizeof(header), 0);
  if (bytes < SELFMAG || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return false;
  if (bytes < static_cast<ssize_t>(sizeof(header)))
    return true;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    auto place = static_cast<off_t>(header.e_phoff + i * sizeof(segment));
    if (pread(file, &segment, sizeof(segment), place) !=
            static_cast<ssize_t>(sizeof(segment)) ||
        segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
      return true;
  }
  return false;
}

gnn_status rt::checkLibraryFile(const char *path, gnn_error *error) {
  // A pipe would be waited for.
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info = {};
  int cause = file < 0 || fstat(file, &info) != 0 ? errno : 0;
  bool isWhole = cause || !S_ISREG(info.st_mode) ||
                 !isCutShort(file, static_cast<uint64_t>(info.st_size));
  if (file >= 0)
    close(file);
  if (cause)
    return fail(error, GNN_IO_ERROR, "'%.400s' cannot be read: %s", path,
                strerror(cause));
  if (S_ISDIR(info.st_mode))
    return fail(error, GNN_FORMAT_ERROR,
                "'%.400s' is a folder; gnn-compile makes the library of it "
                "that is loaded here",
                path);
  if (!S_ISREG(info.st_mode))
    return fail(error, GNN_IO_ERROR,
                "'%.400s' cannot be read: it is not a regular file", path);
  if (!isWhole)
    return fail(error, GNN_FORMAT_ERROR,
                "'%.400s' is a part of a library only; it was cut short", path);
  return GNN_OK;
}
