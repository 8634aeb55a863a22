/*===- emulate-tiles.c - What AMX does, without it ----------------*- C -*-===*\
|*                                                                            *|
|* Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.      *|
|* See LICENSE.TXT for license information.                                   *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* The operations of AMX on tiles of 16 rows of 64 bytes in memory, as Intel's
   manual describes them. */

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { rowBytes = 64, tileBytes = 1024 };

void emulate_tilezero(int16_t rows, int16_t bytes, char *result) {
  (void)rows, (void)bytes;
  memset(result, 0, tileBytes);
}

void emulate_tileloadd64(int16_t rows, int16_t bytes, const char *from,
                         int64_t stride, char *result) {
  memset(result, 0, tileBytes);
  for (int row = 0; row < rows; ++row)
    memcpy(result + row * rowBytes, from + row * stride, (size_t)bytes);
}

/* The same, past the first cache. */
void emulate_tileloaddt164(int16_t rows, int16_t bytes, const char *from,
                           int64_t stride, char *result) {
  emulate_tileloadd64(rows, bytes, from, stride, result);
}

void emulate_tilestored64(int16_t rows, int16_t bytes, char *to, int64_t stride,
                          const char *tile) {
  for (int row = 0; row < rows; ++row)
    memcpy(to + row * stride, tile + row * rowBytes, (size_t)bytes);
}

static float extend(const char *from) {
  uint16_t half;
  memcpy(&half, from, sizeof half);
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The first and the second products of all pairs are added up apart. */
void emulate_tdpbf16ps(int16_t rows, int16_t bytes, int16_t depthBytes,
                       const char *sums, const char *a, const char *b,
                       char *result) {
  memset(result, 0, tileBytes);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < bytes / 4; ++column) {
      float even = 0, odd = 0, sum;
      for (int pair = 0; pair < depthBytes / 4; ++pair) {
        const char *left = a + row * rowBytes + 4 * pair;
        const char *right = b + pair * rowBytes + 4 * column;
        even = fmaf(extend(left), extend(right), even);
        odd = fmaf(extend(left + 2), extend(right + 2), odd);
      }
      size_t place = (size_t)(row * rowBytes + 4 * column);
      memcpy(&sum, sums + place, sizeof sum);
      sum += even + odd;
      memcpy(result + place, &sum, sizeof sum);
    }
}
