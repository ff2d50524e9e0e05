// A module is made small as long as a script finds it interesting: two functions, of which
// one holds what matters.
// RUN: mirage-reduce %s -reduction-tree='traversal-mode=0 test=%S/Inputs/no-default-block.sh' | FileCheck %s

// CHECK-NOT: @other
// CHECK: func.func @matters
// CHECK: mirage_kernel.matmul
// CHECK-NOT: @another
func.func @other(%x: tensor<8x64xf16>, %e: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

func.func @matters(%x: tensor<8x64xf16>, %w: tensor<64x32xf16>, %e: tensor<8x32xf16>) -> tensor<8x32xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x64xf16>, tensor<64x32xf16>) outs(%e : tensor<8x32xf16>) {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<8x64xf16>, tensor<64x32xf16>) -> tensor<8x32xf16>
    mirage_kernel.yield %0 : tensor<8x32xf16>
  } : tensor<8x32xf16>
  return %r : tensor<8x32xf16>
}

func.func @another(%x: tensor<8x64xf16>, %e: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.neg %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}
