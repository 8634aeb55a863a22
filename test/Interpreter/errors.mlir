// RUN: not gnn-interpret %s --entry=cast_shape 2>&1 | FileCheck %s --check-prefix=CAST_SHAPE
// RUN: not gnn-interpret %s --entry=extract_bounds 2>&1 | FileCheck %s --check-prefix=EXTRACT_BOUNDS
// RUN: not gnn-interpret %s --entry=insert_bounds 2>&1 | FileCheck %s --check-prefix=INSERT_BOUNDS
// RUN: not gnn-interpret %s --entry=lookup_bounds 2>&1 | FileCheck %s --check-prefix=LOOKUP_BOUNDS
// RUN: not gnn-interpret %s --entry=dim_bounds 2>&1 | FileCheck %s --check-prefix=DIM_BOUNDS
// RUN: not gnn-interpret %s --entry=slice_bounds 2>&1 | FileCheck %s --check-prefix=SLICE_BOUNDS
// RUN: not gnn-interpret %s --entry=slice_shape 2>&1 | FileCheck %s --check-prefix=SLICE_SHAPE
// RUN: not gnn-interpret %s --entry=expand_product 2>&1 | FileCheck %s --check-prefix=EXPAND_PRODUCT
// RUN: not gnn-interpret %s --entry=concat_extents 2>&1 | FileCheck %s --check-prefix=CONCAT_EXTENTS
// RUN: not gnn-interpret %s --entry=empty_negative 2>&1 | FileCheck %s --check-prefix=EMPTY_NEGATIVE
// RUN: not gnn-interpret %s --entry=elementwise_shapes 2>&1 | FileCheck %s --check-prefix=ELEMENTWISE_SHAPES
// RUN: not gnn-interpret %s --entry=divide_by_zero 2>&1 | FileCheck %s --check-prefix=DIVIDE_BY_ZERO
// RUN: not gnn-interpret %s --entry=divide_overflow 2>&1 | FileCheck %s --check-prefix=DIVIDE_OVERFLOW
// RUN: not gnn-interpret %s --entry=shift_width 2>&1 | FileCheck %s --check-prefix=SHIFT_WIDTH
// RUN: not gnn-interpret %s --entry=cast_range 2>&1 | FileCheck %s --check-prefix=CAST_RANGE
// RUN: not gnn-interpret %s --entry=cast_nan 2>&1 | FileCheck %s --check-prefix=CAST_NAN
// RUN: not gnn-interpret %s --entry=loop_extents 2>&1 | FileCheck %s --check-prefix=LOOP_EXTENTS
// RUN: not gnn-interpret %s --entry=convolution_bounds 2>&1 | FileCheck %s --check-prefix=CONVOLUTION_BOUNDS
// RUN: not gnn-interpret %s --entry=loop_step 2>&1 | FileCheck %s --check-prefix=LOOP_STEP
// RUN: not gnn-interpret %s --entry=resource_missing 2>&1 | FileCheck %s --check-prefix=RESOURCE_MISSING
// RUN: not gnn-interpret %s --entry=resource_size 2>&1 | FileCheck %s --check-prefix=RESOURCE_SIZE
// RUN: not gnn-interpret %s --entry=unranked 2>&1 | FileCheck %s --check-prefix=UNRANKED
// RUN: not gnn-interpret %s --entry=wide_constant 2>&1 | FileCheck %s --check-prefix=WIDE_CONSTANT
// RUN: not gnn-interpret %s --entry=wide_result 2>&1 | FileCheck %s --check-prefix=WIDE_RESULT
// RUN: not gnn-interpret %s --entry=unknown_op 2>&1 | FileCheck %s --check-prefix=UNKNOWN_OP
// RUN: not gnn-interpret %s --entry=unknown_math 2>&1 | FileCheck %s --check-prefix=UNKNOWN_MATH
// RUN: not gnn-interpret %s --entry=recursion 2>&1 | FileCheck %s --check-prefix=RECURSION
// RUN: not gnn-interpret %s --entry=declared 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: not gnn-interpret %s --entry=arguments 2>&1 | FileCheck %s --check-prefix=ARGUMENTS

// Behaviour that is undefined, and what the interpreter cannot do.

func.func @cast_shape() {
  // CAST_SHAPE: :[[#@LINE+6]]:{{.*}}error: 'tensor.cast' op result must be 'tensor<3x?xi32>', but its actual shape is [2, 3]
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %y = tensor.cast %d : tensor<?x?xi32> to tensor<3x?xi32>
  return
}

func.func @extract_bounds() {
  // EXTRACT_BOUNDS: :[[#@LINE+6]]:{{.*}}error: 'tensor.extract' op reads or writes index 2 of dimension 0, which has extent 2
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %y = tensor.extract %d[%two, %one] : tensor<?x?xi32>
  return
}

func.func @insert_bounds() {
  // INSERT_BOUNDS: :[[#@LINE+7]]:{{.*}}error: 'tensor.insert' op reads or writes index 3 of dimension 1, which has extent 3
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %v = arith.constant 0 : i32
  %y = tensor.insert %v into %d[%one, %three] : tensor<?x?xi32>
  return
}

func.func @lookup_bounds() {
  // LOOKUP_BOUNDS: :[[#@LINE+3]]:{{.*}}error: 'gnn.lookup' op looks row 3 up in a table of 3 rows
  %table = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %numbers = arith.constant dense<[0, 3]> : tensor<2xi64>
  %r = gnn.lookup %table[%numbers]
    : tensor<3xi32>, tensor<2xi64> -> tensor<2xi32>
  return
}

func.func @dim_bounds() {
  // DIM_BOUNDS: :[[#@LINE+6]]:{{.*}}error: 'tensor.dim' op asks for dimension 3 of a tensor of rank 2
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %y = tensor.dim %d, %three : tensor<?x?xi32>
  return
}

func.func @slice_bounds() {
  // SLICE_BOUNDS: :[[#@LINE+6]]:{{.*}}error: 'tensor.extract_slice' op slice of dimension 1 is out of bounds: offset 2, size 2, stride 1 of extent 3
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %y = tensor.extract_slice %d[0, 2] [1, %two] [1, 1]
    : tensor<?x?xi32> to tensor<1x?xi32>
  return
}

func.func @slice_shape() {
  // SLICE_SHAPE: :[[#@LINE+6]]:{{.*}}error: 'tensor.insert_slice' op inserts a tensor of shape [2, 3] into a slice of shape [2, 2]
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %y = tensor.insert_slice %d into %d[0, 0] [%two, %two] [1, 1]
    : tensor<?x?xi32> into tensor<?x?xi32>
  return
}

func.func @expand_product() {
  // EXPAND_PRODUCT: :[[#@LINE+6]]:{{.*}}error: 'tensor.expand_shape' op expands dimension 1 of extent 3 into extents with the product 2
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %y = tensor.expand_shape %d [[0], [1, 2]] output_shape [%two, %one, 2]
    : tensor<?x?xi32> into tensor<?x?x2xi32>
  return
}

func.func @concat_extents() {
  // CONCAT_EXTENTS: :[[#@LINE+7]]:{{.*}}error: 'tensor.concat' op inputs 0 and 1 differ in dimension 1: 3 and 2
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %e = tensor.empty(%two, %two) : tensor<?x?xi32>
  %y = tensor.concat dim(0) %d, %e
    : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>
  return
}

func.func @empty_negative() {
  // EMPTY_NEGATIVE: :[[#@LINE+2]]:{{.*}}error: 'tensor.empty' op negative dimension -1
  %n = arith.constant -1 : index
  %y = tensor.empty(%n) : tensor<?xf32>
  return
}

func.func @elementwise_shapes() {
  // ELEMENTWISE_SHAPES: :[[#@LINE+7]]:{{.*}}error: 'arith.addi' op operands differ in shape: [2, 3] and [2, 2]
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %e = tensor.empty(%two, %two) : tensor<?x?xi32>
  %y = arith.addi %d, %e : tensor<?x?xi32>
  return
}

func.func @divide_by_zero() {
  // DIVIDE_BY_ZERO: :[[#@LINE+3]]:{{.*}}error: 'arith.divsi' op divides by zero
  %a = arith.constant 1 : i32
  %b = arith.constant 0 : i32
  %y = arith.divsi %a, %b : i32
  return
}

func.func @divide_overflow() {
  // DIVIDE_OVERFLOW: :[[#@LINE+3]]:{{.*}}error: 'arith.divsi' op overflows dividing -128 by -1
  %a = arith.constant -128 : i8
  %b = arith.constant -1 : i8
  %y = arith.divsi %a, %b : i8
  return
}

func.func @shift_width() {
  // SHIFT_WIDTH: :[[#@LINE+3]]:{{.*}}error: 'arith.shli' op shifts by 8, more than the 8 bits there are
  %a = arith.constant 1 : i8
  %b = arith.constant 8 : i8
  %y = arith.shli %a, %b : i8
  return
}

func.func @cast_range() {
  // CAST_RANGE: :[[#@LINE+2]]:{{.*}}error: 'arith.fptosi' op takes a value that 'i8' cannot hold, which is undefined
  %a = arith.constant 128.0 : f32
  %y = arith.fptosi %a : f32 to i8
  return
}

func.func @cast_nan() {
  // CAST_NAN: :[[#@LINE+2]]:{{.*}}error: 'arith.fptoui' op takes a value that 'i32' cannot hold, which is undefined
  %a = arith.constant 0x7FC00000 : f32
  %y = arith.fptoui %a : f32 to i32
  return
}

func.func @loop_extents() {
  // LOOP_EXTENTS: :[[#@LINE+7]]:{{.*}}error: 'linalg.generic' op operands disagree on the extent of loop 0: 2 and 3
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %e = tensor.empty(%three, %three) : tensor<?x?xi32>
  %y = linalg.generic
    {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
     iterator_types = ["parallel", "parallel"]}
    ins(%d : tensor<?x?xi32>) outs(%e : tensor<?x?xi32>) {
  ^bb0(%a: i32, %b: i32):
    linalg.yield %a : i32
  } -> tensor<?x?xi32>
  return
}

func.func @convolution_bounds() {
  // CONVOLUTION_BOUNDS: :[[#@LINE+3]]:{{.*}}error: {{'linalg.conv_1d' op operand 0 is read or written out of bounds at \[3\] of \[3\]}}
  %x = arith.constant dense<1.0> : tensor<3xf32>
  %s = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %y = linalg.conv_1d ins(%s, %s : tensor<?xf32>, tensor<?xf32>)
                      outs(%s : tensor<?xf32>) -> tensor<?xf32>
  return
}

func.func @loop_step() {
  // LOOP_STEP: :[[#@LINE+3]]:{{.*}}error: 'scf.for' op needs a positive step, got 0
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %one step %zero {
  }
  return
}

func.func @resource_missing() {
  // RESOURCE_MISSING: :[[#@LINE+1]]:{{.*}}error: the resource 'missing' of a constant has no data
  %y = arith.constant dense_resource<missing> : tensor<2xf32>
  return
}

func.func @resource_size() {
  // RESOURCE_SIZE: :[[#@LINE+1]]:{{.*}}error: the resource 'short' must hold 8 bytes, got 4
  %y = arith.constant dense_resource<short> : tensor<2xf32>
  return
}

func.func @unranked() {
  %x = arith.constant dense<1.0> : tensor<2xf32>
  // UNRANKED: :[[#@LINE+1]]:{{.*}}error: 'tensor.cast' op result must be ranked for the interpreter, got 'tensor<*xf32>'
  %y = tensor.cast %x : tensor<2xf32> to tensor<*xf32>
  return
}

func.func @wide_constant() {
  // WIDE_CONSTANT: :[[#@LINE+1]]:{{.*}}error: the interpreter knows integers of 1 to 64 bits, got 'i128'
  %x = arith.constant 1 : i128
  return
}

func.func @wide_result() {
  %x = arith.constant 1 : i64
  // WIDE_RESULT: :[[#@LINE+1]]:{{.*}}error: the interpreter knows integers of 1 to 64 bits, got 'i65'
  %y = arith.extsi %x : i64 to i65
  return
}

func.func @unknown_op() {
  // UNKNOWN_OP: :[[#@LINE+6]]:{{.*}}error: the interpreter does not know 'tensor.rank'
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x?xi32>
  %y = tensor.rank %d : tensor<?x?xi32>
  return
}

func.func @unknown_math() {
  // UNKNOWN_MATH: :[[#@LINE+2]]:{{.*}}error: the interpreter does not know 'math.atan'
  %a = arith.constant 1.0 : f32
  %y = math.atan %a : f32
  return
}

func.func @recursion() {
  // RECURSION: :[[#@LINE+1]]:{{.*}}error: 'func.call' op is nested more than 200 calls deep
  call @recursion() : () -> ()
  return
}

// DECLARED: :[[#@LINE+1]]:{{.*}}error: function 'declared' has no body to evaluate
func.func private @declared()

// ARGUMENTS: :[[#@LINE+1]]:{{.*}}error: function 'arguments' takes 1 arguments, got 0
func.func @arguments(%x: f32) {
  return
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x040000000000803F"
    }
  }
#-}
