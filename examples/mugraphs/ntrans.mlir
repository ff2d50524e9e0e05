// A step of a normalised transformer, y = c / rms(c) with c = x + alpha · (h / rms(h) + x),
// as one kernel in which eight blocks share a row: each normalisation joins them, the
// second one after the first.
func.func @ntrans_bs1(%H: tensor<8x4096xf16>, %X: tensor<8x4096xf16>, %Alpha: tensor<8x4096xf16>) -> tensor<8x4096xf16> {
  %e = tensor.empty() : tensor<8x4096xf16>
  %r = mirage_kernel.graph ins(%H, %X, %Alpha : tensor<8x4096xf16>, tensor<8x4096xf16>, tensor<8x4096xf16>)
      outs(%e : tensor<8x4096xf16>) {
  ^bb0(%h: tensor<8x4096xf16>, %x: tensor<8x4096xf16>, %alpha: tensor<8x4096xf16>):
    %o = mirage_block.graph grid(x = 8, y = 8) cluster(y = 8) threads(128)
        ins(%h imap(x -> 0, y -> 1), %x imap(x -> 0, y -> 1), %alpha imap(x -> 0, y -> 1))
        outs(omap(x -> 0, y -> 1))
        : (tensor<8x4096xf16>, tensor<8x4096xf16>, tensor<8x4096xf16>) -> tensor<8x4096xf16> {
    ^bb0(%ht: tensor<1x512xf16>, %xt: tensor<1x512xf16>, %at: tensor<1x512xf16>):
      %r = mirage_block.accumulate %ht over y rms dims [1] : tensor<1x512xf16>
      %n = mirage_block.div %ht, %r : tensor<1x512xf16>, tensor<1x1xf32>
      %a = mirage_block.add %n, %xt : tensor<1x512xf32>, tensor<1x512xf16>
      %b = mirage_block.mul %at, %a : tensor<1x512xf16>, tensor<1x512xf32>
      %c = mirage_block.add %xt, %b : tensor<1x512xf16>, tensor<1x512xf32>
      %s = mirage_block.accumulate %c over y rms dims [1] : tensor<1x512xf32>
      %y = mirage_block.div %c, %s : tensor<1x512xf32>, tensor<1x1xf32>
      mirage_block.yield %y : tensor<1x512xf32>
    }
    mirage_kernel.yield %o : tensor<8x4096xf16>
  } : tensor<8x4096xf16>
  return %r : tensor<8x4096xf16>
}
