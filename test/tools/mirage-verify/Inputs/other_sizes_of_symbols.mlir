func.func @f(%x_: tensor<1x65536xf32>, %y_: tensor<1x1xf32>, %z_: tensor<1x64xf32>, %w_: tensor<1x96xf32>, %q_: tensor<65x3xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %e0 = tensor.empty() : tensor<1x1xf32>
  %e1 = tensor.empty() : tensor<1x1xf32>
  %r:2 = mirage_kernel.graph ins(%x_, %y_, %z_, %w_, %q_ : tensor<1x65536xf32>, tensor<1x1xf32>, tensor<1x64xf32>, tensor<1x96xf32>, tensor<65x3xf32>) outs(%e0, %e1 : tensor<1x1xf32>, tensor<1x1xf32>) {
  ^bb0(%x: tensor<1x65536xf32>, %y: tensor<1x1xf32>, %z: tensor<1x64xf32>, %w: tensor<1x96xf32>, %q: tensor<65x3xf32>):
    %v0 = mirage_kernel.scale %z by 0.0 : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %v1 = mirage_kernel.add %y, %v0 : (tensor<1x1xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %v2 = mirage_kernel.sum %v1 dims [1] : (tensor<1x64xf32>) -> tensor<1x1xf32>
    %v3 = mirage_kernel.add %v2, %y : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %v4 = mirage_kernel.square %v3 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %v5 = mirage_kernel.offset %v4 by 100.0 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %v6 = mirage_kernel.scale %v5 by -1000000.0 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %v7 = mirage_kernel.max %x dims [1] : (tensor<1x65536xf32>) -> tensor<1x1xf32>
    %v8 = mirage_kernel.maximum %v7, %v6 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %v9 = mirage_kernel.slice %q offsets [0, 0] strides [1, 1] : (tensor<65x3xf32>) -> tensor<64x3xf32>
    %v10 = mirage_kernel.square %v9 : (tensor<64x3xf32>) -> tensor<64x3xf32>
    %v11 = mirage_kernel.sum %v10 dims [1] : (tensor<64x3xf32>) -> tensor<64x1xf32>
    %v12 = mirage_kernel.square %y : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %v13 = mirage_kernel.add %v11, %v12 : (tensor<64x1xf32>, tensor<1x1xf32>) -> tensor<64x1xf32>
    %v14 = mirage_kernel.sum %v13 dims [0] : (tensor<64x1xf32>) -> tensor<1x1xf32>
    mirage_kernel.yield %v8, %v14 : tensor<1x1xf32>, tensor<1x1xf32>
  } : tensor<1x1xf32>, tensor<1x1xf32>
  return %r#0, %r#1 : tensor<1x1xf32>, tensor<1x1xf32>
}
