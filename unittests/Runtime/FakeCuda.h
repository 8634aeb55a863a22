/*===- FakeCuda.h - A driver without a GPU ------------------------*- C -*-===*\
|*                                                                            *|
|* Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.      *|
|* See LICENSE.TXT for license information.                                   *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A library with the functions of NVIDIA's driver that the runtime calls.    *|
|* Its memory is kept from the host's code, kernels are functions that tests  *|
|* give it, and all is done at once. The environment variable FAKE_CUDA says  *|
|* what it is like, in words such as                                          *|
|*   devices=2 capability=80 version=12040 memory=1000 shared=101376          *|
|*   cuInit=100 cuMemAlloc_v2@3=2 cuLaunchKernel#2=900                        *|
|* the last three of which make a function fail with this code, always, from  *|
|* its third call on, or in its second. FAKE_CUDA_LOG names a file that calls *|
|* are added to.                                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef GNN_UNITTESTS_RUNTIME_FAKECUDA_H
#define GNN_UNITTESTS_RUNTIME_FAKECUDA_H

#include "gnn/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*fake_kernel)(gnn_emulated_thread *thread, void **parameters);

/* What kernels of this name do; they have neither barriers nor shuffles, and
   so many parameters of 8 bytes. */
void fakeCudaSetKernel(const char *name, fake_kernel kernel,
                       int num_parameters);
/* Runs all threads of a kernel. `dimensions` are those of the grid and of a
   block, and anything but 0 is a failure. */
typedef int (*fake_launch)(const char *kernel, const unsigned *dimensions,
                           unsigned shared_bytes, void **parameters);

/* What does kernels of this name, with parameters of so many bytes each, in
   whatever image. */
void fakeCudaSetLaunch(const char *name, fake_launch launch, int num_parameters,
                       const int *bytes);
/* Is called with each image that is loaded. */
typedef void (*fake_load)(const char *image);
void fakeCudaSetLoad(fake_load load);
/* Forgets kernels and calls. */
void fakeCudaReset(void);
/* The calls so far, one a line, with what matters of their arguments. */
const char *fakeCudaLog(void);
/* How much is in use: blocks, modules, streams, graphs and contexts. */
int fakeCudaCountLive(void);

#ifdef __cplusplus
}
#endif

#endif /* GNN_UNITTESTS_RUNTIME_FAKECUDA_H */
