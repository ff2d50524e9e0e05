// A product in tf32 that is the second result of its kernel, and one that is no product.
func.func @two(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>) -> (tensor<16x32xf32>, tensor<16x16xf32>) {
  %e0 = tensor.empty() : tensor<16x32xf32>
  %e1 = tensor.empty() : tensor<16x16xf32>
  %r:2 = mirage_kernel.graph ins(%a, %b : tensor<16x32xf32>, tensor<32x16xf32>) outs(%e0, %e1 : tensor<16x32xf32>, tensor<16x16xf32>) {
  ^bb0(%k0: tensor<16x32xf32>, %k1: tensor<32x16xf32>):
    %o:2 = mirage_block.graph grid() threads(32) ins(%k0 imap(), %k1 imap()) outs(omap(), omap()) : (tensor<16x32xf32>, tensor<32x16xf32>) -> (tensor<16x32xf32>, tensor<16x16xf32>) {
    ^bb0(%x: tensor<16x32xf32>, %y: tensor<32x16xf32>):
      %n = mirage_block.neg %x : tensor<16x32xf32>
      %p = mirage_block.matmul %x, %y : tensor<16x32xf32>, tensor<32x16xf32>
      mirage_block.yield %n, %p : tensor<16x32xf32>, tensor<16x16xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<16x32xf32>, tensor<16x16xf32>
  } : tensor<16x32xf32>, tensor<16x16xf32>
  return %r#0, %r#1 : tensor<16x32xf32>, tensor<16x16xf32>
}
