func.func @of_f32(%a: tensor<7x50xf32>, %b: tensor<50x13xf32>) -> tensor<7x13xf32> {
  %e = tensor.empty() : tensor<7x13xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<7x50xf32>, tensor<50x13xf32>) outs(%e : tensor<7x13xf32>)
      attributes {mirage_kernel.f32_products = "tf32"} {
  ^bb0(%x: tensor<7x50xf32>, %y: tensor<50x13xf32>):
    %o = mirage_block.graph grid() threads(64) ins(%x imap(), %y imap()) outs(omap())
        : (tensor<7x50xf32>, tensor<50x13xf32>) -> tensor<7x13xf32> {
    ^bb0(%xt: tensor<7x50xf32>, %yt: tensor<50x13xf32>):
      %0 = mirage_block.matmul %xt, %yt : tensor<7x50xf32>, tensor<50x13xf32>
      mirage_block.yield %0 : tensor<7x13xf32>
    }
    mirage_kernel.yield %o : tensor<7x13xf32>
  } : tensor<7x13xf32>
  return %r : tensor<7x13xf32>
}
