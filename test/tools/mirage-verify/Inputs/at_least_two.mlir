func.func @f(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %c = arith.constant dense<2.0> : tensor<3x5xf32>
  %1 = arith.maximumf %x, %c : tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
