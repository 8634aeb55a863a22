//===- Pipelines.h - From gnn IR to kernels ---------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of the GPU pipelines. The first ones, down to linalg, are those of
// the CPU (gnn/Codegen/Pipelines.h) without what makes vectors for it.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_GPU_PIPELINES_H
#define GNN_CODEGEN_GPU_PIPELINES_H

#include "gnn/Codegen/Pipelines.h"

namespace gnn {

/// What is made of kernels for a device.
struct NVVMOptions : public mlir::PassPipelineOptions<NVVMOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("What the code is for, as sm_90"),
                           llvm::cl::init("sm_90")};
  Option<std::string> format{
      *this, "format",
      llvm::cl::desc("isa (PTX), bin (a cubin) or fatbin (both)"),
      llvm::cl::init("isa")};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc(
          "Folder of the CUDA toolkit, where ptxas and libdevice are"),
      llvm::cl::init("")};
  Option<Precision> precision{
      *this, "precision", llvm::cl::desc("Factors of matrix products"),
      llvm::cl::init(Precision::Float32),
      llvm::cl::values(
          clEnumValN(Precision::Float32, "f32", "float32"),
          clEnumValN(Precision::BFloat16, "bf16", "rounded to bfloat16"),
          clEnumValN(Precision::Float16, "f16", "rounded to float16"),
          clEnumValN(Precision::TF32, "tf32", "rounded to tf32"))};
  Option<bool> planMemory{*this, "plan-memory",
                          llvm::cl::desc("Ask for the memory of a run at once"),
                          llvm::cl::init(true)};
};

/// Of the stages that both have, what a GPU needs: lanes of a warp take the
/// place of vectors, and keep what they have of one edge in registers.
void chooseGPUOptions(GNNToLLVMOptions &options);

/// Products of matrices to tiles, and elementwise ops fused.
void buildGPUTilePipeline(mlir::OpPassManager &pm,
                          const GNNToLLVMOptions &options);

/// Tensors to buffers and parallel loops.
void buildGPUBufferizePipeline(mlir::OpPassManager &pm,
                               const GNNToLLVMOptions &options);

/// Parallel loops to kernels in a gpu.module, and code that launches them.
void buildGPUMapPipeline(mlir::OpPassManager &pm,
                         const GNNToLLVMOptions &options);

/// Kernels to functions for the emulator, and all to the LLVM dialect.
void buildGPUEmulatePipeline(mlir::OpPassManager &pm);

/// Kernels to code for a device, which becomes an attribute of the module, and
/// host code to the LLVM dialect.
void buildGPUNVVMPipeline(mlir::OpPassManager &pm, const NVVMOptions &options);

/// All of the above, after the stages of the CPU.
void buildGNNToEmulatedGPUPipeline(mlir::OpPassManager &pm,
                                   const GNNToLLVMOptions &options);

void buildGNNToNVVMPipeline(mlir::OpPassManager &pm,
                            const NVVMOptions &options);

/// Registers `gnn-to-emulated-gpu`, `gnn-to-nvvm` and the stages
/// `gnn-gpu-stage-*`.
void registerGPUPipelines();

} // namespace gnn

#endif // GNN_CODEGEN_GPU_PIPELINES_H
