func.func @f(%arg0: tensor<3x4xf32>, %arg1: tensor<3x1xf32>, %arg2: tensor<3x4xf32>) -> tensor<3x1xf32> {
  %init = tensor.empty() : tensor<3x1xf32>
  %r = mirage_kernel.graph ins(%arg0, %arg1, %arg2 : tensor<3x4xf32>, tensor<3x1xf32>, tensor<3x4xf32>)
      outs(%init : tensor<3x1xf32>) {
  ^bb0(%x: tensor<3x4xf32>, %s: tensor<3x1xf32>, %t: tensor<3x4xf32>):
    %z = mirage_kernel.scale %s by 0.0 : (tensor<3x1xf32>) -> tensor<3x1xf32>
    %o = mirage_kernel.offset %z by 1.0 : (tensor<3x1xf32>) -> tensor<3x1xf32>
    %m = mirage_kernel.offset %z by -1.0 : (tensor<3x1xf32>) -> tensor<3x1xf32>
    %h = mirage_kernel.offset %z by 3.0 : (tensor<3x1xf32>) -> tensor<3x1xf32>
    %p1 = mirage_kernel.div %o, %h : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %p2 = mirage_kernel.div %m, %h : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %u = mirage_kernel.add %s, %p1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %q = mirage_kernel.add %u, %p2 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %y = mirage_kernel.sqrt %q : (tensor<3x1xf32>) -> tensor<3x1xf32>
    mirage_kernel.yield %y : tensor<3x1xf32>
  } : tensor<3x1xf32>
  return %r : tensor<3x1xf32>
}
