//===- LayerRegistry.cpp - The layers a model may have ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerRegistry.h"
#include "llvm/ADT/STLExtras.h"

using namespace gnn::frontend;

llvm::ArrayRef<LayerSpec> gnn::frontend::getLayerSpecs() {
  static const std::vector<LayerSpec> specs = [] {
    std::vector<LayerSpec> all;
    for (auto getLayers : {getConvolutionLayers,
                           getSpectralLayers,
                           getPropagationLayers,
                           getEdgeConditionedLayers,
                           getEdgeLayers,
                           getPointLayers,
                           getWrappedConvolutions,
                           getHypergraphLayers,
                           getDistanceLayers,
                           getDynamicGraphLayers,
                           getAggregationLayers,
                           getModulatedLayers,
                           getGatedLayers,
                           getReadoutLayers,
                           getSimilarityLayers,
                           getAttentionLayers,
                           getTransformerLayers,
                           getGraphTransformerLayers,
                           getLinearAttentionLayers,
                           getGraphormerLayers,
                           getEncodingLayers,
                           getHeterogeneousLayers,
                           getHeterogeneousAttentionLayers,
                           getRelationalLayers,
                           getRelationalAttentionLayers,
                           getLocalityLayers,
                           getNormalizationLayers,
                           getGraphNormLayers,
                           getBertLayers,
                           getEmbeddingLayers,
                           getActivationLayers,
                           getBasicLayers})
      llvm::append_range(all, getLayers());
    return all;
  }();
  return specs;
}
