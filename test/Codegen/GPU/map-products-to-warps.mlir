// RUN: gnn-opt --gnn-map-products-to-warps --canonicalize --cse \
// RUN:   --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-map-products-to-warps=max-stages=2 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=STAGES
// STAGES-LABEL: func @tensor_cores
// STAGES: workgroup(%{{.*}} : memref<2x128x32xbf16, {{.*}}>, %{{.*}} : memref<2x32x128xbf16,

#row = affine_map<(i, j, k) -> (i, k)>
#column = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>
#identity = affine_map<(i, j) -> (i, j)>
#last = affine_map<(i, j) -> (j)>

// Two stages are copied ahead of the loop, 16 bytes at a time; each of 8 warps has
// sums of 64 x 32. The bias is added to the sums.
// CHECK-LABEL: func @tensor_cores
// CHECK-SAME: (%[[X:.*]]: memref<?x64xbf16>, %[[W:.*]]: memref<64x128xbf16>, %[[BIAS:.*]]: memref<128xf32>, %[[Y:.*]]: memref<?x128xf32>
// CHECK: gpu.launch {{.*}} threads(%[[T:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c256
// CHECK-SAME: workgroup(%[[A:.*]] : memref<3x128x32xbf16, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<3x32x128xbf16, #gpu.address_space<workgroup>>)
// CHECK: %[[ROWS:.*]] = memref.subview %[[X]]
// CHECK: %[[OUT:.*]] = memref.subview %[[Y]]
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: %[[COUNT:.*]] = arith.select %[[INSIDE]], %c8, %c0
// CHECK: %[[COPY:.*]] = nvgpu.device_async_copy %[[ROWS]][{{.*}}], %[[A]][{{.*}}], 8, %[[COUNT]] {bypassL1}
// CHECK: nvgpu.device_async_create_group %[[COPY]],
// CHECK: nvgpu.device_async_create_group
// CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 1 : i32}
// CHECK: gpu.barrier
// CHECK: %[[SUMS:.*]]:16 = scf.for %[[K:.*]] = %c0{{.*}} to %c2{{.*}} iter_args(
// CHECK: nvgpu.device_async_copy %[[W]][{{.*}}], %[[B]]
// CHECK: nvgpu.device_async_create_group
// CHECK-COUNT-4: nvgpu.ldmatrix %[[A]][{{.*}}] {numTiles = 4 : i32, transpose = false}
// CHECK-COUNT-2: nvgpu.ldmatrix %[[B]][{{.*}}] {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-16: nvgpu.mma.sync
// CHECK: nvgpu.ldmatrix
// CHECK-COUNT-16: nvgpu.mma.sync
// CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 1 : i32}
// CHECK: gpu.barrier
// CHECK: scf.yield
// CHECK: %[[SUM:.*]] = vector.extract %[[SUMS]]#0[0, 0]
// CHECK: scf.if
// CHECK: scf.if
// CHECK: %[[ADDED:.*]] = memref.load %[[BIAS]][%[[J:.*]]]
// CHECK: %[[DONE:.*]] = arith.addf %[[SUM]], %[[ADDED]]
// CHECK: %[[BOTH:.*]] = vector.from_elements %[[DONE]], %{{.*}} : vector<2xf32>
// CHECK: vector.store %[[BOTH]], %[[OUT]][%{{.*}}, %[[J]]] {alignment = 8 : i64}
// CHECK-NOT: linalg
func.func @tensor_cores(%x: memref<?x64xbf16>, %w: memref<64x128xbf16>, %bias: memref<128xf32>,
                        %y: memref<?x128xf32>, %n: index) {
  %cst = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (%n) step (128) {
    %m = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 128)>(%i)[%n]
    %a = memref.subview %x[%i, 0] [%m, 64] [1, 1]
      : memref<?x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
    %c = memref.subview %y[%i, 0] [%m, 128] [1, 1]
      : memref<?x128xf32> to memref<?x128xf32, strided<[128, 1], offset: ?>>
    linalg.fill ins(%cst : f32) outs(%c : memref<?x128xf32, strided<[128, 1], offset: ?>>)
    linalg.generic
      {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<?x64xbf16, strided<[64, 1], offset: ?>>, memref<64x128xbf16>)
      outs(%c : memref<?x128xf32, strided<[128, 1], offset: ?>>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %l = arith.extf %p : bf16 to f32
      %r = arith.extf %q : bf16 to f32
      %t = arith.mulf %l, %r : f32
      %u = arith.addf %s, %t : f32
      linalg.yield %u : f32
    }
    linalg.generic {indexing_maps = [#last, #identity], iterator_types = ["parallel", "parallel"]}
      ins(%bias : memref<128xf32>) outs(%c : memref<?x128xf32, strided<[128, 1], offset: ?>>) {
    ^bb0(%p: f32, %s: f32):
      %u = arith.addf %s, %p : f32
      linalg.yield %u : f32
    }
  }
  return
}

// -----

// Exact float32: fused multiply-adds of what threads read as vectors. Rows of 33
// numbers are copied 4 bytes at a time. What is in a buffer of the loop until it
// is rounded is never stored.
#identity = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func @float32
// CHECK-SAME: (%[[X:.*]]: memref<?x33xf32>, %[[W:.*]]: memref<33x64xf32>, %[[Y:.*]]: memref<?x64xbf16>
// CHECK: gpu.launch {{.*}} in (%{{.*}} = %c128
// CHECK-SAME: workgroup(%[[A:.*]] : memref<4x64x16xf32, #gpu.address_space<workgroup>>
// CHECK-NOT: memref.alloc
// CHECK: nvgpu.device_async_copy %{{.*}}[{{.*}}], %[[A]][{{.*}}], 1, %
// CHECK: scf.for
// CHECK: vector.load %[[A]][{{.*}}] {alignment = 16 : i64}
// CHECK: math.fma
// CHECK-NOT: nvgpu.mma.sync
// CHECK: scf.yield
// CHECK: %[[ROUNDED:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: %[[FOUR:.*]] = vector.from_elements %[[ROUNDED]], %{{.*}}, %{{.*}}, %{{.*}} : vector<4xbf16>
// CHECK: vector.store %[[FOUR]], %{{.*}} {alignment = 8 : i64}
func.func @float32(%x: memref<?x33xf32>, %w: memref<33x64xf32>, %y: memref<?x64xbf16>, %n: index) {
  %cst = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (%n) step (64) {
    %m = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%i)[%n]
    %a = memref.subview %x[%i, 0] [%m, 33] [1, 1]
      : memref<?x33xf32> to memref<?x33xf32, strided<[33, 1], offset: ?>>
    %d = memref.subview %y[%i, 0] [%m, 64] [1, 1]
      : memref<?x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
    %whole = memref.alloca() : memref<4096xf32>
    %c = memref.reinterpret_cast %whole to offset: [0], sizes: [%m, 64], strides: [64, 1]
      : memref<4096xf32> to memref<?x64xf32>
    linalg.fill ins(%cst : f32) outs(%c : memref<?x64xf32>)
    linalg.matmul ins(%a, %w : memref<?x33xf32, strided<[33, 1], offset: ?>>, memref<33x64xf32>)
      outs(%c : memref<?x64xf32>)
    linalg.generic {indexing_maps = [#identity, #identity], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<?x64xf32>) outs(%d : memref<?x64xbf16, strided<[64, 1], offset: ?>>) {
    ^bb0(%p: f32, %s: bf16):
      %t = arith.truncf %p : f32 to bf16
      linalg.yield %t : bf16
    }
  }
  return
}

// -----

// Rows of an odd number of elements of 16 bits can only be loaded and stored, and
// those of an odd number of results be stored one by one.
// CHECK-LABEL: func @odd
// CHECK-SAME: (%[[X:.*]]: memref<16x33xf16>, %[[W:.*]]: memref<33x17xf16>
// CHECK: gpu.launch
// CHECK-NOT: device_async
// CHECK: %[[LOADED:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f16
// CHECK: memref.store %[[LOADED]]
// CHECK: nvgpu.mma.sync{{.*}}f16
// CHECK-NOT: vector.store
func.func @odd(%x: memref<16x33xf16>, %w: memref<33x17xf16>, %y: memref<16x17xf32>) {
  %cst = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    linalg.fill ins(%cst : f32) outs(%y : memref<16x17xf32>)
    linalg.matmul ins(%x, %w : memref<16x33xf16>, memref<33x17xf16>) outs(%y : memref<16x17xf32>)
  }
  return
}

// -----

// One of several products: rows of one head of an array are matrices, a bias is
// that of the head. Heads begin at multiples of 16 bytes, if their rows do; of rows
// that end within a piece of 16 bytes only so much is copied.
#rows = affine_map<(n, h, j, k) -> (n, h, k)>
#weights = affine_map<(n, h, j, k) -> (h, k, j)>
#results = affine_map<(n, h, j, k) -> (n, h, j)>
#identity = affine_map<(n, h, j) -> (n, h, j)>
#bias = affine_map<(n, h, j) -> (h, j)>
// CHECK-LABEL: func @heads
// CHECK-SAME: (%[[X:.*]]: memref<?x4x30xf32>, %[[W:.*]]: memref<4x30x20xf32>, %[[BIAS:.*]]: memref<4x20xf32>, %[[Y:.*]]: memref<?x4x20xf32>
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[A:.*]] : memref<4x64x16xf32, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<4x16x32xf32, #gpu.address_space<workgroup>>)
// CHECK: %[[H:.*]] = arith.remui %{{.*}}, %c4
// CHECK-DAG: %[[XH:.*]] = memref.subview %[[X]][%[[I:.*]], %[[H]], 0]
// CHECK-DAG: %[[YH:.*]] = memref.subview %[[Y]][%[[I]], %[[H]], 0]
// CHECK-DAG: %[[WH:.*]] = memref.subview %[[W]][%[[H]], 0, 0]
// CHECK-DAG: %[[BH:.*]] = memref.subview %[[BIAS]][%[[H]], 0]
// CHECK-DAG: %[[ROWS:.*]] = memref.subview %[[XH]]{{.*}} to memref<?x30xf32,
// CHECK-DAG: %[[COLUMNS:.*]] = memref.subview %[[WH]]{{.*}} to memref<30x20xf32,
// CHECK: nvgpu.device_async_copy %[[ROWS]][{{.*}}], %[[A]][{{.*}}], 2, %
// CHECK: nvgpu.device_async_copy %[[COLUMNS]][{{.*}}], %[[B]][{{.*}}], 4, %
// CHECK: math.fma
// CHECK: %[[ADDED:.*]] = memref.load %[[BH]][%c0, %[[J:[0-9a-z_]+]]]
// CHECK: %[[DONE:.*]] = arith.addf %{{.*}}, %[[ADDED]]
// CHECK: %[[FOUR:.*]] = vector.from_elements %[[DONE]], %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: vector.store %[[FOUR]], %[[YH]][%{{.*}}, %c0, %[[J]]] {alignment = 16 : i64}
// CHECK-NOT: linalg
func.func @heads(%x: memref<?x4x30xf32>, %w: memref<4x30x20xf32>, %bias: memref<4x20xf32>,
                 %y: memref<?x4x20xf32>, %n: index) {
  %cst = arith.constant 0.0 : f32
  scf.forall (%i, %h) = (0, 0) to (%n, 4) step (64, 1) {
    %m = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%i)[%n]
    %a = memref.subview %x[%i, %h, 0] [%m, 1, 30] [1, 1, 1]
      : memref<?x4x30xf32> to memref<?x1x30xf32, strided<[120, 30, 1], offset: ?>>
    %b = memref.subview %w[%h, 0, 0] [1, 30, 20] [1, 1, 1]
      : memref<4x30x20xf32> to memref<1x30x20xf32, strided<[600, 20, 1], offset: ?>>
    %c = memref.subview %y[%i, %h, 0] [%m, 1, 20] [1, 1, 1]
      : memref<?x4x20xf32> to memref<?x1x20xf32, strided<[80, 20, 1], offset: ?>>
    %d = memref.subview %bias[%h, 0] [1, 20] [1, 1]
      : memref<4x20xf32> to memref<1x20xf32, strided<[20, 1], offset: ?>>
    linalg.fill ins(%cst : f32) outs(%c : memref<?x1x20xf32, strided<[80, 20, 1], offset: ?>>)
    linalg.generic
      {indexing_maps = [#rows, #weights, #results], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x1x30xf32, strided<[120, 30, 1], offset: ?>>, memref<1x30x20xf32, strided<[600, 20, 1], offset: ?>>)
      outs(%c : memref<?x1x20xf32, strided<[80, 20, 1], offset: ?>>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %t = arith.mulf %p, %q : f32
      %u = arith.addf %s, %t : f32
      linalg.yield %u : f32
    }
    linalg.generic {indexing_maps = [#bias, #identity], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%d : memref<1x20xf32, strided<[20, 1], offset: ?>>) outs(%c : memref<?x1x20xf32, strided<[80, 20, 1], offset: ?>>) {
    ^bb0(%p: f32, %s: f32):
      %u = arith.addf %s, %p : f32
      linalg.yield %u : f32
    }
  }
  return
}

// -----

// Columns of a weight from a multiple of a tile on begin where 16 bytes do, and
// those of a part of an array do not; in neither are all there.
// CHECK-LABEL: func @last_columns
// CHECK-SAME: (%[[X:.*]]: memref<16x32xf32>, %[[W:.*]]: memref<32x200xf32>
// CHECK: gpu.launch
// CHECK: %[[COLUMNS:.*]] = memref.subview %[[W]]
// CHECK: %[[LEFT:.*]] = arith.subi
// CHECK: %[[COUNT:.*]] = arith.minui %[[LEFT]], %c4
// CHECK: %[[INSIDE:.*]] = arith.select %{{.*}}, %[[COUNT]], %c0
// CHECK: nvgpu.device_async_copy %[[COLUMNS]][{{.*}}], %{{.*}}[{{.*}}], 4, %[[INSIDE]]
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<16x?xf32
// CHECK: gpu.launch
// CHECK: nvgpu.device_async_copy %{{.*}}[{{.*}}], %{{.*}}[{{.*}}], 1, %
func.func @last_columns(%x: memref<16x32xf32>, %w: memref<32x200xf32>, %y: memref<16x200xf32>,
                        %z: memref<16x32xf32>, %first: index) {
  %cst = arith.constant 0.0 : f32
  scf.forall (%j) = (0) to (200) step (128) {
    %m = affine.min affine_map<(d0) -> (-d0 + 200, 128)>(%j)
    %b = memref.subview %w[0, %j] [32, %m] [1, 1]
      : memref<32x200xf32> to memref<32x?xf32, strided<[200, 1], offset: ?>>
    %c = memref.subview %y[0, %j] [16, %m] [1, 1]
      : memref<16x200xf32> to memref<16x?xf32, strided<[200, 1], offset: ?>>
    linalg.fill ins(%cst : f32) outs(%c : memref<16x?xf32, strided<[200, 1], offset: ?>>)
    linalg.matmul ins(%x, %b : memref<16x32xf32>, memref<32x?xf32, strided<[200, 1], offset: ?>>)
      outs(%c : memref<16x?xf32, strided<[200, 1], offset: ?>>)
  }
  %part = memref.subview %w[0, %first] [32, 32] [1, 1]
    : memref<32x200xf32> to memref<32x32xf32, strided<[200, 1], offset: ?>>
  scf.forall (%i) in (1) {
    linalg.fill ins(%cst : f32) outs(%z : memref<16x32xf32>)
    linalg.matmul ins(%x, %part : memref<16x32xf32>, memref<32x32xf32, strided<[200, 1], offset: ?>>)
      outs(%z : memref<16x32xf32>)
  }
  return
}

// -----

// Some of the terms, of a number that is not known before. Rows of a part that
// begins at a multiple of 32 terms begin where 16 bytes do.
// CHECK-LABEL: func @part
// CHECK-SAME: (%[[X:.*]]: memref<?x300xf32>, %[[W:.*]]: memref<300x16xf32>
// CHECK-SAME: %[[D:[a-z0-9]+]]: index)
// CHECK: gpu.launch
// CHECK: %[[ROWS:.*]] = memref.subview %[[X]]
// CHECK: nvgpu.device_async_copy %[[ROWS]][{{.*}}], %{{.*}}[{{.*}}], 4, %
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[D]], %c16
// CHECK: scf.for %{{.*}} = %c0 to %[[TILES]] step %c1 iter_args
func.func @part(%x: memref<?x300xf32>, %w: memref<300x16xf32>, %y: memref<?x16xf32>, %n: index,
                %part: index, %d: index) {
  %cst = arith.constant 0.0 : f32
  %c32 = arith.constant 32 : index
  %first = arith.muli %part, %c32 : index
  scf.forall (%i) = (0) to (%n) step (64) {
    %m = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%i)[%n]
    %a = memref.subview %x[%i, %first] [%m, %d] [1, 1]
      : memref<?x300xf32> to memref<?x?xf32, strided<[300, 1], offset: ?>>
    %b = memref.subview %w[%first, 0] [%d, 16] [1, 1]
      : memref<300x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
    %c = memref.subview %y[%i, 0] [%m, 16] [1, 1]
      : memref<?x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
    linalg.fill ins(%cst : f32) outs(%c : memref<?x16xf32, strided<[16, 1], offset: ?>>)
    linalg.matmul ins(%a, %b : memref<?x?xf32, strided<[300, 1], offset: ?>>, memref<?x16xf32, strided<[16, 1], offset: ?>>)
      outs(%c : memref<?x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}

// -----

// Loops that do something else stay: no zeros before, a wider tile than a kernel
// has, something that is read at another place.
#transposed = affine_map<(i, j) -> (j, i)>
#identity = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func @others
// CHECK-NOT: gpu.launch
func.func @others(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>,
                  %u: memref<256x64xf32>, %v: memref<256x64xf32>) {
  %cst = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    linalg.matmul ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%z : memref<64x64xf32>)
  }
  scf.forall (%i) in (1) {
    linalg.fill ins(%cst : f32) outs(%v : memref<256x64xf32>)
    linalg.matmul ins(%u, %y : memref<256x64xf32>, memref<64x64xf32>) outs(%v : memref<256x64xf32>)
  }
  scf.forall (%i) in (1) {
    linalg.fill ins(%cst : f32) outs(%z : memref<64x64xf32>)
    linalg.matmul ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%z : memref<64x64xf32>)
    linalg.generic {indexing_maps = [#transposed, #identity], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<64x64xf32>) outs(%x : memref<64x64xf32>) {
    ^bb0(%p: f32, %s: f32):
      linalg.yield %p : f32
    }
  }
  return
}
