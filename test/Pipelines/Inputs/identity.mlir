func.func @f(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  return %x : tensor<4x8xf16>
}
