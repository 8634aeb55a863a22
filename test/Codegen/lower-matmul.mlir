// RUN: gnn-opt --gnn-lower-matmul --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-lower-matmul="column-vectors=2 vector-width=8" --split-input-file \
// RUN:   %s | FileCheck %s --check-prefix=AVX2
// RUN: gnn-opt --split-input-file %s \
// RUN:   --gnn-lower-matmul="row-block=16 row-tile=2 column-vectors=1 vector-width=8" \
// RUN:   | FileCheck %s --check-prefix=SMALL

// An even number of blocks of rows in parallel, or one; 6 x 4 vectors of
// accumulators that stay in registers over the loop of products; a row of weights
// is loaded, an element of each row of the input is broadcast.
// CHECK-LABEL: func @whole_tiles
// CHECK-SAME: (%[[X:.*]]: tensor<?x24xf32>, %[[W:.*]]: tensor<24x64xf32>, %{{.*}}: tensor<?x64xf32>)
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: %[[TWO:.*]] = arith.ceildivui %[[N]], %c64
// CHECK: %[[PAIRS:.*]] = arith.maxui %[[TWO]], %c1
// CHECK: %[[ROWS:.*]] = arith.ceildivui %[[N]], %[[PAIRS]]
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[ROWS]], %c12
// CHECK: %[[EVEN:.*]] = arith.muli %[[TILES]], %c6
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %[[N]], %c32
// CHECK: %[[STEP:.*]] = arith.select %[[FEW]], %c32{{.*}}, %[[EVEN]]
// CHECK: scf.forall (%[[I:.*]]) = (0) to (%[[N]]) step (%[[STEP]])
// CHECK: scf.for
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK: vector.transfer_read %[[W]][%[[K]], %{{.*}}], %{{.*}} {in_bounds = [true]} : tensor<24x64xf32>, vector<16xf32>
// CHECK: %[[A:.*]] = tensor.extract %[[X]][%{{.*}}, %[[K]]]
// CHECK: %[[B:.*]] = vector.broadcast %[[A]] : f32 to vector<16xf32>
// CHECK: vector.fma %[[B]]
// CHECK-NOT: linalg.matmul

// SMALL-LABEL: func @whole_tiles
// SMALL: arith.ceildivui %{{.*}}, %c32
// SMALL: scf.forall
// SMALL: iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>) {
func.func @whole_tiles(%x: tensor<?x24xf32>, %w: tensor<24x64xf32>,
                       %init: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x24xf32>, tensor<24x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// 20 columns are a vector of 16 and one of 4.
// CHECK-LABEL: func @rest
// CHECK: vector<16xf32>, vector<4xf32>
// CHECK: vector.fma {{.*}} : vector<4xf32>
func.func @rest(%x: tensor<?x8xf32>, %w: tensor<8x20xf32>,
                %init: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x20xf32>)
    outs(%init : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %y : tensor<?x20xf32>
}

// -----

// One vector of columns leaves accumulators for more rows, but no more than
// keep the processor busy. What these leave is for smaller tiles.
// CHECK-LABEL: func @narrow
// CHECK: scf.forall
// CHECK: %[[WHOLE:.*]] = arith.muli %{{.*}}, %c12
// CHECK: %[[END:.*]] = arith.addi %{{.*}}, %[[WHOLE]]
// CHECK: scf.for %{{.*}} to %[[END]] step %c12
// CHECK: %{{.*}}:12 = scf.for {{.*}} -> (vector<16xf32>,
// CHECK: scf.for %{{.*}} = %[[END]] to %{{.*}} step %c4
// CHECK: %{{.*}}:4 = scf.for {{.*}} -> (vector<16xf32>,
// CHECK: step %c1
// CHECK: scf.for {{.*}} -> (vector<16xf32>) {
func.func @narrow(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>,
                  %init: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x16xf32>)
    outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

#result = affine_map<(k, i, j) -> (i, j)>
#left = affine_map<(k, i, j) -> (k, i)>
#right = affine_map<(k, i, j) -> (k, j)>

// A few rows are divided evenly, 16 into tiles of 4. Tiles of 26 differ by a row:
// one has 6, four have 5.
// CHECK-LABEL: func @known_rows
// CHECK: scf.forall
// CHECK: scf.for {{.*}} step %c4
// CHECK: %{{.*}}:16 = scf.for {{.*}} -> (vector<16xf32>,
// CHECK: %{{.*}}:24 = scf.for {{.*}} -> (vector<16xf32>,
// CHECK: scf.for %{{.*}} = %c6{{.*}} to %c26{{.*}} step %c5
// CHECK: %{{.*}}:20 = scf.for {{.*}} -> (vector<16xf32>,
// CHECK: scf.forall.in_parallel

// Tiles of 4 x 2 registers would have too few sums: of 16 rows, one has 6 and two
// have 5.
// AVX2-LABEL: func @known_rows
// AVX2: scf.forall
// AVX2: %{{.*}}:12 = scf.for {{.*}} -> (vector<8xf32>,
// AVX2: scf.for %{{.*}} = %c6{{.*}} to %c16{{.*}} step %c5
// AVX2: %{{.*}}:10 = scf.for {{.*}} -> (vector<8xf32>,
func.func @known_rows(%x: tensor<?x16xf32>, %y: tensor<?x26xf32>,
                      %w: tensor<?x64xf32>, %init: tensor<4x42x64xf32>)
    -> tensor<4x42x64xf32> {
  %z = scf.forall (%h) in (4) shared_outs(%out = %init)
      -> (tensor<4x42x64xf32>) {
    %c = tensor.extract_slice %out[%h, 0, 0] [1, 16, 64] [1, 1, 1]
      : tensor<4x42x64xf32> to tensor<16x64xf32>
    %d = tensor.extract_slice %out[%h, 16, 0] [1, 26, 64] [1, 1, 1]
      : tensor<4x42x64xf32> to tensor<26x64xf32>
    %few = linalg.generic
        {indexing_maps = [#left, #right, #result],
         iterator_types = ["reduction", "parallel", "parallel"]}
        ins(%x, %w : tensor<?x16xf32>, tensor<?x64xf32>)
        outs(%c : tensor<16x64xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<16x64xf32>
    %more = linalg.generic
        {indexing_maps = [#left, #right, #result],
         iterator_types = ["reduction", "parallel", "parallel"]}
        ins(%y, %w : tensor<?x26xf32>, tensor<?x64xf32>)
        outs(%d : tensor<26x64xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<26x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %few into %out[%h, 0, 0] [1, 16, 64]
        [1, 1, 1] : tensor<16x64xf32> into tensor<4x42x64xf32>
      tensor.parallel_insert_slice %more into %out[%h, 16, 0] [1, 26, 64]
        [1, 1, 1] : tensor<26x64xf32> into tensor<4x42x64xf32>
    }
  }
  return %z : tensor<4x42x64xf32>
}

// -----

// A product that starts from zero does not read its zeros; any other does.
// CHECK-LABEL: func @from_zero
// CHECK: arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NOT: vector.transfer_read {{.*}} : tensor<?x16xf32>
// CHECK: return
func.func @from_zero(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>,
                     %empty: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>)
    -> tensor<?x16xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x16xf32>)
    outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
// CHECK-LABEL: func @from_values
// CHECK: vector.transfer_read {{.*}} : tensor<?x16xf32>, vector<16xf32>
func.func @from_values(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>,
                       %init: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x16xf32>)
    outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// Columns of unknown number, and integers, are left alone.
// CHECK-LABEL: func @dynamic
// CHECK: linalg.matmul
func.func @dynamic(%x: tensor<?x16xf32>, %w: tensor<16x?xf32>,
                   %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x?xf32>)
    outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
// CHECK-LABEL: func @integers
// CHECK: linalg.matmul
func.func @integers(%x: tensor<?x8xi32>, %w: tensor<8x16xi32>,
                    %init: tensor<?x16xi32>) -> tensor<?x16xi32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xi32>, tensor<8x16xi32>)
    outs(%init : tensor<?x16xi32>) -> tensor<?x16xi32>
  return %y : tensor<?x16xi32>
}

// -----

#result = affine_map<(k, i, j) -> (i, j)>
#left = affine_map<(k, i, j) -> (k, i)>
#right = affine_map<(k, i, j) -> (k, j)>

// Any sum of products counts, the first factor may be stored transposed, and
// what it runs over may be of any length. Inside a parallel loop it is serial.
// CHECK-LABEL: func @transposed
// CHECK-SAME: (%[[X:.*]]: tensor<?x16xf32>, %[[W:.*]]: tensor<?x16xf32>
// CHECK: scf.forall
// CHECK-NOT: scf.forall
// CHECK: %[[DEPTH:.*]] = tensor.dim %[[W]]
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[DEPTH]] {{.*}} -> (vector<16xf32>,
// CHECK: tensor.extract %[[X]][%[[K]], %{{.*}}]
// CHECK: vector.fma
func.func @transposed(%x: tensor<?x16xf32>, %w: tensor<?x16xf32>,
                      %init: tensor<4x16x16xf32>) -> tensor<4x16x16xf32> {
  %y = scf.forall (%h) in (4) shared_outs(%out = %init)
      -> (tensor<4x16x16xf32>) {
    %c = tensor.extract_slice %out[%h, 0, 0] [1, 16, 16] [1, 1, 1]
      : tensor<4x16x16xf32> to tensor<16x16xf32>
    %sum = linalg.generic
        {indexing_maps = [#left, #right, #result],
         iterator_types = ["reduction", "parallel", "parallel"]}
        ins(%x, %w : tensor<?x16xf32>, tensor<?x16xf32>)
        outs(%c : tensor<16x16xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<16x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%h, 0, 0] [1, 16, 16]
        [1, 1, 1] : tensor<16x16xf32> into tensor<4x16x16xf32>
    }
  }
  return %y : tensor<4x16x16xf32>
}

// -----

#rows = affine_map<(i, j, k) -> (j, k)>
#columns = affine_map<(i, j, k) -> (k, i)>
#result = affine_map<(i, j, k) -> (j, i)>

// Which factor comes first does not matter: columns are what is contiguous in
// the result. The last tile of rows that are no whole number of tiles computes
// some of them again.
// CHECK-LABEL: func @swapped
// CHECK-SAME: (%[[W:.*]]: tensor<8x16xf32>, %[[X:.*]]: tensor<?x8xf32>
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c12
// CHECK: scf.for %[[R:.*]] = {{.*}} iter_args
// CHECK: arith.minui %[[R]], %[[LAST]]
// CHECK: vector.transfer_read %[[W]][
// CHECK: tensor.extract %[[X]][
func.func @swapped(%w: tensor<8x16xf32>, %x: tensor<?x8xf32>,
                   %empty: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>)
    -> tensor<?x16xf32>
  %y = linalg.generic
      {indexing_maps = [#columns, #rows, #result],
       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<8x16xf32>, tensor<?x8xf32>)
      outs(%init : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// A second factor of 8 MiB is multiplied by larger blocks of rows.
// CHECK-LABEL: func @large
// CHECK: arith.ceildivui %{{.*}}, %c384
// CHECK: scf.forall
// SMALL-LABEL: func @large
func.func @large(%x: tensor<?x2048xf32>, %w: tensor<2048x1024xf32>,
                 %init: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x2048xf32>, tensor<2048x1024xf32>)
    outs(%init : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}

// -----

// As long as there are sixteen: of 1,024 rows, blocks are 11 tiles.
// CHECK-LABEL: func @large_and_few
// CHECK: scf.forall (%{{.*}}) = (0) to (1024) step (66)
func.func @large_and_few(%x: tensor<1024x2048xf32>, %w: tensor<2048x1024xf32>,
                         %init: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = linalg.matmul
    ins(%x, %w : tensor<1024x2048xf32>, tensor<2048x1024xf32>)
    outs(%init : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

// Half of 100 rows in whole tiles of 6.
// CHECK-LABEL: func @known
// CHECK: scf.forall (%{{.*}}) = (0) to (100) step (54)
func.func @known(%x: tensor<100x8xf32>, %w: tensor<8x128xf32>,
                 %init: tensor<100x128xf32>) -> tensor<100x128xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<100x8xf32>, tensor<8x128xf32>)
    outs(%init : tensor<100x128xf32>) -> tensor<100x128xf32>
  return %y : tensor<100x128xf32>
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A function of a factor is no factor.
// CHECK-LABEL: func @function_of_factor
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: return
func.func @function_of_factor(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>,
                              %init: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = linalg.generic {indexing_maps = [#left, #right, #out],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x8xf32>, tensor<8x16xf32>)
      outs(%init : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %e = math.exp %a : f32
    %p = arith.mulf %e, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
