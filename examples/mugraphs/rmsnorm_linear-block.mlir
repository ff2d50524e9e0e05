// RMSNorm followed by a linear layer as one kernel: 128 thread blocks, each of which
// makes 48 columns of the result in a loop of 16 iterations and divides at the end.
func.func @rmsnorm_linear(%x: tensor<8x4096xf16>, %w: tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
  %e = tensor.empty() : tensor<8x6144xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x4096xf16>, tensor<4096x6144xf16>)
      outs(%e : tensor<8x6144xf16>) {
  ^bb0(%a: tensor<8x4096xf16>, %b: tensor<4096x6144xf16>):
    %o = mirage_block.graph grid(x = 128) threads(128) loop(16)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<8x4096xf16>, tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
    ^bb0(%at: tensor<8x256xf16>, %bt: tensor<256x48xf16>):
      %rms = mirage_block.accumulate %at over loop rms dims [1] count 4096 : tensor<8x256xf16>
      %p = mirage_block.matmul %at, %bt : tensor<8x256xf16>, tensor<256x48xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<8x48xf32>
      %d = mirage_block.div %acc, %rms : tensor<8x48xf32>, tensor<8x1xf32>
      mirage_block.yield %d : tensor<8x48xf32>
    }
    mirage_kernel.yield %o : tensor<8x6144xf16>
  } : tensor<8x6144xf16>
  return %r : tensor<8x6144xf16>
}
