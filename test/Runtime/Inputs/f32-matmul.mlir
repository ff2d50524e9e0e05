func.func @linear(%x: tensor<16x64xf32>, %w: tensor<64x32xf32>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<16x32xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf32>, tensor<64x32xf32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%a: tensor<16x64xf32>, %b: tensor<64x32xf32>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
    mirage_kernel.yield %0 : tensor<16x32xf32>
  } : tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}
