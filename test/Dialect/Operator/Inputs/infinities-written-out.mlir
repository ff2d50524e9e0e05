// As ../infinities.mlir, without an infinity: what is seen by itself, and zeros.
func.func @additive(%s: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %seen = mirage_kernel.slice %s offsets [0, 0] strides [1, 1] : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %p = mirage_kernel.softmax %seen dims [1] : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %zero = mirage_kernel.constant 0.0 : tensor<3x2xf32>
  %r = mirage_kernel.concat %p, %zero dims [1] : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func @causal(%s: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %s0 = mirage_kernel.slice %s offsets [0, 0] strides [1, 1] : (tensor<3x4xf32>) -> tensor<1x2xf32>
  %s1 = mirage_kernel.slice %s offsets [1, 0] strides [1, 1] : (tensor<3x4xf32>) -> tensor<1x3xf32>
  %s2 = mirage_kernel.slice %s offsets [2, 0] strides [1, 1] : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %p0 = mirage_kernel.softmax %s0 dims [1] : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %p1 = mirage_kernel.softmax %s1 dims [1] : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %p2 = mirage_kernel.softmax %s2 dims [1] : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %z2 = mirage_kernel.constant 0.0 : tensor<1x2xf32>
  %z1 = mirage_kernel.constant 0.0 : tensor<1x1xf32>
  %r0 = mirage_kernel.concat %p0, %z2 dims [1] : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %r1 = mirage_kernel.concat %p1, %z1 dims [1] : (tensor<1x3xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
  %r = mirage_kernel.concat %r0, %r1, %p2 dims [0] : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
