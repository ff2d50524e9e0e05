func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = arith.constant dense<3.0> : tensor<3xf32>
  %1 = arith.mulf %x, %c : tensor<3xf32>
  %2 = math.absf %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}
