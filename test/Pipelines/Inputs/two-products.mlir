func.func @two_products(%x: tensor<208x64xf32>, %w: tensor<64x48xf32>, %u: tensor<64x48xf32>) -> (tensor<208x48xf32>, tensor<208x48xf32>) {
  %e0 = tensor.empty() : tensor<208x48xf32>
  %e1 = tensor.empty() : tensor<208x48xf32>
  %r:2 = mirage_kernel.graph ins(%x, %w, %u : tensor<208x64xf32>, tensor<64x48xf32>, tensor<64x48xf32>) outs(%e0, %e1 : tensor<208x48xf32>, tensor<208x48xf32>) attributes {mirage_kernel.f32_products = "tf32"} {
  ^bb0(%xk: tensor<208x64xf32>, %wk: tensor<64x48xf32>, %uk: tensor<64x48xf32>):
    %o:2 = mirage_block.graph grid() threads(384) loop(2) ins(%xk imap() fmap(1), %wk imap() fmap(0), %uk imap() fmap(0)) outs(omap(), omap()) : (tensor<208x64xf32>, tensor<64x48xf32>, tensor<64x48xf32>) -> (tensor<208x48xf32>, tensor<208x48xf32>) {
    ^bb0(%xt: tensor<208x32xf32>, %wt: tensor<32x48xf32>, %ut: tensor<32x48xf32>):
      %p = mirage_block.matmul %xt, %wt : tensor<208x32xf32>, tensor<32x48xf32>
      %s = mirage_block.accumulate %p over loop sum : tensor<208x48xf32>
      %q = mirage_block.matmul %xt, %ut : tensor<208x32xf32>, tensor<32x48xf32>
      %t = mirage_block.accumulate %q over loop sum : tensor<208x48xf32>
      mirage_block.yield %s, %t : tensor<208x48xf32>, tensor<208x48xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<208x48xf32>, tensor<208x48xf32>
  } : tensor<208x48xf32>, tensor<208x48xf32>
  return %r#0, %r#1 : tensor<208x48xf32>, tensor<208x48xf32>
}
