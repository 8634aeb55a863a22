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
  gpu.func @sum(%x: i32) kernel {
    // expected-error @+1 {{cannot be emulated but as a vote of a warp, 'or' of booleans}}
    %sum = gpu.subgroup_reduce add %x uniform : (i32) -> i32
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

// -----

gpu.module @kernels {
  gpu.func @product(%a: vector<2x2xf16>, %b: vector<1x2xf16>, %c: vector<2x2xf16>) kernel {
    // expected-error @+1 {{cannot be emulated, only products of shape 16 x 8 x 16 of f16 or bf16 and 16 x 8 x 8 of tf32, added up in f32}}
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 8]}
        : (vector<2x2xf16>, vector<1x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @token(%x: memref<4xf32>, %c: i1)
      workgroup(%tile : memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    %zero = arith.constant 0 : index
    %copy = nvgpu.device_async_copy %x[%zero], %tile[%zero], 4
        : memref<4xf32> to memref<4xf32, #gpu.address_space<workgroup>>
    %other = scf.if %c -> !nvgpu.device.async.token {
      scf.yield %copy : !nvgpu.device.async.token
    } else {
      // expected-error @+1 {{whose token leaves its block cannot be emulated}}
      %group = nvgpu.device_async_create_group
      scf.yield %group : !nvgpu.device.async.token
    }
    nvgpu.device_async_wait %other
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @token_of_copy(%x: memref<4xf32>, %c: i1)
      workgroup(%tile : memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    %zero = arith.constant 0 : index
    %group = nvgpu.device_async_create_group
    gpu.barrier
    %other = scf.if %c -> !nvgpu.device.async.token {
      // expected-error @+1 {{whose token leaves its block cannot be emulated}}
      %copy = nvgpu.device_async_copy %x[%zero], %tile[%zero], 4
          : memref<4xf32> to memref<4xf32, #gpu.address_space<workgroup>>
      scf.yield %copy : !nvgpu.device.async.token
    } else {
      scf.yield %group : !nvgpu.device.async.token
    }
    nvgpu.device_async_wait %other
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @reciprocal(%x: vector<32xf32>) kernel {
    // expected-error @+1 {{cannot be emulated}}
    %y = nvgpu.rcp %x {rounding = approx, ftz} : vector<32xf32>
    gpu.return
  }
}
