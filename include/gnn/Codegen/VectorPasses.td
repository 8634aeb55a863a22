//===- VectorPasses.td - Vectors and arithmetic ------------*- tablegen -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CODEGEN_VECTOR_PASSES_TD
#define GNN_CODEGEN_VECTOR_PASSES_TD

include "mlir/Pass/PassBase.td"

def FillRegistersPass : Pass<"gnn-fill-registers", "::mlir::func::FuncOp"> {
  let summary = "Take narrow rows several at a time";
  let description = [{
    With eight heads of eight features each, a row of a matrix of heads and
    features fills half of a register of sixteen elements. Matrices whose rows are
    narrower than a register, and that fill at least one together, become one row,
    whether they are all rows of a matrix or some that follow each other:
    they are read from and written to memory as such, elementwise ops work on one,
    and a number for each head takes the places of that head's features by a
    shuffle. What has no such form gets the matrix by a `vector.shape_cast`;
    `gnn-reduce-rows` sees through it.

    Before:
    ```mlir
    %v = vector.transfer_read %x[%j, %c0, %c0] ... : memref<?x8x8xf32>, vector<8x8xf32>
    %w = vector.transfer_read %weights[%p] {permutation_map = (d0) -> (d0, 0)} ...
      : memref<?xf32>, vector<8x8xf32>
    %y = arith.mulf %v, %w : vector<8x8xf32>
    ```
    After:
    ```mlir
    %view = memref.collapse_shape %x [[0], [1, 2]] : memref<?x8x8xf32> into memref<?x64xf32>
    %v = vector.transfer_read %view[%j, %c0] ... : memref<?x64xf32>, vector<64xf32>
    %h = vector.transfer_read %weights[%p] ... : memref<?xf32>, vector<8xf32>
    %w = vector.shuffle %h, %h [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, ...] : vector<8xf32>, vector<8xf32>
    %y = arith.mulf %v, %w : vector<64xf32>
    ```
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of 32 bits in a vector register">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def RelaxZeroSignsPass
    : Pass<"gnn-relax-zero-signs", "::mlir::func::FuncOp"> {
  let summary = "Take either zero as the larger one";
  let description = [{
    `arith.maximumf` and `arith.minimumf` keep NaN and say that `-0 < +0`. The
    second is of no use here, where the sign of such a zero is undefined
    (docs/spec.md), but on x86, whose instructions treat zeros as equal,
    it takes half of the six instructions that a maximum becomes. The flag `nsz`
    gives it up, and nothing else: NaN stays.

    Before:
    ```mlir
    %m = arith.maximumf %a, %b : vector<16xf32>
    ```
    After:
    ```mlir
    %m = arith.maximumf %a, %b fastmath<nsz> : vector<16xf32>
    ```
  }];
  let statistics = [
    Statistic<"numExtrema", "num-extrema", "Number of maxima and minima marked">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PairMaximaPass : Pass<"gnn-pair-maxima", "::mlir::func::FuncOp"> {
  let summary = "Take maxima of two vectors before that of what is carried";
  let description = [{
    A loop that carries the maximum of the vectors it reads, such as that of the
    scores of a tile, waits four cycles for each of them. It reads two vectors in an
    iteration instead, and takes the larger of these first, which nothing waits for.
    For maxima that ignore NaN (`gnn.ignores_nan`), in loops that do nothing else.

    Before:
    ```mlir
    %m = scf.for %i = %c0 to %n step %c1 iter_args(%before = %lowest) {
      %a = vector.load %scores[%i, %c0]
      %next = arith.maximumf %before, %a {gnn.ignores_nan} : vector<64xf32>
    ```
    After:
    ```mlir
    %even = ... // the largest multiple of two that is at most n
    %m = scf.for %i = %c0 to %even step %c2 iter_args(%before = %lowest) {
      %a = vector.load %scores[%i, %c0]
      %j = arith.addi %i, %c1
      %b = vector.load %scores[%j, %c0]
      %both = arith.maximumf %a, %b {gnn.ignores_nan} : vector<64xf32>
      %next = arith.maximumf %before, %both {gnn.ignores_nan} : vector<64xf32>
    }
    ... // the last vector, if n is odd
    ```
  }];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops changed">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def IgnoreNaNPass : Pass<"gnn-ignore-nan", "::mlir::func::FuncOp"> {
  let summary = "Compare where a maximum need not keep NaN";
  let description = [{
    `arith.maximumf` keeps NaN, which takes x86 three instructions instead of one,
    each of which waits for the one before. The greatest score of a softmax need not
    keep it: the weight of a score that is NaN is NaN, and so is the sum. Where
    `gnn.ignores_nan` says so, a maximum becomes a comparison and a choice, whose
    second operand is what stays: the number there was before.

    Before:
    ```mlir
    %m = arith.maximumf %before, %score {gnn.ignores_nan} : vector<64xf32>
    ```
    After:
    ```mlir
    %c = arith.cmpf ogt, %score, %before : vector<64xf32>
    %m = arith.select %c, %score, %before : vector<64xi1>, vector<64xf32>
    ```
  }];
  let statistics = [
    Statistic<"numMaxima", "num-maxima", "Number of maxima that are compared">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReduceExtremaPass
    : Pass<"gnn-reduce-extrema", "::mlir::func::FuncOp"> {
  let summary = "Compare halves of a row, then look for NaN";
  let description = [{
    The greatest (or least) element of a row, as a softmax of features asks for, is
    `arith.maximumf` of all of them, and LLVM keeps NaN and tells zeros from each
    other in each of the steps from one register to one element, which takes x86 five
    to seven instructions. Here a step is a comparison and a choice, which are one
    instruction; whether there is NaN is found out once, by comparing registers with
    each other. Results are the same but for the sign of a zero
    (see [`gnn-relax-zero-signs`](#-gnn-relax-zero-signs)).

    Rows are `vector.multi_reduction` to one number. Targets that keep NaN in one
    instruction (AArch64) do without the pass.

    Before:
    ```mlir
    %m = vector.multi_reduction <maximumf>, %x, %lowest [0] : vector<32xf32> to f32
    ```
    After:
    ```mlir
    %lo = vector.extract_strided_slice %x {offsets = [0], sizes = [16], ...}
    %hi = vector.extract_strided_slice %x {offsets = [16], sizes = [16], ...}
    %unordered = arith.cmpf uno, %lo, %hi : vector<16xf32>
    %has_nan = vector.reduction <or>, %unordered : vector<16xi1> into i1
    %c = arith.cmpf ogt, %lo, %hi : vector<16xf32>
    %sixteen = arith.select %c, %lo, %hi : vector<16xi1>, vector<16xf32>
    // ... eight, four, two
    %m = arith.select %has_nan, %nan, %one : f32
    ```
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of a vector register">
  ];
  let statistics = [
    Statistic<"numRows", "num-rows", "Number of rows">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def DeferNaNPass : Pass<"gnn-defer-nan", "::mlir::func::FuncOp"> {
  let summary = "Look for NaN after a loop of maxima";
  let description = [{
    A loop that carries the maximum (or minimum) of vectors, as that of the edges of
    a row does, keeps NaN, which takes x86 three instructions for each edge. There
    is hardly ever any. The loop takes one that does not keep NaN instead, and says
    whether there was one: in the sum of the same numbers, which is NaN then, where
    the loop carries it as well, or else in masks, of which one comparison serves
    two registers. Where there was one, or where the sum is NaN for another reason,
    the loop is run a second time, as it was before. Results are the same.

    The loop has to be one that may run twice: it writes no memory. The sign of a
    zero must not matter (`nsz`, see `gnn-relax-zero-signs`). Targets that keep NaN in one instruction (AArch64) do without the pass.

    Before:
    ```mlir
    %m = scf.for %e = %begin to %end step %c1 iter_args(%a = %lowest) {
      %x = vector.transfer_read ... : memref<?x32xf32>, vector<32xf32>
      %n = arith.maximumf %a, %x fastmath<nsz> : vector<32xf32>
      scf.yield %n : vector<32xf32>
    }
    ```
    After:
    ```mlir
    %f:2 = scf.for ... iter_args(%a = %lowest, %o = %true) {
      %x = ...
      %c = arith.cmpf ogt, %x, %a : vector<32xf32>
      %n = arith.select %c, %x, %a : vector<32xi1>, vector<32xf32>
      %lo = vector.extract_strided_slice %x {offsets = [0], ...}
      %hi = vector.extract_strided_slice %x {offsets = [16], ...}
      %both = arith.cmpf ord, %lo, %hi : vector<16xf32>
      %p = arith.andi %o, %both : vector<16xi1>
      scf.yield %n, %p : vector<32xf32>, vector<16xi1>
    }
    %all = vector.reduction <and>, %f#1 : vector<16xi1> into i1
    %m = scf.if %all { scf.yield %f#0 } else { /* the loop from before */ }
    ```
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of a vector register">,
    Option<"maskRegisters", "mask-registers", "bool", "true",
           "There are registers of a bit for each element; without, masks are "
           "vectors of integers that are as wide as the elements">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def SlopesToMaximumPass
    : Pass<"gnn-slopes-to-maximum", "::mlir::func::FuncOp"> {
  let summary = "Choose the larger one of both slopes of a leaky ReLU";
  let description = [{
    A leaky ReLU chooses by a comparison with 0, which takes a mask register and an
    instruction that merges. With a slope above 0 and at most 1, it is also the
    larger one of both values, and `a > b ? a : b` is one instruction on x86.
    Results are the same, NaN included.

    Before:
    ```mlir
    %c = arith.cmpf ogt, %x, %zero : vector<16xf32>
    %y = arith.mulf %x, %slope : vector<16xf32>
    %r = arith.select %c, %x, %y : vector<16xi1>, vector<16xf32>
    ```
    After:
    ```mlir
    %y = arith.mulf %x, %slope : vector<16xf32>
    %c = arith.cmpf ogt, %x, %y : vector<16xf32>
    %r = arith.select %c, %x, %y : vector<16xi1>, vector<16xf32>
    ```
  }];
  let statistics = [
    Statistic<"numSlopes", "num-slopes", "Number of leaky ReLUs changed">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ApproximateMathPass
    : Pass<"gnn-approximate-math", "::mlir::func::FuncOp"> {
  let summary = "Compute f32 exp, log, tanh, erf by polynomials";
  let description = [{
    A call of the C library for each element would dominate a softmax or an
    activation. `math.exp`, `math.expm1`, `math.log`, `math.log1p`, `math.tanh`
    and `math.erf` of f32, scalar or vector, become polynomial and rational
    approximations in arithmetic ops; other types are left to the library.
    Exponentials that are marked `gnn.never_positive`, those of softmaxes, need 12
    operations instead of 21: nothing overflows, one fused multiply-add rounds to
    a power of two and makes its exponent, and the polynomial is good to 5e-7. Those
    that are marked `gnn.bounded` need 10. Of `math.exp2` that are marked, as many, but
    three are sums instead of two products and a sum, and 2e-7 is reached, as nothing
    is rounded before the polynomial; other ones are left to the library.
    The logarithm of 1 + x that is marked `gnn.unit_interval`, that of softplus, needs 9
    instead of 44: x is from 0 to 1, where x times a polynomial is good to 1.6e-7.
    exp(x) - 1, of ELU, takes 18 operations and no division: twice the sum of 2^(n-1)
    (exp(r) - 1) and 2^(n-1) - 1/2, good to 1.5e-7. erf, of GELU, takes 29
    and no division: x and a polynomial of x^2 near 0, and 1 less such an
    exponential of another polynomial elsewhere, good to 2e-7.
    With `trigonometric` the same goes for `math.sin` and `math.cos`, for devices
    without a library to call.

    Before:
    ```mlir
    %e = math.exp %x : vector<16xf32>
    ```
    After:
    ```mlir
    %n = math.floor ...
    %p = math.fma ... // the polynomial
    %e = arith.mulf %p, %two_to_the_n : vector<16xf32>
    ```
  }];
  let options = [
    Option<"trigonometric", "trigonometric", "bool", /*default=*/"false",
           "Sine and cosine as well">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def TabulateExponentialsPass
    : Pass<"gnn-tabulate-exponentials", "::mlir::func::FuncOp"> {
  let summary = "Compute exponentials of softmaxes with a table in registers";
  let description = [{
    Exponentials of vectors that are marked `gnn.never_positive` or `gnn.bounded` take
    most of their digits from a table, on x86-64. With `vector-width=16`, `vpermi2ps`
    of AVX-512 looks up 16 of the 32 numbers of two registers. With j the integer
    nearest to 32 x log2(e), which a sum with a large number rounds to,

    ```
    e^x = 2^(j >> 5) * 2^((j & 31) / 32) * 2^f,   |f| <= 1 / 64
    ```

    The first two factors are a number of the table with j's other bits added to its
    exponent. The last one is c ((f + s)^2 + r) to 1.3e-7: one multiply-add, as c is
    part of the table and s, a number of 32nds, of what x is rounded to. That is ten
    instructions with a comparison, and eight without where x is bounded, instead of the
    twelve and eleven of `-gnn-approximate-math`. The relative error is 3.4e-7 and that
    of rounding log2(e), 1.3e-8 |x|.

    With `vector-width=8`, `vpermilps` of AVX looks up eight of four numbers for those
    that are `gnn.bounded`. A parabola would not do for |f| <= 1 / 8: the last factor is
    a cubic, which has one root and so is c (w^2 + r) (w + t), to 6.1e-7, of
    w = x - (j / 4 - 1) ln 2. Five of ten instructions keep the units that multiply
    busy, instead of eight of ten. The relative error is 9.6e-7.

    Of `math.exp2`, x is a number of powers of two as it is: where it is bounded, three
    sums find j and the fraction, which processors have units for beside those that
    multiply. The relative error is 3e-7, or 8.5e-7 with `vector-width=8`.

    Results below the smallest normal number are 0, as in `-gnn-approximate-math`:
    processors take a hundred times as long for these. Vectors of other sizes than
    whole registers, and numbers, are left to that pass, which comes after this one.

    Before:
    ```mlir
    %w = math.exp %x {gnn.never_positive} : vector<16xf32>
    ```
    After:
    ```mlir
    %j = math.fma %x, %log2e, %large : vector<16xf32>    // 32nds in the last bits
    %n = arith.subf %j, %large_and_s : vector<16xf32>
    %minus = arith.negf %n : vector<16xf32>
    %f = math.fma %x, %log2e, %minus : vector<16xf32>    // the fraction and s
    %p = math.fma %f, %f, %r : vector<16xf32>
    %bits = arith.bitcast %j : vector<16xf32> to vector<16xi32>
    %t = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"(%first, %bits, %second) : ...
    %e = arith.shli %bits, %c18 : vector<16xi32>
    %entry = arith.bitcast %t : vector<16xf32> to vector<16xi32>
    %sum = arith.addi %entry, %e : vector<16xi32>
    %power = arith.bitcast %sum : vector<16xi32> to vector<16xf32>
    %y = arith.mulf %p, %power : vector<16xf32>
    %normal = arith.cmpf uge, %x, %smallest : vector<16xf32>
    %w = arith.select %normal, %y, %zero : vector<16xi1>, vector<16xf32>
    ```
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Floats in a vector register: 8 or 16">
  ];
  let statistics = [
    Statistic<"numExponentials", "num-exponentials",
              "Number of exponentials changed">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def CallMathLibraryPass
    : Pass<"gnn-call-math-library", "::mlir::ModuleOp"> {
  let summary = "Call the C library for functions without an LLVM intrinsic";
  let description = [{
    `math.cbrt`, `math.erf`, `math.erfc`, `math.expm1` and `math.log1p` that
    gnn-approximate-math left become calls, one for each element of a vector.
    The conversion to the LLVM dialect would compute `expm1` and `log1p` with a
    cancellation that loses all digits of small arguments.

    Before:
    ```mlir
    %y = math.log1p %x : f64
    ```
    After:
    ```mlir
    %y = call @log1p(%x) : (f64) -> f64
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerToLLVMPass : Pass<"gnn-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower what is left to the LLVM dialect at once";
  let description = [{
    Arithmetic, branches, buffers, functions, indices and OpenMP become the LLVM
    dialect in one walk. MLIR has a pass for each, which looks at all ops and
    casts between types for the next one. Vectors come first, by themselves
    (convert-vector-to-llvm), as do functions of the C library. Ops with bodies, of
    scf and linalg, are an error: they are lowered before.

    Before:
    ```mlir
    %0 = memref.load %m[%i] : memref<8xf32>
    %1 = arith.addf %0, %0 : f32
    ```
    After:
    ```mlir
    %p = llvm.getelementptr %base[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %0 = llvm.load %p : !llvm.ptr -> f32
    %1 = llvm.fadd %0, %0 : f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def FoldDescriptorsPass
    : Pass<"gnn-fold-descriptors", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Read what descriptors of buffers are made of";
  let description = [{
    A buffer is a structure of two pointers, an offset, sizes and strides in the
    LLVM dialect. Each is put together where it comes into a function, and taken
    apart at each use. A parallel region that only needs the pointer has
    the whole of it stored by whoever runs the region, and loads it. What an
    extraction reads is taken from where it was put in, and what nothing reads
    any more is dropped: regions get pointers and sizes.

    Before:
    ```mlir
    %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64)>
    %1 = llvm.insertvalue %allocated, %0[0] : !llvm.struct<(ptr, ptr, i64)>
    %2 = llvm.insertvalue %aligned, %1[1] : !llvm.struct<(ptr, ptr, i64)>
    omp.parallel {
      %3 = llvm.extractvalue %2[1] : !llvm.struct<(ptr, ptr, i64)>
      %4 = llvm.load %3 : !llvm.ptr -> f32
      ...
    }
    ```
    After:
    ```mlir
    omp.parallel {
      %4 = llvm.load %aligned : !llvm.ptr -> f32
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"numFolded", "folded", "Number of extractions that are gone">
  ];
}

def SeparateOffsetsPass
    : Pass<"gnn-separate-offsets", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Take constants out of addresses";
  let description = [{
    A product's loop reads a dozen rows of one block, each a number of elements
    that is known behind the first. Where rows are numbered before the block's
    first one is added, each has an address of its own, and LLVM looks at all pairs of
    them for what they have in common. What is constant in an index is added last:
    rows of a block share their address, and differ by what instructions have
    room for. LLVM's `separate-const-offset-from-gep` does not look behind a
    multiplication, such as that of a row's number by its length.

    Before:
    ```mlir
    %i1 = llvm.add %i, %c1 : i64
    %row1 = llvm.add %i1, %first : i64
    %0 = llvm.mul %row1, %c64 : i64
    %1 = llvm.getelementptr inbounds|nuw %base[%0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    ```
    After:
    ```mlir
    %row = llvm.add %i, %first : i64
    %0 = llvm.mul %row, %c64 : i64
    %1 = llvm.getelementptr %base[%0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %2 = llvm.getelementptr %1[64] : (!llvm.ptr) -> !llvm.ptr, f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ReduceRowsPass : Pass<"gnn-reduce-rows", "::mlir::func::FuncOp"> {
  let summary = "Sum several vectors up at once";
  let description = [{
    The scores of an edge are dot products, one for each head. Summed up one by
    one, each takes log2(width) shuffles and additions of vectors of which less
    and less is used. The sums of several rows are made together: halves of two
    vectors, one after the other, are added to the other halves, which leaves one
    vector for two, until there is one sum per element.

    Before:
    ```mlir
    %s = vector.multi_reduction <add>, %m, %zero [1]
      : vector<4x4xf32> to vector<4xf32>
    ```
    After, of rows `%a` to `%d`:
    ```mlir
    %0 = vector.shuffle %a, %b [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
    %1 = vector.shuffle %a, %b [2, 3, 6, 7] : vector<4xf32>, vector<4xf32>
    %ab = arith.addf %0, %1 : vector<4xf32>
    ...
    %2 = vector.shuffle %ab, %cd [0, 2, 4, 6] : vector<4xf32>, vector<4xf32>
    %3 = vector.shuffle %ab, %cd [1, 3, 5, 7] : vector<4xf32>, vector<4xf32>
    %s = arith.addf %2, %3 : vector<4xf32>
    ```
    Of a product of two matrices the registers of a row are multiplied and added in
    one step. Rows narrower than a register, which `gnn-fill-registers` has made one
    vector of, begin with registers of several rows each.

    Sums of several matrices that are put side by side in one vector, as the scores
    of two edges are, share the last steps, and nothing has to be put together:
    ```mlir
    %s = vector.multi_reduction <add>, %m, %zero [1]
      : vector<8x8xf32> to vector<8xf32>
    %t = vector.multi_reduction <add>, %n, %zero [1]
      : vector<8x8xf32> to vector<8xf32>
    %0 = vector.insert_strided_slice %s, %empty {offsets = [0], ...}
    %1 = vector.insert_strided_slice %t, %0 {offsets = [8], ...}
      : vector<8xf32> into vector<16xf32>
    ```
    Where there are not as many rows, or elements in a row, as a power of two,
    zeros are added. Single rows, and rows of less than four elements, stay; of
    sums side by side, there have to be as many, of as many rows, as powers of two.
    The order of additions is fixed, so results are the same from run to run.
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of 32 bits in a vector register">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerVectorsPass
    : Pass<"gnn-lower-vectors", "::mlir::func::FuncOp"> {
  let summary = "Break vector ops down to what LLVM has";
  let description = [{
    Reductions over several dimensions become reductions of one-dimensional
    vectors, transposes and shape casts become shuffles, transfers of several
    dimensions are unrolled, and what is read for all elements is a number. Transposes
    of 32-bit elements that consist of squares of 4, 8 or 16 take a step for each bit of
    the number of a row, with shuffles of two vectors that are one instruction each;
    others, and what fits into one register, are a single shuffle.

    Before:
    ```mlir
    %v = vector.transfer_read %x[%i, %c0, %c0] ... : memref<?x2x4xf32>, vector<2x4xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0, 1] : vector<2x4xf32> to f32
    ```
    After:
    ```mlir
    %a = vector.load %x[%i, %c0, %c0] : memref<?x2x4xf32>, vector<4xf32>
    %b = vector.load %x[%i, %c1, %c0] : memref<?x2x4xf32>, vector<4xf32>
    %u = vector.insert_strided_slice %a, %poison {offsets = [0], strides = [1]} ...
    %v = vector.insert_strided_slice %b, %u {offsets = [4], strides = [1]}
      : vector<4xf32> into vector<8xf32>
    %s = vector.reduction <add>, %v, %zero : vector<8xf32> into f32
    ```
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of 32 bits in a vector register">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def SplitVectorsPass : Pass<"gnn-split-vectors", "::mlir::func::FuncOp"> {
  let summary = "Cut vectors to sizes that registers have";
  let description = [{
    LLVM keeps a vector whose size is no power of two as single elements wherever
    it is carried from one block to the next, as the sums of a loop over edges
    are. Rows of vectors of such a size are cut into as many registers as they fill,
    and what is left. Where that is no power of two either, the last part begins
    within the one before it: 31 elements are two registers of 16, which share one.
    Loops carry the parts. Rows of eight registers and more are cut whatever their size:
    LLVM would take the registers of powers of two in an order of its own, backwards in
    some rows, which caches that expect the next line do not follow. Rows of five
    elements and more that fit into one register are cut in the same way, 7 into twice 4,
    where a load or store comes with few computations: in sums, but not in a function of
    which one loop has many, as products do.

    Before:
    ```mlir
    %s = scf.for %e = %first to %last step %c1
        iter_args(%sum = %zero) -> (vector<20xf32>) {
      %v = vector.load %x[%e, %c0] : memref<?x20xf32>, vector<20xf32>
      %t = arith.addf %sum, %v : vector<20xf32>
      scf.yield %t : vector<20xf32>
    }
    ```
    After:
    ```mlir
    %s:2 = scf.for %e = %first to %last step %c1
        iter_args(%a = %zero16, %b = %zero4) -> (vector<16xf32>, vector<4xf32>) {
      %v = vector.load %x[%e, %c0] : memref<?x20xf32>, vector<16xf32>
      %w = vector.load %x[%e, %c16] : memref<?x20xf32>, vector<4xf32>
      %t = arith.addf %a, %v : vector<16xf32>
      %u = arith.addf %b, %w : vector<4xf32>
      scf.yield %t, %u : vector<16xf32>, vector<4xf32>
    }
    ```
    What two parts share is computed and stored twice, which takes less than parts
    of 8, 4, 2 and 1 elements. A reduction combines registers before elements, pairs of
    neighbours and then pairs of those, which wait for one another a logarithm of their
    number of times, and counts no element twice. Ops that this pass does not know take
    whole vectors, which are put together there.
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of 32 bits in a vector register">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect",
                           "::mlir::vector::VectorDialect"];
}

def SplitAccessesPass : Pass<"gnn-split-accesses", "::mlir::func::FuncOp"> {
  let summary = "Access buffers by registers that are accessed so elsewhere";
  let description = [{
    One loop may compute a row of a tile as a vector of several registers, and the
    next one read it by registers. LLVM, which knows what was stored, then takes
    the later registers out of an integer of as many bits, piece by piece: a
    transpose of 8 x 8 elements became 32 moves to general registers and back. Where
    a buffer is accessed by vectors of a register or less, too, loads and stores of
    more are split.

    Before:
    ```mlir
    vector.store %sum, %tile[%i, %c0] : memref<8x16xf32>, vector<16xf32>
    %a = vector.load %tile[%i, %c8] : memref<8x16xf32>, vector<8xf32>
    ```
    After, with `vector-width=8`:
    ```mlir
    %s0 = vector.extract_strided_slice %sum {offsets = [0], sizes = [8], strides = [1]} ...
    %s1 = vector.extract_strided_slice %sum {offsets = [8], sizes = [8], strides = [1]} ...
    vector.store %s0, %tile[%i, %c0] : memref<8x16xf32>, vector<8xf32>
    vector.store %s1, %tile[%i, %c8] : memref<8x16xf32>, vector<8xf32>
    %a = vector.load %tile[%i, %c8] : memref<8x16xf32>, vector<8xf32>
    ```
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "16",
           "Elements of 32 bits in a vector register">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::ub::UBDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // GNN_CODEGEN_VECTOR_PASSES_TD
