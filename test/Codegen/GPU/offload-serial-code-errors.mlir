// RUN: gnn-opt --gnn-offload-serial-code --verify-diagnostics %s

func.func @array(%a: memref<4xi32>, %b: memref<4xi32>, %n: index) -> memref<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot run on the device: it gives 'memref<4xi32>', expected numbers}}
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (memref<4xi32>) {
    %x = memref.load %c[%c0] : memref<4xi32>
    memref.store %x, %a[%c0] : memref<4xi32>
    scf.yield %a : memref<4xi32>
  }
  return %last : memref<4xi32>
}
