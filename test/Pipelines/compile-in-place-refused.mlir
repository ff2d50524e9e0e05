// What --mirage-compile-in-place does not take, and what it leaves to others.
// RUN: not mirage-opt %s --mirage-compile-in-place=from=fetch 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: expects from= to name one of import, search, bufferize, deallocate, optimize, lower and emit, got 'fetch'
// RUN: not mirage-opt %s --mirage-compile-in-place="from=lower to=search" 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: expects from= before to=, got from=lower to=search
// RUN: not mirage-opt %s --mirage-compile-in-place=library-kernels=auto 2>&1 | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: expects library-kernels=never, as nobody calls a library for kernels in place, got library-kernels=auto
// RUN: not mirage-opt %s --mirage-compile-in-place=target=sm_1 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: expects one of the targets {{.*}}, got 'sm_1'
// RUN: not mirage-opt %s --mirage-compile-in-place=ptxas=/none 2>&1 | FileCheck %s --check-prefix=PTXAS
// PTXAS: expects ptxas= to name a program, got '/none'
// Phases that stand before bufferization leave tensors, for which there is no launch.
// RUN: mirage-opt %s --mirage-compile-in-place=to=import 2> /dev/null | not mirage-opt --mirage-compile-in-place=from=optimize 2>&1 | FileCheck %s --check-prefix=TENSORS
// TENSORS: error: expects a kernel graph on memrefs; --one-shot-bufferize makes one

// A phase without anything to begin with says so.
// RUN: for phase in search bufferize deallocate optimize lower emit; do not mirage-opt %s --mirage-compile-in-place="from=$phase to=emit" 2>&1 || exit 1; done | FileCheck %s --check-prefix=NOTHING
// NOTHING: compile-in-place-refused.mlir:{{[0-9]+}}:{{[0-9]+}}: error: phase 'search' expects a mirage_kernel.graph, got 'linalg.exp'
// NOTHING: error: phase 'lower' expects a mirage_kernel.graph, got 'linalg.exp'
// NOTHING: error: phase 'emit' expects a gpu.module, got 'linalg.exp'

// RUN: mirage-opt %s --mirage-compile-in-place="max-block-ops=3 ptxas=never" 2> %t.log | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.log

// A dynamic shape, integers: no operators take them, and a remark says so.
// REMARK: compile-in-place-refused.mlir:[[@LINE+5]]:{{.*}}remark: 'linalg.exp' op stays outside of a mirage_kernel.graph
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    memref<?x64xf32>
// CHECK:         linalg.exp
func.func @dynamic(%x: tensor<?x64xf32>, %e: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %r = linalg.exp ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @integers(
// CHECK:         linalg.add
// CHECK-NOT:     gpu.launch_func
func.func @integers(%x: tensor<8x64xi32>, %e: tensor<8x64xi32>) -> tensor<8x64xi32> {
  %r = linalg.add ins(%x, %x : tensor<8x64xi32>, tensor<8x64xi32>) outs(%e : tensor<8x64xi32>) -> tensor<8x64xi32>
  return %r : tensor<8x64xi32>
}

// Elementwise ops that Mirage does not know are bufferized with the others.
// CHECK-LABEL: func.func @sine(
// CHECK:         linalg.generic
// CHECK:           math.sin
func.func @sine(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = math.sin %x : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// A function that is a program and nothing else is taken as well.
// CHECK: gpu.binary @program_kernels
// CHECK-LABEL: func.func @program(
// CHECK:         gpu.launch_func @program_kernels::@program_0
// CHECK-NOT:     linalg
// CHECK:         return
func.func @program(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = linalg.exp ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}
