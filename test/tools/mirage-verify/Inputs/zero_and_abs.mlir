func.func @f(%arg0: tensor<1x2xf32>, %arg1: tensor<1x1xf32>, %arg2: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %init = tensor.empty() : tensor<1x1xf32>
  %r = mirage_kernel.graph ins(%arg0, %arg1, %arg2 : tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
      outs(%init : tensor<1x1xf32>) {
  ^bb0(%x: tensor<1x2xf32>, %s: tensor<1x1xf32>, %t: tensor<1x1xf32>):
    %a = mirage_kernel.scale %s by 0.0 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %b = mirage_kernel.div %a, %t : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %c = mirage_kernel.abs %s : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %y = mirage_kernel.add %c, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    mirage_kernel.yield %y : tensor<1x1xf32>
  } : tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}
