// RUN: gnn-opt --gnn-lower-to-llvm --split-input-file --verify-diagnostics %s

func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.for' op is to be lowered before: linalg by convert-linalg-to-loops, scf by convert-scf-to-cf}}
  scf.for %i = %c0 to %n step %c1 {
  }
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @+1 {{'linalg.matmul' op is to be lowered before}}
  linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>)
    outs(%c : memref<4x4xf32>)
  return
}
