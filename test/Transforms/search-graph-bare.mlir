// Operations that are in no graph are not searched, which is said once for each function.
// RUN: mirage-opt %s --mirage-superoptimize="max-states=1000" -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @bare
// CHECK-NOT: mirage_block.graph
func.func @bare(%a: tensor<16x64xf16>) -> tensor<16x64xf16> {
  // expected-warning @+1 {{is in no mirage_kernel.graph, and is not searched}}
  %0 = mirage_kernel.square %a : (tensor<16x64xf16>) -> tensor<16x64xf16>
  %1 = mirage_kernel.exp %0 : (tensor<16x64xf16>) -> tensor<16x64xf16>
  return %1 : tensor<16x64xf16>
}

// CHECK-LABEL: func.func @in_a_graph
// CHECK: mirage_block.graph
func.func @in_a_graph(%a: tensor<16x64xf16>) -> tensor<16x64xf16> {
  %init = tensor.empty() : tensor<16x64xf16>
  %result = mirage_kernel.graph ins(%a : tensor<16x64xf16>) outs(%init : tensor<16x64xf16>) {
  ^bb0(%x: tensor<16x64xf16>):
    %0 = mirage_kernel.square %x : (tensor<16x64xf16>) -> tensor<16x64xf16>
    %1 = mirage_kernel.exp %0 : (tensor<16x64xf16>) -> tensor<16x64xf16>
    mirage_kernel.yield %1 : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %result : tensor<16x64xf16>
}

// CHECK-LABEL: func.func @also_bare
func.func @also_bare(%a: tensor<16x64xf16>) -> tensor<16x64xf16> {
  // expected-warning @+1 {{is in no mirage_kernel.graph, and is not searched}}
  %0 = mirage_kernel.exp %a : (tensor<16x64xf16>) -> tensor<16x64xf16>
  return %0 : tensor<16x64xf16>
}
