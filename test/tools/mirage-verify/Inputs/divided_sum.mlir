func.func @f(%arg0: tensor<3x4xf32>, %arg1: tensor<3x1xf32>, %arg2: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %init = tensor.empty() : tensor<3x1xf32>
  %r = mirage_kernel.graph ins(%arg0, %arg1, %arg2 : tensor<3x4xf32>, tensor<3x1xf32>, tensor<3x1xf32>)
      outs(%init : tensor<3x1xf32>) {
  ^bb0(%x: tensor<3x4xf32>, %s: tensor<3x1xf32>, %t: tensor<3x1xf32>):
    %sum = mirage_kernel.sum %x dims [1] : (tensor<3x4xf32>) -> tensor<3x1xf32>
    %both = mirage_kernel.mul %s, %t : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %radicand = mirage_kernel.div %sum, %both : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %root = mirage_kernel.sqrt %radicand : (tensor<3x1xf32>) -> tensor<3x1xf32>
    mirage_kernel.yield %root : tensor<3x1xf32>
  } : tensor<3x1xf32>
  return %r : tensor<3x1xf32>
}
