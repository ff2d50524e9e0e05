func.func @lines(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf32>) { ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x64xf16>):
    %o = mirage_block.graph grid(x = 1) threads(64) loop(2) ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
        : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf32> {
    ^bb0(%s: tensor<16x32xf16>, %t: tensor<32x64xf16>):
      %p = mirage_block.matmul %s, %t : tensor<16x32xf16>, tensor<32x64xf16>
      %q = mirage_block.accumulate %p over loop sum : tensor<16x64xf32>
      %u = mirage_block.exp %q : tensor<16x64xf32>
      mirage_block.yield %u : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf32>
  } : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
