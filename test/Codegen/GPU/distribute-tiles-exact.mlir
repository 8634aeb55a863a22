// RUN: gnn-opt --gnn-distribute-tiles-to-warps --canonicalize --cse %s | FileCheck %s

// Factors of float32: lanes multiply by themselves.

#ijk_ik = affine_map<(i, j, k) -> (i, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#ifj_ij = affine_map<(i, f, j) -> (i, j)>
#ifj_jf = affine_map<(i, f, j) -> (j, f)>
#ifj_if = affine_map<(i, f, j) -> (i, f)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// 16 rows times all others, their maximum: eight lanes have a row, of which each has
// two neighbouring elements of 16, and a lane has four rows.
// CHECK-LABEL: func @product_and_maximum
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: gpu.launch blocks({{.*}}) in {{.*}} threads(%[[T:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c32,
// CHECK: %[[SHARED:.*]] = memref.alloca() : memref<2x16x20xf32, #gpu.address_space<workgroup>>
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %c32
// CHECK: %[[OF_ROW:.*]] = arith.remui %[[LANE]], %c8
// CHECK: %[[COLUMN:.*]] = arith.muli %[[OF_ROW]], %c2
// Its part of the first factor is loaded ahead of the loop.
// CHECK: %[[LOADED:.*]] = memref.load %{{.*}}[%{{.*}}, %[[COLUMN]]]
// CHECK: %[[Q:.*]] = arith.select %{{.*}}, %[[LOADED]], %cst
// Rows of the second one change places: the even ones, then the odd ones.
// CHECK: scf.if
// CHECK: %[[ROW:.*]] = arith.divui %[[T]], %c4
// CHECK: %[[HALF:.*]] = arith.divui %{{.*}}, %c2
// CHECK: %[[ODD:.*]] = arith.remui %{{.*}}, %c2
// CHECK: %[[FROM_EIGHT:.*]] = arith.muli %[[ODD]], %c8
// CHECK: %[[PLACE0:.*]] = arith.addi %[[FROM_EIGHT]], %[[HALF]]
// CHECK: %[[PLACE:.*]] = arith.addi %{{.*}}, %[[PLACE0]]
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[SHARED]][%c0, %[[PLACE]], %{{.*}}], 4, %{{.*}} {bypassL1}
// CHECK: scf.for
// CHECK-SAME: -> (f32, f32, f32, f32)
// CHECK: %[[COPY:.*]] = arith.remui
// CHECK: gpu.barrier
// The lanes of a row show each other their elements, one lane after the other.
// CHECK: %[[FIRST:.*]] = arith.subi %[[LANE]], %[[OF_ROW]]
// CHECK: scf.for %[[OTHER:.*]] = %c0 to %c8 step %c1 iter_args(%[[S0:[^ ]*]] = %{{[^,]*}}, %[[S1:[^ ]*]] =
// CHECK: %[[SHOWN:.*]] = arith.addi %[[FIRST]], %[[OTHER]]
// CHECK: %[[SHOWN32:.*]] = arith.index_cast %[[SHOWN]] : index to i32
// CHECK: %[[DEPTH:.*]] = arith.muli %[[OTHER]], %c2
// CHECK: %[[B:.*]] = vector.load %[[SHARED]][%[[COPY]], %[[OF_ROW]], %[[DEPTH]]] {alignment = 8 : i64}
// CHECK: %[[B0:.*]] = vector.extract %[[B]][0]
// CHECK: %[[B1:.*]] = vector.extract %[[B]][1]
// CHECK: %[[NEXT:.*]] = arith.addi %[[OF_ROW]], %c8
// CHECK: %[[C:.*]] = vector.load %[[SHARED]][%[[COPY]], %[[NEXT]], %[[DEPTH]]]
// CHECK: %[[C0:.*]] = vector.extract %[[C]][0]
// CHECK: %[[A:.*]], %{{.*}} = gpu.shuffle idx %[[Q]], %[[SHOWN32]], %c32_i32
// CHECK: %[[P0:.*]] = math.fma %[[A]], %[[B0]], %[[S0]]
// CHECK: math.fma %[[A]], %[[C0]], %[[S1]]
// CHECK-COUNT-4: gpu.shuffle idx
// CHECK: math.fma %{{.*}}, %[[B1]], %[[P0]]
// CHECK-COUNT-3: gpu.shuffle idx
// CHECK: scf.yield
// Columns beyond the last one do not count, where there are some.
// CHECK: %[[FILLED:.*]]:8 = scf.if
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[LOWEST]]
// CHECK: %[[M:.*]] = arith.maximumf %[[FILLED]]#0, %[[FILLED]]#1
// CHECK: %[[X1:.*]], %{{.*}} = gpu.shuffle xor %[[M]], %c1_i32, %c32_i32
// CHECK: %[[M1:.*]] = arith.maximumf %[[M]], %[[X1]]
// CHECK: %[[X2:.*]], %{{.*}} = gpu.shuffle xor %[[M1]], %c2_i32, %c32_i32
// CHECK: %[[M2:.*]] = arith.maximumf %[[M1]], %[[X2]]
// CHECK: %[[X4:.*]], %{{.*}} = gpu.shuffle xor %[[M2]], %c4_i32, %c32_i32
// CHECK: arith.maximumf %[[M2]], %[[X4]]
// CHECK-COUNT-4: memref.store
func.func @product_and_maximum(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>, %n: index) -> tensor<?xf32> {
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
      %keys = tensor.extract_slice %k[%j, 0] [%columns, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
      %memory = bufferization.alloc_tensor() : tensor<16x16xf32>
      %place = tensor.extract_slice %memory[0, 0] [16, %columns] [1, 1] : tensor<16x16xf32> to tensor<16x?xf32>
      %begin = linalg.fill ins(%zero : f32) outs(%place : tensor<16x?xf32>) -> tensor<16x?xf32>
      %scores = linalg.generic {indexing_maps = [#ijk_ik, #ijk_jk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%queries, %keys : tensor<16x16xf32>, tensor<?x16xf32>) outs(%begin : tensor<16x?xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %s, %0 : f32
        linalg.yield %1 : f32
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

// Two products: weights are shown to each other as they lie, and of the values each
// lane reads its own four columns at once.
// CHECK-LABEL: func @two_products
// CHECK-DAG: %[[KEYS:.*]] = memref.alloca() : memref<1x16x20xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[VALUES:.*]] = memref.alloca() : memref<1x16x36xf32, #gpu.address_space<workgroup>>
// CHECK: vector.load %[[KEYS]]{{.*}} vector<2xf32>
// CHECK: %[[WEIGHT:.*]] = math.exp
// CHECK: gpu.barrier
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[KEYS]]
// CHECK: scf.for %[[OTHER:.*]] = %c0 to %c8 step %c1
// CHECK: %[[DEPTH:.*]] = arith.muli %[[OTHER]], %c2
// CHECK: vector.load %[[VALUES]][%c0, %[[DEPTH]], %[[COLUMN:.*]]] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: %[[SECOND:.*]] = arith.addi %[[DEPTH]], %c1
// CHECK: vector.load %[[VALUES]][%c0, %[[SECOND]], %[[COLUMN]]]
// CHECK-COUNT-16: math.fma
// Four rows of a lane, four columns of each.
// CHECK-COUNT-4: vector.store {{.*}} {alignment = 16 : i64} : memref<?x32xf32, {{.*}}>, vector<4xf32>
func.func @two_products(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x32xf32>, %n: index) -> tensor<?x32xf32> {
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
      %keys = tensor.extract_slice %k[%j, 0] [%columns, 16] [1, 1] : tensor<?x16xf32> to tensor<?x16xf32>
      %memory = bufferization.alloc_tensor() : tensor<16x16xf32>
      %place = tensor.extract_slice %memory[0, 0] [%columns, 16] [1, 1] : tensor<16x16xf32> to tensor<?x16xf32>
      %begin = linalg.fill ins(%zero : f32) outs(%place : tensor<?x16xf32>) -> tensor<?x16xf32>
      %scores = linalg.generic {
          indexing_maps = [affine_map<(j, i, k) -> (k, i)>, affine_map<(j, i, k) -> (j, k)>, affine_map<(j, i, k) -> (j, i)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%queries, %keys : tensor<16x16xf32>, tensor<?x16xf32>) outs(%begin : tensor<?x16xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %s, %0 : f32
        linalg.yield %1 : f32
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
      %values = tensor.extract_slice %v[%j, 0] [%columns, 32] [1, 1] : tensor<?x32xf32> to tensor<?x32xf32>
      %next = linalg.generic {
          indexing_maps = [affine_map<(j, f, i) -> (j, i)>, affine_map<(j, f, i) -> (j, f)>, affine_map<(j, f, i) -> (f, i)>],
          iterator_types = ["reduction", "parallel", "parallel"]}
          ins(%weights, %values : tensor<?x16xf32>, tensor<?x32xf32>) outs(%acc : tensor<32x16xf32>) {
      ^bb0(%a: f32, %b: f32, %s: f32):
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %s, %0 : f32
        linalg.yield %1 : f32
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
