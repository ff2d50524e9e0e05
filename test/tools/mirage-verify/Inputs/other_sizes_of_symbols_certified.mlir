func.func @f(%x_: tensor<1x65536xf32>, %y_: tensor<1x1xf32>, %z_: tensor<1x64xf32>, %w_: tensor<1x96xf32>, %q_: tensor<65x3xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %e0 = tensor.empty() : tensor<1x1xf32>
  %e1 = tensor.empty() : tensor<1x1xf32>
  %r:2 = mirage_kernel.graph ins(%x_, %y_, %z_, %w_, %q_ : tensor<1x65536xf32>, tensor<1x1xf32>, tensor<1x64xf32>, tensor<1x96xf32>, tensor<65x3xf32>) outs(%e0, %e1 : tensor<1x1xf32>, tensor<1x1xf32>) attributes {mirage.certificate = {digest = "3bfa80f3f7fcc36bba13814fc3a74e8b0b5b8904556191b529af424404658e0b", error_bound = 64 : i64, own_size = "trials agree", program = "bd7fe8548bb8c7057669dd9b470749a2d139c0894b7a184fdfd90470dca82890", proved_log2 = -98.791364 : f64, result = "73423073f448764c99e88e2acd4a0e159969853d0202f910075d1ba714bc5d31", seed = 0 : i64, sizes = "1x3, 1x1, 1x4, 1x5, 65x6", towers = 1 : i64, trials = 1 : i64, version = 6 : i64, where_both_defined = false}} {
  ^bb0(%x: tensor<1x65536xf32>, %y: tensor<1x1xf32>, %z: tensor<1x64xf32>, %w: tensor<1x96xf32>, %q: tensor<65x3xf32>):
    %v0 = mirage_kernel.scale %w by 0.0 : (tensor<1x96xf32>) -> tensor<1x96xf32>
    %v1 = mirage_kernel.add %y, %v0 : (tensor<1x1xf32>, tensor<1x96xf32>) -> tensor<1x96xf32>
    %v2 = mirage_kernel.sum %v1 dims [1] : (tensor<1x96xf32>) -> tensor<1x1xf32>
    %v3 = mirage_kernel.square %v2 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %v4 = mirage_kernel.offset %v3 by 100.0 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %v5 = mirage_kernel.scale %v4 by -1000000.0 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %v6 = mirage_kernel.max %x dims [1] : (tensor<1x65536xf32>) -> tensor<1x1xf32>
    %v7 = mirage_kernel.maximum %v6, %v5 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %v8 = mirage_kernel.slice %q offsets [0, 0] strides [1, 1] : (tensor<65x3xf32>) -> tensor<64x3xf32>
    %v9 = mirage_kernel.square %v8 : (tensor<64x3xf32>) -> tensor<64x3xf32>
    %v10 = mirage_kernel.sum %v9 dims [1] : (tensor<64x3xf32>) -> tensor<64x1xf32>
    %v11 = mirage_kernel.square %y : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %v12 = mirage_kernel.add %v10, %v11 : (tensor<64x1xf32>, tensor<1x1xf32>) -> tensor<64x1xf32>
    %v13 = mirage_kernel.sqrt %v12 : (tensor<64x1xf32>) -> tensor<64x1xf32>
    %v14 = mirage_kernel.square %v13 : (tensor<64x1xf32>) -> tensor<64x1xf32>
    %v15 = mirage_kernel.sum %v14 dims [0] : (tensor<64x1xf32>) -> tensor<1x1xf32>
    mirage_kernel.yield %v7, %v15 : tensor<1x1xf32>, tensor<1x1xf32>
  } : tensor<1x1xf32>, tensor<1x1xf32>
  return %r#0, %r#1 : tensor<1x1xf32>, tensor<1x1xf32>
}
