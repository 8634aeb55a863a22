// RUN: gnn-opt --gnn-order-rows=window=0 --verify-diagnostics %s

// expected-error@below {{a window has at least 1 row, and none has less than nothing}}
func.func @f() {
  return
}
