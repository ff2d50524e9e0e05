// A number that is zero keeps its sign on the way to kernels, and to the program that they are checked against:
// to divide by either gives the other's infinities.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check | FileCheck %s
// CHECK: output output0: right
// CHECK: output output1: right
func.func @signed_zeros(%x: tensor<4x9xf16>) -> (tensor<4x9xf16>, tensor<4x9xf16>) {
  %e0 = tensor.empty() : tensor<4x9xf16>
  %e1 = tensor.empty() : tensor<4x9xf16>
  %r:2 = mirage_kernel.graph ins(%x : tensor<4x9xf16>) outs(%e0, %e1 : tensor<4x9xf16>, tensor<4x9xf16>) {
  ^bb0(%a: tensor<4x9xf16>):
    %v = mirage_kernel.unscale %a by -0.0 : (tensor<4x9xf16>) -> tensor<4x9xf16>
    %w = mirage_kernel.unscale %a by 0.0 : (tensor<4x9xf16>) -> tensor<4x9xf16>
    mirage_kernel.yield %v, %w : tensor<4x9xf16>, tensor<4x9xf16>
  } : tensor<4x9xf16>, tensor<4x9xf16>
  return %r#0, %r#1 : tensor<4x9xf16>, tensor<4x9xf16>
}
