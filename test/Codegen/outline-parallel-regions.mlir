// RUN: gnn-opt --gnn-outline-parallel-regions %s | FileCheck %s
// RUN: gnn-opt --gnn-outline-parallel-regions=wide-vector=16 %s \
// RUN:   | FileCheck %s --check-prefix=NARROW

// What a region uses are arguments, and constants its own.
// CHECK-LABEL: func private @one.parallel(
// CHECK-SAME: %[[LARGE:.*]]: i1, %[[Y:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK-NOT: passthrough
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2.0
// CHECK: omp.parallel if(%[[LARGE]])
// CHECK: omp.loop_nest (%[[I:.*]]) : index = (%[[C0]]) to (%[[N]]) step (%[[C1]])
// CHECK: memref.store %[[TWO]], %[[Y]][%[[I]]]
// CHECK: return

// CHECK-LABEL: func @one(
// CHECK-SAME: %[[Y:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK: %[[LARGE:.*]] = arith.cmpi
// CHECK-NEXT: call @one.parallel(%[[LARGE]], %[[Y]], %[[N]])
// CHECK-NEXT: return
func.func @one(%y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %large = arith.cmpi sgt, %n, %c1 : index
  omp.parallel if(%large) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.store %two, %y[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Equal regions are one function, which is not put into its callers again, and
// one that stores another number is not.
// CHECK-LABEL: func private @equal.parallel(
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: arith.constant 2.0
// CHECK-LABEL: func private @equal.parallel_0(
// CHECK-NOT: passthrough
// CHECK: arith.constant 3.0

// CHECK-LABEL: func @equal(
// CHECK-SAME: %[[X:.*]]: memref<f32>, %[[Y:.*]]: memref<f32>)
// CHECK: call @equal.parallel(%[[X]])
// CHECK-NEXT: call @equal.parallel(%[[Y]])
// CHECK-NEXT: call @equal.parallel_0(%[[Y]])
func.func @equal(%x: memref<f32>, %y: memref<f32>) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  omp.parallel {
    memref.store %two, %x[] : memref<f32>
    omp.terminator
  }
  omp.parallel {
    memref.store %two, %y[] : memref<f32>
    omp.terminator
  }
  omp.parallel {
    memref.store %three, %y[] : memref<f32>
    omp.terminator
  }
  return
}

// Wide vectors from memory that only others write to, and what is made of them.
// Narrow ones are handed over.
// CHECK-LABEL: func private @bias.parallel(
// CHECK-SAME: %[[B:[^:]*]]: memref<128xf32>, %{{[^:]*}}: memref<128xf32>, %{{[^:]*}}: vector<16xf32>)
// CHECK-DAG: %[[GLOBAL:.*]] = memref.get_global
// CHECK: omp.parallel
// CHECK-DAG: %[[ONE:.*]] = vector.load %[[B]]
// CHECK-DAG: vector.broadcast %[[ONE]]
// CHECK-DAG: %[[THREE:.*]] = vector.transfer_read %[[GLOBAL]]
// CHECK-DAG: vector.shape_cast %[[THREE]]
// CHECK: vector.store

// CHECK-LABEL: func @bias(
// CHECK: vector.load {{.*}} vector<16xf32>
// CHECK-NOT: vector
// CHECK: call @bias.parallel
// CHECK-NEXT: return

// NARROW-LABEL: func private @bias.parallel(
// NARROW-NOT: vector
// NARROW: omp.parallel
// NARROW: vector.load {{.*}} vector<16xf32>
// NARROW: return
memref.global "private" constant @weights : memref<2x64xf32> = dense<1.0>
func.func @bias(%n: memref<16xf32>, %b: memref<128xf32>, %y: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %narrow = vector.load %n[%c0] : memref<16xf32>, vector<16xf32>
  %one = vector.load %b[%c0] : memref<128xf32>, vector<128xf32>
  %two = vector.broadcast %one : vector<128xf32> to vector<2x128xf32>
  %weights = memref.get_global @weights : memref<2x64xf32>
  %read = vector.transfer_read %weights[%c0, %c0], %zero {in_bounds = [true, true]}
    : memref<2x64xf32>, vector<2x64xf32>
  %three = vector.shape_cast %read : vector<2x64xf32> to vector<128xf32>
  omp.parallel {
    %sum = vector.multi_reduction <add>, %two, %three [0]
      : vector<2x128xf32> to vector<128xf32>
    vector.store %sum, %y[%c0] : memref<128xf32>, vector<128xf32>
    vector.store %narrow, %y[%c0] : memref<128xf32>, vector<16xf32>
    omp.terminator
  }
  return
}

// Not from what the region writes to, by whatever name, nor where it is not
// alone.
// CHECK-LABEL: func private @written.parallel(
// CHECK-NOT: vector.load
// CHECK-LABEL: func @written(
// CHECK-COUNT-4: vector.load
// CHECK: call @written.parallel
func.func @written(%x: memref<128xf32>, %view: memref<2x128xf32>,
                   %selected: memref<128xf32>, %b: memref<128xf32>, %any: i1)
    -> vector<128xf32> {
  %c0 = arith.constant 0 : index
  %one = vector.load %x[%c0] : memref<128xf32>, vector<128xf32>
  %row = memref.subview %view[1, 0] [1, 128] [1, 1]
    : memref<2x128xf32> to memref<128xf32, strided<[1], offset: 128>>
  %two = vector.load %view[%c0, %c0] : memref<2x128xf32>, vector<128xf32>
  %three = vector.load %selected[%c0] : memref<128xf32>, vector<128xf32>
  %other = arith.select %any, %x, %selected : memref<128xf32>
  %four = vector.load %b[%c0] : memref<128xf32>, vector<128xf32>
  omp.parallel {
    vector.store %one, %x[%c0] : memref<128xf32>, vector<128xf32>
    vector.store %two, %row[%c0]
      : memref<128xf32, strided<[1], offset: 128>>, vector<128xf32>
    vector.store %three, %other[%c0] : memref<128xf32>, vector<128xf32>
    vector.store %four, %x[%c0] : memref<128xf32>, vector<128xf32>
    omp.terminator
  }
  return %four : vector<128xf32>
}

// Buffers of the function itself may be freed, and others be where they were;
// functions that are called may write.
// CHECK-LABEL: func private @allocated.parallel(
// CHECK-NOT: vector.load
// CHECK-LABEL: func @allocated(
// CHECK-COUNT-2: vector.load
func.func private @change(memref<128xf32>)
func.func @allocated(%x: memref<128xf32>, %y: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %buffer = memref.alloc() : memref<128xf32>
  %one = vector.load %buffer[%c0] : memref<128xf32>, vector<128xf32>
  memref.dealloc %buffer : memref<128xf32>
  %two = vector.load %x[%c0] : memref<128xf32>, vector<128xf32>
  call @change(%x) : (memref<128xf32>) -> ()
  omp.parallel {
    vector.store %one, %y[%c0] : memref<128xf32>, vector<128xf32>
    vector.store %two, %y[%c0] : memref<128xf32>, vector<128xf32>
    omp.terminator
  }
  return
}

// Reading a part, its size and asking for it early writes nothing.
// CHECK-LABEL: func private @parts.parallel(
// CHECK: vector.load
// CHECK-LABEL: func @parts(
// CHECK-NOT: vector.load
// CHECK: return
func.func @parts(%x: memref<?x128xf32>, %y: memref<128xf32>) -> index {
  %c0 = arith.constant 0 : index
  %one = vector.load %x[%c0, %c0] : memref<?x128xf32>, vector<128xf32>
  %row = memref.subview %x[0, 0] [1, 128] [1, 1]
    : memref<?x128xf32> to memref<128xf32, strided<[1]>>
  %size = memref.dim %x, %c0 : memref<?x128xf32>
  omp.parallel {
    memref.prefetch %x[%c0, %c0], read, locality<3>, data : memref<?x128xf32>
    %first = memref.load %row[%c0] : memref<128xf32, strided<[1]>>
    memref.store %first, %y[%c0] : memref<128xf32>
    vector.store %one, %y[%c0] : memref<128xf32>, vector<128xf32>
    omp.terminator
  }
  return %size : index
}

// Functions share with each other, whatever is around their regions, and names
// that are taken stay so.
// CHECK: func private @taken.parallel()
// CHECK-LABEL: func private @taken.parallel_{{[0-9]+}}(
// CHECK: arith.constant 5.0
// CHECK: func @taken(
// CHECK: scf.for
// CHECK-NEXT: func.call @[[SHARED:taken.parallel_[0-9]+]]
// CHECK: func @other(
// CHECK: call @[[SHARED]](
// CHECK-NOT: func private @other.parallel
func.func private @taken.parallel()
func.func @taken(%x: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    omp.parallel {
      memref.store %five, %x[] : memref<f32>
      omp.terminator
    }
  }
  return
}
func.func @other(%x: memref<f32>) {
  %five = arith.constant 5.0 : f32
  omp.parallel {
    memref.store %five, %x[] : memref<f32>
    omp.terminator
  }
  return
}

// Regions are different where they use arguments in another order.
// CHECK-LABEL: func private @order.parallel(
// CHECK-LABEL: func private @order.parallel_
// CHECK-LABEL: func @order(
func.func @order(%x: memref<f32>, %y: memref<f32>, %a: f32, %b: f32) {
  omp.parallel {
    memref.store %a, %x[] : memref<f32>
    memref.store %b, %x[] : memref<f32>
    omp.terminator
  }
  omp.parallel {
    memref.store %a, %x[] : memref<f32>
    memref.store %b, %y[] : memref<f32>
    omp.terminator
  }
  return
}

// One inside of another stays there, and functions without any as they are.
// CHECK-LABEL: func private @nested.parallel(
// CHECK: omp.parallel
// CHECK: omp.parallel
// CHECK-LABEL: func @nested(
// CHECK-NOT: omp.parallel
// CHECK: return
func.func @nested(%x: memref<f32>) {
  %two = arith.constant 2.0 : f32
  omp.parallel {
    omp.parallel {
      memref.store %two, %x[] : memref<f32>
      omp.terminator
    }
    omp.terminator
  }
  return
}

// Regions of a function that LLVM is to make small are made small as well, unless
// others have the same.
// CHECK-LABEL: func private @small.parallel(
// CHECK-SAME: passthrough = ["optsize"]
// CHECK: arith.constant 1.4{{0+}}e+01
// CHECK-LABEL: func private @small.parallel_{{[0-9]+}}(
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: arith.constant 1.5{{0+}}e+01
// CHECK-LABEL: func private @small.parallel_{{[0-9]+}}(
// CHECK-SAME: passthrough = ["noinline", "optsize"]
// CHECK: arith.constant 1.6{{0+}}e+01
// CHECK-LABEL: func @small(
func.func @small(%x: memref<f32>) attributes {passthrough = ["optsize"]} {
  %fourteen = arith.constant 14.0 : f32
  %fifteen = arith.constant 15.0 : f32
  %sixteen = arith.constant 16.0 : f32
  omp.parallel {
    memref.store %fourteen, %x[] : memref<f32>
    omp.terminator
  }
  omp.parallel {
    memref.store %fifteen, %x[] : memref<f32>
    omp.terminator
  }
  omp.parallel {
    memref.store %sixteen, %x[] : memref<f32>
    omp.terminator
  }
  omp.parallel {
    memref.store %sixteen, %x[] : memref<f32>
    omp.terminator
  }
  return
}

func.func @large(%x: memref<f32>) {
  %fifteen = arith.constant 15.0 : f32
  omp.parallel {
    memref.store %fifteen, %x[] : memref<f32>
    omp.terminator
  }
  return
}
