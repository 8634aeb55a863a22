//===- JIT.cpp - Running a model without writing files ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/JIT.h"
#include "llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/MemoryMapper.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace llvm;
using namespace gnn;

/// Links objects of so many bytes together into one range of addresses: the
/// parts of a model refer to each other by distances of 32 bits, which memory
/// that is asked for part by part need not keep to.
static orc::LLJITBuilderState::ObjectLinkingLayerCreator
getLayerCreator(size_t numBytes) {
  // Pages that are begun, and what linking adds.
  constexpr size_t slack = 16 << 20;
  return
      [size = alignTo(numBytes + slack, slack)](orc::ExecutionSession &session)
          -> Expected<std::unique_ptr<orc::ObjectLayer>> {
        auto memory = orc::MapperJITLinkMemoryManager::CreateWithMapper<
            orc::InProcessMemoryMapper>(size);
        if (!memory)
          return memory.takeError();
        return std::make_unique<orc::ObjectLinkingLayer>(session,
                                                         std::move(*memory));
      };
}

Expected<JITModel> JITModel::create(TranslatedModel model,
                                    const gnn::TargetSpec &target) {
  Expected<std::vector<ObjectCode>> objects = makeObjects(model, target, {});
  if (!objects)
    return objects.takeError();

  size_t numBytes = 0;
  for (const ObjectCode &object : *objects)
    numBytes += object.size();
  Expected<std::unique_ptr<orc::LLJIT>> jit =
      orc::LLJITBuilder()
          .setObjectLinkingLayerCreator(getLayerCreator(numBytes))
          .create();
  if (!jit)
    return jit.takeError();
  // The OpenMP runtime, libm and malloc are those of this process.
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*process));
  for (auto [i, object] : llvm::enumerate(*objects)) {
    auto buffer = std::make_unique<SmallVectorMemoryBuffer>(
        std::move(object), "model" + std::to_string(i),
        /*RequiresNullTerminator=*/false);
    if (Error error = (*jit)->addObjectFile(std::move(buffer)))
      return error;
  }
  Expected<orc::ExecutorAddr> address =
      (*jit)->lookup(model.info.getSymbolName() + "_model");
  if (!address)
    return address.takeError();
  return JITModel(std::move(*jit), address->toPtr<const gnn_model *>());
}
