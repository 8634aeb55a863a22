// RUN: gnn-opt --pass-pipeline='builtin.module(gpu.module(gnn-products-to-nvvm))' %s \
// RUN:   | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: func @bfloat16
  // CHECK-SAME: (%[[A:.*]]: vector<4x2xbf16>, %[[B:.*]]: vector<2x2xbf16>, %[[C:.*]]: vector<2x2xf32>)
  // CHECK: %[[PAIR:.*]] = vector.extract %[[A]][0] : vector<2xbf16>
  // CHECK: %[[A0:.*]] = llvm.bitcast %[[PAIR]] : vector<2xbf16> to i32
  // CHECK: %[[LAST:.*]] = vector.extract %[[B]][1]
  // CHECK: %[[B1:.*]] = llvm.bitcast %[[LAST]]
  // CHECK: %[[C1:.*]] = vector.extract %[[C]][0, 1]
  // CHECK: %[[SUMS:.*]] = nvvm.mma.sync A[%[[A0]], {{.*}}] B[%{{.*}}, %[[B1]]] C[%{{.*}}, %[[C1]], {{.*}}]
  // CHECK-SAME: multiplicandAPtxType = #nvvm.mma_type<bf16>
  // CHECK-SAME: shape = #nvvm.shape<m = 16, n = 8, k = 16>
  // CHECK: llvm.extractvalue %[[SUMS]][3]
  // CHECK: vector.from_elements {{.*}} : vector<2x2xf32>
  func.func @bfloat16(%a: vector<4x2xbf16>, %b: vector<2x2xbf16>, %c: vector<2x2xf32>) -> vector<2x2xf32> {
    %s = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]}
        : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    return %s : vector<2x2xf32>
  }

  // CHECK-LABEL: func @float16
  // CHECK-SAME: (%[[A:.*]]: vector<4x2xf16>, %{{.*}}: vector<2x2xf16>, %{{.*}}: vector<2x2xf32>)
  // CHECK: %[[A0:.*]] = vector.extract %[[A]][0] : vector<2xf16>
  // CHECK: nvvm.mma.sync A[%[[A0]], {{.*}}]
  // CHECK-SAME: (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  func.func @float16(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf32>) -> vector<2x2xf32> {
    %s = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]}
        : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    return %s : vector<2x2xf32>
  }
}

gpu.module @others {
  // CHECK-LABEL: func @tf32
  // CHECK: nvgpu.mma.sync
  func.func @tf32(%a: vector<4x1xf32>, %b: vector<2x1xf32>, %c: vector<2x2xf32>) -> vector<2x2xf32> {
    %s = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 8], tf32Enabled}
        : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
    return %s : vector<2x2xf32>
  }
}
