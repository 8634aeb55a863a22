// What the tool itself says.
// RUN: gnn-interpret %s | FileCheck %s --check-prefix=MAIN
// RUN: gnn-interpret < %s | FileCheck %s --check-prefix=MAIN
// RUN: gnn-opt %s --emit-bytecode -o %t.mlirbc
// RUN: gnn-interpret %t.mlirbc | FileCheck %s --check-prefix=MAIN
// RUN: gnn-interpret %s --entry=nothing | count 0
// RUN: not gnn-interpret %s --entry=absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not gnn-interpret %t.absent 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: echo "func.func @main() { memref.bad }" > %t.bad.mlir
// RUN: not gnn-interpret %t.bad.mlir 2>&1 | FileCheck %s --check-prefix=PARSE

// MAIN: result 0: f32 = 2
// MAIN-NEXT: result 1: tensor<2xi32> = [1, 2]
// MAIN-NOT: result
func.func @main() -> (f32, tensor<2xi32>) {
  %two = arith.constant 2.0 : f32
  %list = arith.constant dense<[1, 2]> : tensor<2xi32>
  return %two, %list : f32, tensor<2xi32>
}

func.func @nothing() {
  return
}

// ABSENT: gnn-interpret: error: no function 'absent' in '{{.*}}tool.mlir'; name one with --entry
// FILE: gnn-interpret: error: cannot open input file '{{.*}}.absent': No such file or directory
// PARSE: error: Dialect `memref' not found
