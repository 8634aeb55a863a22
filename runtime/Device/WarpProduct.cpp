//===- WarpProduct.cpp - Products of matrices by a warp --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpProduct.h"

#include <cmath>
#include <cstring>

using namespace gnn::rt;

static float fromBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static float bfloat16ToFloat(uint16_t bits) {
  return fromBits(static_cast<uint32_t>(bits) << 16);
}

static float halfToFloat(uint16_t bits) {
  constexpr int mantissaBits = 10, bias = 15;
  uint32_t sign = static_cast<uint32_t>(bits >> 15) << 31;
  int32_t exponent = bits >> mantissaBits & 0x1F;
  uint32_t mantissa = bits & 0x3FF;
  if (exponent == 0x1F) // infinite, or NaN
    return fromBits(sign | 0x7F800000 | mantissa << (23 - mantissaBits));
  float magnitude =
      exponent ? ldexpf(static_cast<float>(mantissa | 0x400),
                        exponent - bias - mantissaBits)
               : ldexpf(static_cast<float>(mantissa), 1 - bias - mantissaBits);
  return sign ? -magnitude : magnitude;
}

WarpProduct::WarpProduct(gnn_factor_type type, const Lane *lanes)
    : lanes(lanes), depth(type == GNN_FACTOR_TF32 ? 8 : 16) {
  if (type == GNN_FACTOR_TF32)
    readSingles();
  else
    readPairs(type == GNN_FACTOR_F16 ? halfToFloat : bfloat16ToFloat);
}

/// Two factors that follow each other in depth share a register.
void WarpProduct::readPairs(float (*toFloat)(uint16_t)) {
  for (int32_t lane = 0; lane < numLanes; ++lane) {
    for (int32_t i = 0; i < 4; ++i)
      for (int32_t half = 0; half < 2; ++half)
        first[lane / 4 + i % 2 * 8][i / 2 * 8 + lane % 4 * 2 + half] =
            toFloat(static_cast<uint16_t>(lanes[lane].first[i] >> 16 * half));
    for (int32_t i = 0; i < 2; ++i)
      for (int32_t half = 0; half < 2; ++half)
        second[i * 8 + lane % 4 * 2 + half][lane / 4] =
            toFloat(static_cast<uint16_t>(lanes[lane].second[i] >> 16 * half));
  }
}

/// The low bits of the mantissa are not looked at.
void WarpProduct::readSingles() {
  constexpr uint32_t mask = ~0x1FFFU;
  for (int32_t lane = 0; lane < numLanes; ++lane) {
    for (int32_t i = 0; i < 4; ++i)
      first[lane / 4 + i % 2 * 8][i / 2 * 4 + lane % 4] =
          fromBits(lanes[lane].first[i] & mask);
    for (int32_t i = 0; i < 2; ++i)
      second[i * 4 + lane % 4][lane / 4] =
          fromBits(lanes[lane].second[i] & mask);
  }
}

void WarpProduct::run() {
  for (int32_t lane = 0; lane < numLanes; ++lane)
    for (int32_t i = 0; i < 4; ++i) {
      int32_t row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      float &sum = lanes[lane].sums[i];
      for (int32_t k = 0; k < depth; ++k)
        sum += first[row][k] * second[k][column];
    }
}
