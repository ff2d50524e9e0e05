// What is equal by the laws and loses numbers to overflow is passed over: (exp x · V) · exp(−m) is
// infinite where x is large, exp(x − m) · V is not. The report has where.
// RUN: mirage-opt %s --mirage-search-graph="report=%t.json" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: mirage-verify %s %t.mlir
// CHECK: mirage_block.graph
// CHECK: %[[SHIFTED:.*]] = mirage_block.sub
// CHECK: mirage_block.exp %[[SHIFTED]]
// REPORT: "unstable": {{[1-9]}}
func.func @shifted_by_sum(%x: tensor<16x512xf16>, %z: tensor<16x512xf16>, %v: tensor<512x64xf16>, %e: tensor<16x64xf16>) -> tensor<16x64xf16> {
  %r = mirage_kernel.graph ins(%x, %z, %v : tensor<16x512xf16>, tensor<16x512xf16>, tensor<512x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x512xf16>, %b: tensor<16x512xf16>, %c: tensor<512x64xf16>):
    %m = mirage_kernel.sum %b dims [1] : (tensor<16x512xf16>) -> tensor<16x1xf32>
    %d = mirage_kernel.sub %a, %m : (tensor<16x512xf16>, tensor<16x1xf32>) -> tensor<16x512xf32>
    %p = mirage_kernel.exp %d : (tensor<16x512xf32>) -> tensor<16x512xf32>
    %o = mirage_kernel.matmul %p, %c : (tensor<16x512xf32>, tensor<512x64xf16>) -> tensor<16x64xf16>
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}
