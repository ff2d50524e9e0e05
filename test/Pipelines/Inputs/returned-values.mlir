func.func @returned(%x: tensor<4x8xf16>, %unused: tensor<3xf32>)
    -> (tensor<4x8xf16>, tensor<4x8xf16>, tensor<4x8xf16>, tensor<8x4xf16>) {
  %empty = tensor.empty() : tensor<4x8xf16>
  %exp = linalg.exp ins(%x : tensor<4x8xf16>) outs(%empty : tensor<4x8xf16>) -> tensor<4x8xf16>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf16> into tensor<32xf16>
  %view = tensor.expand_shape %flat [[0, 1]] output_shape [8, 4] : tensor<32xf16> into tensor<8x4xf16>
  return %exp, %x, %exp, %view : tensor<4x8xf16>, tensor<4x8xf16>, tensor<4x8xf16>, tensor<8x4xf16>
}
