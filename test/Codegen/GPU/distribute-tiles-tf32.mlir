// RUN: gnn-opt --gnn-hoist-roundings --gnn-distribute-tiles-to-warps --canonicalize \
// RUN:   --cse %s | FileCheck %s

#ijk_ik = affine_map<(i, j, k) -> (i, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#ifj_ij = affine_map<(i, f, j) -> (i, j)>
#ifj_jf = affine_map<(i, f, j) -> (j, f)>
#ifj_if = affine_map<(i, f, j) -> (i, f)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// Factors rounded to tf32, whose fragments are eight deep. What is an array is rounded
// ahead of the kernel, other factors by the lane that has them.
// CHECK-LABEL: func @two_products
// CHECK-SAME: (%{{.*}}, %[[K:.*]]: tensor<?x16xf32>, %[[V:.*]]: tensor<?x32xf32>,
// CHECK: linalg.generic {{.*}} ins(%[[K]] :
// CHECK: arith.andi
// CHECK: linalg.generic {{.*}} ins(%[[V]] :
// CHECK: arith.andi
// CHECK: gpu.launch
// CHECK-DAG: %[[KEYS:.*]] = memref.alloca() : memref<1x16x20xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[VALUES:.*]] = memref.alloca() : memref<1x16x36xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[LANE:.*]] = arith.remui %{{.*}}, %c32
// CHECK-DAG: %[[QUAD:.*]] = arith.divui %[[LANE]], %c4
// CHECK-DAG: %[[OF_ROW:.*]] = arith.remui %[[LANE]], %c4
// CHECK-DAG: %[[COLUMN:.*]] = arith.muli %[[OF_ROW]], %c2
// CHECK: arith.andi
// CHECK: %[[FIRST:.*]] = vector.from_elements {{.*}} : vector<4x1xf32>
// CHECK: scf.for
// CHECK-NOT: arith.andi
// CHECK: %[[PAIR:.*]] = nvgpu.ldmatrix %[[KEYS]]{{.*}} {numTiles = 4 : i32, transpose = false} {{.*}} -> vector<4x1xf32>
// CHECK: nvgpu.mma.sync(%[[FIRST]], %{{.*}}) {mmaShape = [16, 8, 8], tf32Enabled}
// The upper row's first neighbour, the lower row's, then the second ones.
// CHECK: math.exp
// CHECK: %[[WEIGHTS:.*]]:8 = scf.if
// CHECK: arith.bitcast %[[WEIGHTS]]#0
// CHECK: arith.bitcast %[[WEIGHTS]]#2
// CHECK: arith.bitcast %[[WEIGHTS]]#1
// CHECK: arith.bitcast %[[WEIGHTS]]#3
// CHECK: %[[FACTOR:.*]] = vector.from_elements {{.*}} : vector<4x1xf32>
// The rows of values that these are for.
// CHECK: %[[UPPER:.*]] = memref.load %[[VALUES]][%c0, %[[COLUMN]], %[[QUAD]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[COLUMN]], %c1
// CHECK: %[[LOWER:.*]] = memref.load %[[VALUES]][%c0, %[[NEXT]], %[[QUAD]]]
// CHECK: %[[SECOND:.*]] = vector.from_elements %[[UPPER]], %[[LOWER]] : vector<2x1xf32>
// CHECK: nvgpu.mma.sync(%[[FACTOR]], %[[SECOND]], %{{.*}}) {mmaShape = [16, 8, 8], tf32Enabled}
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
        %half = arith.constant 4096 : i32
        %bits = arith.constant -8192 : i32
        %ai = arith.bitcast %a : f32 to i32
        %as = arith.addi %ai, %half : i32
        %am = arith.andi %as, %bits : i32
        %af = arith.bitcast %am : i32 to f32
        %an = arith.cmpf uno, %a, %a : f32
        %ar = arith.select %an, %a, %af : f32
        %bi = arith.bitcast %b : f32 to i32
        %bs = arith.addi %bi, %half : i32
        %bm = arith.andi %bs, %bits : i32
        %bf = arith.bitcast %bm : i32 to f32
        %bn = arith.cmpf uno, %b, %b : f32
        %br = arith.select %bn, %b, %bf : f32
        %0 = arith.mulf %ar, %br : f32
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
        %half = arith.constant 4096 : i32
        %bits = arith.constant -8192 : i32
        %ai = arith.bitcast %a : f32 to i32
        %as = arith.addi %ai, %half : i32
        %am = arith.andi %as, %bits : i32
        %af = arith.bitcast %am : i32 to f32
        %an = arith.cmpf uno, %a, %a : f32
        %ar = arith.select %an, %a, %af : f32
        %bi = arith.bitcast %b : f32 to i32
        %bs = arith.addi %bi, %half : i32
        %bm = arith.andi %bs, %bits : i32
        %bf = arith.bitcast %bm : i32 to f32
        %bn = arith.cmpf uno, %b, %b : f32
        %br = arith.select %bn, %b, %bf : f32
        %0 = arith.mulf %ar, %br : f32
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
