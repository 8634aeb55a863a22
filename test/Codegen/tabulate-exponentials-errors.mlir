// RUN: gnn-opt --gnn-tabulate-exponentials=vector-width=4 --verify-diagnostics %s

// expected-error @+1 {{vector-width must be 8 or 16, the floats of registers that look up, but is 4}}
func.func @exponential(%x: vector<4xf32>) -> vector<4xf32> {
  %w = math.exp %x {gnn.bounded} : vector<4xf32>
  return %w : vector<4xf32>
}
