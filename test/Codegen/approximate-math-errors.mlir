// RUN: gnn-opt --gnn-approximate-math --verify-diagnostics %s

func.func @tensor(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{'math.tanh' op computes a tensor, whose elements must be computed one by one before; run convert-elementwise-to-linalg}}
  %y = math.tanh %x : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
