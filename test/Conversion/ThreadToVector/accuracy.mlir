// Numbers that 16 bits do not hold, and functions whose textbook formulas cancel:
// right to f32's tolerance, against float64, with and without thread graphs.
// RUN: mirage-opt %s --mirage-record-program --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check | FileCheck %s
// RUN: mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-assign-default-blocks --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t.plain ptxas=never" -o /dev/null
// RUN: mirage-run %t.plain --device=emulator --check | FileCheck %s

// CHECK: output output0: right
// CHECK: output output1: right
// CHECK: output output2: right
func.func @accuracy(%x: tensor<16x16xf16>, %w: tensor<16x16xf16>, %y: tensor<8x64xf32>)
    -> (tensor<16x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
  %e0 = tensor.empty() : tensor<16x16xf32>
  %e1 = tensor.empty() : tensor<8x64xf32>
  %r:3 = mirage_kernel.graph ins(%x, %w, %y : tensor<16x16xf16>, tensor<16x16xf16>, tensor<8x64xf32>)
      outs(%e0, %e1, %e1 : tensor<16x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>) {
  ^bb0(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<8x64xf32>):
    // About exp(12), in one block: f32 beside f16.
    %0 = mirage_block.graph grid() threads(128) ins(%a imap(), %b imap()) outs(omap())
        : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf32> {
    ^bb0(%t: tensor<16x16xf16>, %u: tensor<16x16xf16>):
      %s = mirage_block.offset %t by 12.0 : tensor<16x16xf16>
      %p = mirage_block.exp %s : tensor<16x16xf32>
      %m = mirage_block.matmul %p, %u : tensor<16x16xf32>, tensor<16x16xf16>
      mirage_block.yield %m : tensor<16x16xf32>
    }
    %small = mirage_kernel.scale %c by 0.001 : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %1 = mirage_kernel.tanh %small : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %large = mirage_kernel.offset %c by -2.0 : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %2 = mirage_kernel.gelu_tanh %large : (tensor<8x64xf32>) -> tensor<8x64xf32>
    mirage_kernel.yield %0, %1, %2 : tensor<16x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>
  } : tensor<16x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>
  return %r#0, %r#1, %r#2 : tensor<16x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>
}
