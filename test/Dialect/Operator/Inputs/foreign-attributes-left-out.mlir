func.func @mask(%s: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %m = mirage_kernel.causal_mask %s offset 0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %p = mirage_kernel.softmax %m dims [1] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
}

func.func @tiles(%x: tensor<8x4xf32>) -> tensor<8x1xf32> {
  %e = mirage_kernel.exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = mirage_kernel.sum %e dims [1] : (tensor<8x4xf32>) -> tensor<8x1xf32>
  return %s : tensor<8x1xf32>
}
