// RUN: gnn-opt --gnn-split-vectors=vector-width=16 --split-input-file %s | FileCheck %s

// Sums of a loop are carried by parts.

// CHECK-LABEL: func @carried(
// CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (vector<16xf32>, vector<4xf32>)
// CHECK: %[[FIRST:.*]] = vector.load %{{.*}}[%[[EDGE:.*]], %[[COLUMN:.*]]] : memref<?x20xf32>, vector<16xf32>
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[COLUMN]], %[[C16]]
// CHECK: %[[REST:.*]] = vector.load %{{.*}}[%[[EDGE]], %[[NEXT]]] : memref<?x20xf32>, vector<4xf32>
// CHECK: %[[X:.*]] = arith.addf %[[A]], %[[FIRST]] fastmath<contract> : vector<16xf32>
// CHECK: %[[Y:.*]] = arith.addf %[[B]], %[[REST]] fastmath<contract> : vector<4xf32>
// CHECK: scf.yield %[[X]], %[[Y]]
// CHECK: vector.store %[[SUMS]]#0, %{{.*}} : memref<20xf32>, vector<16xf32>
// CHECK: vector.store %[[SUMS]]#1, %{{.*}} : memref<20xf32>, vector<4xf32>
func.func @carried(%x: memref<?x20xf32>, %n: index, %y: memref<20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<20xf32>
  %sum = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<20xf32>) {
    %v = vector.load %x[%e, %c0] : memref<?x20xf32>, vector<20xf32>
    %t = arith.addf %s, %v fastmath<contract> : vector<20xf32>
    scf.yield %t : vector<20xf32>
  }
  vector.store %sum, %y[%c0] : memref<20xf32>, vector<20xf32>
  return
}

// -----

// Rows of eight registers are split although their size is a power of two, so that
// their lines are read in order; rows of four are left to LLVM.

// CHECK-LABEL: func @powers_of_two(
// CHECK: scf.for {{.*}} -> (vector<64xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: vector.load %{{.*}} : memref<?x64xf32>, vector<64xf32>
// CHECK-COUNT-8: vector.load %{{.*}} : memref<?x128xf32>, vector<16xf32>
// CHECK: arith.addf %{{.*}} : vector<64xf32>
// CHECK-COUNT-8: arith.addf %{{.*}} : vector<16xf32>
func.func @powers_of_two(%x: memref<?x64xf32>, %y: memref<?x128xf32>, %n: index)
    -> (vector<64xf32>, vector<128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<64xf32>
  %zeros = arith.constant dense<0.0> : vector<128xf32>
  %sums:2 = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero, %t = %zeros)
      -> (vector<64xf32>, vector<128xf32>) {
    %v = vector.load %x[%e, %c0] : memref<?x64xf32>, vector<64xf32>
    %w = vector.load %y[%e, %c0] : memref<?x128xf32>, vector<128xf32>
    %a = arith.addf %s, %v : vector<64xf32>
    %b = arith.addf %t, %w : vector<128xf32>
    scf.yield %a, %b : vector<64xf32>, vector<128xf32>
  }
  return %sums#0, %sums#1 : vector<64xf32>, vector<128xf32>
}

// -----

// What is left of a row, if it is no size that registers have, begins before.

// CHECK-LABEL: func @shared(
// CHECK: %[[A:.*]] = vector.load {{.*}} vector<16xf32>
// CHECK: %[[C15:.*]] = arith.constant 15 : index
// CHECK: %[[I15:.*]] = arith.addi %{{.*}}, %[[C15]]
// CHECK: %[[B:.*]] = vector.load %{{.*}}[%[[I15]]] : memref<31xf32>, vector<16xf32>
// CHECK: %[[X:.*]] = arith.negf %[[A]]
// CHECK: %[[Y:.*]] = arith.negf %[[B]]
// CHECK: vector.store %[[X]]
// CHECK: %[[PLACE:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: vector.store %[[Y]], %{{.*}}[%[[PLACE]]]
func.func @shared(%x: memref<31xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<31xf32>, vector<31xf32>
  %n = arith.negf %v : vector<31xf32>
  vector.store %n, %x[%c0] : memref<31xf32>, vector<31xf32>
  return
}

// -----

// Rows shorter than a register.

// CHECK-LABEL: func @short(
// CHECK-SAME: %[[X:[^:]*]]: memref<7xf32>, %[[Y:[^:]*]]: memref<12xf32>
// CHECK: vector.load %[[X]]{{.*}} vector<4xf32>
// CHECK: arith.constant 3 : index
// CHECK: vector.load %[[X]]{{.*}} vector<4xf32>
// CHECK: vector.load %[[Y]]{{.*}} vector<8xf32>
// CHECK: arith.constant 8 : index
// CHECK: vector.load %[[Y]]{{.*}} vector<4xf32>
func.func @short(%x: memref<7xf32>, %y: memref<12xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<7xf32>, vector<7xf32>
  %w = vector.load %y[%c0] : memref<12xf32>, vector<12xf32>
  vector.store %v, %x[%c0] : memref<7xf32>, vector<7xf32>
  vector.store %w, %y[%c0] : memref<12xf32>, vector<12xf32>
  return
}

// -----

// Sizes that registers have, and single triples, stay as they are.

// CHECK-LABEL: func @whole(
// CHECK: vector.load {{.*}} vector<64xf32>
// CHECK: vector.load {{.*}} vector<3xf32>
func.func @whole(%x: memref<64xf32>) -> (vector<64xf32>, vector<3xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<64xf32>, vector<64xf32>
  %w = vector.load %x[%c0] : memref<64xf32>, vector<3xf32>
  return %v, %w : vector<64xf32>, vector<3xf32>
}

// -----

// A part is aligned as far as what comes before it is.

// CHECK-LABEL: func @aligned(
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<24xf64>, vector<16xf64>
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<24xf64>, vector<8xf64>
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<28xbf16>, vector<16xbf16>
// CHECK: vector.store %{{.*}} {alignment = 8 : i64, nontemporal = true} : memref<28xbf16>, vector<16xbf16>
func.func @aligned(%x: memref<24xf64>, %y: memref<28xbf16>, %a: f64, %b: bf16) {
  %c0 = arith.constant 0 : index
  %v = vector.broadcast %a : f64 to vector<24xf64>
  %w = vector.broadcast %b : bf16 to vector<28xbf16>
  vector.store %v, %x[%c0] {alignment = 64 : i64, nontemporal = true}
    : memref<24xf64>, vector<24xf64>
  vector.store %w, %y[%c0] {alignment = 64 : i64, nontemporal = true}
    : memref<28xbf16>, vector<28xbf16>
  return
}

// -----

// Each element of a constant stays where it is.

// CHECK-LABEL: func @constant(
// CHECK-DAG: arith.constant dense<[16, 17]> : vector<2xi32>
// CHECK-DAG: arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi32>
func.func @constant(%x: memref<18xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]> : vector<18xi32>
  vector.store %v, %x[%c0] : memref<18xi32>, vector<18xi32>
  return
}

// -----

// Registers are combined before elements are.

// CHECK-LABEL: func @reduction(
// CHECK-SAME: %[[START:[^:]*]]: f32)
// CHECK: %[[A:.*]] = vector.load {{.*}} vector<16xf32>
// CHECK: %[[B:.*]] = vector.load {{.*}} vector<16xf32>
// CHECK: %[[C:.*]] = vector.load {{.*}} vector<4xf32>
// CHECK: %[[AB:.*]] = arith.maximumf %[[A]], %[[B]] : vector<16xf32>
// CHECK: %[[FIRST:.*]] = vector.reduction <maximumf>, %[[AB]], %[[START]] : vector<16xf32> into f32
// CHECK: %[[ALL:.*]] = vector.reduction <maximumf>, %[[C]], %[[FIRST]] : vector<4xf32> into f32
// CHECK: return %[[ALL]]
func.func @reduction(%x: memref<36xf32>, %start: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<36xf32>, vector<36xf32>
  %r = vector.reduction <maximumf>, %v, %start : vector<36xf32> into f32
  return %r : f32
}

// -----

// Neighbours are combined first, so that sums do not wait for one another.

// CHECK-LABEL: func @pairs(
// CHECK: %[[A:.*]] = vector.load
// CHECK: %[[B:.*]] = vector.load
// CHECK: %[[C:.*]] = vector.load
// CHECK: %[[D:.*]] = vector.load
// CHECK: %[[E:.*]] = vector.load
// CHECK-DAG: %[[AB:.*]] = arith.addf %[[A]], %[[B]] : vector<16xf32>
// CHECK-DAG: %[[CD:.*]] = arith.addf %[[C]], %[[D]] : vector<16xf32>
// CHECK: %[[AD:.*]] = arith.addf %[[AB]], %[[CD]] : vector<16xf32>
// CHECK: %[[AE:.*]] = arith.addf %[[AD]], %[[E]] : vector<16xf32>
// CHECK: vector.reduction <add>, %[[AE]] : vector<16xf32> into f32
func.func @pairs(%x: memref<80xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<80xf32>, vector<80xf32>
  %r = vector.reduction <add>, %v : vector<80xf32> into f32
  return %r : f32
}

// -----

// What two parts share counts once, unless it makes no difference.

// CHECK-LABEL: func @once(
// CHECK: %[[A:.*]] = vector.load {{.*}} vector<8xf32>
// CHECK: %[[B:.*]] = vector.load {{.*}} vector<8xf32>
// CHECK: %[[MASK:.*]] = arith.constant dense<[false, false, true, true, true, true, true, true]>
// CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00>
// CHECK: %[[REST:.*]] = arith.select %[[MASK]], %[[B]], %[[ZERO]]
// CHECK: %[[SUMS:.*]] = arith.addf %[[A]], %[[REST]]
// CHECK: vector.reduction <add>, %[[SUMS]]
// CHECK: %[[LARGER:.*]] = arith.maximumf %[[A]], %[[B]]
// CHECK: vector.reduction <maximumf>, %[[LARGER]]
func.func @once(%x: memref<14xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<14xf32>, vector<14xf32>
  %s = vector.reduction <add>, %v : vector<14xf32> into f32
  %m = vector.reduction <maximumf>, %v : vector<14xf32> into f32
  return %s, %m : f32, f32
}

// -----

// A slice that two parts have elements of is put together from both.

// CHECK-LABEL: func @slice(
// CHECK: %[[A:.*]] = vector.load {{.*}} vector<16xf32>
// CHECK: %[[B:.*]] = vector.load {{.*}} vector<8xf32>
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[A]] {offsets = [12], sizes = [4], strides = [1]}
// CHECK: %[[MIDDLE:.*]] = vector.insert_strided_slice %[[LOW]], %{{.*}} {offsets = [0], strides = [1]}
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[B]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK: %[[ALL:.*]] = vector.insert_strided_slice %[[HIGH]], %[[MIDDLE]] {offsets = [4], strides = [1]}
// CHECK: return %[[ALL]]
func.func @slice(%x: memref<24xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<24xf32>, vector<24xf32>
  %s = vector.extract_strided_slice %v {offsets = [12], sizes = [8], strides = [1]}
    : vector<24xf32> to vector<8xf32>
  return %s : vector<8xf32>
}

// -----

// Rows of a matrix are split one by one; a row that is taken from one is its
// parts.

// CHECK-LABEL: func @rows(
// CHECK-SAME: %[[X:[^:]*]]: memref<2x24xf32>
// CHECK-DAG: %[[ROW:.*]] = arith.constant 1 : index
// CHECK: %[[A:.*]] = vector.load %[[X]][%[[ROW]], %{{.*}}] : memref<2x24xf32>, vector<16xf32>
// CHECK: %[[B:.*]] = vector.load %[[X]][%[[ROW]], %{{.*}}] : memref<2x24xf32>, vector<8xf32>
// CHECK-NOT: vector.insert
// CHECK: vector.store %[[A]], {{.*}} vector<16xf32>
// CHECK: vector.store %[[B]], {{.*}} vector<8xf32>
func.func @rows(%x: memref<2x24xf32>, %y: memref<24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = ub.poison : vector<2x24xf32>
  %v = vector.load %x[%c0, %c0] : memref<2x24xf32>, vector<24xf32>
  %w = vector.load %x[%c1, %c0] : memref<2x24xf32>, vector<24xf32>
  %m = vector.insert %v, %none [0] : vector<24xf32> into vector<2x24xf32>
  %n = vector.insert_strided_slice %w, %m {offsets = [1, 0], strides = [1]}
    : vector<24xf32> into vector<2x24xf32>
  %r = vector.extract %n[1] : vector<24xf32> from vector<2x24xf32>
  vector.store %r, %y[%c0] : memref<24xf32>, vector<24xf32>
  return
}

// -----

// Places of a shuffle are shared out.

// CHECK-LABEL: func @places(
// CHECK-SAME: %[[ROW:[^:]*]]: vector<4xf32>
// CHECK: %[[FIRST:.*]] = vector.shuffle %[[ROW]], %[[ROW]] [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1] : vector<4xf32>, vector<4xf32>
// CHECK: %[[LAST:.*]] = vector.shuffle %[[ROW]], %[[ROW]] [2, 2, 2, 3, 3, 3, 3, 3] : vector<4xf32>, vector<4xf32>
// CHECK: vector.store %[[FIRST]]
// CHECK: vector.store %[[LAST]]
func.func @places(%row: vector<4xf32>, %x: memref<24xf32>) {
  %c0 = arith.constant 0 : index
  %s = vector.shuffle %row, %row [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3]
    : vector<4xf32>, vector<4xf32>
  vector.store %s, %x[%c0] : memref<24xf32>, vector<24xf32>
  return
}

// -----

// A single element is in one part.

// CHECK-LABEL: func @element(
// CHECK-SAME: %[[NEW:[^:]*]]: f32)
// CHECK: %[[A:.*]] = vector.load {{.*}} vector<16xf32>
// CHECK: %[[B:.*]] = vector.load {{.*}} vector<8xf32>
// CHECK: %[[CHANGED:.*]] = vector.insert %[[NEW]], %[[B]] [1] : f32 into vector<8xf32>
// CHECK: vector.store %[[A]],
// CHECK: vector.store %[[CHANGED]],
// CHECK: %[[TAKEN:.*]] = vector.extract %[[B]][2] : f32 from vector<8xf32>
// CHECK: return %[[TAKEN]]
func.func @element(%x: memref<24xf32>, %new: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<24xf32>, vector<24xf32>
  %t = vector.insert %new, %v [17] : f32 into vector<24xf32>
  vector.store %t, %x[%c0] : memref<24xf32>, vector<24xf32>
  %e = vector.extract %v[18] : f32 from vector<24xf32>
  return %e : f32
}

// -----

// An element that two parts share changes in both, and is taken from one.

// CHECK-LABEL: func @shared_element(
// CHECK-SAME: %[[NEW:[^:]*]]: f32)
// CHECK: %[[A:.*]] = vector.load {{.*}} vector<8xf32>
// CHECK: %[[B:.*]] = vector.load {{.*}} vector<8xf32>
// CHECK: %[[X:.*]] = vector.insert %[[NEW]], %[[A]] [7] : f32 into vector<8xf32>
// CHECK: %[[Y:.*]] = vector.insert %[[NEW]], %[[B]] [1] : f32 into vector<8xf32>
// CHECK: vector.store %[[X]],
// CHECK: vector.store %[[Y]],
// CHECK: %[[TAKEN:.*]] = vector.extract %[[A]][6] : f32 from vector<8xf32>
// CHECK: return %[[TAKEN]]
func.func @shared_element(%x: memref<14xf32>, %new: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<14xf32>, vector<14xf32>
  %t = vector.insert %new, %v [7] : f32 into vector<14xf32>
  vector.store %t, %x[%c0] : memref<14xf32>, vector<14xf32>
  %e = vector.extract %v[6] : f32 from vector<14xf32>
  return %e : f32
}

// -----

// One row in all rows of a matrix, one element in all of its places.

// CHECK-LABEL: func @repeated(
// CHECK: %[[A:.*]] = vector.load {{.*}} vector<16xf32>
// CHECK: %[[B:.*]] = vector.load {{.*}} vector<2xf32>
// CHECK: %[[C:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK: %[[D:.*]] = vector.broadcast %{{.*}} : f32 to vector<2xf32>
// CHECK: arith.mulf %[[A]], %[[C]] : vector<16xf32>
// CHECK: arith.mulf %[[B]], %[[D]] : vector<2xf32>
// CHECK-NOT: vector<2x18xf32>
func.func @repeated(%x: memref<18xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<18xf32>, vector<18xf32>
  %m = vector.broadcast %v : vector<18xf32> to vector<2x18xf32>
  %s = vector.broadcast %scale : f32 to vector<2x18xf32>
  %p = arith.mulf %m, %s : vector<2x18xf32>
  %r = vector.extract %p[0] : vector<18xf32> from vector<2x18xf32>
  vector.store %r, %x[%c0] : memref<18xf32>, vector<18xf32>
  return
}

// -----

// What is not known takes whole vectors.

// CHECK-LABEL: func @unknown(
// CHECK: %[[A:.*]] = vector.load {{.*}} vector<16xf32>
// CHECK: %[[B:.*]] = vector.load {{.*}} vector<2xf32>
// CHECK: %[[START:.*]] = vector.insert_strided_slice %[[A]], %{{.*}} {offsets = [0], strides = [1]} : vector<16xf32> into vector<18xf32>
// CHECK: %[[ALL:.*]] = vector.insert_strided_slice %[[B]], %[[START]] {offsets = [16], strides = [1]} : vector<2xf32> into vector<18xf32>
// CHECK: vector.bitcast %[[ALL]] : vector<18xf32> to vector<36xf16>
func.func @unknown(%x: memref<18xf32>, %y: memref<36xf16>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<18xf32>, vector<18xf32>
  %b = vector.bitcast %v : vector<18xf32> to vector<36xf16>
  vector.store %b, %y[%c0] : memref<36xf16>, vector<36xf16>
  return
}

// -----

// Of what two parts share, a whole vector takes what the first has.

// CHECK-LABEL: func @joined(
// CHECK: %[[A:.*]] = vector.load {{.*}} vector<8xf32>
// CHECK: %[[B:.*]] = vector.load {{.*}} vector<8xf32>
// CHECK: %[[START:.*]] = vector.insert_strided_slice %[[A]], %{{.*}} {offsets = [0], strides = [1]} : vector<8xf32> into vector<14xf32>
// CHECK: %[[C:.*]] = vector.extract_strided_slice %[[B]] {offsets = [2], sizes = [4], strides = [1]}
// CHECK: %[[NEXT:.*]] = vector.insert_strided_slice %[[C]], %[[START]] {offsets = [8], strides = [1]}
// CHECK: %[[D:.*]] = vector.extract_strided_slice %[[B]] {offsets = [6], sizes = [2], strides = [1]}
// CHECK: %[[ALL:.*]] = vector.insert_strided_slice %[[D]], %[[NEXT]] {offsets = [12], strides = [1]}
// CHECK: vector.bitcast %[[ALL]] : vector<14xf32> to vector<28xf16>
func.func @joined(%x: memref<14xf32>) -> vector<28xf16> {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<14xf32>, vector<14xf32>
  %b = vector.bitcast %v : vector<14xf32> to vector<28xf16>
  return %b : vector<28xf16>
}

// -----

// Short rows that are loaded once and computed with often stay whole, as in a
// product; longer ones do not.

// CHECK-LABEL: func @product(
// CHECK: scf.for
// CHECK-COUNT-5: math.fma %{{.*}} : vector<7xf32>
// CHECK: vector.store %{{.*}} : memref<7xf32>, vector<7xf32>
// CHECK: vector.store %{{.*}} : memref<23xf32>, vector<16xf32>
// CHECK: vector.store %{{.*}} : memref<23xf32>, vector<8xf32>
func.func @product(%x: memref<?x7xf32>, %n: index, %y: memref<7xf32>,
                   %z: memref<23xf32>, %a: vector<7xf32>, %w: vector<23xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<7xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<7xf32>) {
    %v = vector.load %x[%k, %c0] : memref<?x7xf32>, vector<7xf32>
    %0 = math.fma %a, %v, %s : vector<7xf32>
    %1 = math.fma %0, %v, %s : vector<7xf32>
    %2 = math.fma %1, %v, %s : vector<7xf32>
    %3 = math.fma %2, %v, %s : vector<7xf32>
    %4 = math.fma %3, %v, %s : vector<7xf32>
    scf.yield %4 : vector<7xf32>
  }
  vector.store %sum, %y[%c0] : memref<7xf32>, vector<7xf32>
  vector.store %w, %z[%c0] : memref<23xf32>, vector<23xf32>
  return
}

// -----

// A tile of a product leaves rows whole, however many other loops have as many
// loads as computations.

// CHECK-LABEL: func @product(
// CHECK: vector.load {{.*}} vector<13xf32>
// CHECK-COUNT-5: arith.mulf {{.*}} vector<13xf32>
// CHECK-COUNT-2: vector.load {{.*}} vector<13xf32>
// CHECK-NOT: vector<8xf32>
func.func @product(%x: memref<?x13xf32>, %a: vector<13xf32>, %n: index)
    -> (vector<13xf32>, vector<13xf32>, vector<13xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> (vector<13xf32>) {
    %v = vector.load %x[%i, %c0] : memref<?x13xf32>, vector<13xf32>
    %1 = arith.mulf %v, %acc : vector<13xf32>
    %2 = arith.mulf %v, %1 : vector<13xf32>
    %3 = arith.mulf %v, %2 : vector<13xf32>
    %4 = arith.mulf %v, %3 : vector<13xf32>
    %5 = arith.mulf %v, %4 : vector<13xf32>
    scf.yield %5 : vector<13xf32>
  }
  %first = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> (vector<13xf32>) {
    %v = vector.load %x[%i, %c0] : memref<?x13xf32>, vector<13xf32>
    %sum = arith.addf %acc, %v : vector<13xf32>
    scf.yield %sum : vector<13xf32>
  }
  %second = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> (vector<13xf32>) {
    %v = vector.load %x[%i, %c0] : memref<?x13xf32>, vector<13xf32>
    %sum = arith.addf %acc, %v : vector<13xf32>
    scf.yield %sum : vector<13xf32>
  }
  return %tile, %first, %second
    : vector<13xf32>, vector<13xf32>, vector<13xf32>
}
