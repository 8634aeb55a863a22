// RUN: gnn-opt --gnn-emulate-kernels --split-input-file \
// RUN:   --verify-diagnostics %s

gpu.module @kernels {
  gpu.func @shuffle(%x: f64) kernel {
    %offset = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    // expected-error @+1 {{of 'f64' cannot be emulated}}
    %other, %valid = gpu.shuffle xor %x, %offset, %width : f64
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @lane(%x: memref<?xindex>) kernel {
    // expected-error @+1 {{cannot be emulated}}
    %lane = gpu.lane_id
    memref.store %lane, %x[%lane] : memref<?xindex>
    gpu.return
  }
}
