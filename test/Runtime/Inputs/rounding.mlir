// What is stored as f16 between kernels, and what a block holds as f32.
func.func @kernels(%x: tensor<16x256xf16>, %w: tensor<256x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x256xf16>, tensor<256x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x256xf16>, %b: tensor<256x64xf16>):
    %p = mirage_kernel.matmul %a, %b : (tensor<16x256xf16>, tensor<256x64xf16>) -> tensor<16x64xf16>
    %m = mirage_kernel.exp %p : (tensor<16x64xf16>) -> tensor<16x64xf32>
    %s = mirage_kernel.sum %m dims [1] : (tensor<16x64xf32>) -> tensor<16x1xf16>
    %o = mirage_kernel.div %m, %s : (tensor<16x64xf32>, tensor<16x1xf16>) -> tensor<16x64xf16>
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

func.func @blocks(%x: tensor<16x256xf16>, %w: tensor<256x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x256xf16>, tensor<256x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x256xf16>, %b: tensor<256x64xf16>):
    %o = mirage_block.graph grid(x = 2) threads(64) loop(4)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<16x256xf16>, tensor<256x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%at: tensor<16x64xf16>, %bt: tensor<64x32xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<16x64xf16>, tensor<64x32xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<16x32xf32>
      %h = mirage_block.cast %s : (tensor<16x32xf32>) -> tensor<16x32xf16>
      %m = mirage_block.exp %h : tensor<16x32xf16>
      mirage_block.yield %m : tensor<16x32xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// What is joined has one type, whatever the parts have.
func.func @parts(%x: tensor<16x256xf16>, %w: tensor<256x64xf16>) -> tensor<16x128xf16> {
  %e = tensor.empty() : tensor<16x128xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x256xf16>, tensor<256x64xf16>) outs(%e : tensor<16x128xf16>) {
  ^bb0(%a: tensor<16x256xf16>, %b: tensor<256x64xf16>):
    %p = mirage_kernel.matmul %a, %b : (tensor<16x256xf16>, tensor<256x64xf16>) -> tensor<16x64xf16>
    %m = mirage_kernel.exp %p : (tensor<16x64xf16>) -> tensor<16x64xf32>
    %c = mirage_kernel.concat %p, %m dims [1] : (tensor<16x64xf16>, tensor<16x64xf32>) -> tensor<16x128xf16>
    %o = mirage_kernel.square %c : (tensor<16x128xf16>) -> tensor<16x128xf16>
    mirage_kernel.yield %o : tensor<16x128xf16>
  } : tensor<16x128xf16>
  return %r : tensor<16x128xf16>
}
