// RUN: gnn-opt %s --pass-pipeline='builtin.module(llvm.func(gnn-separate-offsets),cse)' | FileCheck %s

// Rows of a block are numbered from its first one, before the block's own number is
// added: one address, and constants.

// CHECK-LABEL: llvm.func @rows
// CHECK-SAME: (%[[BASE:.*]]: !llvm.ptr, %[[I:.*]]: i64, %[[FIRST:.*]]: i64, %[[K:.*]]: i64)
// CHECK: %[[C64:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: %[[ROW:.*]] = llvm.add %[[I]], %[[FIRST]]
// CHECK: %[[START:.*]] = llvm.mul %[[ROW]], %[[C64]]
// CHECK: %[[ELEMENT:.*]] = llvm.add %[[START]], %[[K]]
// CHECK: %[[ADDRESS:.*]] = llvm.getelementptr %[[BASE]][%[[ELEMENT]]]
// CHECK: llvm.getelementptr %[[ADDRESS]][64]
// CHECK: llvm.getelementptr %[[ADDRESS]][128]
// CHECK-NOT: llvm.getelementptr %[[BASE]]
llvm.func @rows(%base: !llvm.ptr, %i: i64, %first: i64, %k: i64) -> f32 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %c64 = llvm.mlir.constant(64 : i64) : i64
  %i1 = llvm.add %i, %c1 : i64
  %row1 = llvm.add %i1, %first : i64
  %start1 = llvm.mul %row1, %c64 overflow<nsw, nuw> : i64
  %element1 = llvm.add %start1, %k overflow<nsw, nuw> : i64
  %p1 = llvm.getelementptr inbounds|nuw %base[%element1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %i2 = llvm.add %i, %c2 : i64
  %row2 = llvm.add %i2, %first : i64
  %start2 = llvm.mul %row2, %c64 overflow<nsw, nuw> : i64
  %element2 = llvm.add %start2, %k overflow<nsw, nuw> : i64
  %p2 = llvm.getelementptr inbounds|nuw %base[%element2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x1 = llvm.load %p1 : !llvm.ptr -> f32
  %x2 = llvm.load %p2 : !llvm.ptr -> f32
  %sum = llvm.fadd %x1, %x2 : f32
  llvm.return %sum : f32
}

// A base is made where the index is, outside of the loop that reads there.

// CHECK-LABEL: llvm.func @outside
// CHECK: %[[SCALED:.*]] = llvm.mul %{{.*}}, %{{.*}} : i64
// CHECK: llvm.br ^[[LOOP:.*]]
// CHECK: ^[[LOOP]]:
// CHECK: %[[ADDRESS:.*]] = llvm.getelementptr %{{.*}}[%[[SCALED]]]
// CHECK: llvm.getelementptr %[[ADDRESS]][-21]
llvm.func @outside(%base: !llvm.ptr, %i: i64, %again: i1) {
  %less = llvm.mlir.constant(-3 : i64) : i64
  %c7 = llvm.mlir.constant(7 : i64) : i64
  %before = llvm.add %i, %less : i64
  %start = llvm.mul %before, %c7 : i64
  llvm.br ^loop
^loop:
  %p = llvm.getelementptr %base[%start] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %c0 = llvm.mlir.constant(0 : i8) : i8
  llvm.store %c0, %p : i8, !llvm.ptr
  llvm.cond_br %again, ^loop, ^end
^end:
  llvm.return
}

// What has no constant part stays, with what is known of it; so do constants alone, and
// offsets that no index of an address has room for.

// CHECK-LABEL: llvm.func @as_they_are
// CHECK: llvm.getelementptr inbounds|nuw %{{.*}}[%{{.*}}] : {{.*}}f32
// CHECK: llvm.getelementptr inbounds|nuw %{{.*}}[%{{.*}}] : {{.*}}f64
// CHECK: llvm.getelementptr inbounds|nuw %{{.*}}[%{{.*}}] : {{.*}}i64
// CHECK-NOT: llvm.getelementptr
llvm.func @as_they_are(%base: !llvm.ptr, %i: i64, %j: i64) -> !llvm.struct<(ptr, ptr, ptr)> {
  %c3 = llvm.mlir.constant(3 : i64) : i64
  %far = llvm.mlir.constant(4294967296 : i64) : i64
  %sum = llvm.add %i, %j : i64
  %beyond = llvm.add %i, %far : i64
  %p = llvm.getelementptr inbounds|nuw %base[%sum] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %q = llvm.getelementptr inbounds|nuw %base[%c3] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %r = llvm.getelementptr inbounds|nuw %base[%beyond] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, ptr)>
  %1 = llvm.insertvalue %p, %0[0] : !llvm.struct<(ptr, ptr, ptr)>
  %2 = llvm.insertvalue %q, %1[1] : !llvm.struct<(ptr, ptr, ptr)>
  %3 = llvm.insertvalue %r, %2[2] : !llvm.struct<(ptr, ptr, ptr)>
  llvm.return %3 : !llvm.struct<(ptr, ptr, ptr)>
}
