func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = math.exp %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
