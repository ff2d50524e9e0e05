func.func @f(%x: tensor<3x1024xf32>) -> tensor<3x1xf32> {
  %e = tensor.empty() : tensor<3x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<3x1024xf32>) outs(%e : tensor<3x1xf32>) {
  ^bb0(%a: tensor<3x1024xf32>):
    %0 = mirage_kernel.max %a dims [1] : (tensor<3x1024xf32>) -> tensor<3x1xf32>
    mirage_kernel.yield %0 : tensor<3x1xf32>
  } : tensor<3x1xf32>
  return %r : tensor<3x1xf32>
}
