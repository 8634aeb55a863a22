// RUN: gnn-opt --pass-pipeline="builtin.module(func.func(gnn-plan-device-memory))" \
// RUN:   --allow-unregistered-dialect --split-input-file %s | FileCheck %s

// Buffers whose sizes are known where the first of them is allocated: parts of one.
// The third has the place of the first, which is free by then, and the one that is
// returned memory of its own.
// CHECK-LABEL: func @parts
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index)
// CHECK-DAG: %[[PART:.*]] = arith.divui %[[N]], %[[M]] : index
// CHECK-DAG: %[[BYTES:.*]] = arith.muli %{{.*}}, %[[N]] : index
// CHECK: %[[PADDED:.*]] = arith.addi %[[BYTES]], %c255
// CHECK: %[[FIRST:.*]] = arith.andi %[[PADDED]], %c-256
// CHECK: %[[TOTAL:.*]] = arith.addi
// CHECK: %[[MEMORY:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK: %[[A:.*]] = memref.view %[[MEMORY]][%c0{{.*}}][%[[N]]] : memref<?xi8> to memref<?x4xf32>
// CHECK-NEXT: "use"(%[[A]])
// CHECK: %[[B:.*]] = memref.view %[[MEMORY]][%[[FIRST]]][%[[M]]] : memref<?xi8> to memref<?xi32>
// CHECK-NEXT: "use"(%[[A]], %[[B]])
// CHECK: %[[C:.*]] = memref.view %[[MEMORY]][%c0{{.*}}][%[[N]]] : memref<?xi8> to memref<?x2xf32>
// CHECK-NEXT: "use"(%[[B]], %[[C]])
// CHECK: %[[D:.*]] = memref.view %[[MEMORY]][%{{.*}}][%[[PART]]] : memref<?xi8> to memref<?xf32>
// CHECK: %[[RESULT:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK-NOT: memref.dealloc
// CHECK: memref.dealloc %[[MEMORY]]
// CHECK-NOT: memref.dealloc
// CHECK: return %[[RESULT]]
func.func @parts(%n: index, %m: index) -> memref<?xf32> {
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?x4xf32>
  "use"(%a) : (memref<?x4xf32>) -> ()
  %b = memref.alloc(%m) {alignment = 64 : i64} : memref<?xi32>
  "use"(%a, %b) : (memref<?x4xf32>, memref<?xi32>) -> ()
  memref.dealloc %a : memref<?x4xf32>
  %c = memref.alloc(%n) {alignment = 64 : i64} : memref<?x2xf32>
  "use"(%b, %c) : (memref<?xi32>, memref<?x2xf32>) -> ()
  %part = arith.divui %n, %m : index
  %d = memref.alloc(%part) {alignment = 64 : i64} : memref<?xf32>
  %result = memref.alloc(%n) : memref<?xf32>
  "use"(%c, %d, %result) : (memref<?x2xf32>, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %d : memref<?xf32>
  memref.dealloc %c : memref<?x2xf32>
  memref.dealloc %b : memref<?xi32>
  return %result : memref<?xf32>
}

// -----

// Other sizes may be the same in the end: the part is as large as the larger one. A
// small buffer of a known size has a part of its own.
// CHECK-LABEL: func @in_turns
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index)
// CHECK: %[[A:.*]] = arith.muli %{{.*}}, %[[N]]
// CHECK: %[[B:.*]] = arith.muli %{{.*}}, %[[M]]
// CHECK: %[[LARGER:.*]] = arith.maxui %[[A]], %[[B]]
// CHECK: %[[MEMORY:.*]] = memref.alloc
// CHECK: memref.view %[[MEMORY]][%[[FIRST:c0.*]]][%[[N]]]
// CHECK: memref.view %[[MEMORY]][%{{[0-9]+}}][] : memref<?xi8> to memref<f32>
// CHECK: memref.view %[[MEMORY]][%[[FIRST]]][%[[M]]]
func.func @in_turns(%n: index, %m: index) {
  %a = memref.alloc(%n) : memref<?x4xf32>
  "use"(%a) : (memref<?x4xf32>) -> ()
  memref.dealloc %a : memref<?x4xf32>
  %b = memref.alloc() : memref<f32>
  "use"(%b) : (memref<f32>) -> ()
  memref.dealloc %b : memref<f32>
  %c = memref.alloc(%m) : memref<?x4xf32>
  "use"(%c) : (memref<?x4xf32>) -> ()
  memref.dealloc %c : memref<?x4xf32>
  return
}

// -----

// Sizes that are read from the device in between: a second one for these.
// CHECK-LABEL: func @found
// CHECK: %[[BEFORE:.*]] = memref.alloc({{.*}}) : memref<?xi8>
// CHECK: memref.view %[[BEFORE]]
// CHECK: memref.view %[[BEFORE]]
// CHECK: %[[FOUND:.*]] = memref.load
// CHECK: %[[BEHIND:.*]] = memref.alloc({{.*}}) : memref<?xi8>
// CHECK: memref.view %[[BEHIND]]{{.*}}[%[[FOUND]]]
// CHECK: memref.view %[[BEHIND]]{{.*}}[%[[FOUND]]]
// CHECK: memref.dealloc %[[BEFORE]]
// CHECK: memref.dealloc %[[BEHIND]]
func.func @found(%n: index, %number: memref<index>) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc() : memref<f32>
  "use"(%a, %b) : (memref<?xf32>, memref<f32>) -> ()
  %found = memref.load %number[] : memref<index>
  %c = memref.alloc(%found) : memref<?xf32>
  %d = memref.alloc(%found) : memref<?xf32>
  "use"(%a, %b, %c, %d) : (memref<?xf32>, memref<f32>, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %b : memref<f32>
  memref.dealloc %a : memref<?xf32>
  "use"(%c, %d) : (memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %d : memref<?xf32>
  memref.dealloc %c : memref<?xf32>
  return
}

// -----

// Ways of a conditional: what both return has one place, small buffers are parts
// of the memory around them, and large ones of memory that only their way asks for.
// CHECK-LABEL: func @ways
// CHECK-SAME: (%[[N:.*]]: index, %{{.*}}: index, %{{.*}}: i1)
// CHECK: %[[OUTER:.*]] = memref.alloc({{.*}}) : memref<?xi8>
// CHECK: %[[RESULT:.*]] = memref.view %[[OUTER]]{{.*}}[%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK: scf.if
// CHECK:   %[[SMALL:.*]] = memref.view %[[OUTER]]{{.*}} to memref<4xf32>
// CHECK:   "use"(%[[SMALL]], %[[RESULT]])
// CHECK: } else {
// CHECK:   %[[INNER:.*]] = memref.alloc({{.*}}) : memref<?xi8>
// CHECK:   %[[A:.*]] = memref.view %[[INNER]]
// CHECK:   %[[B:.*]] = memref.view %[[INNER]]
// CHECK:   "use"(%[[A]], %[[B]], %[[RESULT]])
// CHECK:   memref.dealloc %[[INNER]]
// CHECK: }
// CHECK: "use"(%[[RESULT]])
// CHECK: memref.dealloc %[[OUTER]]
func.func @ways(%n: index, %m: index, %condition: i1) {
  %result = scf.if %condition -> (memref<?xf32>) {
    %small = memref.alloc() : memref<4xf32>
    %r = memref.alloc(%n) : memref<?xf32>
    "use"(%small, %r) : (memref<4xf32>, memref<?xf32>) -> ()
    memref.dealloc %small : memref<4xf32>
    scf.yield %r : memref<?xf32>
  } else {
    %a = memref.alloc(%n, %m) : memref<?x?xf32>
    %b = memref.alloc(%n, %m) : memref<?x?xf32>
    %r = memref.alloc(%n) : memref<?xf32>
    "use"(%a, %b, %r) : (memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>) -> ()
    memref.dealloc %b : memref<?x?xf32>
    memref.dealloc %a : memref<?x?xf32>
    scf.yield %r : memref<?xf32>
  }
  "use"(%result) : (memref<?xf32>) -> ()
  %base, %offset, %size, %stride = memref.extract_strided_metadata %result
      : memref<?xf32> -> memref<f32>, index, index, index
  memref.dealloc %base : memref<f32>
  return
}

// -----

// Alone, a buffer stays as it is; so does one that is not always freed.
// CHECK-LABEL: func @others
// CHECK-NOT: memref.view
// CHECK: return
func.func @others(%n: index, %condition: i1) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  "use"(%a, %b) : (memref<?xf32>, memref<?xf32>) -> ()
  scf.if %condition {
    memref.dealloc %b : memref<?xf32>
  }
  memref.dealloc %a : memref<?xf32>
  return
}
