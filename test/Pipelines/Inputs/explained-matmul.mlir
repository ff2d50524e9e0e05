// A matmul in one kernel, as somebody writes it by hand.
func.func @matmul(%a: tensor<256x512xf16>, %b: tensor<512x256xf16>) -> tensor<256x256xf16> {
  %e = tensor.empty() : tensor<256x256xf16>
  %0 = mirage_kernel.graph ins(%a, %b : tensor<256x512xf16>, tensor<512x256xf16>) outs(%e : tensor<256x256xf16>) {
  ^bb0(%x: tensor<256x512xf16>, %w: tensor<512x256xf16>):
    %1 = mirage_block.graph grid(x = 4, y = 4) threads(128) loop(8) stages(3) ins(%x imap(x -> 0) fmap(1), %w imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1)) : (tensor<256x512xf16>, tensor<512x256xf16>) -> tensor<256x256xf16> {
    ^bb0(%s: tensor<64x64xf16>, %t: tensor<64x64xf16>):
      %p = mirage_block.matmul %s, %t : tensor<64x64xf16>, tensor<64x64xf16>
      %c = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      mirage_block.yield %c : tensor<64x64xf32>
    }
    mirage_kernel.yield %1 : tensor<256x256xf16>
  } : tensor<256x256xf16>
  return %0 : tensor<256x256xf16>
}
