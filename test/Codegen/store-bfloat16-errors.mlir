// RUN: gnn-opt --gnn-store-bfloat16 --split-input-file --verify-diagnostics %s

llvm.func @computes(%a: bf16) -> f32 {
  // expected-error@+1 {{'llvm.fpext' op does more than move bfloat16, which is to be expanded and lowered to the LLVM dialect before}}
  %b = llvm.fpext %a : bf16 to f32
  llvm.return %b : f32
}

// -----

llvm.func @of_another_dialect(%a: f32, %p: !llvm.ptr) {
  // expected-error@+1 {{'arith.truncf' op does more than move bfloat16}}
  %b = arith.truncf %a : f32 to bf16
  llvm.store %b, %p : bf16, !llvm.ptr
  llvm.return
}
