// RUN: gnn-opt %s --pass-pipeline='builtin.module(llvm.func(gnn-fold-descriptors))' | FileCheck %s

// A region that reads the pointer and a size of a buffer needs nothing else of it.

// CHECK-LABEL: llvm.func @region
// CHECK-SAME: (%[[ALLOCATED:.*]]: !llvm.ptr, %[[ALIGNED:.*]]: !llvm.ptr, %[[SIZE:.*]]: i64)
// CHECK-NOT: llvm.insertvalue
// CHECK: omp.parallel
// CHECK-NEXT: %[[END:.*]] = llvm.getelementptr %[[ALIGNED]][%[[SIZE]]]
// CHECK-NEXT: llvm.store %[[SIZE]], %[[END]]
llvm.func @region(%allocated: !llvm.ptr, %aligned: !llvm.ptr, %size: i64) {
  %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>)>
  %1 = llvm.insertvalue %allocated, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>)>
  %2 = llvm.insertvalue %aligned, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>)>
  %3 = llvm.insertvalue %size, %2[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>)>
  omp.parallel {
    %base = llvm.extractvalue %3[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>)>
    %sizes = llvm.extractvalue %3[3] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>)>
    %n = llvm.extractvalue %sizes[0] : !llvm.array<1 x i64>
    %end = llvm.getelementptr %base[%n] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %n, %end : i64, !llvm.ptr
    omp.terminator
  }
  llvm.return
}

// What was put in last counts.

// CHECK-LABEL: llvm.func @last
// CHECK-SAME: (%{{.*}}: i64, %[[SECOND:.*]]: i64)
// CHECK-NOT: llvm.insertvalue
// CHECK: llvm.return %[[SECOND]]
llvm.func @last(%first: i64, %second: i64) -> i64 {
  %0 = llvm.mlir.poison : !llvm.struct<(i64, i64)>
  %1 = llvm.insertvalue %first, %0[0] : !llvm.struct<(i64, i64)>
  %2 = llvm.insertvalue %second, %1[0] : !llvm.struct<(i64, i64)>
  %3 = llvm.extractvalue %2[0] : !llvm.struct<(i64, i64)>
  llvm.return %3 : i64
}

// A part of what comes in whole is read there, even where something else was put into it;
// what goes out whole is put together.

// CHECK-LABEL: llvm.func @whole
// CHECK-SAME: (%[[WHOLE:.*]]: !llvm.struct<(i64, i64)>, %[[PART:.*]]: i64)
// CHECK-NEXT: %[[OTHER:.*]] = llvm.extractvalue %[[WHOLE]][1]
// CHECK: %[[FIRST:.*]] = llvm.insertvalue %[[OTHER]], %{{.*}}[0]
// CHECK: %[[BOTH:.*]] = llvm.insertvalue %[[PART]], %[[FIRST]][1]
// CHECK: llvm.return %[[BOTH]]
llvm.func @whole(%whole: !llvm.struct<(i64, i64)>, %part: i64) -> !llvm.struct<(i64, i64)> {
  %0 = llvm.insertvalue %part, %whole[0] : !llvm.struct<(i64, i64)>
  %1 = llvm.extractvalue %0[1] : !llvm.struct<(i64, i64)>
  %2 = llvm.mlir.poison : !llvm.struct<(i64, i64)>
  %3 = llvm.insertvalue %1, %2[0] : !llvm.struct<(i64, i64)>
  %4 = llvm.insertvalue %part, %3[1] : !llvm.struct<(i64, i64)>
  llvm.return %4 : !llvm.struct<(i64, i64)>
}
