// RUN: gnn-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-fuse-row-products{min-row-bytes=256 block-bytes=1024}),canonicalize,cse)' \
// RUN:   | FileCheck %s
// RUN: gnn-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-fuse-row-products),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=NARROW

// Four rows of 256 bytes are added up, then multiplied. Rows of fewer bytes than
// are worth it stay where they are.
// CHECK-LABEL: func @product
// CHECK-SAME: %[[POINTER:.*]]: tensor<?xi32>, %[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<64x8xf32>
// CHECK: %[[N:.*]] = arith.subi
// CHECK: %[[TARGET:.*]] = tensor.empty(%[[N]]) : tensor<?x8xf32>
// CHECK: %[[ALL:.*]] = scf.forall (%[[FIRST:.*]]) = (0) to (%[[N]]) step (4) shared_outs(%[[OUT:.*]] = %[[TARGET]])
// CHECK: %[[AFTER:.*]] = arith.addi %[[FIRST]], %c4
// CHECK: %[[LAST:.*]] = arith.minsi %[[AFTER]], %[[N]]
// CHECK: %[[COUNT:.*]] = arith.subi %[[LAST]], %[[FIRST]]
// CHECK: %[[ROWS:.*]] = tensor.empty(%[[COUNT]]) : tensor<?x64xf32>
// CHECK: %[[SUMS:.*]] = scf.for %[[I:[a-z0-9]+]] = %[[FIRST]] to %[[LAST]] {{.*}} iter_args(%[[ARG:.*]] = %[[ROWS]])
// CHECK: scf.for
// CHECK: %[[PLACE:.*]] = arith.subi %[[I]], %[[FIRST]]
// CHECK: tensor.insert_slice %{{.*}} into %[[ARG]][%[[PLACE]], 0] [1, 64] [1, 1]
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[OUT]][%[[FIRST]], 0] [%[[COUNT]], 8] [1, 1]
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[PART]]
// CHECK: %[[Y:.*]] = linalg.matmul ins(%[[SUMS]], %[[W]] : {{.*}}) outs(%[[ZEROS]]
// CHECK: tensor.parallel_insert_slice %[[Y]] into %[[OUT]][%[[FIRST]], 0] [%[[COUNT]], 8] [1, 1]
// CHECK: return %[[ALL]]
// NARROW-LABEL: func @product
// NARROW: scf.forall (%{{.*}}) in
// NARROW: linalg.matmul
func.func @product(%pointer: tensor<?xi32>, %x: tensor<?x64xf32>,
                   %w: tensor<64x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n1 = tensor.dim %pointer, %c0 : tensor<?xi32>
  %n = arith.subi %n1, %c1 : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %sums = scf.forall (%i) in (%n) shared_outs(%out = %init) -> (tensor<?x64xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %empty = tensor.empty() : tensor<64xf32>
    %first = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = scf.for %k = %b to %end step %c1 iter_args(%acc = %first) -> (tensor<64xf32>) {
      %row = tensor.extract_slice %x[%k, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %s = linalg.add ins(%row, %acc : tensor<64xf32>, tensor<64xf32>) outs(%acc : tensor<64xf32>) -> tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1]
        : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  %m = tensor.dim %sums, %c0 : tensor<?x64xf32>
  %target = tensor.empty(%m) : tensor<?x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%target : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.matmul ins(%sums, %w : tensor<?x64xf32>, tensor<64x8xf32>)
    outs(%zeros : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// What lies between sums and products is fused as well, and several products
// are results of one loop. Constants of the second stand behind the first.
// CHECK-LABEL: func @several
// CHECK-SAME: %[[POINTER:.*]]: tensor<?xi32>, %[[X:.*]]: tensor<?x64xf32>, %[[Z:.*]]: tensor<?x32xf32>, %[[W:.*]]: tensor<96x8xf32>, %[[V:.*]]: tensor<96x16xf32>
// CHECK: scf.forall (%[[FIRST:.*]]) = {{.*}} step (4) shared_outs(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[SUMS:.*]] = scf.for
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[Z]][%[[FIRST]], 0] [%[[COUNT:.*]], 32] [1, 1]
// CHECK: %[[BOTH:.*]] = tensor.concat dim(1) %[[SUMS]], %[[PART]]
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[COUNT]]) : tensor<?x96xf32>
// CHECK: %[[E:.*]] = linalg.exp ins(%[[BOTH]] : {{.*}}) outs(%[[EMPTY]]
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[E]], %[[W]]
// CHECK: %[[Q:.*]] = linalg.matmul ins(%[[E]], %[[V]]
// CHECK-DAG: tensor.parallel_insert_slice %[[P]] into %[[A]]
// CHECK-DAG: tensor.parallel_insert_slice %[[Q]] into %[[B]]
func.func @several(%pointer: tensor<?xi32>, %x: tensor<?x64xf32>, %z: tensor<?x32xf32>,
                   %w: tensor<96x8xf32>, %v: tensor<96x16xf32>)
    -> (tensor<?x8xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n1 = tensor.dim %pointer, %c0 : tensor<?xi32>
  %n = arith.subi %n1, %c1 : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %sums = scf.forall (%i) in (%n) shared_outs(%out = %init) -> (tensor<?x64xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %empty = tensor.empty() : tensor<64xf32>
    %first = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = scf.for %k = %b to %end step %c1 iter_args(%acc = %first) -> (tensor<64xf32>) {
      %row = tensor.extract_slice %x[%k, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %s = linalg.add ins(%row, %acc : tensor<64xf32>, tensor<64xf32>) outs(%acc : tensor<64xf32>) -> tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1]
        : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  %both = tensor.concat dim(1) %sums, %z : (tensor<?x64xf32>, tensor<?x32xf32>) -> tensor<?x96xf32>
  %wide = tensor.empty(%n) : tensor<?x96xf32>
  %e = linalg.exp ins(%both : tensor<?x96xf32>) outs(%wide : tensor<?x96xf32>) -> tensor<?x96xf32>
  %t8 = tensor.empty(%n) : tensor<?x8xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%t8 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%e, %w : tensor<?x96xf32>, tensor<96x8xf32>)
    outs(%z8 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %t16 = tensor.empty(%n) : tensor<?x16xf32>
  %z16 = linalg.fill ins(%zero : f32) outs(%t16 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %q = linalg.matmul ins(%e, %v : tensor<?x96xf32>, tensor<96x16xf32>)
    outs(%z16 : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %p, %q : tensor<?x8xf32>, tensor<?x16xf32>
}

// -----

// Wide rows that something else reads are stored.
// CHECK-LABEL: func @returned
// CHECK: scf.forall (%{{.*}}) in
// CHECK: linalg.matmul
func.func @returned(%pointer: tensor<?xi32>, %x: tensor<?x64xf32>,
                    %w: tensor<64x8xf32>) -> (tensor<?x8xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n1 = tensor.dim %pointer, %c0 : tensor<?xi32>
  %n = arith.subi %n1, %c1 : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %sums = scf.forall (%i) in (%n) shared_outs(%out = %init) -> (tensor<?x64xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %empty = tensor.empty() : tensor<64xf32>
    %first = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = scf.for %k = %b to %end step %c1 iter_args(%acc = %first) -> (tensor<64xf32>) {
      %row = tensor.extract_slice %x[%k, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %s = linalg.add ins(%row, %acc : tensor<64xf32>, tensor<64xf32>) outs(%acc : tensor<64xf32>) -> tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1]
        : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  %m = tensor.dim %sums, %c0 : tensor<?x64xf32>
  %target = tensor.empty(%m) : tensor<?x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%target : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.matmul ins(%sums, %w : tensor<?x64xf32>, tensor<64x8xf32>)
    outs(%zeros : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y, %sums : tensor<?x8xf32>, tensor<?x64xf32>
}

// -----

// A product with rows as wide as those that it reads would only have them stored
// in its place.
// CHECK-LABEL: func @wide
// CHECK: scf.forall (%{{.*}}) in
// CHECK: linalg.matmul
func.func @wide(%pointer: tensor<?xi32>, %x: tensor<?x64xf32>,
                %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n1 = tensor.dim %pointer, %c0 : tensor<?xi32>
  %n = arith.subi %n1, %c1 : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %sums = scf.forall (%i) in (%n) shared_outs(%out = %init) -> (tensor<?x64xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %empty = tensor.empty() : tensor<64xf32>
    %first = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = scf.for %k = %b to %end step %c1 iter_args(%acc = %first) -> (tensor<64xf32>) {
      %row = tensor.extract_slice %x[%k, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %s = linalg.add ins(%row, %acc : tensor<64xf32>, tensor<64xf32>) outs(%acc : tensor<64xf32>) -> tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1]
        : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.matmul ins(%sums, %w : tensor<?x64xf32>, tensor<64x64xf32>)
    outs(%zeros : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// What a wide row is computed from may depend on the first product.
// CHECK-LABEL: func @cycle
// CHECK: scf.forall (%{{.*}}) in
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK: linalg.matmul
func.func @cycle(%pointer: tensor<?xi32>, %x: tensor<?x64xf32>, %w: tensor<64x8xf32>,
                 %v: tensor<8x64xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n1 = tensor.dim %pointer, %c0 : tensor<?xi32>
  %n = arith.subi %n1, %c1 : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %sums = scf.forall (%i) in (%n) shared_outs(%out = %init) -> (tensor<?x64xf32>) {
    %b32 = tensor.extract %pointer[%i] : tensor<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %next = arith.addi %i, %c1 : index
    %e32 = tensor.extract %pointer[%next] : tensor<?xi32>
    %end = arith.index_cast %e32 : i32 to index
    %empty = tensor.empty() : tensor<64xf32>
    %first = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = scf.for %k = %b to %end step %c1 iter_args(%acc = %first) -> (tensor<64xf32>) {
      %row = tensor.extract_slice %x[%k, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
      %s = linalg.add ins(%row, %acc : tensor<64xf32>, tensor<64xf32>) outs(%acc : tensor<64xf32>) -> tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%i, 0] [1, 64] [1, 1]
        : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  %t8 = tensor.empty(%n) : tensor<?x8xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%t8 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%sums, %w : tensor<?x64xf32>, tensor<64x8xf32>)
    outs(%z8 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %z64 = linalg.fill ins(%zero : f32) outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %q = linalg.matmul ins(%p, %v : tensor<?x8xf32>, tensor<8x64xf32>)
    outs(%z64 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %both = linalg.add ins(%sums, %q : tensor<?x64xf32>, tensor<?x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.matmul ins(%both, %w : tensor<?x64xf32>, tensor<64x8xf32>)
    outs(%z8 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
