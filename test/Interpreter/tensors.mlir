// RUN: gnn-interpret %s --entry=shapes | FileCheck %s --check-prefix=SHAPE
// RUN: gnn-interpret %s --entry=slices | FileCheck %s --check-prefix=SLICE
// RUN: gnn-interpret %s --entry=makers | FileCheck %s --check-prefix=MAKE
// RUN: gnn-interpret %s --entry=structured | FileCheck %s --check-prefix=LINALG
// RUN: gnn-interpret %s --entry=control | FileCheck %s --check-prefix=CONTROL

// SHAPE: result 0: tensor<2x1x3xi32> = {{\[\[\[}}1, 2, 3]], {{\[\[}}4, 5, 6]]]
// SHAPE: result 1: tensor<6xi32> = [1, 2, 3, 4, 5, 6]
// SHAPE: result 2: tensor<3x2xi32> = {{\[\[}}1, 2], [3, 4], [5, 6]]
// SHAPE: result 3: index = 3
// SHAPE: result 4: i32 = 6
func.func @shapes() -> (tensor<?x1x3xi32>, tensor<?xi32>, tensor<?x2xi32>,
                        index, i32) {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %d = tensor.cast %x : tensor<2x3xi32> to tensor<?x3xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %0 = tensor.expand_shape %d [[0, 1], [2]] output_shape [%two, 1, 3]
    : tensor<?x3xi32> into tensor<?x1x3xi32>
  %1 = tensor.collapse_shape %d [[0, 1]] : tensor<?x3xi32> into tensor<?xi32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [%three, 2]
    : tensor<?xi32> into tensor<?x2xi32>
  %3 = tensor.dim %2, %zero : tensor<?x2xi32>
  %4 = tensor.extract %d[%one, %two] : tensor<?x3xi32>
  return %0, %1, %2, %3, %4
    : tensor<?x1x3xi32>, tensor<?xi32>, tensor<?x2xi32>, index, i32
}

// SLICE: result 0: tensor<2x2xi32> = {{\[\[}}1, 3], [7, 9]]
// A row, with the dimension dropped.
// SLICE: result 1: tensor<3xi32> = [4, 5, 6]
// SLICE: result 2: tensor<3x3xi32> = {{\[\[}}1, 2, 3], [4, 1, 3], [7, 7, 9]]
// SLICE: result 3: tensor<3x3xi32> = {{\[\[}}1, 4, 3], [4, 5, 6], [7, 6, 9]]
// SLICE: result 4: tensor<0x3xi32> = []
// SLICE: result 5: tensor<3x5xi32> = {{\[\[}}1, 2, 3, 1, 3], [4, 5, 6, 7, 9], [7, 8, 9, 0, 0]]
// SLICE: result 6: tensor<3x3xi32> = {{\[\[}}1, 2, 3], [4, 5, 6], [7, 8, -1]]
func.func @slices() -> (tensor<2x2xi32>, tensor<3xi32>, tensor<3x3xi32>,
                        tensor<3x3xi32>, tensor<?x3xi32>, tensor<3x5xi32>,
                        tensor<3x3xi32>) {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi32>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %0 = tensor.extract_slice %x[0, 0] [2, 2] [2, 2]
    : tensor<3x3xi32> to tensor<2x2xi32>
  %1 = tensor.extract_slice %x[1, 0] [1, 3] [1, 1]
    : tensor<3x3xi32> to tensor<3xi32>
  %2 = tensor.insert_slice %0 into %x[1, 1] [2, 2] [1, 1]
    : tensor<2x2xi32> into tensor<3x3xi32>
  %pair = arith.constant dense<[4, 6]> : tensor<2xi32>
  %3 = tensor.insert_slice %pair into %x[0, 1] [2, 1] [2, 1]
    : tensor<2xi32> into tensor<3x3xi32>
  %4 = tensor.extract_slice %x[%three, 0] [%zero, 3] [1, 1]
    : tensor<3x3xi32> to tensor<?x3xi32>
  %zeros = arith.constant dense<0> : tensor<1x2xi32>
  %right = tensor.concat dim(0) %0, %zeros
    : (tensor<2x2xi32>, tensor<1x2xi32>) -> tensor<3x2xi32>
  %5 = tensor.concat dim(1) %x, %right
    : (tensor<3x3xi32>, tensor<3x2xi32>) -> tensor<3x5xi32>
  %minus = arith.constant -1 : i32
  %6 = tensor.insert %minus into %x[%two, %two] : tensor<3x3xi32>
  return %0, %1, %2, %3, %4, %5, %6
    : tensor<2x2xi32>, tensor<3xi32>, tensor<3x3xi32>, tensor<3x3xi32>,
      tensor<?x3xi32>, tensor<3x5xi32>, tensor<3x3xi32>
}

// What was never written is undefined: NaN, or a conspicuous integer.
// MAKE: result 0: tensor<2xf32> = [nan, nan]
// MAKE: result 1: tensor<1xi32> = [3735928559]
// MAKE: result 2: tensor<2x2xi32> = {{\[\[}}5, 5], [5, 5]]
// MAKE: result 3: tensor<2xf32> = [1, 2]
// MAKE: result 4: tensor<2x3xindex> = {{\[\[}}0, 1, 2], [10, 11, 12]]
func.func @makers() -> (tensor<?xf32>, tensor<1xi32>, tensor<?x2xi32>,
                        tensor<2xf32>, tensor<?x3xindex>) {
  %two = arith.constant 2 : index
  %five = arith.constant 5 : i32
  %a = arith.constant 1.0 : f32
  %b = arith.constant 2.0 : f32
  %ten = arith.constant 10 : index
  %0 = tensor.empty(%two) : tensor<?xf32>
  %1 = tensor.empty() : tensor<1xi32>
  %2 = tensor.splat %five[%two] : tensor<?x2xi32>
  %3 = tensor.from_elements %a, %b : tensor<2xf32>
  %4 = tensor.generate %two {
  ^bb0(%i: index, %j: index):
    %x = arith.muli %i, %ten : index
    %y = arith.addi %x, %j : index
    tensor.yield %y : index
  } : tensor<?x3xindex>
  return %0, %1, %2, %3, %4
    : tensor<?xf32>, tensor<1xi32>, tensor<?x2xi32>, tensor<2xf32>,
      tensor<?x3xindex>
}

// [1 2; 3 4] times [5; 6] plus 100.
// LINALG: result 0: tensor<2x1xf32> = {{\[\[}}117], [139]]
// LINALG: result 1: tensor<2x2xf32> = {{\[\[}}1, 3], [2, 4]]
// LINALG: result 2: tensor<2xf32> = [2, 4]
// LINALG: result 3: tensor<2x2xf32> = {{\[\[}}7, 7], [7, 7]]
// The index of row and column, and the largest of each row along the way.
// LINALG: result 4: tensor<2x2xindex> = {{\[\[}}0, 1], [10, 11]]
// LINALG: result 5: tensor<2xf32> = [2, 4]
// A convolution: 1 * 10 + 2 * 1, 2 * 10 + 3 * 1.
// LINALG: result 6: tensor<2xf32> = [12, 23]
func.func @structured() -> (tensor<2x1xf32>, tensor<2x2xf32>, tensor<2xf32>,
                            tensor<2x2xf32>, tensor<2x2xindex>, tensor<2xf32>,
                            tensor<2xf32>) {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = arith.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32>
  %init = arith.constant dense<100.0> : tensor<2x1xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<2x2xf32>, tensor<2x1xf32>)
                     outs(%init : tensor<2x1xf32>) -> tensor<2x1xf32>
  %square = tensor.empty() : tensor<2x2xf32>
  %1 = linalg.transpose ins(%x : tensor<2x2xf32>)
                        outs(%square : tensor<2x2xf32>) permutation = [1, 0]
  %zeros = arith.constant dense<0.0> : tensor<2xf32>
  %2 = linalg.reduce ins(%x : tensor<2x2xf32>) outs(%zeros : tensor<2xf32>)
    dimensions = [1]
    (%in: f32, %out: f32) {
      %max = arith.maximumf %in, %out : f32
      linalg.yield %max : f32
    }
  %seven = arith.constant 7.0 : f32
  %3 = linalg.fill ins(%seven : f32) outs(%square : tensor<2x2xf32>)
    -> tensor<2x2xf32>
  %numbers = tensor.empty() : tensor<2x2xindex>
  %ten = arith.constant 10 : index
  %4:2 = linalg.generic
    {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
     iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<2x2xf32>)
    outs(%numbers, %zeros : tensor<2x2xindex>, tensor<2xf32>) {
  ^bb0(%in: f32, %number: index, %largest: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.muli %i, %ten : index
    %b = arith.addi %a, %j : index
    %c = arith.maximumf %in, %largest : f32
    linalg.yield %b, %c : index, f32
  } -> (tensor<2x2xindex>, tensor<2xf32>)
  %signal = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %kernel = arith.constant dense<[10.0, 1.0]> : tensor<2xf32>
  %5 = linalg.conv_1d ins(%signal, %kernel : tensor<3xf32>, tensor<2xf32>)
                      outs(%zeros : tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4#0, %4#1, %5
    : tensor<2x1xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>,
      tensor<2x2xindex>, tensor<2xf32>, tensor<2xf32>
}

func.func private @factorial(%n: i64) -> i64 {
  %one = arith.constant 1 : i64
  %isSmall = arith.cmpi sle, %n, %one : i64
  %r = scf.if %isSmall -> i64 {
    scf.yield %one : i64
  } else {
    %m = arith.subi %n, %one : i64
    %s = func.call @factorial(%m) : (i64) -> i64
    %p = arith.muli %n, %s : i64
    scf.yield %p : i64
  }
  return %r : i64
}

// CONTROL: result 0: i64 = 720
// The sum of 1, 4, 7 and the last index; none where there is nothing to run.
// CONTROL: result 1: index = 12
// CONTROL: result 2: index = 7
// CONTROL: result 3: index = 5
func.func @control() -> (i64, index, index, index) {
  %six = arith.constant 6 : i64
  %0 = call @factorial(%six) : (i64) -> i64
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %five = arith.constant 5 : index
  %ten = arith.constant 10 : index
  %1:2 = scf.for %i = %one to %ten step %three
      iter_args(%sum = %zero, %last = %zero) -> (index, index) {
    %s = arith.addi %sum, %i : index
    scf.yield %s, %i : index, index
  }
  %2 = scf.for %i = %ten to %one step %three iter_args(%x = %five) -> index {
    scf.yield %i : index
  }
  return %0, %1#0, %1#1, %2 : i64, index, index, index
}
