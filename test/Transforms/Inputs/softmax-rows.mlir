func.func @softmax_rows(%x: tensor<64x100xf16>, %e: tensor<64x100xf16>) -> tensor<64x100xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<64x100xf16>) outs(%e : tensor<64x100xf16>) {
  ^bb0(%a: tensor<64x100xf16>):
    %p = mirage_kernel.exp %a : (tensor<64x100xf16>) -> tensor<64x100xf32>
    %s = mirage_kernel.sum %p dims [1] : (tensor<64x100xf32>) -> tensor<64x1xf32>
    %d = mirage_kernel.div %p, %s : (tensor<64x100xf32>, tensor<64x1xf32>) -> tensor<64x100xf16>
    mirage_kernel.yield %d : tensor<64x100xf16>
  } : tensor<64x100xf16>
  return %r : tensor<64x100xf16>
}
