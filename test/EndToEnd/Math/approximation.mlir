// Approximated functions of f32 are within 3e-7 (two and a half units in the
// last place) of the C library's of f64: each model returns
// |approximation - exact| / |exact|, which is compared with 0. Infinities and
// NaN must be the same, and below the smallest normal number the error is
// relative to that. Exponentials in softmaxes have 5e-7, or 1.5e-6 where registers
// are full and the processor has AVX-512; bounded ones are between -80 and 80.
// Powers of 2 have 2e-7, or 5e-7, and 1e-6 where they are bounded, by 116.

// RUN: %python %S/make-values.py %t.npz
// RUN: split-file %s %t
// RUN: gnn-run %t/exp.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 3e-7
// RUN: gnn-compile %t/exp-softmax.mlir --tile-narrow-rows=false -o %t/exp-softmax.so
// RUN: gnn-run %t/exp-softmax.so --graph %t.npz --check %t.npz --rtol 0 --atol 5e-7
// RUN: gnn-run %t/exp-rows.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 1.5e-6
// RUN: gnn-run %t/exp-bounded.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 1.5e-6
// RUN: gnn-compile %t/exp2-softmax.mlir --tile-narrow-rows=false \
// RUN:   -o %t/exp2-softmax.so
// RUN: gnn-run %t/exp2-softmax.so --graph %t.npz --check %t.npz --rtol 0 --atol 2e-7
// RUN: gnn-run %t/exp2-rows.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 5e-7
// RUN: gnn-run %t/exp2-bounded.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 1e-6
// RUN: gnn-run %t/expm1.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 3e-7
// RUN: gnn-run %t/log.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 3e-7
// RUN: gnn-run %t/log1p.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 3e-7
// RUN: gnn-run %t/log1p-unit.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 3e-7
// RUN: gnn-run %t/tanh.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 3e-7
// RUN: gnn-run %t/erf.mlir --graph %t.npz --check %t.npz --rtol 0 --atol 3e-7

//--- exp.mlir
func.func @exp(%x: tensor<?xf32> {gnn.name = "x"})
    -> (tensor<?xf64> {gnn.name = "zero"}) {
  %approximate = math.exp %x : tensor<?xf32>
  %wide = arith.extf %x : tensor<?xf32> to tensor<?xf64>
  %exact = math.exp %wide : tensor<?xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?xf32>, tensor<?xf64>) -> tensor<?xf64>
  return %error : tensor<?xf64>
}
func.func private @relative_error(%approximate: tensor<?xf32>,
                                  %exact: tensor<?xf64>) -> tensor<?xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?xf32>, tensor<?xf64>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>], iterator_types = []} : tensor<?xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    %result = arith.select %same, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?xf64>
}

//--- exp-softmax.mlir
func.func @exp_softmax(%x: tensor<?xf32> {gnn.name = "x"})
    -> (tensor<?xf64> {gnn.name = "zero"}) {
  %magnitude = math.absf %x : tensor<?xf32>
  %negative = arith.negf %magnitude : tensor<?xf32>
  %approximate = math.exp %negative {gnn.never_positive} : tensor<?xf32>
  %wide = arith.extf %negative : tensor<?xf32> to tensor<?xf64>
  %exact = math.exp %wide : tensor<?xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?xf32>, tensor<?xf64>) -> tensor<?xf64>
  return %error : tensor<?xf64>
}
func.func private @relative_error(%approximate: tensor<?xf32>,
                                  %exact: tensor<?xf64>) -> tensor<?xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?xf32>, tensor<?xf64>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>], iterator_types = []} : tensor<?xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    %result = arith.select %same, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?xf64>
}

//--- exp-rows.mlir
func.func @exp_rows(%x: tensor<?x16xf32> {gnn.name = "rows"})
    -> (tensor<?x16xf64> {gnn.name = "zeros"}) {
  %magnitude = math.absf %x : tensor<?x16xf32>
  %negative = arith.negf %magnitude : tensor<?x16xf32>
  %approximate = math.exp %negative {gnn.never_positive} : tensor<?x16xf32>
  %wide = arith.extf %negative : tensor<?x16xf32> to tensor<?x16xf64>
  %exact = math.exp %wide : tensor<?x16xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?x16xf32>, tensor<?x16xf64>) -> tensor<?x16xf64>
  return %error : tensor<?x16xf64>
}
func.func private @relative_error(%approximate: tensor<?x16xf32>,
                                  %exact: tensor<?x16xf64>) -> tensor<?x16xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?x16xf32>, tensor<?x16xf64>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>,
                        affine_map<(f) -> (f)>], iterator_types = ["parallel"]} : tensor<?x16xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    // There, 0 will do.
    %none = arith.constant 0.0 : f32
    %is_none = arith.cmpf oeq, %got, %none : f32
    %is_small = arith.cmpf olt, %magnitude, %normal : f64
    %flushed = arith.andi %is_none, %is_small : i1
    %right = arith.ori %same, %flushed : i1
    %result = arith.select %right, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?x16xf64>
}

//--- exp-bounded.mlir
func.func @exp_bounded(%x: tensor<?x16xf32> {gnn.name = "rows"})
    -> (tensor<?x16xf64> {gnn.name = "zeros"}) {
  %bounded = gnn.update node(%x : tensor<?x16xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : tensor<?x16xf32> {
  ^bb0(%any: f32):
    %most = arith.constant 80.0 : f32
    %least = arith.constant -80.0 : f32
    %below = arith.minimumf %any, %most : f32
    %between = arith.maximumf %below, %least : f32
    gnn.yield %between : f32
  }
  %approximate = math.exp %bounded {gnn.bounded} : tensor<?x16xf32>
  %wide = arith.extf %bounded : tensor<?x16xf32> to tensor<?x16xf64>
  %exact = math.exp %wide : tensor<?x16xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?x16xf32>, tensor<?x16xf64>) -> tensor<?x16xf64>
  return %error : tensor<?x16xf64>
}
func.func private @relative_error(%approximate: tensor<?x16xf32>,
                                  %exact: tensor<?x16xf64>) -> tensor<?x16xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?x16xf32>, tensor<?x16xf64>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>,
                        affine_map<(f) -> (f)>], iterator_types = ["parallel"]} : tensor<?x16xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    // There, 0 will do.
    %none = arith.constant 0.0 : f32
    %is_none = arith.cmpf oeq, %got, %none : f32
    %is_small = arith.cmpf olt, %magnitude, %normal : f64
    %flushed = arith.andi %is_none, %is_small : i1
    %right = arith.ori %same, %flushed : i1
    %result = arith.select %right, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?x16xf64>
}

//--- exp2-softmax.mlir
func.func @exp2_softmax(%x: tensor<?xf32> {gnn.name = "x"})
    -> (tensor<?xf64> {gnn.name = "zero"}) {
  %magnitude = math.absf %x : tensor<?xf32>
  %negative = arith.negf %magnitude : tensor<?xf32>
  %approximate = math.exp2 %negative {gnn.never_positive} : tensor<?xf32>
  %wide = arith.extf %negative : tensor<?xf32> to tensor<?xf64>
  %exact = math.exp2 %wide : tensor<?xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?xf32>, tensor<?xf64>) -> tensor<?xf64>
  return %error : tensor<?xf64>
}
func.func private @relative_error(%approximate: tensor<?xf32>,
                                  %exact: tensor<?xf64>) -> tensor<?xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?xf32>, tensor<?xf64>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>], iterator_types = []} : tensor<?xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    // There, 0 will do.
    %none = arith.constant 0.0 : f32
    %is_none = arith.cmpf oeq, %got, %none : f32
    %is_small = arith.cmpf olt, %magnitude, %normal : f64
    %flushed = arith.andi %is_none, %is_small : i1
    %right = arith.ori %same, %flushed : i1
    %result = arith.select %right, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?xf64>
}

//--- exp2-rows.mlir
func.func @exp2_rows(%x: tensor<?x16xf32> {gnn.name = "rows"})
    -> (tensor<?x16xf64> {gnn.name = "zeros"}) {
  %magnitude = math.absf %x : tensor<?x16xf32>
  %negative = arith.negf %magnitude : tensor<?x16xf32>
  %approximate = math.exp2 %negative {gnn.never_positive} : tensor<?x16xf32>
  %wide = arith.extf %negative : tensor<?x16xf32> to tensor<?x16xf64>
  %exact = math.exp2 %wide : tensor<?x16xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?x16xf32>, tensor<?x16xf64>) -> tensor<?x16xf64>
  return %error : tensor<?x16xf64>
}
func.func private @relative_error(%approximate: tensor<?x16xf32>,
                                  %exact: tensor<?x16xf64>) -> tensor<?x16xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?x16xf32>, tensor<?x16xf64>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>,
                        affine_map<(f) -> (f)>], iterator_types = ["parallel"]} : tensor<?x16xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    // There, 0 will do.
    %none = arith.constant 0.0 : f32
    %is_none = arith.cmpf oeq, %got, %none : f32
    %is_small = arith.cmpf olt, %magnitude, %normal : f64
    %flushed = arith.andi %is_none, %is_small : i1
    %right = arith.ori %same, %flushed : i1
    %result = arith.select %right, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?x16xf64>
}

//--- exp2-bounded.mlir
func.func @exp2_bounded(%x: tensor<?x16xf32> {gnn.name = "rows"})
    -> (tensor<?x16xf64> {gnn.name = "zeros"}) {
  %bounded = gnn.update node(%x : tensor<?x16xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : tensor<?x16xf32> {
  ^bb0(%any: f32):
    %most = arith.constant 116.0 : f32
    %least = arith.constant -116.0 : f32
    %below = arith.minimumf %any, %most : f32
    %between = arith.maximumf %below, %least : f32
    gnn.yield %between : f32
  }
  %approximate = math.exp2 %bounded {gnn.bounded} : tensor<?x16xf32>
  %wide = arith.extf %bounded : tensor<?x16xf32> to tensor<?x16xf64>
  %exact = math.exp2 %wide : tensor<?x16xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?x16xf32>, tensor<?x16xf64>) -> tensor<?x16xf64>
  return %error : tensor<?x16xf64>
}
func.func private @relative_error(%approximate: tensor<?x16xf32>,
                                  %exact: tensor<?x16xf64>) -> tensor<?x16xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?x16xf32>, tensor<?x16xf64>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>,
                        affine_map<(f) -> (f)>], iterator_types = ["parallel"]} : tensor<?x16xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    // There, 0 will do.
    %none = arith.constant 0.0 : f32
    %is_none = arith.cmpf oeq, %got, %none : f32
    %is_small = arith.cmpf olt, %magnitude, %normal : f64
    %flushed = arith.andi %is_none, %is_small : i1
    %right = arith.ori %same, %flushed : i1
    %result = arith.select %right, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?x16xf64>
}

//--- expm1.mlir
func.func @expm1(%x: tensor<?xf32> {gnn.name = "x"})
    -> (tensor<?xf64> {gnn.name = "zero"}) {
  %approximate = math.expm1 %x : tensor<?xf32>
  %wide = arith.extf %x : tensor<?xf32> to tensor<?xf64>
  %exact = math.expm1 %wide : tensor<?xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?xf32>, tensor<?xf64>) -> tensor<?xf64>
  return %error : tensor<?xf64>
}
func.func private @relative_error(%approximate: tensor<?xf32>,
                                  %exact: tensor<?xf64>) -> tensor<?xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?xf32>, tensor<?xf64>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>], iterator_types = []} : tensor<?xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    %result = arith.select %same, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?xf64>
}

//--- log.mlir
func.func @log(%x: tensor<?xf32> {gnn.name = "x"})
    -> (tensor<?xf64> {gnn.name = "zero"}) {
  %a = math.absf %x : tensor<?xf32>
  %approximate = math.log %a : tensor<?xf32>
  %wide = arith.extf %a : tensor<?xf32> to tensor<?xf64>
  %exact = math.log %wide : tensor<?xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?xf32>, tensor<?xf64>) -> tensor<?xf64>
  return %error : tensor<?xf64>
}
func.func private @relative_error(%approximate: tensor<?xf32>,
                                  %exact: tensor<?xf64>) -> tensor<?xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?xf32>, tensor<?xf64>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>], iterator_types = []} : tensor<?xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    %result = arith.select %same, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?xf64>
}

//--- log1p.mlir
func.func @log1p(%x: tensor<?xf32> {gnn.name = "x"})
    -> (tensor<?xf64> {gnn.name = "zero"}) {
  %a = math.absf %x : tensor<?xf32>
  %approximate = math.log1p %a : tensor<?xf32>
  %wide = arith.extf %a : tensor<?xf32> to tensor<?xf64>
  %exact = math.log1p %wide : tensor<?xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?xf32>, tensor<?xf64>) -> tensor<?xf64>
  return %error : tensor<?xf64>
}
func.func private @relative_error(%approximate: tensor<?xf32>,
                                  %exact: tensor<?xf64>) -> tensor<?xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?xf32>, tensor<?xf64>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>], iterator_types = []} : tensor<?xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    %result = arith.select %same, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?xf64>
}

//--- log1p-unit.mlir
func.func @log1p_unit(%x: tensor<?xf32> {gnn.name = "x"})
    -> (tensor<?xf64> {gnn.name = "zero"}) {
  // 1 / (1 + |x|) is from 0 to 1.
  %magnitude = math.absf %x : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %ones = tensor.splat %one[%n] : tensor<?xf32>
  %sum = arith.addf %magnitude, %ones : tensor<?xf32>
  %a = arith.divf %ones, %sum : tensor<?xf32>
  %approximate = math.log1p %a {gnn.unit_interval} : tensor<?xf32>
  %wide = arith.extf %a : tensor<?xf32> to tensor<?xf64>
  %exact = math.log1p %wide : tensor<?xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?xf32>, tensor<?xf64>) -> tensor<?xf64>
  return %error : tensor<?xf64>
}
func.func private @relative_error(%approximate: tensor<?xf32>,
                                  %exact: tensor<?xf64>) -> tensor<?xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?xf32>, tensor<?xf64>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>], iterator_types = []} : tensor<?xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    %result = arith.select %same, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?xf64>
}

//--- tanh.mlir
func.func @tanh(%x: tensor<?xf32> {gnn.name = "x"})
    -> (tensor<?xf64> {gnn.name = "zero"}) {
  %approximate = math.tanh %x : tensor<?xf32>
  %wide = arith.extf %x : tensor<?xf32> to tensor<?xf64>
  %exact = math.tanh %wide : tensor<?xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?xf32>, tensor<?xf64>) -> tensor<?xf64>
  return %error : tensor<?xf64>
}
func.func private @relative_error(%approximate: tensor<?xf32>,
                                  %exact: tensor<?xf64>) -> tensor<?xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?xf32>, tensor<?xf64>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>], iterator_types = []} : tensor<?xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    %result = arith.select %same, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?xf64>
}

//--- erf.mlir
func.func @erf(%x: tensor<?xf32> {gnn.name = "x"})
    -> (tensor<?xf64> {gnn.name = "zero"}) {
  %approximate = math.erf %x : tensor<?xf32>
  %wide = arith.extf %x : tensor<?xf32> to tensor<?xf64>
  %exact = math.erf %wide : tensor<?xf64>
  %error = func.call @relative_error(%approximate, %exact)
    : (tensor<?xf32>, tensor<?xf64>) -> tensor<?xf64>
  return %error : tensor<?xf64>
}
func.func private @relative_error(%approximate: tensor<?xf32>,
                                  %exact: tensor<?xf64>) -> tensor<?xf64> {
  %error = gnn.update node(%approximate, %exact : tensor<?xf32>, tensor<?xf64>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                        affine_map<() -> ()>], iterator_types = []} : tensor<?xf64> {
  ^bb0(%got: f32, %wanted: f64):
    %zero = arith.constant 0.0 : f64
    // The smallest normal float32: below it, an absolute error counts.
    %normal = arith.constant 1.17549435e-38 : f64
    %rounded = arith.truncf %wanted : f64 to f32
    %equal = arith.cmpf oeq, %got, %rounded : f32
    %got_nan = arith.cmpf uno, %got, %got : f32
    %wanted_nan = arith.cmpf uno, %rounded, %rounded : f32
    %both_nan = arith.andi %got_nan, %wanted_nan : i1
    %same = arith.ori %equal, %both_nan : i1
    %wide = arith.extf %got : f32 to f64
    %difference = arith.subf %wide, %wanted : f64
    %distance = math.absf %difference : f64
    %magnitude = math.absf %wanted : f64
    %scale = arith.maximumf %magnitude, %normal : f64
    %ratio = arith.divf %distance, %scale : f64
    %result = arith.select %same, %zero, %ratio : f64
    gnn.yield %result : f64
  }
  return %error : tensor<?xf64>
}
