// RUN: gnn-opt --gnn-distribute-tiles-to-warps=remarks --split-input-file \
// RUN:   --verify-diagnostics %s

#ijk_ik = affine_map<(i, j, k) -> (i, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// Second factors are rounded in the loop, by each warp again.
func.func @rounded_in_loop(%q: tensor<32x16xf32>, %exact: tensor<?x16xf32>, %n: index) -> tensor<32xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %vector = tensor.empty() : tensor<16xf32>
  %none = linalg.fill ins(%zero : f32) outs(%vector : tensor<16xf32>) -> tensor<16xf32>
  %matrix = tensor.empty() : tensor<16x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%matrix : tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = tensor.empty() : tensor<32xf32>
  %a = scf.forall (%i) = (0) to (32) step (16) shared_outs(%out = %y) -> (tensor<32xf32>) {
    %queries = tensor.extract_slice %q[%i, 0] [16, 16] [1, 1] : tensor<32x16xf32> to tensor<16x16xf32>
    %sum = scf.for %j = %c0 to %n step %c16 iter_args(%m = %none) -> (tensor<16xf32>) {
      %keys = tensor.extract_slice %exact[%j, 0] [16, 16] [1, 1] : tensor<?x16xf32> to tensor<16x16xf32>
      // expected-remark @below {{keeps tiles out of registers: it multiplies by what is not rounded ahead of the loop}}
      %scores = linalg.generic {indexing_maps = [#ijk_ik, #ijk_jk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%queries, %keys : tensor<16x16xf32>, tensor<16x16xf32>) outs(%zeros : tensor<16x16xf32>) {
      ^bb0(%l: f32, %r: f32, %s: f32):
        %0 = arith.truncf %l : f32 to bf16
        %1 = arith.extf %0 : bf16 to f32
        %2 = arith.truncf %r : f32 to bf16
        %3 = arith.extf %2 : bf16 to f32
        %4 = arith.mulf %1, %3 : f32
        %5 = arith.addf %s, %4 : f32
        linalg.yield %5 : f32
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

// -----

#ijk_ik = affine_map<(i, j, k) -> (i, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// Keys of a tile take 16 rows of 1028 elements, twice.
func.func @wide(%q: tensor<32x1024xf32>, %exact: tensor<?x1024xf32>, %n: index) -> tensor<32xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %vector = tensor.empty() : tensor<16xf32>
  %none = linalg.fill ins(%zero : f32) outs(%vector : tensor<16xf32>) -> tensor<16xf32>
  %matrix = tensor.empty() : tensor<16x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%matrix : tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = tensor.empty() : tensor<32xf32>
  %a = scf.forall (%i) = (0) to (32) step (16) shared_outs(%out = %y) -> (tensor<32xf32>) {
    %queries = tensor.extract_slice %q[%i, 0] [16, 1024] [1, 1] : tensor<32x1024xf32> to tensor<16x1024xf32>
    %sum = scf.for %j = %c0 to %n step %c16 iter_args(%m = %none) -> (tensor<16xf32>) {
      %keys = tensor.extract_slice %exact[%j, 0] [16, 1024] [1, 1] : tensor<?x1024xf32> to tensor<16x1024xf32>
      // expected-remark @below {{keeps tiles out of registers: it has factors that do not fit into workgroup memory}}
      %scores = linalg.generic {indexing_maps = [#ijk_ik, #ijk_jk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%queries, %keys : tensor<16x1024xf32>, tensor<16x1024xf32>) outs(%zeros : tensor<16x16xf32>) {
      ^bb0(%l: f32, %r: f32, %s: f32):
        %0 = arith.mulf %l, %r : f32
        %1 = arith.addf %s, %0 : f32
        linalg.yield %1 : f32
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

// -----

#ijk_ik = affine_map<(i, j, k) -> (i, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// A row's product has no neutral number that this knows.
func.func @reduction(%q: tensor<32x16xf32>, %exact: tensor<?x16xf32>, %n: index) -> tensor<32xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %vector = tensor.empty() : tensor<16xf32>
  %none = linalg.fill ins(%zero : f32) outs(%vector : tensor<16xf32>) -> tensor<16xf32>
  %matrix = tensor.empty() : tensor<16x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%matrix : tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = tensor.empty() : tensor<32xf32>
  %a = scf.forall (%i) = (0) to (32) step (16) shared_outs(%out = %y) -> (tensor<32xf32>) {
    %queries = tensor.extract_slice %q[%i, 0] [16, 16] [1, 1] : tensor<32x16xf32> to tensor<16x16xf32>
    %sum = scf.for %j = %c0 to %n step %c16 iter_args(%m = %none) -> (tensor<16xf32>) {
      %keys = tensor.extract_slice %exact[%j, 0] [16, 16] [1, 1] : tensor<?x16xf32> to tensor<16x16xf32>
      %scores = linalg.generic {indexing_maps = [#ijk_ik, #ijk_jk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%queries, %keys : tensor<16x16xf32>, tensor<16x16xf32>) outs(%zeros : tensor<16x16xf32>) {
      ^bb0(%l: f32, %r: f32, %s: f32):
        %0 = arith.mulf %l, %r : f32
        %1 = arith.addf %s, %0 : f32
        linalg.yield %1 : f32
      } -> tensor<16x16xf32>
      // expected-remark @below {{keeps tiles out of registers: it reduces by an operation without a neutral number}}
      %next = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
          ins(%scores : tensor<16x16xf32>) outs(%m : tensor<16xf32>) {
      ^bb0(%l: f32, %s: f32):
        %0 = arith.subf %s, %l : f32
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
