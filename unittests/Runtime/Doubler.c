/*===- Doubler.c - A library as gnn-compile makes them ------------*- C -*-===*\
|*                                                                            *|
|* Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.      *|
|* See LICENSE.TXT for license information.                                   *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "gnn/Runtime/Runtime.h"

struct Vector {
  void *allocated;
  float *aligned;
  int64_t offset, size, stride;
};

static void invoke(void **arguments, gnn_memory *memory) {
  struct Vector *result = arguments[0];
  const struct Vector *input = arguments[1];
  float *block =
      memory->allocate(memory, input->size * (int64_t)sizeof(float) + 1);
  for (int64_t i = 0; i < input->size; ++i)
    block[i] = 2 * input->aligned[input->offset + i * input->stride];
  result->allocated = result->aligned = block;
  result->offset = 0;
  result->size = input->size;
  result->stride = 1;
}

static const gnn_port inputs[] = {{.name = "x",
                                   .kind = GNN_PORT_TENSOR,
                                   .dtype = GNN_FLOAT32,
                                   .rank = 1,
                                   .axis = GNN_AXIS_ANY,
                                   .shape = {-1}}};
static const gnn_port outputs[] = {{.name = "y",
                                    .kind = GNN_PORT_TENSOR,
                                    .dtype = GNN_FLOAT32,
                                    .rank = 1,
                                    .axis = GNN_AXIS_ANY,
                                    .shape = {-1}}};
static const gnn_model model = {.abi_version = GNN_ABI_VERSION,
                                .num_inputs = 1,
                                .num_outputs = 1,
                                .inputs = inputs,
                                .outputs = outputs,
                                .name = "doubler",
                                .layers = "double: Doubler()",
                                .target_cpu = "generic",
                                .required_features = "",
                                .invoke = invoke};

/* Without it the library is well-formed, but no model. */
#ifndef GNN_TEST_WITHOUT_ENTRY
// NOLINTNEXTLINE(readability-identifier-naming): the runtime looks for it
const gnn_model *const gnn_model_entry = &model;
#else
const gnn_model *const anotherSymbol = &model;
#endif
