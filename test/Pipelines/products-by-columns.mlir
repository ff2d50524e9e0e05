// Products of small matrices, many of them, with the second operand stored by columns: blocks take no more
// batches than they have place for, with the tiles that steps exchange, whatever the rank.
// RUN: rm -rf %t && for target in sm_90a sm_89 sm_80; do mirage-opt %s --mirage-compile="from=optimize target=$target library-kernels=never artifact=%t/$target" -o /dev/null || exit 1; done
// RUN: for artifact in %t/*/*; do mirage-run $artifact --device=emulator --check || exit 1; done | FileCheck %s
// CHECK-COUNT-9: right:

func.func @pairs_of_batches(%x: tensor<32x7x2x24xf32>, %y: tensor<32x7x7x24xf32>) -> tensor<32x7x2x7xf32> {
  %e = tensor.empty() : tensor<32x7x2x7xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<32x7x2x24xf32>, tensor<32x7x7x24xf32>) outs(%e : tensor<32x7x2x7xf32>) {
  ^bb0(%a: tensor<32x7x2x24xf32>, %b: tensor<32x7x7x24xf32>):
    %t = mirage_kernel.transpose %b dims [0, 1, 3, 2] : (tensor<32x7x7x24xf32>) -> tensor<32x7x24x7xf32>
    %p = mirage_kernel.matmul %a, %t : (tensor<32x7x2x24xf32>, tensor<32x7x24x7xf32>) -> tensor<32x7x2x7xf32>
    mirage_kernel.yield %p : tensor<32x7x2x7xf32>
  } : tensor<32x7x2x7xf32>
  return %r : tensor<32x7x2x7xf32>
}

func.func @wide(%x: tensor<2x3x128x72xf16>, %y: tensor<2x3x128x72xf32>) -> tensor<2x3x128x128xf32> {
  %e = tensor.empty() : tensor<2x3x128x128xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<2x3x128x72xf16>, tensor<2x3x128x72xf32>) outs(%e : tensor<2x3x128x128xf32>) {
  ^bb0(%a: tensor<2x3x128x72xf16>, %b: tensor<2x3x128x72xf32>):
    %t = mirage_kernel.transpose %b dims [0, 1, 3, 2] : (tensor<2x3x128x72xf32>) -> tensor<2x3x72x128xf32>
    %p = mirage_kernel.matmul %a, %t : (tensor<2x3x128x72xf16>, tensor<2x3x72x128xf32>) -> tensor<2x3x128x128xf32>
    mirage_kernel.yield %p : tensor<2x3x128x128xf32>
  } : tensor<2x3x128x128xf32>
  return %r : tensor<2x3x128x128xf32>
}

func.func @rank_six(%x: tensor<4x3x2x5x3x24xf32>, %y: tensor<4x3x2x5x40x24xf32>) -> tensor<4x3x2x5x3x40xf32> {
  %e = tensor.empty() : tensor<4x3x2x5x3x40xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<4x3x2x5x3x24xf32>, tensor<4x3x2x5x40x24xf32>) outs(%e : tensor<4x3x2x5x3x40xf32>) {
  ^bb0(%a: tensor<4x3x2x5x3x24xf32>, %b: tensor<4x3x2x5x40x24xf32>):
    %t = mirage_kernel.transpose %b dims [0, 1, 2, 3, 5, 4] : (tensor<4x3x2x5x40x24xf32>) -> tensor<4x3x2x5x24x40xf32>
    %p = mirage_kernel.matmul %a, %t : (tensor<4x3x2x5x3x24xf32>, tensor<4x3x2x5x24x40xf32>) -> tensor<4x3x2x5x3x40xf32>
    mirage_kernel.yield %p : tensor<4x3x2x5x3x40xf32>
  } : tensor<4x3x2x5x3x40xf32>
  return %r : tensor<4x3x2x5x3x40xf32>
}
