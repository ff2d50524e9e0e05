// Slices, concats, causal masks and constants as steps of a block, of which the last has
// fewer rows; equal to the kernels of the same names, and right on the emulator.
// RUN: mirage-verify %S/Inputs/parts.mlir %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --check

func.func @parts(%x: tensor<8x24xf16>) -> tensor<8x17xf32> {
  %empty = tensor.empty() : tensor<8x17xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x24xf16>) outs(%empty : tensor<8x17xf32>) {
  ^bb0(%w: tensor<8x24xf16>):
    %o = mirage_block.graph grid(x = 3) threads(64) ins(%w imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x24xf16>) -> tensor<8x17xf32> {
    ^bb0(%t: tensor<3x24xf16>):
      %a = mirage_block.slice %t offsets [0, 0] strides [1, 1] : (tensor<3x24xf16>) -> tensor<3x10xf16>
      %b = mirage_block.slice %t offsets [0, 5] strides [1, 3] : (tensor<3x24xf16>) -> tensor<3x7xf16>
      %c = mirage_block.concat %a, %b dims [1] : tensor<3x10xf16>, tensor<3x7xf16>
      %m = mirage_block.causal_mask %c offset 9 rows ["x"] : tensor<3x17xf16>
      %e = mirage_block.exp %m : tensor<3x17xf16>
      %k = mirage_block.constant 0.5 : tensor<1x17xf32>
      %s = mirage_block.mul %e, %k : tensor<3x17xf32>, tensor<1x17xf32>
      mirage_block.yield %s : tensor<3x17xf32>
    }
    mirage_kernel.yield %o : tensor<8x17xf32>
  } : tensor<8x17xf32>
  return %r : tensor<8x17xf32>
}
