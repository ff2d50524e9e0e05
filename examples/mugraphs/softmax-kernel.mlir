// Softmax over rows, with the maximum subtracted so that exp does not overflow.
func.func @softmax(%x: tensor<40x4xf32>) -> tensor<40x4xf32> {
  %empty = tensor.empty() : tensor<40x4xf32>
  %r = mirage_kernel.graph ins(%x : tensor<40x4xf32>) outs(%empty : tensor<40x4xf32>) {
  ^bb0(%a: tensor<40x4xf32>):
    %m = mirage_kernel.max %a dims [1] : (tensor<40x4xf32>) -> tensor<40x1xf32>
    %d = mirage_kernel.sub %a, %m : (tensor<40x4xf32>, tensor<40x1xf32>) -> tensor<40x4xf32>
    %e = mirage_kernel.exp %d : (tensor<40x4xf32>) -> tensor<40x4xf32>
    %s = mirage_kernel.sum %e dims [1] : (tensor<40x4xf32>) -> tensor<40x1xf32>
    %o = mirage_kernel.div %e, %s : (tensor<40x4xf32>, tensor<40x1xf32>) -> tensor<40x4xf32>
    mirage_kernel.yield %o : tensor<40x4xf32>
  } : tensor<40x4xf32>
  return %r : tensor<40x4xf32>
}
