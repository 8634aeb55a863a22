//===- OutputFiles.cpp - Files that appear together or not at all ---------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/OutputFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include <tuple>

using namespace llvm;
using namespace gnn;

OutputFiles::~OutputFiles() {
  // Nothing can be done about one that stays.
  for (const File &file : files)
    std::ignore = sys::fs::remove(file.temporary);
}

static Error cannotWrite(StringRef path, std::error_code code) {
  return createStringError("cannot write '" + path + "': " + code.message());
}

/// One name for all ways to write a path. Its last part may be a link: that
/// itself is replaced, not what it leads to.
static SmallString<128> resolve(StringRef path) {
  StringRef folder = sys::path::parent_path(path);
  SmallString<128> result;
  // A folder that is not there cannot be written to either.
  std::ignore = sys::fs::real_path(folder.empty() ? "." : folder, result);
  sys::path::append(result, sys::path::filename(path));
  return result;
}

Expected<std::string> OutputFiles::add(StringRef path, bool isExecutable) {
  if (sys::fs::is_directory(path))
    return cannotWrite(path, std::make_error_code(std::errc::is_a_directory));
  // Renaming a file to the path of a device would replace the device.
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path))
    return createStringError("cannot write '" + path +
                             "': it is not a regular file");
  for (const File &file : files)
    if (resolve(file.path) == resolve(path))
      return createStringError("two outputs would be written to '" + path +
                               "'; give them different names");
  File file;
  file.path = path.str();
  int descriptor;
  std::string model = (path + ".%%%%%%.tmp").str();
  std::error_code code =
      isExecutable
          ? sys::fs::createUniqueFile(model, descriptor, file.temporary,
                                      sys::fs::OF_None, sys::fs::all_all)
          : sys::fs::createUniqueFile(model, descriptor, file.temporary);
  if (code)
    return cannotWrite(path, code);
  sys::RemoveFileOnSignal(file.temporary);
  std::string temporary = file.temporary.str().str();
  files.push_back(std::move(file));
  code = sys::Process::SafelyCloseFileDescriptor(descriptor);
  if (code)
    return cannotWrite(path, code);
  return temporary;
}

Error OutputFiles::keep() {
  for (const File &file : files)
    if (std::error_code code = sys::fs::rename(file.temporary, file.path))
      return cannotWrite(file.path, code);
  for (const File &file : files)
    sys::DontRemoveFileOnSignal(file.temporary);
  files.clear();
  return Error::success();
}
