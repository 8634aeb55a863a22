// RUN: gnn-opt --gnn-stream-rows --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-stream-rows=minimum-bytes=100 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=SMALL
// RUN: gnn-opt --gnn-stream-rows="minimum-bytes=100 minimum-gathered-bytes=800" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=GATHERED
// RUN: gnn-opt --gnn-stream-rows=piece-bytes=16 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=PIECES

// Rows of two registers, in memory that begins with a line.
// CHECK-LABEL: func @sum
// CHECK: %[[Y:.*]] = memref.alloc(%[[N:.*]])
// CHECK: %[[SIZE:.*]] = arith.constant 128 : index
// CHECK: %[[ROWS:.*]] = memref.dim %[[Y]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[ROWS]], %[[SIZE]]
// CHECK: %[[LEAST:.*]] = arith.constant 16777216 : index
// CHECK: %[[LARGE:.*]] = arith.cmpi sge, %[[BYTES]], %[[LEAST]]
// CHECK: scf.forall (%[[I:.*]]) in
// CHECK: %[[ROW:.*]] = memref.subview %[[Y]][%[[I]], 0]
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: scf.if %[[LARGE]] {
// CHECK-NEXT: vector.store %[[SUM]], %[[ROW]][%{{.*}}] {alignment = 64 : i64, nontemporal = true}
// CHECK-NEXT: } else {
// CHECK-NEXT: vector.transfer_write %[[SUM]], %[[ROW]]{{.*}}
// CHECK-NEXT: }

// Where rows end is known, but not where they begin: each counts as one edge.
// GATHERED-LABEL: func @sum
// GATHERED: %[[BYTES:.*]] = arith.muli
// GATHERED: arith.cmpi sge, %[[BYTES]], %c100
// GATHERED: arith.cmpi sge, %[[BYTES]], %c800

// SMALL-LABEL: func @sum
// SMALL: arith.constant 100 : index
func.func @sum(%n: index, %pointers: memref<?xindex>, %x: memref<?x32xf32>)
    -> memref<?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x32xf32>
  scf.forall (%i) in (%n) {
    %row = memref.subview %y[%i, 0] [1, 32] [1, 1]
      : memref<?x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    %end = memref.load %pointers[%i] : memref<?xindex>
    %s = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero)
        -> (vector<32xf32>) {
      %r = vector.transfer_read %x[%p, %c0], %pad {in_bounds = [true]}
        : memref<?x32xf32>, vector<32xf32>
      %a = arith.addf %acc, %r : vector<32xf32>
      scf.yield %a : vector<32xf32>
    }
    vector.transfer_write %s, %row[%c0] {in_bounds = [true]}
      : vector<32xf32>, memref<32xf32, strided<[1], offset: ?>>
  }
  return %y : memref<?x32xf32>
}

// -----

// A vector of two dimensions, one row of it after the other.
// CHECK-LABEL: func @heads
// CHECK: scf.if
// CHECK: %[[FIRST:.*]] = vector.extract %{{.*}}[0] : vector<16xf32>
// CHECK: vector.store %[[FIRST]], %{{.*}}[%[[I:.*]], %{{.*}}, %{{.*}}] {alignment = 64 : i64, nontemporal = true}
// CHECK: %[[SECOND:.*]] = vector.extract %{{.*}}[1] : vector<16xf32>
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %[[C1]]
// CHECK: vector.store %[[SECOND]], %{{.*}}[%[[I]], %[[NEXT]], %{{.*}}] {alignment = 64 : i64, nontemporal = true}
// CHECK: } else {
func.func @heads(%n: index, %pointers: memref<?xindex>, %x: memref<?x2x16xf32>)
    -> memref<?x2x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<2x16xf32>
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x2x16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %pointers[%i] : memref<?xindex>
    %s = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero)
        -> (vector<2x16xf32>) {
      %r = vector.transfer_read %x[%p, %c0, %c0], %pad
        {in_bounds = [true, true]} : memref<?x2x16xf32>, vector<2x16xf32>
      %a = arith.addf %acc, %r : vector<2x16xf32>
      scf.yield %a : vector<2x16xf32>
    }
    vector.transfer_write %s, %y[%i, %c0, %c0] {in_bounds = [true, true]}
      : vector<2x16xf32>, memref<?x2x16xf32>
  }
  return %y : memref<?x2x16xf32>
}

// -----

// Memory of the caller, and rows that are no whole lines, stay as they are.
// CHECK-LABEL: func @others
// CHECK-NOT: nontemporal
func.func @others(%n: index, %pointers: memref<?xindex>, %y: memref<?x16xf32>)
    -> memref<?x20xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : vector<16xf32>
  %twenty = arith.constant dense<1.0> : vector<20xf32>
  %u = memref.alloc(%n) {alignment = 64 : i64} : memref<?x20xf32>
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      memref.store %p, %pointers[%p] : memref<?xindex>
    }
    vector.transfer_write %one, %y[%i, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32>
    vector.transfer_write %twenty, %u[%i, %c0] {in_bounds = [true]}
      : vector<20xf32>, memref<?x20xf32>
  }
  return %u : memref<?x20xf32>
}

// -----

// No edges are gathered.
// CHECK-LABEL: func @copy
// CHECK-NOT: nontemporal
func.func @copy(%n: index, %x: memref<?x16xf32>) -> memref<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %r = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    vector.transfer_write %r, %y[%i, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32>
  }
  return %y : memref<?x16xf32>
}

// -----

// Rows of heads as one vector.
// CHECK-LABEL: func @flat
// CHECK: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
func.func @flat(%n: index, %pointers: memref<?xindex>, %one: vector<16xf32>)
    -> memref<?x2x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x2x8xf32>
  %flat = memref.collapse_shape %y [[0], [1, 2]]
    : memref<?x2x8xf32> into memref<?x16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      memref.store %p, %pointers[%p] : memref<?xindex>
    }
    vector.transfer_write %one, %flat[%i, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32>
  }
  return %y : memref<?x2x8xf32>
}

// -----

// Results of one loop count together.
// CHECK-LABEL: func @several
// CHECK: %[[U:.*]] = memref.alloc
// CHECK: %[[V:.*]] = memref.alloc
// CHECK: %[[SIZE:.*]] = arith.constant 192 : index
// CHECK: %[[ROWS:.*]] = memref.dim %[[U]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[ROWS]], %[[SIZE]]
// CHECK: %[[LARGE:.*]] = arith.cmpi sge, %[[BYTES]], %{{.*}}
// CHECK-NOT: arith.cmpi
// CHECK: scf.if %[[LARGE]]
// CHECK-NEXT: vector.store %{{.*}}, %[[U]]{{.*}}nontemporal = true
// CHECK: scf.if %[[LARGE]]
// CHECK-NEXT: vector.store %{{.*}}, %[[V]]{{.*}}nontemporal = true
func.func @several(%n: index, %pointers: memref<?xindex>, %one: vector<16xf32>,
                   %two: vector<32xf32>)
    -> (memref<?x16xf32>, memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = memref.alloc(%n) {alignment = 64 : i64} : memref<?x16xf32>
  %v = memref.alloc(%n) {alignment = 64 : i64} : memref<?x32xf32>
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      memref.store %p, %pointers[%p] : memref<?xindex>
    }
    vector.transfer_write %one, %u[%i, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32>
    vector.transfer_write %two, %v[%i, %c0] {in_bounds = [true]}
      : vector<32xf32>, memref<?x32xf32>
  }
  return %u, %v : memref<?x16xf32>, memref<?x32xf32>
}

// -----

// Enough is gathered as well: 64 bytes for each edge.
// GATHERED-LABEL: func @gathered
// GATHERED-SAME: %[[POINTERS:[a-z0-9]+]]: memref<?xi32>
// GATHERED: %[[Y:.*]] = memref.alloc
// GATHERED: %[[SIZE:.*]] = arith.constant 64 : index
// GATHERED: %[[LARGE:.*]] = arith.cmpi sge, %{{.*}}, %c100
// GATHERED: %[[ENTRIES:.*]] = memref.dim %[[POINTERS]]
// GATHERED: %[[LAST:.*]] = arith.subi %[[ENTRIES]]
// GATHERED: %[[END:.*]] = memref.load %[[POINTERS]][%[[LAST]]]
// GATHERED: %[[EDGES:.*]] = arith.index_cast %[[END]]
// GATHERED: %[[OF_EDGES:.*]] = arith.muli %[[EDGES]], %[[SIZE]]
// GATHERED: %[[BYTES:.*]] = arith.maxui %{{.*}}, %[[OF_EDGES]]
// GATHERED: %[[MANY:.*]] = arith.cmpi sge, %[[BYTES]], %c800
// GATHERED: %[[PAST:.*]] = arith.andi %[[LARGE]], %[[MANY]]
// GATHERED: scf.for
// GATHERED: scf.if %[[PAST]]
// GATHERED-NEXT: vector.store

// Without the option, edges are not counted.
// SMALL-LABEL: func @gathered
// SMALL-NOT: arith.andi
func.func @gathered(%n: index, %pointers: memref<?xi32>, %one: vector<16xf32>)
    -> memref<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %first = memref.load %pointers[%i] : memref<?xi32>
    %begin = arith.index_cast %first : i32 to index
    %last = memref.load %pointers[%next] : memref<?xi32>
    %end = arith.index_cast %last : i32 to index
    %s = scf.for %p = %begin to %end step %c1 iter_args(%acc = %one)
        -> (vector<16xf32>) {
      %a = arith.addf %acc, %one : vector<16xf32>
      scf.yield %a : vector<16xf32>
    }
    vector.transfer_write %s, %y[%i, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32>
  }
  return %y : memref<?x16xf32>
}

// -----

// Of two results of 64 and 128 bytes a row, an edge gathers the longer one.
// GATHERED-LABEL: func @longest
// GATHERED: memref.load %{{.*}}[%{{.*}}] : memref<?xi32>
// GATHERED: %[[EDGES:.*]] = arith.index_cast
// GATHERED: %[[SIZE:.*]] = arith.constant 128 : index
// GATHERED: arith.muli %[[EDGES]], %[[SIZE]]
func.func @longest(%n: index, %pointers: memref<?xi32>, %one: vector<16xf32>,
                   %two: vector<32xf32>)
    -> (memref<?x16xf32>, memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = memref.alloc(%n) {alignment = 64 : i64} : memref<?x16xf32>
  %v = memref.alloc(%n) {alignment = 64 : i64} : memref<?x32xf32>
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %first = memref.load %pointers[%i] : memref<?xi32>
    %begin = arith.index_cast %first : i32 to index
    %last = memref.load %pointers[%next] : memref<?xi32>
    %end = arith.index_cast %last : i32 to index
    %s = scf.for %p = %begin to %end step %c1 iter_args(%acc = %one)
        -> (vector<16xf32>) {
      %a = arith.addf %acc, %one : vector<16xf32>
      scf.yield %a : vector<16xf32>
    }
    vector.transfer_write %s, %u[%i, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32>
    vector.transfer_write %two, %v[%i, %c0] {in_bounds = [true]}
      : vector<32xf32>, memref<?x32xf32>
  }
  return %u, %v : memref<?x16xf32>, memref<?x32xf32>
}

// -----

// Tiles of features that begin with a line: at a constant, and in a loop.
// CHECK-LABEL: func @tiles
// CHECK: scf.for %[[F:.*]] = %c0 to %c64 step %c32
// CHECK: scf.if
// CHECK-NEXT: vector.store %{{.*}}, %{{.*}}[%{{.*}}, %[[F]]] {alignment = 64 : i64, nontemporal = true}
// CHECK: %[[REST:.*]] = scf.for
// CHECK: scf.if
// CHECK-NEXT: vector.store %[[REST]], %{{.*}}[%{{.*}}, %c64{{.*}}] {alignment = 64 : i64, nontemporal = true}
func.func @tiles(%n: index, %pointers: memref<?xindex>, %x: memref<?x80xf32>)
    -> memref<?x80xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %zero16 = arith.constant dense<0.0> : vector<16xf32>
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x80xf32>
  scf.forall (%i) in (%n) {
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %f = %c0 to %c64 step %c32 {
      %s = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero)
          -> (vector<32xf32>) {
        %r = vector.transfer_read %x[%p, %f], %pad {in_bounds = [true]}
          : memref<?x80xf32>, vector<32xf32>
        %a = arith.addf %acc, %r : vector<32xf32>
        scf.yield %a : vector<32xf32>
      }
      vector.transfer_write %s, %y[%i, %f] {in_bounds = [true]}
        : vector<32xf32>, memref<?x80xf32>
    }
    %t = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero16)
        -> (vector<16xf32>) {
      %r = vector.transfer_read %x[%p, %c64], %pad {in_bounds = [true]}
        : memref<?x80xf32>, vector<16xf32>
      %a = arith.addf %acc, %r : vector<16xf32>
      scf.yield %a : vector<16xf32>
    }
    vector.transfer_write %t, %y[%i, %c64] {in_bounds = [true]}
      : vector<16xf32>, memref<?x80xf32>
  }
  return %y : memref<?x80xf32>
}

// -----

// Tiles that begin within a line, and anywhere.
// CHECK-LABEL: func @parts_of_lines
// CHECK-NOT: nontemporal
func.func @parts_of_lines(%n: index, %f: index, %pointers: memref<?xindex>,
                          %x: memref<?x80xf32>) -> memref<?x80xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x80xf32>
  scf.forall (%i) in (%n) {
    %end = memref.load %pointers[%i] : memref<?xindex>
    %t = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero)
        -> (vector<16xf32>) {
      %r = vector.transfer_read %x[%p, %c8], %pad {in_bounds = [true]}
        : memref<?x80xf32>, vector<16xf32>
      %a = arith.addf %acc, %r : vector<16xf32>
      scf.yield %a : vector<16xf32>
    }
    vector.transfer_write %t, %y[%i, %c8] {in_bounds = [true]}
      : vector<16xf32>, memref<?x80xf32>
    vector.transfer_write %t, %y[%i, %f] {in_bounds = [true]}
      : vector<16xf32>, memref<?x80xf32>
  }
  return %y : memref<?x80xf32>
}

// -----

// Rows of 96 bytes begin at multiples of 32.
// CHECK-LABEL: func @halves
// CHECK-NOT: nontemporal

// PIECES-LABEL: func @halves
// PIECES-SAME: %[[SUM:[a-z0-9]+]]: vector<24xf32>
// PIECES: scf.if
// PIECES: %[[FIRST:.*]] = vector.extract_strided_slice %[[SUM]] {offsets = [0], sizes = [8]
// PIECES: vector.store %[[FIRST]], {{.*}} {alignment = 32 : i64, nontemporal = true}
// PIECES: %[[LAST:.*]] = vector.extract_strided_slice %[[SUM]] {offsets = [16], sizes = [8]
// PIECES: vector.store %[[LAST]], {{.*}} {alignment = 32 : i64, nontemporal = true}
// PIECES: } else {
func.func @halves(%n: index, %pointers: memref<?xindex>, %sum: vector<24xf32>)
    -> memref<?x24xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x24xf32>
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      memref.store %p, %pointers[%p] : memref<?xindex>
    }
    vector.transfer_write %sum, %y[%i, %c0] {in_bounds = [true]}
      : vector<24xf32>, memref<?x24xf32>
  }
  return %y : memref<?x24xf32>
}

// -----

// Rows of 20 bytes begin at multiples of 4, which are less than 16.
// PIECES-LABEL: func @odd
// PIECES-NOT: nontemporal
func.func @odd(%n: index, %pointers: memref<?xindex>, %sum: vector<5xf32>)
    -> memref<?x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x5xf32>
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      memref.store %p, %pointers[%p] : memref<?xindex>
    }
    vector.transfer_write %sum, %y[%i, %c0] {in_bounds = [true]}
      : vector<5xf32>, memref<?x5xf32>
  }
  return %y : memref<?x5xf32>
}

// -----

// Rows of 192 bytes are whole lines, but not what they have for each head.
// CHECK-LABEL: func @heads_of_24
// CHECK-NOT: nontemporal

// PIECES-LABEL: func @heads_of_24
// PIECES: scf.if
// PIECES: %[[HEAD:.*]] = vector.extract %{{.*}}[1] : vector<24xf32> from vector<2x24xf32>
// PIECES: %[[LAST:.*]] = vector.extract_strided_slice %[[HEAD]] {offsets = [16], sizes = [8]
// PIECES: vector.store %[[LAST]], {{.*}} {alignment = 32 : i64, nontemporal = true}
// PIECES: } else {
func.func @heads_of_24(%n: index, %pointers: memref<?xindex>,
                       %sum: vector<2x24xf32>) -> memref<?x2x24xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x2x24xf32>
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      memref.store %p, %pointers[%p] : memref<?xindex>
    }
    vector.transfer_write %sum, %y[%i, %c0, %c0] {in_bounds = [true, true]}
      : vector<2x24xf32>, memref<?x2x24xf32>
  }
  return %y : memref<?x2x24xf32>
}

// -----

// What a step makes for itself is read in the same step.
// CHECK-LABEL: func @buffer_of_step
// CHECK-NOT: nontemporal
// CHECK: return
func.func @buffer_of_step(%n: index, %pointers: memref<?xindex>,
                          %x: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  scf.forall (%i) in (%n) {
    %end = memref.load %pointers[%i] : memref<?xindex>
    %y = memref.alloc(%end) {alignment = 64 : i64} : memref<?x32xf32>
    %s = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero)
        -> (vector<32xf32>) {
      %r = vector.transfer_read %x[%p, %c0], %pad {in_bounds = [true]}
        : memref<?x32xf32>, vector<32xf32>
      %a = arith.addf %acc, %r : vector<32xf32>
      scf.yield %a : vector<32xf32>
    }
    vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true]}
      : vector<32xf32>, memref<?x32xf32>
    memref.dealloc %y : memref<?x32xf32>
  }
  return
}

// -----

// What another part of the step reads back would come from memory.
// CHECK-LABEL: func @read_back
// CHECK-NOT: nontemporal
// CHECK: return
func.func @read_back(%n: index, %pointers: memref<?xindex>,
                     %x: memref<?x32xf32>) -> memref<?x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x32xf32>
  scf.forall (%i) in (%n) {
    %row = memref.subview %y[%i, 0] [1, 32] [1, 1]
      : memref<?x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    %end = memref.load %pointers[%i] : memref<?xindex>
    %s = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero)
        -> (vector<32xf32>) {
      %r = vector.transfer_read %x[%p, %c0], %pad {in_bounds = [true]}
        : memref<?x32xf32>, vector<32xf32>
      %a = arith.addf %acc, %r : vector<32xf32>
      scf.yield %a : vector<32xf32>
    }
    vector.transfer_write %s, %row[%c0] {in_bounds = [true]}
      : vector<32xf32>, memref<32xf32, strided<[1], offset: ?>>
    %half = memref.subview %y[%i, 4] [1, 16] [1, 1]
      : memref<?x32xf32> to memref<16xf32, strided<[1], offset: ?>>
    %h = vector.transfer_read %half[%c0], %pad {in_bounds = [true]}
      : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    %root = math.sqrt %h : vector<16xf32>
    vector.transfer_write %root, %half[%c0] {in_bounds = [true]}
      : vector<16xf32>, memref<16xf32, strided<[1], offset: ?>>
  }
  return %y : memref<?x32xf32>
}

// -----

// Columns of rows that are whole lines are whole lines, if they begin with one.
// CHECK-LABEL: func @columns
// CHECK: %[[PART:.*]] = memref.subview %{{.*}}[0, 16]
// CHECK: scf.if
// CHECK-NEXT: vector.store %{{.*}}, %[[PART]]{{.*}} {alignment = 64 : i64, nontemporal = true}

// PIECES-LABEL: func @columns
func.func @columns(%n: index, %pointers: memref<?xindex>, %sum: vector<16xf32>)
    -> memref<?x48xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x48xf32>
  %part = memref.subview %y[0, 16] [%n, 16] [1, 1]
    : memref<?x48xf32> to memref<?x16xf32, strided<[48, 1], offset: 16>>
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      memref.store %p, %pointers[%p] : memref<?xindex>
    }
    vector.transfer_write %sum, %part[%i, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32, strided<[48, 1], offset: 16>>
  }
  return %y : memref<?x48xf32>
}

// -----

// Those that begin within a line are pieces of 32 bytes.
// CHECK-LABEL: func @columns_within_lines
// CHECK-NOT: nontemporal

// PIECES-LABEL: func @columns_within_lines
// PIECES: vector.store %{{.*}} {alignment = 32 : i64, nontemporal = true}
func.func @columns_within_lines(%n: index, %pointers: memref<?xindex>,
                                %sum: vector<16xf32>) -> memref<?x48xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?x48xf32>
  %part = memref.subview %y[0, 8] [%n, 16] [1, 1]
    : memref<?x48xf32> to memref<?x16xf32, strided<[48, 1], offset: 8>>
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      memref.store %p, %pointers[%p] : memref<?xindex>
    }
    vector.transfer_write %sum, %part[%i, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32, strided<[48, 1], offset: 8>>
  }
  return %y : memref<?x48xf32>
}
