// RUN: gnn-opt --gnn-expand-bfloat16 --verify-diagnostics %s

func.func @product(%a: memref<4x4xbf16>, %b: memref<4x4xbf16>, %c: memref<4x4xf32>) {
  // expected-error @+1 {{'linalg.matmul' op computes with bfloat16, which is to be lowered to loops before; run convert-linalg-to-loops}}
  linalg.matmul ins(%a, %b : memref<4x4xbf16>, memref<4x4xbf16>)
    outs(%c : memref<4x4xf32>)
  return
}
