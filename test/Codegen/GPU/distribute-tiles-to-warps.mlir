// RUN: gnn-opt --gnn-distribute-tiles-to-warps --canonicalize --cse %s | FileCheck %s
// RUN: gnn-opt --gnn-distribute-tiles-to-warps=max-rows=15 %s \
// RUN:   | FileCheck %s --check-prefix=TOO-LARGE
// RUN: gnn-opt --gnn-distribute-tiles-to-warps=workgroup-bytes=1535 %s \
// RUN:   | FileCheck %s --check-prefix=TOO-LARGE

#ijk_ik = affine_map<(i, j, k) -> (i, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#ifj_ij = affine_map<(i, f, j) -> (i, j)>
#ifj_jf = affine_map<(i, f, j) -> (j, f)>
#ifj_if = affine_map<(i, f, j) -> (i, f)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// 16 rows times all others, their maximum: a warp, whose lanes have two rows of
// eight elements. Elements of a row lie with four lanes.
// TOO-LARGE-LABEL: func @product_and_maximum
// TOO-LARGE-NOT: gpu.launch
// TOO-LARGE: scf.forall
// CHECK-LABEL: func @product_and_maximum
// CHECK-SAME: (%[[Q:.*]]: tensor<?x16xf32>, %[[K:.*]]: tensor<?x16xbf16>, %[[N:.*]]: index)
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[QUERIES:.*]] = bufferization.to_buffer %[[Q]] read_only
// CHECK-DAG: %[[KEYS:.*]] = bufferization.to_buffer %[[K]] read_only
// CHECK-DAG: %[[ARRAY:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK: gpu.launch blocks(%[[TILE:.*]], %{{.*}}, %{{.*}}) in {{.*}} threads(%[[T:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c32,
// CHECK: %[[SHARED:.*]] = memref.alloca() : memref<2x16x24xbf16, #gpu.address_space<workgroup>>
// The first factor is loaded and rounded ahead of the loop.
// CHECK: arith.truncf
// CHECK: %[[FIRST:.*]] = vector.from_elements {{.*}} : vector<4x2xbf16>
// The first tile of the second one comes to workgroup memory, if there is any;
// rows beyond the last one are zeros.
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy %[[KEYS]][{{.*}}], %[[SHARED]][%c0, {{.*}}], 8, %{{.*}} {bypassL1}
// CHECK: %[[MAXIMA:.*]]:2 = scf.for %[[J:.*]] = %c0 to %[[N]] step %c16
// CHECK-SAME: iter_args(%[[UPPER:.*]] = %[[LOWEST]], %[[LOWER:.*]] = %[[LOWEST]]) -> (f32, f32)
// CHECK: %[[COPY:.*]] = arith.remui
// CHECK: nvgpu.device_async_wait
// CHECK-NEXT: gpu.barrier
// The next one comes where the one before has been.
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %c16
// CHECK: %[[OTHER:.*]] = arith.subi %c1, %[[COPY]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK: scf.if %[[EXISTS]]
// CHECK: nvgpu.device_async_copy %[[KEYS]][{{.*}}], %[[SHARED]][%[[OTHER]],
// CHECK: %[[PAIR:.*]] = nvgpu.ldmatrix %[[SHARED]][%[[COPY]], {{.*}}] {numTiles = 4 : i32, transpose = false}
// CHECK: vector.extract %[[PAIR]][0]
// CHECK: vector.extract %[[PAIR]][1]
// CHECK: %[[LOW:.*]] = vector.from_elements {{.*}} : vector<2x2xbf16>
// CHECK: %[[SUM:.*]] = nvgpu.mma.sync(%[[FIRST]], %[[LOW]],
// CHECK: %[[SUM2:.*]] = nvgpu.mma.sync(%[[FIRST]],
// Columns beyond the last one do not count, where there are some.
// CHECK: %[[FILLED:.*]]:8 = scf.if
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[LOWEST]]
// CHECK: %[[M0:.*]] = arith.maximumf %[[FILLED]]#0, %[[FILLED]]#4
// CHECK: %[[M1:.*]] = arith.maximumf %[[FILLED]]#1, %[[FILLED]]#5
// CHECK: %[[M:.*]] = arith.maximumf %[[M0]], %[[M1]]
// CHECK: %[[S1:.*]], %{{.*}} = gpu.shuffle xor %[[M]], %c1_i32, %c32_i32
// CHECK: %[[M2:.*]] = arith.maximumf %[[M]], %[[S1]]
// CHECK: %[[S2:.*]], %{{.*}} = gpu.shuffle xor %[[M2]], %c2_i32, %c32_i32
// CHECK: %[[M3:.*]] = arith.maximumf %[[M2]], %[[S2]]
// CHECK: arith.maximumf %[[UPPER]], %[[M3]]
// CHECK: scf.yield
// Rows that count are stored.
// CHECK: %[[VIEW:.*]] = memref.subview %[[ARRAY]]
// CHECK: scf.if
// CHECK-NEXT: memref.store %[[MAXIMA]]#0, %[[VIEW]]
// CHECK: scf.if
// CHECK-NEXT: memref.store %[[MAXIMA]]#1, %[[VIEW]]
// CHECK: bufferization.to_tensor %[[ARRAY]] restrict writable
func.func @product_and_maximum(%q: tensor<?x16xf32>, %k: tensor<?x16xbf16>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %vector = tensor.empty() : tensor<16xf32>
  %none = linalg.fill ins(%lowest : f32) outs(%vector : tensor<16xf32>) -> tensor<16xf32>
  %matrix = tensor.empty() : tensor<16x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%matrix : tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = tensor.empty(%n) : tensor<?xf32>
  %r = scf.forall (%i) = (0) to (%n) step (16) shared_outs(%out = %y) -> (tensor<?xf32>) {
    %rows = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 16)>(%i)[%n]
    %part = tensor.extract_slice %q[%i, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
    %queries = tensor.insert_slice %part into %zeros[0, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> into tensor<16x16xf32>
    %max = scf.for %j = %c0 to %n step %c16 iter_args(%m = %none) -> (tensor<16xf32>) {
      %columns = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 16)>(%j)[%n]
      %keys = tensor.extract_slice %k[%j, 0] [%columns, 16] [1, 1] : tensor<?x16xbf16> to tensor<?x16xbf16>
      %memory = bufferization.alloc_tensor() : tensor<16x16xf32>
      %place = tensor.extract_slice %memory[0, 0] [16, %columns] [1, 1] : tensor<16x16xf32> to tensor<16x?xf32>
      %begin = linalg.fill ins(%zero : f32) outs(%place : tensor<16x?xf32>) -> tensor<16x?xf32>
      %scores = linalg.generic {indexing_maps = [#ijk_ik, #ijk_jk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%queries, %keys : tensor<16x16xf32>, tensor<?x16xbf16>) outs(%begin : tensor<16x?xf32>) {
      ^bb0(%a: f32, %b: bf16, %s: f32):
        %0 = arith.truncf %a : f32 to bf16
        %1 = arith.extf %0 : bf16 to f32
        %2 = arith.extf %b : bf16 to f32
        %3 = arith.mulf %1, %2 : f32
        %4 = arith.addf %s, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<16x?xf32>
      %next = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
          ins(%scores : tensor<16x?xf32>) outs(%m : tensor<16xf32>) {
      ^bb0(%a: f32, %s: f32):
        %0 = arith.maximumf %s, %a : f32
        linalg.yield %0 : f32
      } -> tensor<16xf32>
      scf.yield %next : tensor<16xf32>
    }
    %counting = tensor.extract_slice %max[0] [%rows] [1] : tensor<16xf32> to tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %counting into %out[%i] [%rows] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// Two products: weights, which are columns by rows here, are a factor of the
// second one as they lie. Both second factors have a place each, and come while
// the other one is read.
// CHECK-LABEL: func @two_products
// CHECK: gpu.launch
// CHECK-DAG: %[[KEYS:.*]] = memref.alloca() : memref<1x16x24xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[VALUES:.*]] = memref.alloca() : memref<1x16x40xbf16, #gpu.address_space<workgroup>>
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[KEYS]]
// CHECK: scf.for
// CHECK-SAME: -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK: gpu.barrier
// CHECK-NOT: scf.if
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[VALUES]]
// CHECK: nvgpu.ldmatrix %[[KEYS]][{{.*}}] {numTiles = 4 : i32, transpose = false}
// CHECK: nvgpu.mma.sync
// CHECK: %[[S:.*]] = nvgpu.mma.sync
// The mask is applied to tiles that it cuts, and to all of their columns.
// CHECK: %[[LAST:.*]] = vector.extract %[[S]][1, 1]
// CHECK: %[[MASKED:.*]]:8 = scf.if %[[IS_CUT:[^ ]*]] -> (f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK: arith.cmpi sle
// CHECK: arith.select
// CHECK: } else {
// CHECK: scf.yield {{.*}}, %[[LAST]] :
// CHECK: math.exp
// A row's sum, of weights that count.
// CHECK: %[[WEIGHTS:.*]]:8 = scf.if
// CHECK: gpu.shuffle xor
// CHECK: gpu.shuffle xor
// CHECK: gpu.shuffle xor
// CHECK: gpu.shuffle xor
// CHECK-NOT: scf.if
// CHECK: %[[UPPER:.*]] = arith.truncf %[[WEIGHTS]]#0 : f32 to bf16
// CHECK: %[[FACTOR:.*]] = vector.from_elements %[[UPPER]], {{.*}} : vector<4x2xbf16>
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[KEYS]]
// CHECK: nvgpu.ldmatrix %[[VALUES]][{{.*}}] {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-4: nvgpu.mma.sync(%[[FACTOR]],
func.func @two_products(%q: tensor<?x16xf32>, %k: tensor<?x16xbf16>, %v: tensor<?x32xbf16>, %n: index) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %vector = tensor.empty() : tensor<16xf32>
  %none = linalg.fill ins(%zero : f32) outs(%vector : tensor<16xf32>) -> tensor<16xf32>
  %matrix = tensor.empty() : tensor<16x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%matrix : tensor<16x16xf32>) -> tensor<16x16xf32>
  %wide = tensor.empty() : tensor<32x16xf32>
  %wideZeros = linalg.fill ins(%zero : f32) outs(%wide : tensor<32x16xf32>) -> tensor<32x16xf32>
  %back = tensor.empty() : tensor<16x32xf32>
  %y = tensor.empty(%n) : tensor<?x32xf32>
  %r = scf.forall (%i) = (0) to (%n) step (16) shared_outs(%out = %y) -> (tensor<?x32xf32>) {
    %rows = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 16)>(%i)[%n]
    %part = tensor.extract_slice %q[%i, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
    %padded = tensor.insert_slice %part into %zeros[0, 0] [%rows, 16] [1, 1] : tensor<?x16xf32> into tensor<16x16xf32>
    %queries = linalg.transpose ins(%padded : tensor<16x16xf32>) outs(%matrix : tensor<16x16xf32>) permutation = [1, 0]
    %sums:2 = scf.for %j = %c0 to %n step %c16 iter_args(%sum = %none, %acc = %wideZeros) -> (tensor<16xf32>, tensor<32x16xf32>) {
      %columns = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 16)>(%j)[%n]
      %keys = tensor.extract_slice %k[%j, 0] [%columns, 16] [1, 1] : tensor<?x16xbf16> to tensor<?x16xbf16>
      %memory = bufferization.alloc_tensor() : tensor<16x16xf32>
      %place = tensor.extract_slice %memory[0, 0] [%columns, 16] [1, 1] : tensor<16x16xf32> to tensor<?x16xf32>
      %begin = linalg.fill ins(%zero : f32) outs(%place : tensor<?x16xf32>) -> tensor<?x16xf32>
      %scores = linalg.generic {
          indexing_maps = [affine_map<(j, i, k) -> (k, i)>, affine_map<(j, i, k) -> (j, k)>, affine_map<(j, i, k) -> (j, i)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%queries, %keys : tensor<16x16xf32>, tensor<?x16xbf16>) outs(%begin : tensor<?x16xf32>) {
      ^bb0(%a: f32, %b: bf16, %s: f32):
        %0 = arith.truncf %a : f32 to bf16
        %1 = arith.extf %0 : bf16 to f32
        %2 = arith.extf %b : bf16 to f32
        %3 = arith.mulf %1, %2 : f32
        %4 = arith.addf %s, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<?x16xf32>
      %end = arith.addi %j, %columns : index
      %last = arith.subi %end, %c1 : index
      %isCut = arith.cmpi sgt, %last, %i : index
      %cut = arith.select %isCut, %columns, %c0 : index
      %masked = tensor.extract_slice %scores[0, 0] [%cut, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
      %mask = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
          outs(%masked : tensor<?x16xf32>) {
      ^bb0(%s: f32):
        %column = linalg.index 0 : index
        %row = linalg.index 1 : index
        %source = arith.addi %column, %j : index
        %destination = arith.addi %row, %i : index
        %isEdge = arith.cmpi sle, %source, %destination : index
        %0 = arith.select %isEdge, %s, %lowest : f32
        linalg.yield %0 : f32
      } -> tensor<?x16xf32>
      %edges = tensor.insert_slice %mask into %scores[0, 0] [%cut, 16] [1, 1] : tensor<?x16xf32> into tensor<?x16xf32>
      %weights = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
          outs(%edges : tensor<?x16xf32>) {
      ^bb0(%s: f32):
        %0 = math.exp %s : f32
        linalg.yield %0 : f32
      } -> tensor<?x16xf32>
      %nextSum = linalg.generic {indexing_maps = [#ij, affine_map<(j, i) -> (i)>], iterator_types = ["reduction", "parallel"]}
          ins(%weights : tensor<?x16xf32>) outs(%sum : tensor<16xf32>) {
      ^bb0(%a: f32, %s: f32):
        %0 = arith.addf %s, %a : f32
        linalg.yield %0 : f32
      } -> tensor<16xf32>
      %values = tensor.extract_slice %v[%j, 0] [%columns, 32] [1, 1] : tensor<?x32xbf16> to tensor<?x32xbf16>
      %next = linalg.generic {
          indexing_maps = [affine_map<(j, f, i) -> (j, i)>, affine_map<(j, f, i) -> (j, f)>, affine_map<(j, f, i) -> (f, i)>],
          iterator_types = ["reduction", "parallel", "parallel"]}
          ins(%weights, %values : tensor<?x16xf32>, tensor<?x32xbf16>) outs(%acc : tensor<32x16xf32>) {
      ^bb0(%a: f32, %b: bf16, %s: f32):
        %0 = arith.truncf %a : f32 to bf16
        %1 = arith.extf %0 : bf16 to f32
        %2 = arith.extf %b : bf16 to f32
        %3 = arith.mulf %1, %2 : f32
        %4 = arith.addf %s, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<32x16xf32>
      scf.yield %nextSum, %next : tensor<16xf32>, tensor<32x16xf32>
    }
    // A vector of rows and a tile.
    %mean = linalg.generic {indexing_maps = [affine_map<(f, i) -> (i)>, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sums#0 : tensor<16xf32>) outs(%sums#1 : tensor<32x16xf32>) {
    ^bb0(%s: f32, %a: f32):
      %0 = arith.divf %a, %s : f32
      linalg.yield %0 : f32
    } -> tensor<32x16xf32>
    %turned = linalg.transpose ins(%mean : tensor<32x16xf32>) outs(%back : tensor<16x32xf32>) permutation = [1, 0]
    %counting = tensor.extract_slice %turned[0, 0] [%rows, 32] [1, 1] : tensor<16x32xf32> to tensor<?x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %counting into %out[%i, 0] [%rows, 32] [1, 1] : tensor<?x32xf32> into tensor<?x32xf32>
    }
  }
  return %r : tensor<?x32xf32>
}

// Widths that are no multiples of 16 are filled up with zeros: 12 columns to 16, of
// which pieces of 8 bytes are copied, as rows begin at multiples of that.
// CHECK-LABEL: func @padded
// CHECK-DAG: %[[KEYS:.*]] = bufferization.to_buffer %{{.*}} read_only : tensor<?x12xbf16>
// CHECK: gpu.launch
// CHECK: %[[SHARED:.*]] = memref.alloca() : memref<2x16x24xbf16, #gpu.address_space<workgroup>>
// The first factor's columns beyond the last one are zeros.
// CHECK: arith.cmpi slt, %{{.*}}, %c12
// CHECK: arith.select
// CHECK: %[[LEFT:.*]] = arith.subi %c12, %[[COLUMN:[0-9]+]]
// CHECK: %[[MOST:.*]] = arith.minsi %[[LEFT]], %c4
// CHECK: %[[COUNT:.*]] = arith.maxsi %[[MOST]], %c0
// CHECK: %[[FROM:.*]] = arith.minsi %[[COLUMN]], %c8
// CHECK: %[[READ:.*]] = arith.select %{{.*}}, %[[COUNT]], %c0
// CHECK: nvgpu.device_async_copy %[[KEYS]][%{{.*}}, %[[FROM]]], %[[SHARED]][%{{.*}}, %{{.*}}, %[[COLUMN]]], 4, %[[READ]] :
// CHECK: nvgpu.mma.sync
func.func @padded(%q: tensor<32x16xf32>, %narrow: tensor<?x12xbf16>, %n: index) -> tensor<32xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %vector = tensor.empty() : tensor<16xf32>
  %none = linalg.fill ins(%zero : f32) outs(%vector : tensor<16xf32>) -> tensor<16xf32>
  %matrix = tensor.empty() : tensor<16x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%matrix : tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = tensor.empty() : tensor<32xf32>
  %a = scf.forall (%i) = (0) to (32) step (16) shared_outs(%out = %y) -> (tensor<32xf32>) {
    %queries = tensor.extract_slice %q[%i, 0] [16, 12] [1, 1] : tensor<32x16xf32> to tensor<16x12xf32>
    %sum = scf.for %j = %c0 to %n step %c16 iter_args(%m = %none) -> (tensor<16xf32>) {
      %keys = tensor.extract_slice %narrow[%j, 0] [16, 12] [1, 1] : tensor<?x12xbf16> to tensor<16x12xbf16>
      %scores = linalg.generic {indexing_maps = [#ijk_ik, #ijk_jk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%queries, %keys : tensor<16x12xf32>, tensor<16x12xbf16>) outs(%zeros : tensor<16x16xf32>) {
      ^bb0(%l: f32, %r: bf16, %s: f32):
        %0 = arith.truncf %l : f32 to bf16
        %1 = arith.extf %0 : bf16 to f32
        %2 = arith.extf %r : bf16 to f32
        %3 = arith.mulf %1, %2 : f32
        %4 = arith.addf %s, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<16x16xf32>
      %next = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
          ins(%scores : tensor<16x16xf32>) outs(%m : tensor<16xf32>) {
      ^bb0(%l: f32, %s: f32):
        %0 = arith.addf %s, %l : f32
        linalg.yield %0 : f32
      } -> tensor<16xf32>
      scf.yield %next : tensor<16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i] [16] [1] : tensor<16xf32> into tensor<32xf32>
    }
  }
  return %a : tensor<32xf32>
}
