// RUN: not mirage-opt %s --mirage-print-abstract-expressions=atoms=expanded -o /dev/null 2>&1 | FileCheck %s

// CHECK: print-abstract-expressions-options.mlir:{{[0-9]+}}:{{[0-9]+}}: error: expects atoms to be functions, written-out or both, got 'expanded'
func.func @none() {
  return
}
