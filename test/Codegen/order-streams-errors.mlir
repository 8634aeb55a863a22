// RUN: gnn-opt --gnn-order-streams=vector-width=0 --verify-diagnostics %s

// expected-error@+1 {{vector-width must be at least 1}}
llvm.func @line(%v: vector<16xf32>, %p: !llvm.ptr) {
  llvm.return
}
