// RUN: gnn-opt --gnn-map-loops-to-gpu --split-input-file \
// RUN:   --verify-diagnostics %s

func.func @unbounded(%x: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.forall (%row) in (%n) {
    // expected-error @+1 {{in a kernel whose threads share it needs a size that is known when it is compiled}}
    %a = memref.alloca(%row) : memref<?xf32>
    scf.parallel (%f) = (%c0) to (%c64) step (%c1) {
      %value = memref.load %x[%row, %f] : memref<?x64xf32>
      memref.store %value, %a[%f] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @heap(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%row) in (%n) {
    // expected-error @+1 {{is in a kernel, which cannot allocate memory; its size has no constant bound}}
    %a = memref.alloc(%row) : memref<?xf32>
    %value = memref.load %x[%row] : memref<?xf32>
    memref.store %value, %a[%c0] : memref<?xf32>
    memref.dealloc %a : memref<?xf32>
  }
  return
}
