// RUN: gnn-opt --gnn-reduce-rows --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-reduce-rows=vector-width=8 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=EIGHT

// Rows of 32 are halved first; then two become one, twice, and what is left in
// four quads is folded.
// CHECK-LABEL: func @four
// CHECK-SAME: (%{{.*}}: vector<4x32xf32>, %[[ACC:.*]]: vector<4xf32>)
// CHECK-NOT: vector.multi_reduction
// CHECK-COUNT-4: arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: vector.shuffle %[[A:.*]], %[[B:.*]] [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29]
// CHECK: vector.shuffle %[[A]], %[[B]] [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31]
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: vector.shuffle %{{.*}} [0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30]
// CHECK: vector.shuffle %{{.*}} [1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31]
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK: vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK: %[[SUMS:.*]] = arith.addf %{{.*}} : vector<4xf32>
// CHECK: arith.addf %[[SUMS]], %[[ACC]]
// EIGHT-LABEL: func @four
// EIGHT-NOT: vector.shuffle {{.*}} : vector<16xf32>
// EIGHT: return
func.func @four(%v: vector<4x32xf32>, %acc: vector<4xf32>) -> vector<4xf32> {
  %0 = vector.multi_reduction <add>, %v, %acc [1]
    : vector<4x32xf32> to vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

// Two vectors of four rows each have a quad for each row in the end.
// CHECK-LABEL: func @eight
// CHECK: vector.shuffle %[[A:.*]], %[[B:.*]] [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
// CHECK: vector.shuffle %[[A]], %[[B]] [4, 5, 6, 7, 12, 13, 14, 15] : vector<8xf32>, vector<8xf32>
// CHECK: %[[SUMS:.*]] = arith.addf
// CHECK-NOT: vector.shuffle
// CHECK: arith.addf %[[SUMS]], %{{.*}} : vector<8xf32>
func.func @eight(%v: vector<8x8xf32>, %acc: vector<8xf32>) -> vector<8xf32> {
  %0 = vector.multi_reduction <add>, %v, %acc [1]
    : vector<8x8xf32> to vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// More rows than a quad has elements: vectors are put together.
// CHECK-LABEL: func @short_rows
// CHECK: vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
func.func @short_rows(%v: vector<8x4xf32>, %acc: vector<8xf32>)
    -> vector<8xf32> {
  %0 = vector.multi_reduction <add>, %v, %acc [1]
    : vector<8x4xf32> to vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// Other sums, one row, and rows shorter than a quad.
// CHECK-LABEL: func @others
// CHECK-COUNT-4: vector.multi_reduction
// CHECK-NOT: vector.multi_reduction
func.func @others(%one: vector<1x16xf32>, %short: vector<8x2xf32>,
                  %v: vector<4x4xf32>, %a: vector<4xf32>, %b: vector<1xf32>,
                  %c: vector<8xf32>)
    -> (vector<1xf32>, vector<8xf32>, vector<4xf32>, vector<4xf32>) {
  %0 = vector.multi_reduction <add>, %one, %b [1]
    : vector<1x16xf32> to vector<1xf32>
  %1 = vector.multi_reduction <add>, %short, %c [1]
    : vector<8x2xf32> to vector<8xf32>
  %2 = vector.multi_reduction <maximumf>, %v, %a [1]
    : vector<4x4xf32> to vector<4xf32>
  %3 = vector.multi_reduction <add>, %v, %a [0]
    : vector<4x4xf32> to vector<4xf32>
  return %0, %1, %2, %3
    : vector<1xf32>, vector<8xf32>, vector<4xf32>, vector<4xf32>
}

// -----

// Zeros end a row of 20 that is in two registers, and are the last two of four
// rows.
// CHECK-LABEL: func @padded
// CHECK-SAME: %[[V:.*]]: vector<2x20xf32>
// CHECK: %[[ROW:.*]] = vector.extract %[[V]][0]
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[ROW]] {offsets = [0], sizes = [16], strides = [1]}
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[ROW]] {offsets = [16], sizes = [4], strides = [1]}
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: %[[FULL:.*]] = vector.insert_strided_slice %[[HIGH]], %[[ZEROS]] {offsets = [0], strides = [1]}
// CHECK: arith.addf %[[LOW]], %[[FULL]] : vector<16xf32>
// CHECK: vector.shuffle %[[NONE:.*]], %[[NONE]] [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29]
// CHECK: %[[ALL:.*]] = arith.addf %{{.*}} : vector<4xf32>
// CHECK: %[[SUMS:.*]] = vector.extract_strided_slice %[[ALL]] {offsets = [0], sizes = [2], strides = [1]}
// CHECK: arith.addf %[[SUMS]], %{{.*}} : vector<2xf32>
func.func @padded(%v: vector<2x20xf32>, %acc: vector<2xf32>) -> vector<2xf32> {
  %s = vector.multi_reduction <add>, %v, %acc [1]
    : vector<2x20xf32> to vector<2xf32>
  return %s : vector<2xf32>
}

// -----

// Rows of ten that follow each other are spread over registers of their own,
// with zeros after them.
// CHECK-LABEL: func @spread
// CHECK-SAME: %[[V:.*]]: vector<40xf32>
// CHECK: %[[A:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [16]
// CHECK: %[[B:.*]] = vector.extract_strided_slice %[[V]] {offsets = [16], sizes = [16]
// CHECK: %[[FIRST:.*]] = vector.shuffle %[[A]], %[[B]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0]
// CHECK: %[[MASK:.*]] = arith.constant dense<[true, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false]>
// CHECK: arith.select %[[MASK]], %[[FIRST]], %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: vector.shuffle %{{.*}} [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 0, 0, 0, 0, 0, 0]
// CHECK: vector.shuffle %{{.*}} [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 0, 0, 0, 0, 0]
// CHECK: vector.shuffle %{{.*}} [14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 0, 0, 0, 0, 0, 0]
// CHECK-NOT: vector.multi_reduction
// CHECK: return
func.func @spread(%v: vector<40xf32>, %acc: vector<4xf32>) -> vector<4xf32> {
  %m = vector.shape_cast %v : vector<40xf32> to vector<4x10xf32>
  %s = vector.multi_reduction <add>, %m, %acc [1]
    : vector<4x10xf32> to vector<4xf32>
  return %s : vector<4xf32>
}

// -----

// Two registers of two rows each: one of four, whose rows are halved until a
// row is an element.
// CHECK-LABEL: func @flat
// CHECK-SAME: (%[[V:.*]]: vector<32xf32>, %[[ACC:.*]]: vector<4xf32>)
// CHECK: %[[A:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [16]
// CHECK: %[[B:.*]] = vector.extract_strided_slice %[[V]] {offsets = [16], sizes = [16]
// CHECK: vector.shuffle %[[A]], %[[B]] [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]
// CHECK: vector.shuffle %[[A]], %[[B]] [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31]
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK: vector.shuffle {{.*}} [0, 1, 4, 5, 8, 9, 12, 13]
// CHECK: vector.shuffle {{.*}} [2, 3, 6, 7, 10, 11, 14, 15]
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6]
// CHECK: vector.shuffle {{.*}} [1, 3, 5, 7]
// CHECK: %[[SUMS:.*]] = arith.addf %{{.*}} : vector<4xf32>
// CHECK: arith.addf %[[SUMS]], %[[ACC]]
func.func @flat(%v: vector<32xf32>, %acc: vector<4xf32>) -> vector<4xf32> {
  %m = vector.shape_cast %v : vector<32xf32> to vector<4x8xf32>
  %0 = vector.multi_reduction <add>, %m, %acc [1]
    : vector<4x8xf32> to vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

// Sums of products: registers of a row are multiplied and added in one.
// CHECK-LABEL: func @products
// CHECK-SAME: (%[[A:[a-z0-9]+]]: vector<4x32xf32>, %[[B:[a-z0-9]+]]: vector<4x32xf32>
// CHECK: %[[A0:.*]] = vector.extract %[[A]][0]
// CHECK: %[[B0:.*]] = vector.extract %[[B]][0]
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK: %[[Q:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK: arith.addf %[[Q]], %[[P]] fastmath<contract> : vector<16xf32>
// CHECK-NOT: arith.mulf {{.*}} : vector<4x32xf32>
// CHECK: return
func.func @products(%a: vector<4x32xf32>, %b: vector<4x32xf32>,
                    %acc: vector<4xf32>) -> vector<4xf32> {
  %p = arith.mulf %a, %b : vector<4x32xf32>
  %0 = vector.multi_reduction <add>, %p, %acc [1]
    : vector<4x32xf32> to vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

// Sums of two matrices of four registers side by side: 8, 4, 2 vectors and one,
// in the order of the rows.
// CHECK-LABEL: func @side_by_side
// CHECK-SAME: (%[[A:.*]]: vector<64xf32>, %[[B:.*]]: vector<64xf32>)
// CHECK-COUNT-4: vector.extract_strided_slice %[[A]]
// CHECK-COUNT-4: vector.extract_strided_slice %[[B]]
// CHECK-COUNT-7: arith.addf %{{.*}} : vector<16xf32>
// CHECK-NOT: vector.insert_strided_slice
// CHECK-NOT: arith.addf
// CHECK: return
func.func @side_by_side(%a: vector<64xf32>, %b: vector<64xf32>)
    -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %empty = ub.poison : vector<16xf32>
  %m = vector.shape_cast %a : vector<64xf32> to vector<8x8xf32>
  %n = vector.shape_cast %b : vector<64xf32> to vector<8x8xf32>
  %s = vector.multi_reduction <add>, %m, %zero [1]
    : vector<8x8xf32> to vector<8xf32>
  %t = vector.multi_reduction <add>, %n, %zero [1]
    : vector<8x8xf32> to vector<8xf32>
  %0 = vector.insert_strided_slice %s, %empty {offsets = [0], strides = [1]}
    : vector<8xf32> into vector<16xf32>
  %1 = vector.insert_strided_slice %t, %0 {offsets = [8], strides = [1]}
    : vector<8xf32> into vector<16xf32>
  return %1 : vector<16xf32>
}

// -----

// Rows longer than a register: a quad of each row for both, then one vector.
// CHECK-LABEL: func @long_side_by_side
// CHECK: %[[AB:.*]] = vector.shuffle %[[X:.*]], %[[Y:.*]] [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]
// CHECK: %[[CD:.*]] = vector.shuffle %[[X]], %[[Y]] [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]
// CHECK: arith.addf %[[AB]], %[[CD]] : vector<16xf32>
// CHECK: %[[SUMS:.*]] = arith.addf %{{.*}} : vector<8xf32>
// CHECK-NEXT: return %[[SUMS]]
func.func @long_side_by_side(%m: vector<4x32xf32>, %n: vector<4x32xf32>)
    -> vector<8xf32> {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %empty = ub.poison : vector<8xf32>
  %s = vector.multi_reduction <add>, %m, %zero [1]
    : vector<4x32xf32> to vector<4xf32>
  %t = vector.multi_reduction <add>, %n, %zero [1]
    : vector<4x32xf32> to vector<4xf32>
  %0 = vector.insert_strided_slice %s, %empty {offsets = [0], strides = [1]}
    : vector<4xf32> into vector<8xf32>
  %1 = vector.insert_strided_slice %t, %0 {offsets = [4], strides = [1]}
    : vector<4xf32> into vector<8xf32>
  return %1 : vector<8xf32>
}

// -----

// A sum that something else reads, or that begins at another number, is made by
// itself.
// CHECK-LABEL: func @apart
// CHECK: vector.insert_strided_slice
// CHECK: vector.insert_strided_slice
// CHECK: return
func.func @apart(%m: vector<4x4xf32>, %n: vector<4x4xf32>, %acc: vector<4xf32>)
    -> (vector<8xf32>, vector<4xf32>) {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %empty = ub.poison : vector<8xf32>
  %s = vector.multi_reduction <add>, %m, %zero [1]
    : vector<4x4xf32> to vector<4xf32>
  %t = vector.multi_reduction <add>, %n, %acc [1]
    : vector<4x4xf32> to vector<4xf32>
  %0 = vector.insert_strided_slice %s, %empty {offsets = [0], strides = [1]}
    : vector<4xf32> into vector<8xf32>
  %1 = vector.insert_strided_slice %t, %0 {offsets = [4], strides = [1]}
    : vector<4xf32> into vector<8xf32>
  return %1, %s : vector<8xf32>, vector<4xf32>
}

// -----

// Sums that leave some elements out.
// CHECK-LABEL: func @masked
// CHECK: vector.mask {{.*}} vector.multi_reduction
func.func @masked(%m: vector<4x4xf32>, %mask: vector<4x4xi1>) -> vector<4xf32> {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %s = vector.mask %mask {
    vector.multi_reduction <add>, %m, %zero [1]
      : vector<4x4xf32> to vector<4xf32>
  } : vector<4x4xi1> -> vector<4xf32>
  return %s : vector<4xf32>
}
