// RUN: gnn-opt --pass-pipeline='builtin.module(gpu.module(gnn-prefer-registers))' %s | FileCheck %s
// RUN: gnn-opt --pass-pipeline='builtin.module(gpu.module(gnn-prefer-registers{blocks=2}))' %s \
// RUN:   | FileCheck %s --check-prefix=TWO

gpu.module @kernels {
  // CHECK: gpu.func @kernel() kernel attributes {nvvm.minctasm = 1 : i32}
  // TWO: gpu.func @kernel() kernel attributes {nvvm.minctasm = 2 : i32}
  gpu.func @kernel() kernel {
    gpu.return
  }

  // A function that kernels call.
  // CHECK: gpu.func @callee() {
  // TWO: gpu.func @callee() {
  gpu.func @callee() {
    gpu.return
  }
}
