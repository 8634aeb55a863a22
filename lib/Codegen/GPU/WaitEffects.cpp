//===- WaitEffects.cpp - What waiting in a kernel does ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Kernels.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace gnn;

namespace {
/// Memory is read and written, and none is allocated: buffer deallocation asks
/// for that.
template <typename Op>
struct WaitEffects
    : public MemoryEffectOpInterface::ExternalModel<WaitEffects<Op>, Op> {
  void
  getEffects(Operation *,
             SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
                 &effects) const {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
};
} // namespace

void gnn::registerWaitEffects(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, gpu::GPUDialect *) {
    gpu::BarrierOp::attachInterface<WaitEffects<gpu::BarrierOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, nvgpu::NVGPUDialect *) {
    nvgpu::DeviceAsyncCreateGroupOp::attachInterface<
        WaitEffects<nvgpu::DeviceAsyncCreateGroupOp>>(*context);
    nvgpu::DeviceAsyncWaitOp::attachInterface<
        WaitEffects<nvgpu::DeviceAsyncWaitOp>>(*context);
  });
}
