func.func @exp(%x: tensor<64x1024xf16>, %e: tensor<64x1024xf16>) -> tensor<64x1024xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<64x1024xf16>) outs(%e : tensor<64x1024xf16>) {
  ^bb0(%a: tensor<64x1024xf16>):
    %y = mirage_kernel.exp %a : (tensor<64x1024xf16>) -> tensor<64x1024xf16>
    mirage_kernel.yield %y : tensor<64x1024xf16>
  } : tensor<64x1024xf16>
  return %r : tensor<64x1024xf16>
}
