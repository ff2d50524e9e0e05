// Exponentials that no row maximum is taken out of: of some rows the largest is 10^-8, which
// f16 does not have. The program keeps them in f32, and so must what the search finds.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="artifact=%t ptxas=never" -o /dev/null
// RUN: mirage-run %t --check | FileCheck %s
// CHECK: output output0: right
func.func @rbf(%Q: tensor<2048x64xf16>, %K: tensor<64x128xf16>, %V: tensor<128x64xf16>) -> tensor<2048x64xf16> {
  %e = tensor.empty() : tensor<2048x64xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2048x64xf16>, tensor<64x128xf16>, tensor<128x64xf16>) outs(%e : tensor<2048x64xf16>) {
  ^bb0(%q: tensor<2048x64xf16>, %k: tensor<64x128xf16>, %v: tensor<128x64xf16>):
    %a = mirage_kernel.matmul %q, %k : (tensor<2048x64xf16>, tensor<64x128xf16>) -> tensor<2048x128xf32>
    %a1 = mirage_kernel.scale %a by 100.0 : (tensor<2048x128xf32>) -> tensor<2048x128xf32>
    %a2 = mirage_kernel.square %a1 : (tensor<2048x128xf32>) -> tensor<2048x128xf32>
    %a3 = mirage_kernel.neg %a2 : (tensor<2048x128xf32>) -> tensor<2048x128xf32>
    %p = mirage_kernel.exp %a3 : (tensor<2048x128xf32>) -> tensor<2048x128xf32>
    %c = mirage_kernel.matmul %p, %v : (tensor<2048x128xf32>, tensor<128x64xf16>) -> tensor<2048x64xf32>
    %l = mirage_kernel.sum %p dims [1] : (tensor<2048x128xf32>) -> tensor<2048x1xf32>
    %d = mirage_kernel.div %c, %l : (tensor<2048x64xf32>, tensor<2048x1xf32>) -> tensor<2048x64xf16>
    mirage_kernel.yield %d : tensor<2048x64xf16>
  } : tensor<2048x64xf16>
  return %r : tensor<2048x64xf16>
}
