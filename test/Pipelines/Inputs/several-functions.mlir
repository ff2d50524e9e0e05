func.func @first(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %empty = tensor.empty() : tensor<4x8xf16>
  %exp = linalg.exp ins(%x : tensor<4x8xf16>) outs(%empty : tensor<4x8xf16>) -> tensor<4x8xf16>
  return %exp : tensor<4x8xf16>
}
func.func @second(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %empty = tensor.empty() : tensor<4x8xf32>
  %abs = linalg.abs ins(%x : tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %abs : tensor<4x8xf32>
}
