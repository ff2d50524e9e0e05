// RUN: mirage-opt %s --convert-mirage-block-to-thread --verify-diagnostics

func.func @four_cuts(%a: tensor<3x3x64x40xf16>) -> tensor<3x3x40x64xf16> {
  %o = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap())
      : (tensor<3x3x64x40xf16>) -> tensor<3x3x40x64xf16> {
  ^bb0(%x: tensor<3x3x64x40xf16>):
    %t = mirage_block.transpose %x dims [0, 1, 3, 2] : tensor<3x3x64x40xf16>
    // expected-error @below {{expects tiles with few enough batch dimensions that products are cut along at most 3 dimensions, got 4 for 'tensor<3x3x40x40xf32>'}}
    %0 = mirage_block.matmul %t, %x : tensor<3x3x40x64xf16>, tensor<3x3x64x40xf16>
    mirage_block.yield %t : tensor<3x3x40x64xf16>
  }
  return %o : tensor<3x3x40x64xf16>
}
