// Elements of two tiles, multiplied.
func.func @products_of_elements(%x: tensor<8x1024xf32>, %y: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %e = tensor.empty() : tensor<8x1024xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<8x1024xf32>, tensor<8x1024xf32>) outs(%e : tensor<8x1024xf32>) {
  ^bb0(%kx: tensor<8x1024xf32>, %ky: tensor<8x1024xf32>):
    %o = mirage_block.graph grid(x = 8) threads(128) ins(%kx imap(x -> 0), %ky imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x1024xf32>, tensor<8x1024xf32>) -> tensor<8x1024xf32> {
    ^bb0(%tx: tensor<1x1024xf32>, %ty: tensor<1x1024xf32>):
      %p = mirage_block.mul %tx, %ty : tensor<1x1024xf32>, tensor<1x1024xf32>
      mirage_block.yield %p : tensor<1x1024xf32>
    }
    mirage_kernel.yield %o : tensor<8x1024xf32>
  } : tensor<8x1024xf32>
  return %r : tensor<8x1024xf32>
}
