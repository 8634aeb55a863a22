// RUN: gnn-opt --gnn-verify-bufferized --split-input-file --verify-diagnostics %s
// RUN: not gnn-opt --gnn-stage-to-llvm-dialect --split-input-file %s 2>&1 | FileCheck %s
// RUN: not gnn-opt --gnn-gpu-stage-map --split-input-file %s 2>&1 | FileCheck %s

// CHECK: 'tensor.empty' op has a tensor
func.func @makes() {
  // expected-error @+1 {{'tensor.empty' op has a tensor, 'tensor<4xf32>', where buffers are expected; run one-shot-bufferize}}
  %0 = tensor.empty() : tensor<4xf32>
  return
}

// -----

// CHECK: 'func.func' op has a tensor
// expected-error @+1 {{'func.func' op has a tensor, 'tensor<?xf32>'}}
func.func @takes(%x: tensor<?xf32>) {
  return
}

// -----

func.func @buffers(%x: memref<?xf32>) {
  return
}
