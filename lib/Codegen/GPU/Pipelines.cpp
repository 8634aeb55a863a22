//===- Pipelines.cpp - From gnn IR to kernels -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Pipelines.h"
#include "../Cleanup.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace gnn;

void gnn::buildGPUTilePipeline(OpPassManager &pm,
                               const GNNToLLVMOptions &options) {
  OpPassManager &products = pm.nest<func::FuncOp>();
  if (options.hoistMasks)
    products.addPass(createHoistMasksPass());
  if (options.precision != Precision::Float32) {
    RoundProductsPassOptions round;
    round.factors = options.precision;
    round.severalWeights = options.tileProducts;
    products.addPass(createRoundProductsPass(round));
    products.addPass(createHoistRoundingsPass());
  }
  // Weights have been rounded, and nothing is fused.
  if (options.splitPreparation)
    pm.addPass(createSplitPreparationPass());
  OpPassManager &tiles = pm.nest<func::FuncOp>();
  // Before fusion, which would make what computes a factor part of a product.
  if (options.tileProducts)
    tiles.addPass(createTileProductsPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.nest<func::FuncOp>().addPass(createDropEmptyPartsPass());
  FuseElementwisePassOptions elementwise;
  elementwise.repeatCostly = true;
  pm.nest<func::FuncOp>().addPass(createFuseElementwisePass(elementwise));
  addCleanup(pm);
  if (options.fuseEpilogues) {
    FuseEpiloguesPassOptions fuse;
    fuse.onlyProducts = true;
    pm.nest<func::FuncOp>().addPass(createFuseEpiloguesPass(fuse));
    addCleanup(pm);
    // What follows other loops must not change types.
    pm.nest<func::FuncOp>().addPass(createFuseEpiloguesPass());
    addCleanup(pm);
  }
  if (options.tileRowReductions)
    pm.nest<func::FuncOp>().addPass(createTileRowReductionsPass());
  if (options.splitLongSums)
    pm.nest<func::FuncOp>().addPass(createSplitLongSumsPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createCSEPass());
}

void gnn::buildGPUBufferizePipeline(OpPassManager &pm,
                                    const GNNToLLVMOptions &options) {
  OpPassManager &tensors = pm.nest<func::FuncOp>();
  if (options.tileAttention)
    tensors.addPass(createDistributeTilesToWarpsPass());
  tensors.addPass(createSelectCarriedTensorsPass());
  tensors.addPass(createDistributeRowsPass());
  tensors.addPass(createLoopCanonicalizerPass());
  tensors.addPass(createCSEPass());
  tensors.addPass(createSplitReductionsPass());
  addBufferization(pm, options);
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(bufferization::createBufferLoopHoistingPass());
  functions.addPass(createBoundTileBuffersPass());
  bufferization::buildBufferDeallocationPipeline(pm);
  addCleanup(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
  OpPassManager &loops = pm.nest<func::FuncOp>();
  if (options.forwardParts)
    loops.addPass(createForwardPartsPass());
  if (options.freeEarly)
    loops.addPass(createFreeEarlyPass());
  // Nothing else copies arrays on a device.
  LowerCopiesPassOptions copies;
  copies.contiguous = true;
  loops.addPass(createLowerCopiesPass(copies));
  loops.addPass(createMapProductsToWarpsPass());
  loops.addPass(createConvertLinalgToParallelLoopsPass());
  loops.addPass(createLowerDynamicReshapesPass());
  addCleanup(pm);
}

void gnn::buildGPUMapPipeline(OpPassManager &pm,
                              const GNNToLLVMOptions &options) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createVerifyBufferizedPass());
  functions.addPass(createAlignVectorAccessesPass());
  functions.addPass(createMapLoopsToGPUPass());
  functions.addPass(createDeclareWorkgroupMemoryPass());
  functions.addPass(createOffloadSerialCodePass());
  functions.addPass(createLoopCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createKeepAccumulatorsPass());
  functions.addPass(createBatchGathersPass());
  functions.addPass(createSinkConstantsPass());
  if (options.skipRescaling)
    functions.addPass(createSkipRescalingPass());
  functions.addPass(createExpToExp2Pass());
  ApproximateMathPassOptions math;
  math.trigonometric = true;
  functions.addPass(createApproximateMathPass(math));
  addCleanup(pm);
  pm.addPass(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createNameKernelsPass());
  pm.addPass(createGpuKernelOutliningPass());
  addCleanup(pm);
  if (options.planMemory)
    pm.nest<func::FuncOp>().addPass(createPlanDeviceMemoryPass());
}

/// What is left of host code.
static void buildHostPipeline(OpPassManager &pm) {
  GNNToLLVMOptions serial;
  serial.vectorize = false;
  serial.parallelize = false;
  serial.prefetch = false;
  buildToLLVMDialectPipeline(pm, serial);
}

void gnn::buildGPUEmulatePipeline(OpPassManager &pm) {
  pm.addPass(createLaunchKernelsPass());
  pm.addPass(createEmulateKernelsPass());
  // The host need not know numbers of 16 bits.
  pm.nest<func::FuncOp>().addPass(createExpandBFloat16Pass());
  buildHostPipeline(pm);
}

void gnn::buildGPUNVVMPipeline(OpPassManager &pm, const NVVMOptions &options) {
  pm.addPass(createLaunchKernelsPass());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createPreferRegistersPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  addCleanup(kernels);
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createMathToNVVMPass());
  kernels.addPass(createProductsToNVVMPass());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  kernels.addPass(createShufflesToNVVMPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  // These are blocks by now.
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  GpuNVVMAttachTargetOptions target;
  target.chip = options.chip;
  target.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(target));
  GpuModuleToBinaryPassOptions binary;
  binary.compilationTarget = options.format;
  binary.toolkitPath = options.toolkit;
  pm.addPass(createGpuModuleToBinaryPass(binary));
  pm.addPass(createEmbedDeviceCodePass());
  buildHostPipeline(pm);
}

void gnn::chooseGPUOptions(GNNToLLVMOptions &options) {
  options.vectorize = false;
  options.parallelGraphs = true;
  options.parallelEdges = true;
  auto setDefault = [](auto &option, int64_t value) {
    if (option.getNumOccurrences() == 0)
      option = value;
  };
  setDefault(options.attentionEdges, 1);
  setDefault(options.longRowEdges, 256);
  // As many as lanes have room for.
  setDefault(options.featureTile, 512);
  // What of keys and values, read a piece of 16 bytes further, fits into
  // workgroup memory in the bits that they have.
  bool isHalfWord = options.precision == Precision::BFloat16 ||
                    options.precision == Precision::Float16;
  setDefault(options.attentionTileBytes, isHalfWord ? 88 << 10 : 44 << 10);
}

void gnn::buildGNNToEmulatedGPUPipeline(OpPassManager &pm,
                                        const GNNToLLVMOptions &options) {
  GNNToLLVMOptions scalar;
  scalar.copyOptionValuesFrom(options);
  chooseGPUOptions(scalar);
  buildOptimizePipeline(pm, scalar);
  buildLowerPipeline(pm, scalar);
  buildGPUTilePipeline(pm, scalar);
  buildGPUBufferizePipeline(pm, scalar);
  buildGPUMapPipeline(pm, scalar);
  buildGPUEmulatePipeline(pm);
}

void gnn::buildGNNToNVVMPipeline(OpPassManager &pm,
                                 const NVVMOptions &options) {
  GNNToLLVMOptions scalar;
  scalar.precision = options.precision;
  scalar.planMemory = options.planMemory;
  chooseGPUOptions(scalar);
  buildOptimizePipeline(pm, scalar);
  buildLowerPipeline(pm, scalar);
  buildGPUTilePipeline(pm, scalar);
  buildGPUBufferizePipeline(pm, scalar);
  buildGPUMapPipeline(pm, scalar);
  buildGPUNVVMPipeline(pm, options);
}

void gnn::registerGPUPipelines() {
  PassPipelineRegistration<NVVMOptions>(
      "gnn-to-nvvm", "Lower gnn IR to kernels for NVIDIA GPUs",
      buildGNNToNVVMPipeline);
  PassPipelineRegistration<NVVMOptions>("gnn-gpu-stage-nvvm",
                                        "Kernels to code for a device",
                                        buildGPUNVVMPipeline);
  PassPipelineRegistration<GNNToLLVMOptions>(
      "gnn-to-emulated-gpu",
      "Lower gnn IR to kernels that the runtime's emulator runs",
      buildGNNToEmulatedGPUPipeline);
  PassPipelineRegistration<GNNToLLVMOptions>(
      "gnn-gpu-stage-tile", "Products of matrices to tiles, on tensors",
      buildGPUTilePipeline);
  PassPipelineRegistration<GNNToLLVMOptions>(
      "gnn-gpu-stage-bufferize", "Tensors to buffers and parallel loops",
      buildGPUBufferizePipeline);
  PassPipelineRegistration<GNNToLLVMOptions>(
      "gnn-gpu-stage-map", "Parallel loops to kernels and their launches",
      buildGPUMapPipeline);
  PassPipelineRegistration<>("gnn-gpu-stage-emulate",
                             "Kernels to functions for the emulator",
                             buildGPUEmulatePipeline);
}
