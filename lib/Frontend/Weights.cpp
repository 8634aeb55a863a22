//===- Weights.cpp - The state_dict of a model ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace gnn;
using namespace gnn::frontend;
using llvm::ArrayRef;
using llvm::LogicalResult;
using llvm::StringRef;
using llvm::Twine;

/// More lines than this about entries help nobody.
static constexpr size_t kMaxListed = 8;

std::vector<float> Weights::read(StringRef suffix, ArrayRef<int64_t> shape,
                                 const WeightOwner &owner) {
  std::string name = prefix + suffix.str();
  if (faulty.contains(name))
    return {};
  const Safetensors::Entry *entry = lookup(name);
  if (!entry) {
    faulty.insert(name);
    missing.push_back({name, llvm::SmallVector<int64_t>(shape), owner});
    return {};
  }
  used.insert(name);
  if (ArrayRef<int64_t>(entry->shape) != shape) {
    faulty.insert(name);
    (void)reporter.fileError(path, "entry '" + name + "' has shape " +
                                       formatShape(entry->shape) + ", but " +
                                       owner.description + " (" +
                                       reporter.getDescriptionPath() + ":" +
                                       Twine(owner.position.line) + ":" +
                                       Twine(owner.position.column) +
                                       ") needs " + formatShape(shape));
    return {};
  }
  llvm::Expected<std::vector<float>> values = Safetensors::readFloats(*entry);
  if (!values) {
    faulty.insert(name);
    (void)reporter.fileError(path, llvm::toString(values.takeError()));
    return {};
  }
  return std::move(*values);
}

StringRef Weights::findStrayPrefix() const {
  if (missing.empty())
    return {};
  for (const Safetensors::Entry &entry : file->getEntries()) {
    StringRef stray = entry.name;
    if (!stray.consume_back(missing.front().name) || !stray.ends_with("."))
      continue;
    if (llvm::all_of(missing, [&](const Missing &other) {
          return lookup((stray + other.name).str());
        }))
      return stray;
  }
  return {};
}

/// A name as a message has room for it: files have names of any length.
static std::string shorten(StringRef name) {
  constexpr size_t maxLength = 200;
  if (name.size() <= maxLength)
    return name.str();
  return (name.take_front(maxLength) + "...").str();
}

LogicalResult Weights::finish() {
  if (!file) {
    if (missing.empty())
      return llvm::success();
    const Missing &first = missing.front();
    return reporter.fileError(
        path, "there is no such file, but " + first.owner.description + " (" +
                  reporter.getDescriptionPath() + ":" +
                  Twine(first.owner.position.line) + ":" +
                  Twine(first.owner.position.column) + ") has weights");
  }
  if (StringRef stray = findStrayPrefix(); !stray.empty()) {
    const Missing &first = missing.front();
    return reporter.fileError(
        path, "entry '" + first.name + "' of " + first.owner.description +
                  " is called '" + stray + first.name +
                  "' here, as are others; save them without '" + stray + "'");
  }
  llvm::SmallVector<StringRef> unused;
  for (const Safetensors::Entry &entry : file->getEntries())
    if (!used.contains(entry.name))
      unused.push_back(entry.name);

  for (const Missing &entry : ArrayRef(missing).take_front(kMaxListed))
    (void)reporter.fileError(path,
                             "entry '" + entry.name + "' of shape " +
                                 formatShape(entry.shape) + " is missing; " +
                                 entry.owner.description + " (" +
                                 reporter.getDescriptionPath() + ":" +
                                 Twine(entry.owner.position.line) + ":" +
                                 Twine(entry.owner.position.column) +
                                 ") needs it" + suggest(entry.name, unused));
  if (missing.size() > kMaxListed)
    (void)reporter.fileError(path, Twine(missing.size() - kMaxListed) +
                                       " more entries are missing");
  for (StringRef name : ArrayRef(unused).take_front(kMaxListed))
    (void)reporter.fileError(path, "entry '" + shorten(name) + "' of shape " +
                                       formatShape(lookup(name)->shape) +
                                       " is used by no layer");
  if (unused.size() > kMaxListed)
    (void)reporter.fileError(path, Twine(unused.size() - kMaxListed) +
                                       " more entries are used by no layer");
  return llvm::success(missing.empty() && unused.empty());
}

mlir::DenseResourceElementsAttr
gnn::frontend::makeResource(mlir::MLIRContext *context, StringRef name,
                            ArrayRef<float> values, ArrayRef<int64_t> shape) {
  auto type =
      mlir::RankedTensorType::get(shape, mlir::Float32Type::get(context));
  ArrayRef<char> bytes(reinterpret_cast<const char *>(values.data()),
                       values.size() * sizeof(float));
  return mlir::DenseF32ResourceElementsAttr::get(
      type, name,
      mlir::HeapAsmResourceBlob::allocateAndCopyWithAlign(
          bytes, /*align=*/64, /*dataIsMutable=*/false));
}
