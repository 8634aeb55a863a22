// RUN: gnn-opt --gnn-prefetch-rows --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-prefetch-rows="max-lines=1 minimum-bytes=1000" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=FEW

// One prefetch for each line of 64 bytes, of the row 16 edges ahead or the last.
// CHECK-LABEL: func @sum
// CHECK-SAME: %[[COLUMNS:[a-z0-9]+]]: memref<?xi32>, %[[X:[a-z0-9]+]]: memref<?x32xf32>
// CHECK: %[[ROWS:.*]] = memref.dim %[[X]]
// CHECK: %[[C128:.*]] = arith.constant 128 : index
// CHECK: %[[BYTES:.*]] = arith.muli %[[ROWS]], %[[C128]]
// CHECK: %[[LEAST:.*]] = arith.constant 4194304 : index
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %[[BYTES]], %[[LEAST]]
// CHECK: %[[EDGES:.*]] = memref.dim %[[COLUMNS]]
// CHECK: %[[LAST:.*]] = arith.subi %[[EDGES]]
// CHECK: %[[AHEAD:.*]] = arith.constant 16 : index
// CHECK: scf.for %[[P:[a-z0-9]+]] =
// CHECK-NEXT: scf.if %[[MANY]] {
// CHECK-NEXT: %[[Q:.*]] = arith.addi %[[P]], %[[AHEAD]]
// CHECK-NEXT: %[[CLAMPED:.*]] = arith.minui %[[Q]], %[[LAST]]
// CHECK-NEXT: %[[COLUMN:.*]] = memref.load %[[COLUMNS]][%[[CLAMPED]]]
// CHECK-NEXT: %[[ROW:.*]] = arith.index_cast %[[COLUMN]]
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.prefetch %[[X]][%[[ROW]], %[[C0]]], read, locality<3>, data
// CHECK-NEXT: %[[C16:.*]] = arith.constant 16 : index
// CHECK-NEXT: memref.prefetch %[[X]][%[[ROW]], %[[C16]]], read, locality<3>, data
// CHECK-NEXT: }
// CHECK-NEXT: memref.load %[[COLUMNS]][%[[P]]]

// FEW-LABEL: func @sum
// FEW: arith.constant 1000 : index
// FEW-COUNT-1: memref.prefetch
// FEW-NOT: memref.prefetch
// FEW-LABEL: func @wide
func.func @sum(%columns: memref<?xi32>, %x: memref<?x32xf32>, %begin: index,
               %end: index, %zero: vector<32xf32>) -> vector<32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %s = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero)
      -> (vector<32xf32>) {
    %c = memref.load %columns[%p] : memref<?xi32>
    %j = arith.index_cast %c : i32 to index
    %r = vector.transfer_read %x[%j, %c0], %pad {in_bounds = [true]}
      : memref<?x32xf32>, vector<32xf32>
    %n = arith.addf %acc, %r : vector<32xf32>
    scf.yield %n : vector<32xf32>
  }
  return %s : vector<32xf32>
}

// -----

// Rows of 2 KiB: 4 of them are 8 KiB. Of a view, only what it shows. They are
// asked for in smaller buffers as well.
// CHECK-LABEL: func @wide
// CHECK: arith.constant 1048576 : index
// CHECK: arith.constant 4 : index
// CHECK-COUNT-32: memref.prefetch %{{.*}} : memref<?x8x64xf32>
// CHECK-NOT: memref.prefetch %{{.*}} : memref<?x8x64xf32>
// CHECK: memref.prefetch %{{.*}} : memref<?x4x32xf32>
// CHECK-COUNT-1: memref.prefetch %{{.*}} : memref<?x4x32xf32>
// CHECK-NOT: memref.prefetch
func.func private @use(f32)
func.func @wide(%columns: memref<?xindex>, %x: memref<?x8x64xf32>,
                %y: memref<?x4x32xf32>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.for %p = %begin to %end step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0, %c0], %pad {in_bounds = [true, true]}
      : memref<?x8x64xf32>, vector<8x64xf32>
    %a = vector.extract %r[0, 0] : f32 from vector<8x64xf32>
    func.call @use(%a) : (f32) -> ()
  }
  scf.for %p = %begin to %end step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %v = memref.subview %y[%j, 1, 0] [1, 1, 32] [1, 1, 1]
      : memref<?x4x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    %a = memref.load %v[%c0] : memref<32xf32, strided<[1], offset: ?>>
    func.call @use(%a) : (f32) -> ()
  }
  return
}

// -----

// Places that a loop inside moves over are all of the row.
// CHECK-LABEL: func @inner
// CHECK-COUNT-2: memref.prefetch
func.func @inner(%columns: memref<?xindex>, %x: memref<?x32xf32>,
                 %begin: index, %end: index, %out: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %p = %begin to %end step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    scf.for %f = %c0 to %c32 step %c1 {
      %a = memref.load %x[%j, %f] : memref<?x32xf32>
      memref.store %a, %out[] : memref<f32>
    }
  }
  return
}

// -----

// Neither rows in order nor rows of a buffer made inside.
// CHECK-LABEL: func @not_gathered
// CHECK-NOT: memref.prefetch
func.func private @make() -> memref<?x32xf32>
func.func private @use(f32)
func.func @not_gathered(%columns: memref<?xindex>, %x: memref<?x32xf32>,
                        %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %begin to %end step %c1 {
    %a = memref.load %x[%p, %c0] : memref<?x32xf32>
    func.call @use(%a) : (f32) -> ()
    %j = memref.load %columns[%p] : memref<?xindex>
    %y = func.call @make() : () -> memref<?x32xf32>
    %b = memref.load %y[%j, %c0] : memref<?x32xf32>
    func.call @use(%b) : (f32) -> ()
  }
  return
}

// -----

// Two entries in each step, of which the second may be the last one again.
// CHECK-LABEL: func @pairs
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C17:.*]] = arith.constant 17 : index
// CHECK: scf.for %[[P:[a-z0-9]+]] =
// CHECK-NEXT: scf.if
// CHECK-NEXT: arith.addi %[[P]], %[[C16]]
// CHECK-COUNT-2: memref.prefetch
// CHECK: arith.addi %[[P]], %[[C17]]
// CHECK-COUNT-2: memref.prefetch
// CHECK-NOT: scf.if
// CHECK-NOT: memref.prefetch
func.func private @use(vector<32xf32>, vector<32xf32>)
func.func @pairs(%columns: memref<?xindex>, %x: memref<?x32xf32>,
                 %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %last = arith.subi %end, %c1 : index
  scf.for %p = %begin to %end step %c2 {
    %i = memref.load %columns[%p] : memref<?xindex>
    %a = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x32xf32>, vector<32xf32>
    %next = arith.addi %p, %c1 : index
    %q = arith.minsi %next, %last : index
    %j = memref.load %columns[%q] : memref<?xindex>
    %b = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
      : memref<?x32xf32>, vector<32xf32>
    func.call @use(%a, %b) : (vector<32xf32>, vector<32xf32>) -> ()
  }
  return
}

// -----

// Where a step goes is not known, nor is anything read between two of them.
// CHECK-LABEL: func @step
// CHECK-NOT: memref.prefetch
func.func private @use(f32)
func.func @step(%columns: memref<?xindex>, %x: memref<?x32xf32>, %begin: index,
                %end: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %p = %begin to %end step %step {
    %j = memref.load %columns[%p] : memref<?xindex>
    %a = memref.load %x[%j, %c0] : memref<?x32xf32>
    func.call @use(%a) : (f32) -> ()
  }
  scf.for %p = %begin to %end step %c1 {
    %next = arith.addi %p, %c2 : index
    %j = memref.load %columns[%next] : memref<?xindex>
    %a = memref.load %x[%j, %c0] : memref<?x32xf32>
    func.call @use(%a) : (f32) -> ()
  }
  return
}

// -----

// Rows of destinations, 1 KiB each: four ahead are 4 KiB. What is written and
// short rows are not asked for.
// CHECK-LABEL: func @destinations
// CHECK-SAME: %[[POINTERS:[a-z0-9]+]]: memref<?xindex>, %[[K:[a-z0-9]+]]: memref<?x256xf32>
// CHECK: %[[AHEAD:.*]] = arith.constant 4 : index
// CHECK: %[[ROWS:.*]] = memref.dim %[[K]]
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]]
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK-NEXT: scf.if
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[I]], %[[AHEAD]]
// CHECK-NEXT: %[[CLAMPED:.*]] = arith.minui %[[NEXT]], %[[LAST]]
// CHECK-COUNT-16: memref.prefetch %[[K]][%[[CLAMPED]], %{{.*}}], read
// CHECK-NOT: memref.prefetch
func.func private @use(vector<256xf32>, vector<32xf32>)
func.func @destinations(%pointers: memref<?xindex>, %k: memref<?x256xf32>,
                        %a: memref<?x32xf32>, %y: memref<?x256xf32>,
                        %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %r = vector.transfer_read %k[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x256xf32>, vector<256xf32>
    %s = vector.transfer_read %a[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x32xf32>, vector<32xf32>
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      func.call @use(%r, %s) : (vector<256xf32>, vector<32xf32>) -> ()
    }
    %row = memref.subview %y[%i, 0] [1, 256] [1, 1]
      : memref<?x256xf32> to memref<256xf32, strided<[1], offset: ?>>
    vector.transfer_write %r, %row[%c0] {in_bounds = [true]}
      : vector<256xf32>, memref<256xf32, strided<[1], offset: ?>>
  }
  return
}

// -----

// Destinations in another order, if there is one: rows of those that are next in
// it, and that of the result, which is written out of order.
// CHECK-LABEL: func @ordered
// CHECK-SAME: %[[SORTED:[a-z0-9]+]]: i1, %[[ORDER:[a-z0-9]+]]: memref<?xi32>
// CHECK-SAME: %[[K:[a-z0-9]+]]: memref<?x64xf32>, %[[Y:[a-z0-9]+]]: memref<?x64xf32>
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]],
// CHECK: %[[CLAMPED:.*]] = arith.minui %[[NEXT]],
// CHECK: %[[AHEAD:.*]] = scf.if %[[SORTED]] -> (index) {
// CHECK:   %[[SIZE:.*]] = memref.dim %[[ORDER]]
// CHECK:   %[[LAST:.*]] = arith.subi %[[SIZE]],
// CHECK:   %[[PLACE:.*]] = arith.minui %[[CLAMPED]], %[[LAST]]
// CHECK:   memref.load %[[ORDER]][%[[PLACE]]]
// CHECK: } else {
// CHECK:   scf.yield %[[CLAMPED]]
// CHECK: }
// CHECK-COUNT-4: memref.prefetch %[[K]][%[[AHEAD]], %{{.*}}], read
// CHECK: scf.if %[[SORTED]] -> (index) {
// CHECK:   %[[ENTRY:.*]] = memref.load %[[ORDER]][%[[I]]]
// CHECK:   %[[ROW:.*]] = arith.index_cast %[[ENTRY]]
// CHECK-NOT: scf.if
// CHECK-COUNT-4: memref.prefetch %[[Y]][%[[ROW]], %{{.*}}], write
// CHECK-NOT: memref.prefetch
// CHECK:   scf.yield %[[ROW]]
// CHECK-NOT: memref.prefetch
func.func private @use(vector<64xf32>)
func.func @ordered(%sorted: i1, %order: memref<?xi32>, %k: memref<?x64xf32>,
                   %y: memref<?x64xf32>,
                   %pointers: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %row = scf.if %sorted -> (index) {
      %entry = memref.load %order[%i] : memref<?xi32>
      %number = arith.index_cast %entry : i32 to index
      scf.yield %number : index
    } else {
      scf.yield %i : index
    }
    %r = vector.transfer_read %k[%row, %c0], %zero {in_bounds = [true]}
      : memref<?x64xf32>, vector<64xf32>
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      func.call @use(%r) : (vector<64xf32>) -> ()
    }
    vector.transfer_write %r, %y[%row, %c0] {in_bounds = [true]}
      : vector<64xf32>, memref<?x64xf32>
  }
  return
}

// -----

// A line that is in a cache would be in the way of a store past the caches.
// CHECK-LABEL: func @ordered_stream
// CHECK-SAME: %[[LARGE:[a-z0-9]+]]: i1, %[[SORTED:[a-z0-9]+]]: i1
// CHECK: %[[PAST:.*]] = arith.ori %{{.*}}, %[[LARGE]]
// CHECK: %[[STAY:.*]] = arith.xori %[[PAST]], %true
// CHECK: scf.for
// CHECK: scf.if %[[SORTED]] -> (index) {
// CHECK:   scf.if %[[STAY]] {
// CHECK-COUNT-2: memref.prefetch %{{.*}}, write
// CHECK-NOT: memref.prefetch
func.func @ordered_stream(%large: i1, %sorted: i1, %order: memref<?xi32>,
                          %y: memref<?x32xf32>, %pointers: memref<?xindex>,
                          %n: index, %r: vector<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = scf.if %sorted -> (index) {
      %entry = memref.load %order[%i] : memref<?xi32>
      %number = arith.index_cast %entry : i32 to index
      scf.yield %number : index
    } else {
      scf.yield %i : index
    }
    %end = memref.load %pointers[%i] : memref<?xindex>
    %sum = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %r) -> (vector<32xf32>) {
      %next = arith.addf %acc, %r : vector<32xf32>
      scf.yield %next : vector<32xf32>
    }
    scf.if %large {
      vector.store %sum, %y[%row, %c0] {nontemporal = true}
        : memref<?x32xf32>, vector<32xf32>
    } else {
      vector.transfer_write %sum, %y[%row, %c0] {in_bounds = [true]}
        : vector<32xf32>, memref<?x32xf32>
    }
  }
  return
}

// -----

// More bytes of results would leave no room for rows that are read.
// CHECK-LABEL: func @ordered_results
// CHECK-NOT: memref.prefetch %{{.*}}, write
func.func @ordered_results(%sorted: i1, %order: memref<?xi32>,
                           %sums: memref<?x64xf32>, %maxima: memref<?x64xf32>,
                           %means: memref<?x64xf32>, %pointers: memref<?xindex>,
                           %n: index, %r: vector<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = scf.if %sorted -> (index) {
      %entry = memref.load %order[%i] : memref<?xi32>
      %number = arith.index_cast %entry : i32 to index
      scf.yield %number : index
    } else {
      scf.yield %i : index
    }
    %end = memref.load %pointers[%i] : memref<?xindex>
    %sum = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %r) -> (vector<64xf32>) {
      %next = arith.addf %acc, %r : vector<64xf32>
      scf.yield %next : vector<64xf32>
    }
    vector.transfer_write %sum, %sums[%row, %c0] {in_bounds = [true]}
      : vector<64xf32>, memref<?x64xf32>
    vector.transfer_write %sum, %maxima[%row, %c0] {in_bounds = [true]}
      : vector<64xf32>, memref<?x64xf32>
    vector.transfer_write %sum, %means[%row, %c0] {in_bounds = [true]}
      : vector<64xf32>, memref<?x64xf32>
  }
  return
}

// -----

// Without edges in between, a processor sees what comes next.
// CHECK-LABEL: func @consecutive
// CHECK-NOT: memref.prefetch
func.func private @use(vector<256xf32>)
func.func @consecutive(%k: memref<?x256xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %r = vector.transfer_read %k[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x256xf32>, vector<256xf32>
    scf.for %p = %c0 to %c4 step %c1 {
      func.call @use(%r) : (vector<256xf32>) -> ()
    }
  }
  return
}

// -----

// What an earlier loop along the same edges has read is there.
// CHECK-LABEL: func @again
// CHECK-COUNT-1: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func private @use(vector<16xf32>)
func.func @again(%pointers: memref<?xindex>, %columns: memref<?xindex>,
                 %x: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %begin = memref.load %pointers[%i] : memref<?xindex>
    %end = memref.load %pointers[%next] : memref<?xindex>
    scf.for %p = %begin to %end step %c1 {
      %j = memref.load %columns[%p] : memref<?xindex>
      %r = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
        : memref<?x16xf32>, vector<16xf32>
      func.call @use(%r) : (vector<16xf32>) -> ()
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %begin = memref.load %pointers[%i] : memref<?xindex>
    %end = memref.load %pointers[%next] : memref<?xindex>
    scf.for %p = %begin to %end step %c1 {
      %j = memref.load %columns[%p] : memref<?xindex>
      %r = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
        : memref<?x16xf32>, vector<16xf32>
      func.call @use(%r) : (vector<16xf32>) -> ()
    }
  }
  return
}

// -----

// Other edges, and another buffer.
// CHECK-LABEL: func @other_edges
// CHECK-COUNT-3: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func private @use(vector<16xf32>)
func.func @other_edges(%columns: memref<?xindex>, %x: memref<?x16xf32>,
                       %y: memref<?x16xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %p = %c0 to %n step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    func.call @use(%r) : (vector<16xf32>) -> ()
  }
  scf.for %p = %n to %m step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    func.call @use(%r) : (vector<16xf32>) -> ()
  }
  scf.for %p = %c0 to %n step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %y[%j, %c0], %zero {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    func.call @use(%r) : (vector<16xf32>) -> ()
  }
  return
}

// -----

// Wide rows that are read again: of their eight lines the first loop asks for
// four, and for the others where the second does not, 32 rows of 512 bytes ahead.
// CHECK-LABEL: func @shared
// CHECK-SAME: %[[COLUMNS:[a-z0-9]+]]: memref<?xindex>, %[[X:[a-z0-9]+]]: memref<?x128xf32>
// CHECK: %[[C1M:.*]] = arith.constant 1048576 : index
// CHECK: %[[ENOUGH:.*]] = arith.cmpi sge, %{{.*}}, %[[C1M]]
// CHECK: %[[C4M:.*]] = arith.constant 4194304 : index
// CHECK: %[[ALONE:.*]] = arith.cmpi slt, %{{.*}}, %[[C4M]]
// CHECK: scf.for
// CHECK-NEXT: scf.if %[[ENOUGH]] {
// CHECK: memref.prefetch %[[X]][%[[ROW:.*]], %c0{{.*}}]
// CHECK-COUNT-3: memref.prefetch %[[X]][%[[ROW]]
// CHECK-NEXT: scf.if %[[ALONE]] {
// CHECK-NEXT: %[[C64:.*]] = arith.constant 64 : index
// CHECK-NEXT: memref.prefetch %[[X]][%[[ROW]], %[[C64]]]
// CHECK-COUNT-3: memref.prefetch %[[X]][%[[ROW]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: %[[C4M:.*]] = arith.constant 4194304 : index
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %{{.*}}, %[[C4M]]
// CHECK: %[[AHEAD:.*]] = arith.constant 32 : index
// CHECK: scf.for %[[P:[a-z0-9]+]] =
// CHECK-NEXT: scf.if %[[MANY]] {
// CHECK-NEXT: arith.addi %[[P]], %[[AHEAD]]
// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK-NEXT: memref.prefetch %[[X]][%[[ROW:.*]], %[[C64]]]
// CHECK-COUNT-3: memref.prefetch %[[X]][%[[ROW]]
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func private @use(vector<128xf32>)
func.func @shared(%columns: memref<?xindex>, %x: memref<?x128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %p = %c0 to %n step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
      : memref<?x128xf32>, vector<128xf32>
    func.call @use(%r) : (vector<128xf32>) -> ()
  }
  scf.for %p = %c0 to %n step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
      : memref<?x128xf32>, vector<128xf32>
    func.call @use(%r) : (vector<128xf32>) -> ()
  }
  return
}

// -----

// A third loop asks for nothing, nor does one that reads a part.
// CHECK-LABEL: func @third
// CHECK-COUNT-12: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func private @use(vector<128xf32>)
func.func private @use_part(vector<16xf32>)
func.func @third(%columns: memref<?xindex>, %x: memref<?x128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %p = %c0 to %n step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
      : memref<?x128xf32>, vector<128xf32>
    func.call @use(%r) : (vector<128xf32>) -> ()
  }
  scf.for %p = %c0 to %n step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
      : memref<?x128xf32>, vector<16xf32>
    func.call @use_part(%r) : (vector<16xf32>) -> ()
  }
  scf.for %p = %c0 to %n step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
      : memref<?x128xf32>, vector<128xf32>
    func.call @use(%r) : (vector<128xf32>) -> ()
  }
  scf.for %p = %c0 to %n step %c1 {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
      : memref<?x128xf32>, vector<128xf32>
    func.call @use(%r) : (vector<128xf32>) -> ()
  }
  return
}

// -----

// Whether there is another order is found out in each step: rows further on cannot
// be told from it.
// CHECK-LABEL: func @choice_of_step
// CHECK: scf.forall
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @choice_of_step(%n: index, %pointers: memref<?xindex>,
                          %numbers: memref<?xi32>, %flags: memref<?xi1>,
                          %x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (%n) {
    %sorted = memref.load %flags[%i] : memref<?xi1>
    %row = scf.if %sorted -> (index) {
      %k = memref.load %numbers[%i] : memref<?xi32>
      %r = arith.index_cast %k : i32 to index
      scf.yield %r : index
    } else {
      scf.yield %i : index
    }
    %own = vector.transfer_read %x[%row, %c0], %pad {in_bounds = [true]}
      : memref<?x256xf32>, vector<256xf32>
    %end = memref.load %pointers[%i] : memref<?xindex>
    %s = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %own)
        -> (vector<256xf32>) {
      %a = arith.addf %acc, %acc : vector<256xf32>
      scf.yield %a : vector<256xf32>
    }
    vector.transfer_write %s, %y[%row, %c0] {in_bounds = [true]}
      : vector<256xf32>, memref<?x256xf32>
  }
  return
}

// -----

// Scores are asked for where they and the values that the same edges name have
// minimum-bytes together, and scores a fair part of these.
// CHECK-LABEL: func @together
// CHECK-SAME: %[[S:[a-z0-9]+]]: memref<?x8xf32>, %[[V:[a-z0-9]+]]: memref<?x64xf32>
// CHECK: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[SCORES:.*]] = arith.muli %{{.*}}, %[[C32]]
// CHECK: %[[SOME:.*]] = arith.constant 1048576 : index
// CHECK: %[[FAIR:.*]] = arith.cmpi sge, %[[SCORES]], %[[SOME]]
// CHECK: memref.dim %[[V]]
// CHECK: %[[ALL:.*]] = arith.addi
// CHECK: %[[LEAST:.*]] = arith.constant 4194304 : index
// CHECK: %[[ENOUGH:.*]] = arith.cmpi sge, %[[ALL]], %[[LEAST]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[FAIR]], %[[ENOUGH]]
// CHECK: scf.for
// CHECK-NEXT: scf.if %[[BOTH]]
// CHECK: memref.prefetch %[[S]]
func.func @together(%columns: memref<?xi32>, %s: memref<?x8xf32>,
                    %v: memref<?x64xf32>, %begin: index, %end: index,
                    %zero: vector<8xf32>, %zeros: vector<64xf32>)
    -> (vector<8xf32>, vector<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %total = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero)
      -> (vector<8xf32>) {
    %c = memref.load %columns[%p] : memref<?xi32>
    %j = arith.index_cast %c : i32 to index
    %r = vector.transfer_read %s[%j, %c0], %pad {in_bounds = [true]}
      : memref<?x8xf32>, vector<8xf32>
    %n = arith.addf %acc, %r : vector<8xf32>
    scf.yield %n : vector<8xf32>
  }
  %sum = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zeros)
      -> (vector<64xf32>) {
    %c = memref.load %columns[%p] : memref<?xi32>
    %j = arith.index_cast %c : i32 to index
    %r = vector.transfer_read %v[%j, %c0], %pad {in_bounds = [true]}
      : memref<?x64xf32>, vector<64xf32>
    %n = arith.addf %acc, %r : vector<64xf32>
    scf.yield %n : vector<64xf32>
  }
  return %total, %sum : vector<8xf32>, vector<64xf32>
}
