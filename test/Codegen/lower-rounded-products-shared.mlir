// RUN: gnn-opt --gnn-lower-rounded-products=matrix-tiles --canonicalize \
// RUN:   --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-lower-rounded-products="matrix-tiles share-factors=false" \
// RUN:   --canonicalize --split-input-file %s | FileCheck %s --check-prefix=ALONE

#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
#rest = affine_map<(d0)[s0] -> (-d0 + s0, 64)>

// Every block of destinations multiplies all tiles of keys: they are rounded
// before the loop over blocks, for each head.
// CHECK-LABEL: func @keys
// CHECK-SAME: %[[K:.*]]: tensor<?x8x64xf32>, %{{.*}}: tensor<64x64xbf16>, %[[N:.*]]: index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[COUNT:.*]] = arith.ceildivui %{{.*}}, %[[C64]]
// CHECK: %[[TILES:.*]] = scf.forall (%[[H:.*]], %[[T:.*]]) in (8, %[[COUNT]]) {{.*}} -> (tensor<8x?x4x2x16x32xbf16>) {
// CHECK: tensor.extract_slice %[[K]][0, %[[H]], 0] [%{{.*}}, 1, 64]
// CHECK: arith.truncf %{{.*}} : vector<32xf32> to vector<32xbf16>
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[H]], %[[T]], 0, 0, 0, 0]
// CHECK: scf.forall (%[[HEAD:.*]], %{{.*}}) =
// CHECK: scf.for %[[S:.*]] = %{{.*}} to %[[N]] step %[[C64]]
// CHECK-NOT: arith.truncf %{{.*}} : vector<32xf32>
// CHECK: %[[PLACE:.*]] = arith.divui %{{.*}}, %[[C64]]
// CHECK: tensor.extract_slice %[[TILES]][%[[HEAD]], %[[PLACE]], 0, 0, 0, 0] [1, 1, 4, 2, 16, 32]
// CHECK: vector.contract

// ALONE-LABEL: func @keys
// ALONE-NOT: arith.truncf
// ALONE: scf.forall
// ALONE: scf.for
// ALONE: bufferization.alloc_tensor() : tensor<4x2x16x32xbf16>
// ALONE: arith.truncf
func.func @keys(%k: tensor<?x8x64xf32>, %q: tensor<64x64xbf16>, %n: index,
                %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %dim = tensor.dim %k, %c0 : tensor<?x8x64xf32>
  %r = scf.forall (%h, %d) = (0, 0) to (8, %n) step (1, 64)
      shared_outs(%o = %out) -> (tensor<?x64xf32>) {
    %head = tensor.extract_slice %k[0, %h, 0] [%dim, 1, 64] [1, 1, 1]
      : tensor<?x8x64xf32> to tensor<?x64xf32>
    %empty = tensor.empty() : tensor<64x64xf32>
    %sums = scf.for %s = %c0 to %n step %c64 iter_args(%sum = %empty)
        -> (tensor<64x64xf32>) {
      %size = affine.min #rest(%s)[%n]
      %part = tensor.extract_slice %head[%s, 0] [%size, 64] [1, 1]
        : tensor<?x64xf32> to tensor<?x64xf32>
      %e = tensor.empty(%size) : tensor<?x64xbf16>
      %rounded = linalg.generic
        {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                          affine_map<(i, j) -> (i, j)>],
         iterator_types = ["parallel", "parallel"]}
        ins(%part : tensor<?x64xf32>) outs(%e : tensor<?x64xbf16>) {
      ^bb0(%a: f32, %b: bf16):
        %t = arith.truncf %a : f32 to bf16
        linalg.yield %t : bf16
      } -> tensor<?x64xbf16>
      %c = tensor.extract_slice %sum[0, 0] [%size, 64] [1, 1]
        : tensor<64x64xf32> to tensor<?x64xf32>
      %y = linalg.generic
        {indexing_maps = [#x, #w, #y],
         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%rounded, %q : tensor<?x64xbf16>, tensor<64x64xbf16>)
        outs(%c : tensor<?x64xf32>) {
      ^bb0(%a: bf16, %b: bf16, %t: f32):
        %l = arith.extf %a : bf16 to f32
        %m = arith.extf %b : bf16 to f32
        %p = arith.mulf %l, %m : f32
        %u = arith.addf %t, %p : f32
        linalg.yield %u : f32
      } -> tensor<?x64xf32>
      %next = tensor.insert_slice %y into %sum[0, 0] [%size, 64] [1, 1]
        : tensor<?x64xf32> into tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %o[%d, 0] [64, 64] [1, 1]
        : tensor<64x64xf32> into tensor<?x64xf32>
    }
  }
  return %r : tensor<?x64xf32>
}

// -----

#a = affine_map<(i, j, k) -> (k, i)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
#rest = affine_map<(d0)[s0] -> (-d0 + s0, 64)>

// Rows that are added up are turned, and what fills the last tile are zeros.
// CHECK-LABEL: func @values
// CHECK-SAME: %[[V:.*]]: tensor<?x64xbf16>, %{{.*}}: tensor<?x32xbf16>, %[[N:.*]]: index
// CHECK: %[[TILES:.*]] = scf.forall (%[[T:.*]]) in (%{{.*}}) {{.*}} -> (tensor<?x64x64xbf16>) {
// CHECK: %[[FIRST:.*]] = arith.muli %[[T]], %{{.*}}
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[FIRST]]
// CHECK: arith.minui %[[LEFT]]
// CHECK: vector.transpose
// CHECK: scf.forall (%{{.*}}) = (0)
// CHECK-NOT: vector.transpose
// CHECK: tensor.extract_slice %[[TILES]]
// CHECK: vector.contract
func.func @values(%v: tensor<?x64xbf16>, %p: tensor<?x32xbf16>, %n: index,
                  %out: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %r = scf.forall (%d) = (0) to (%n) step (64)
      shared_outs(%o = %out) -> (tensor<?x32xf32>) {
    %empty = tensor.empty() : tensor<64x32xf32>
    %sums = scf.for %s = %c0 to %n step %c64 iter_args(%sum = %empty)
        -> (tensor<64x32xf32>) {
      %size = affine.min #rest(%s)[%n]
      %rows = tensor.extract_slice %v[%s, 0] [%size, 64] [1, 1]
        : tensor<?x64xbf16> to tensor<?x64xbf16>
      %weights = tensor.extract_slice %p[0, 0] [%size, 32] [1, 1]
        : tensor<?x32xbf16> to tensor<?x32xbf16>
      %y = linalg.generic
        {indexing_maps = [#a, #w, #y],
         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%rows, %weights : tensor<?x64xbf16>, tensor<?x32xbf16>)
        outs(%sum : tensor<64x32xf32>) {
      ^bb0(%a: bf16, %b: bf16, %t: f32):
        %l = arith.extf %a : bf16 to f32
        %m = arith.extf %b : bf16 to f32
        %q = arith.mulf %l, %m : f32
        %u = arith.addf %t, %q : f32
        linalg.yield %u : f32
      } -> tensor<64x32xf32>
      scf.yield %y : tensor<64x32xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %o[%d, 0] [64, 32] [1, 1]
        : tensor<64x32xf32> into tensor<?x32xf32>
    }
  }
  return %r : tensor<?x32xf32>
}

// -----

#a = affine_map<(i, j, k) -> (k, i)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
#rest = affine_map<(d0)[s0] -> (-d0 + s0, 64)>

// Only an end that is known outside of the loop over blocks tells which rows
// are zeros.
// CHECK-LABEL: func @causal
// CHECK-NOT: vector.transpose
// CHECK: scf.forall (%{{.*}}) = (0)
// CHECK: scf.for
// CHECK: vector.transpose
func.func @causal(%v: tensor<?x64xbf16>, %p: tensor<?x32xbf16>, %n: index,
                  %out: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %r = scf.forall (%d) = (0) to (%n) step (64)
      shared_outs(%o = %out) -> (tensor<?x32xf32>) {
    %empty = tensor.empty() : tensor<64x32xf32>
    %end = arith.addi %d, %c64 : index
    %sums = scf.for %s = %c0 to %end step %c64 iter_args(%sum = %empty)
        -> (tensor<64x32xf32>) {
      %size = affine.min #rest(%s)[%end]
      %rows = tensor.extract_slice %v[%s, 0] [%size, 64] [1, 1]
        : tensor<?x64xbf16> to tensor<?x64xbf16>
      %weights = tensor.extract_slice %p[0, 0] [%size, 32] [1, 1]
        : tensor<?x32xbf16> to tensor<?x32xbf16>
      %y = linalg.generic
        {indexing_maps = [#a, #w, #y],
         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%rows, %weights : tensor<?x64xbf16>, tensor<?x32xbf16>)
        outs(%sum : tensor<64x32xf32>) {
      ^bb0(%a: bf16, %b: bf16, %t: f32):
        %l = arith.extf %a : bf16 to f32
        %m = arith.extf %b : bf16 to f32
        %q = arith.mulf %l, %m : f32
        %u = arith.addf %t, %q : f32
        linalg.yield %u : f32
      } -> tensor<64x32xf32>
      scf.yield %y : tensor<64x32xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sums into %o[%d, 0] [64, 32] [1, 1]
        : tensor<64x32xf32> into tensor<?x32xf32>
    }
  }
  return %r : tensor<?x32xf32>
}
