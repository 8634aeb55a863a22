// RUN: gnn-interpret %s --entry=forall | FileCheck %s --check-prefix=FORALL
// RUN: gnn-interpret %s --entry=loop | FileCheck %s --check-prefix=LOOP
// RUN: gnn-interpret %s --entry=affine | FileCheck %s --check-prefix=AFFINE
// RUN: gnn-interpret %s --entry=allocate | FileCheck %s --check-prefix=ALLOCATE
// RUN: gnn-interpret %s --entry=rounded | FileCheck %s --check-prefix=ROUNDED
// RUN: not gnn-interpret %s --entry=step 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not gnn-interpret %s --entry=elements 2>&1 | FileCheck %s --check-prefix=ELEMENTS

// What gnn ops are lowered to, on tensors.

// Rows of two are written by iterations of which none sees another's.
// FORALL: result 0: tensor<3x2xi32> = {{\[\[}}8, 8], [9, 9], [7, 7]]
// FORALL: result 1: tensor<0xi32> = []
func.func @forall() -> (tensor<3x2xi32>, tensor<?xi32>) {
  %zero = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant dense<7> : tensor<3x2xi32>
  %rows = scf.forall (%i) = (0) to (4) step (2) shared_outs(%all = %seven)
      -> tensor<3x2xi32> {
    %half = arith.divui %i, %c2 : index
    %before = tensor.extract_slice %all[%half, 0] [1, 2] [1, 1]
        : tensor<3x2xi32> to tensor<1x2xi32>
    %number = arith.index_cast %half : index to i32
    %splat = tensor.splat %number : tensor<1x2xi32>
    %one = arith.constant dense<1> : tensor<1x2xi32>
    %more = arith.addi %splat, %one : tensor<1x2xi32>
    %row = arith.addi %before, %more : tensor<1x2xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %all[%half, 0] [1, 2] [1, 1]
          : tensor<1x2xi32> into tensor<3x2xi32>
    }
  }
  %empty = tensor.empty(%zero) : tensor<?xi32>
  %none = scf.forall (%i) in (%zero) shared_outs(%all = %empty)
      -> tensor<?xi32> {
    %element = arith.constant dense<1> : tensor<1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %element into %all[%i] [1] [1]
          : tensor<1xi32> into tensor<?xi32>
    }
  }
  return %rows, %none : tensor<3x2xi32>, tensor<?xi32>
}

// The first power of two from 100 on, and its exponent.
// LOOP: result 0: i64 = 128
// LOOP: result 1: i64 = 7
func.func @loop() -> (i64, i64) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %limit = arith.constant 100 : i64
  %0:2 = scf.while (%power = %one, %exponent = %zero) : (i64, i64) -> (i64, i64) {
    %isSmall = arith.cmpi slt, %power, %limit : i64
    scf.condition(%isSmall) %power, %exponent : i64, i64
  } do {
  ^bb0(%power: i64, %exponent: i64):
    %next = arith.addi %power, %power : i64
    %count = arith.addi %exponent, %one : i64
    scf.yield %next, %count : i64, i64
  }
  return %0#0, %0#1 : i64, i64
}

// AFFINE: result 0: index = 17
// AFFINE: result 1: index = 3
// AFFINE: result 2: index = 10
func.func @affine() -> (index, index, index) {
  %five = arith.constant 5 : index
  %seven = arith.constant 7 : index
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%five)[%seven]
  %1 = affine.min affine_map<(d0)[s0] -> (d0 - 2, s0)>(%five)[%seven]
  %2 = affine.max affine_map<(d0)[s0] -> (d0 * 2, s0)>(%five)[%seven]
  return %0, %1, %2 : index, index, index
}

// ALLOCATE: result 0: tensor<2xf32> = [nan, nan]
// ALLOCATE: result 1: tensor<2xf32> = [1, 2]
// ALLOCATE: result 2: tensor<2x1xf32> = {{\[\[}}1], [2]]
func.func @allocate() -> (tensor<?xf32>, tensor<2xf32>, tensor<?x?xf32>) {
  %two = arith.constant 2 : index
  %values = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %shape = arith.constant dense<[2, 1]> : tensor<2xindex>
  %0 = bufferization.alloc_tensor(%two) : tensor<?xf32>
  %1 = bufferization.alloc_tensor() copy(%values) : tensor<2xf32>
  %2 = tensor.reshape %values(%shape)
      : (tensor<2xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<2xf32>, tensor<?x?xf32>
}

// 16 bits are rounded to, ties to even; all else is float64. Bits are float32's.
// ROUNDED: result 0: bf16 = 1
// ROUNDED: result 1: bf16 = 1.01562
// ROUNDED: result 2: f16 = 1.00391
// ROUNDED: result 3: f16 = inf
// ROUNDED: result 4: i32 = 1065385984
// ROUNDED: result 5: f32 = 1.00391
// ROUNDED: result 6: f64 = 0
func.func @rounded() -> (bf16, bf16, f16, f16, i32, f32, f64) {
  %down = arith.constant 1.00390625 : f32
  %up = arith.constant 1.01171875 : f32
  %large = arith.constant 1.0e6 : f32
  %tenth = arith.constant 0.1 : f64
  %0 = arith.truncf %down : f32 to bf16
  %1 = arith.truncf %up : f32 to bf16
  %2 = arith.truncf %down : f32 to f16
  %3 = arith.truncf %large : f32 to f16
  %4 = arith.bitcast %down : f32 to i32
  %5 = arith.bitcast %4 : i32 to f32
  %narrow = arith.truncf %tenth : f64 to f32
  %wide = arith.extf %narrow : f32 to f64
  %6 = arith.subf %wide, %tenth : f64
  return %0, %1, %2, %3, %4, %5, %6 : bf16, bf16, f16, f16, i32, f32, f64
}

// STEP: error: 'scf.forall' op needs positive steps, got 0
func.func @step() -> tensor<1xi32> {
  %zero = arith.constant 0 : index
  %init = arith.constant dense<7> : tensor<1xi32>
  %0 = scf.forall (%i) = (0) to (4) step (%zero) shared_outs(%all = %init)
      -> tensor<1xi32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %init into %all[0] [1] [1]
          : tensor<1xi32> into tensor<1xi32>
    }
  }
  return %0 : tensor<1xi32>
}

// ELEMENTS: error: 'tensor.reshape' op makes [2] into [3], which has another number of elements
func.func @elements() -> tensor<?xf32> {
  %values = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %shape = arith.constant dense<[3]> : tensor<1xindex>
  %0 = tensor.reshape %values(%shape)
      : (tensor<2xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
