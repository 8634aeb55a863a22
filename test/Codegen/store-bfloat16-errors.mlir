// RUN: gnn-opt --gnn-store-bfloat16 --verify-diagnostics %s

llvm.func @computes(%a: bf16) -> f32 {
  // expected-error@+1 {{'llvm.fpext' op computes with bfloat16, which is to be expanded before}}
  %b = llvm.fpext %a : bf16 to f32
  llvm.return %b : f32
}
