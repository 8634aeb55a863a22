// RUN: gnn-interpret %s --entry=constants | FileCheck %s --check-prefix=CONSTANT
// RUN: gnn-interpret %s --entry=floats | FileCheck %s --check-prefix=FLOAT
// RUN: gnn-interpret %s --entry=functions | FileCheck %s --check-prefix=FUNCTION
// RUN: gnn-interpret %s --entry=integers | FileCheck %s --check-prefix=INTEGER
// RUN: gnn-interpret %s --entry=comparisons | FileCheck %s --check-prefix=COMPARE
// RUN: gnn-interpret %s --entry=casts | FileCheck %s --check-prefix=CAST
// RUN: gnn-interpret %s --entry=tensors | FileCheck %s --check-prefix=TENSOR

// CONSTANT: result 0: f32 = 1.5
// CONSTANT: result 1: i1 = 1
// CONSTANT: result 2: i8 = -128
// CONSTANT: result 3: index = 7
// CONSTANT: result 4: tensor<2x2xi32> = {{\[\[}}3, 3], [3, 3]]
// CONSTANT: result 5: tensor<3xf16> = [1, -inf, nan]
// CONSTANT: result 6: tensor<2xi1> = [1, 0]
// CONSTANT: result 7: tensor<f64> = 0.1
// The resources below in little-endian bytes.
// CONSTANT: result 8: tensor<2xf32> = [1, -2]
// CONSTANT: result 9: tensor<3xi16> = [1, -1, 256]
// CONSTANT: result 10: tensor<1x2xbf16> = {{\[\[}}1, 2]]
func.func @constants() -> (f32, i1, i8, index, tensor<2x2xi32>, tensor<3xf16>,
                           tensor<2xi1>, tensor<f64>, tensor<2xf32>,
                           tensor<3xi16>, tensor<1x2xbf16>) {
  %0 = arith.constant 1.5 : f32
  %1 = arith.constant true
  %2 = arith.constant -128 : i8
  %3 = arith.constant 7 : index
  %4 = arith.constant dense<3> : tensor<2x2xi32>
  %5 = arith.constant dense<[1.0, 0xFC00, 0x7E00]> : tensor<3xf16>
  %6 = arith.constant dense<[true, false]> : tensor<2xi1>
  %7 = arith.constant dense<0.1> : tensor<f64>
  %8 = arith.constant dense_resource<floats> : tensor<2xf32>
  %9 = arith.constant dense_resource<shorts> : tensor<3xi16>
  %10 = arith.constant dense_resource<halves> : tensor<1x2xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10
    : f32, i1, i8, index, tensor<2x2xi32>, tensor<3xf16>, tensor<2xi1>,
      tensor<f64>, tensor<2xf32>, tensor<3xi16>, tensor<1x2xbf16>
}

// FLOAT: result 0: f64 = -0.5
// FLOAT: result 1: f64 = 2
// FLOAT: result 2: f64 = 1.25
// FLOAT: result 3: f64 = inf
// FLOAT: result 4: f64 = 0.75
// maximumf hands on a NaN, maxnumf drops it.
// FLOAT: result 5: f64 = nan
// FLOAT: result 6: f64 = 0.75
// FLOAT: result 7: f64 = nan
// FLOAT: result 8: f64 = 0.75
// Single precision would give 16777216 here: floats are float64 throughout.
// FLOAT: result 9: f32 = 1
func.func @floats() -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f32) {
  %a = arith.constant 0.75 : f64
  %b = arith.constant 1.25 : f64
  %zero = arith.constant 0.0 : f64
  %nan = arith.constant 0x7FF8000000000000 : f64
  %0 = arith.subf %a, %b : f64
  %1 = arith.addf %a, %b : f64
  %2 = arith.maximumf %a, %b : f64
  %3 = arith.divf %a, %zero : f64
  %4 = arith.minimumf %a, %b : f64
  %5 = arith.maximumf %a, %nan : f64
  %6 = arith.maxnumf %a, %nan : f64
  %7 = arith.minimumf %nan, %a : f64
  %8 = arith.minnumf %nan, %a : f64
  %big = arith.constant 16777216.0 : f32
  %one = arith.constant 1.0 : f32
  %sum = arith.addf %big, %one : f32
  %9 = arith.subf %sum, %big : f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9
    : f64, f64, f64, f64, f64, f64, f64, f64, f64, f32
}

// Each at 0.25.
// FUNCTION: result 0: f64 = 0.5
// FUNCTION: result 1: f64 = 2
// FUNCTION: result 2: f64 = 1.28403
// FUNCTION: result 3: f64 = 1.18921
// FUNCTION: result 4: f64 = 0.284025
// FUNCTION: result 5: f64 = -1.38629
// FUNCTION: result 6: f64 = -2
// FUNCTION: result 7: f64 = 0.223144
// FUNCTION: result 8: f64 = 0.244919
// FUNCTION: result 9: f64 = 0.276326
// FUNCTION: result 10: f64 = 0.0625
// FUNCTION: result 11: f64 = -0.25
// FUNCTION: result 12: f64 = 0.3125
// FUNCTION: result 13: f64 = 0.25
// FUNCTION: result 14: f64 = -1
// FUNCTION: result 15: f64 = 1
// FUNCTION: result 16: f64 = 0.247404
// FUNCTION: result 17: f64 = 0.968912
func.func @functions() -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64,
                           f64, f64, f64, f64, f64, f64, f64, f64) {
  %x = arith.constant 0.25 : f64
  %two = arith.constant 2.0 : f64
  %0 = math.sqrt %x : f64
  %1 = math.rsqrt %x : f64
  %2 = math.exp %x : f64
  %3 = math.exp2 %x : f64
  %4 = math.expm1 %x : f64
  %5 = math.log %x : f64
  %6 = math.log2 %x : f64
  %7 = math.log1p %x : f64
  %8 = math.tanh %x : f64
  %9 = math.erf %x : f64
  %10 = math.powf %x, %two : f64
  %11 = arith.negf %x : f64
  %12 = math.fma %x, %x, %x : f64
  %13 = math.absf %11 : f64
  %14 = math.floor %11 : f64
  %15 = math.ceil %x : f64
  %16 = math.sin %x : f64
  %17 = math.cos %x : f64
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,
         %16, %17
    : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64,
      f64, f64, f64
}

// Seven and minus two in eight bits; minus two is 254 without a sign.
// INTEGER: result 0: i8 = -3
// INTEGER: result 1: i8 = 1
// INTEGER: result 2: i8 = -4
// INTEGER: result 3: i8 = -3
// INTEGER: result 4: i8 = 0
// INTEGER: result 5: i8 = 7
// INTEGER: result 6: i8 = 7
// INTEGER: result 7: i8 = -2
// INTEGER: result 8: i8 = 6
// INTEGER: result 9: i8 = -1
// INTEGER: result 10: i8 = -7
// 7 << 7 loses all bits but one; -2 >> 1 is -1 with and 127 without a sign.
// INTEGER: result 11: i8 = -128
// INTEGER: result 12: i8 = -1
// INTEGER: result 13: i8 = 127
// INTEGER: result 14: i8 = 2
// INTEGER: result 15: i8 = 5
// INTEGER: result 16: i8 = 0
func.func @integers() -> (i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
                          i8, i8, i8, i8) {
  %a = arith.constant 7 : i8
  %b = arith.constant -2 : i8
  %one = arith.constant 1 : i8
  %0 = arith.divsi %a, %b : i8
  %1 = arith.remsi %a, %b : i8
  %2 = arith.floordivsi %a, %b : i8
  %3 = arith.ceildivsi %a, %b : i8
  %4 = arith.divui %a, %b : i8
  %5 = arith.remui %a, %b : i8
  %6 = arith.maxsi %a, %b : i8
  %7 = arith.maxui %a, %b : i8
  %8 = arith.andi %a, %b : i8
  %9 = arith.ori %a, %b : i8
  %10 = arith.xori %a, %b : i8
  %11 = arith.shli %a, %a : i8
  %12 = arith.shrsi %b, %one : i8
  %13 = arith.shrui %b, %one : i8
  %14 = math.absi %b : i8
  %15 = math.ctlz %a : i8
  %16 = math.ctlz %b : i8
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,
         %16
    : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8
}

// COMPARE: result 0: i1 = 1
// COMPARE: result 1: i1 = 0
// Nothing compares with a NaN, unless a comparison is unordered.
// COMPARE: result 2: i1 = 0
// COMPARE: result 3: i1 = 1
// COMPARE: result 4: i1 = 1
// True is -1 with a sign and 1 without.
// COMPARE: result 5: i1 = 1
// COMPARE: result 6: i1 = 0
// COMPARE: result 7: i32 = 2
func.func @comparisons() -> (i1, i1, i1, i1, i1, i1, i1, i32) {
  %a = arith.constant 1 : i32
  %b = arith.constant -1 : i32
  %x = arith.constant 1.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %true = arith.constant true
  %false = arith.constant false
  %0 = arith.cmpi sgt, %a, %b : i32
  %1 = arith.cmpi ugt, %a, %b : i32
  %2 = arith.cmpf oge, %x, %nan : f32
  %3 = arith.cmpf ult, %x, %nan : f32
  %4 = arith.cmpf uno, %nan, %nan : f32
  %5 = arith.cmpi slt, %true, %false : i1
  %6 = arith.cmpi ult, %true, %false : i1
  %c = arith.constant 2 : i32
  %7 = arith.select %1, %a, %c : i32
  return %0, %1, %2, %3, %4, %5, %6, %7
    : i1, i1, i1, i1, i1, i1, i1, i32
}

// CAST: result 0: f32 = -1
// CAST: result 1: f32 = 1
// CAST: result 2: f32 = 255
// CAST: result 3: i32 = -2
// CAST: result 4: i32 = 2
// CAST: result 5: i8 = 44
// CAST: result 6: i32 = -1
// CAST: result 7: i32 = 255
// CAST: result 8: index = -1
// Of casts between float types, one to 16 bits rounds.
// CAST: result 9: f16 = 0.333252
func.func @casts() -> (f32, f32, f32, i32, i32, i8, i32, i32, index, f16) {
  %true = arith.constant true
  %byte = arith.constant -1 : i8
  %negative = arith.constant -2.75 : f64
  %x = arith.constant 2.75 : f64
  %n = arith.constant 300 : i32
  %0 = arith.sitofp %true : i1 to f32
  %1 = arith.uitofp %true : i1 to f32
  %2 = arith.uitofp %byte : i8 to f32
  %3 = arith.fptosi %negative : f64 to i32
  %4 = arith.fptoui %x : f64 to i32
  %5 = arith.trunci %n : i32 to i8
  %6 = arith.extsi %byte : i8 to i32
  %7 = arith.extui %byte : i8 to i32
  %8 = arith.index_cast %byte : i8 to index
  %one = arith.constant 1.0 : f64
  %three = arith.constant 3.0 : f64
  %third = arith.divf %one, %three : f64
  %9 = arith.truncf %third : f64 to f16
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9
    : f32, f32, f32, i32, i32, i8, i32, i32, index, f16
}

// Elementwise, with one condition for all and one for each.
// TENSOR: result 0: tensor<2xf32> = [11, 22]
// TENSOR: result 1: tensor<2xf32> = [1, 2]
// TENSOR: result 2: tensor<2xf32> = [10, 2]
// TENSOR: result 3: tensor<2xi1> = [0, 0]
// TENSOR: result 4: tensor<0xf32> = []
func.func @tensors() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
                         tensor<2xi1>, tensor<0xf32>) {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %true = arith.constant true
  %mask = arith.constant dense<[false, true]> : tensor<2xi1>
  %none = arith.constant dense<[]> : tensor<0xf32>
  %0 = arith.addf %a, %b : tensor<2xf32>
  %1 = arith.select %true, %a, %b : tensor<2xf32>
  %2 = arith.select %mask, %a, %b : tensor<2xi1>, tensor<2xf32>
  %3 = arith.cmpf ogt, %a, %b : tensor<2xf32>
  %4 = math.exp %none : tensor<0xf32>
  return %0, %1, %2, %3, %4
    : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<0xf32>
}

// The first four bytes of a resource are its alignment.
{-#
  dialect_resources: {
    builtin: {
      floats: "0x040000000000803F000000C0",
      shorts: "0x020000000100FFFF0001",
      halves: "0x02000000803F0040"
    }
  }
#-}
