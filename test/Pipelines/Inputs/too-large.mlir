func.func @too_large(%x: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %e = tensor.empty() : tensor<512x512xf16>
  %r = mirage_kernel.graph ins(%x : tensor<512x512xf16>) outs(%e : tensor<512x512xf16>) {
  ^bb0(%a: tensor<512x512xf16>):
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap())
        : (tensor<512x512xf16>) -> tensor<512x512xf16> {
    ^bb0(%t: tensor<512x512xf16>):
      %e1 = mirage_block.matmul %t, %t : tensor<512x512xf16>, tensor<512x512xf16>
      mirage_block.yield %e1 : tensor<512x512xf32>
    }
    mirage_kernel.yield %o : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %r : tensor<512x512xf16>
}
