// Clusters of two, in a kernel from which LLVM takes what is behind a guard when that has no effect.
func.func @pairs(%x: tensor<2x32x96xf16>, %w: tensor<2x96x8xf16>) -> tensor<2x32x8xf32> {
  %e = tensor.empty() : tensor<2x32x8xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<2x32x96xf16>, tensor<2x96x8xf16>) outs(%e : tensor<2x32x8xf32>) {
  ^bb0(%a: tensor<2x32x96xf16>, %b: tensor<2x96x8xf16>):
    %o = mirage_block.graph grid(x = 2, y = 1, z = 2) threads(128) loop(3) stages(2)
        ins(%a imap(z -> 0, x -> 1) fmap(2), %b imap(z -> 0, y -> 2) fmap(1)) outs(omap(z -> 0, x -> 1, y -> 2))
        : (tensor<2x32x96xf16>, tensor<2x96x8xf16>) -> tensor<2x32x8xf32> {
    ^bb0(%c: tensor<1x16x32xf16>, %d: tensor<1x32x16xf16>):
      %p = mirage_block.matmul %c, %d : tensor<1x16x32xf16>, tensor<1x32x16xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<1x16x16xf32>
      mirage_block.yield %s : tensor<1x16x16xf32>
    }
    mirage_kernel.yield %o : tensor<2x32x8xf32>
  } : tensor<2x32x8xf32>
  return %r : tensor<2x32x8xf32>
}
