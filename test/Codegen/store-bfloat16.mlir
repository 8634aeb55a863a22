// RUN: gnn-opt --gnn-store-bfloat16 %s | FileCheck %s

// Constants keep their bits: 1.0, and 1.0 and -2.0.
// CHECK-LABEL: llvm.func @moves
// CHECK-SAME: %[[I:[a-z0-9]+]]: i16, %[[P:[a-z0-9]+]]: !llvm.ptr
// CHECK-NOT: bf16
// CHECK: llvm.mlir.constant(16256 : i16) : i16
// CHECK: llvm.mlir.constant(dense<[16256, -16384]> : vector<2xi16>) : vector<2xi16>
// CHECK: %[[B:.*]] = llvm.bitcast %[[I]] : i16 to i16
// CHECK: %[[Q:.*]] = llvm.getelementptr %[[P]][3] : (!llvm.ptr) -> !llvm.ptr, i16
// CHECK: llvm.store %[[B]], %[[Q]] : i16, !llvm.ptr
// CHECK: llvm.return %{{.*}} : !llvm.struct<(i16, vector<2xi16>)>
llvm.func @moves(%i: i16, %p: !llvm.ptr)
    -> !llvm.struct<(bf16, vector<2xbf16>)> {
  %one = llvm.mlir.constant(1.0 : bf16) : bf16
  %two = llvm.mlir.constant(dense<[1.0, -2.0]> : vector<2xbf16>) : vector<2xbf16>
  %b = llvm.bitcast %i : i16 to bf16
  %q = llvm.getelementptr %p[3] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %b, %q : bf16, !llvm.ptr
  %none = llvm.mlir.poison : !llvm.struct<(bf16, vector<2xbf16>)>
  %s = llvm.insertvalue %one, %none[0] : !llvm.struct<(bf16, vector<2xbf16>)>
  %t = llvm.insertvalue %two, %s[1] : !llvm.struct<(bf16, vector<2xbf16>)>
  llvm.return %t : !llvm.struct<(bf16, vector<2xbf16>)>
}

// Other numbers stay what they are.
// CHECK-LABEL: llvm.func @others
// CHECK: llvm.mlir.constant(1.000000e+00 : f32) : f32
llvm.func @others() -> f32 {
  %one = llvm.mlir.constant(1.0 : f32) : f32
  llvm.return %one : f32
}
