// RUN: split-file %s %t
// RUN: gnn-opt --gnn-stream-rows=minimum-bytes=-1 --verify-diagnostics %t/bytes.mlir
// RUN: gnn-opt --gnn-stream-rows=minimum-gathered-bytes=-8 --verify-diagnostics %t/bytes.mlir
// RUN: gnn-opt --gnn-stream-rows=piece-bytes=48 --verify-diagnostics %t/pieces.mlir
// RUN: gnn-opt --gnn-stream-rows=piece-bytes=128 --verify-diagnostics %t/pieces.mlir

//--- bytes.mlir
// expected-error @+1 {{minimum-bytes and minimum-gathered-bytes must not be negative, but are}}
func.func @options() {
  return
}

//--- pieces.mlir
// expected-error @+1 {{piece-bytes must be a power of two up to 64, but is}}
func.func @options() {
  return
}
