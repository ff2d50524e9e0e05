func.func @two_kernels(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x16xf32>, tensor<16x32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = mirage_kernel.exp %0 : (tensor<8x32xf32>) -> tensor<8x32xf32>
    mirage_kernel.yield %1 : tensor<8x32xf32>
  } : tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
