func.func @f(%arg0: tensor<3x4xf32>, %arg1: tensor<3x1xf32>, %arg2: tensor<3x4xf32>) -> tensor<3x1xf32> {
  %init = tensor.empty() : tensor<3x1xf32>
  %r = mirage_kernel.graph ins(%arg0, %arg1, %arg2 : tensor<3x4xf32>, tensor<3x1xf32>, tensor<3x4xf32>)
      outs(%init : tensor<3x1xf32>) {
  ^bb0(%x: tensor<3x4xf32>, %s: tensor<3x1xf32>, %t: tensor<3x4xf32>):
    %b = mirage_kernel.sum %x dims [1] : (tensor<3x4xf32>) -> tensor<3x1xf32>
    %d = mirage_kernel.div %b, %s : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %q = mirage_kernel.scale %d by 0.25 : (tensor<3x1xf32>) -> tensor<3x1xf32>
    %y = mirage_kernel.sqrt %q : (tensor<3x1xf32>) -> tensor<3x1xf32>
    mirage_kernel.yield %y : tensor<3x1xf32>
  } : tensor<3x1xf32>
  return %r : tensor<3x1xf32>
}
