func.func @f(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %z = arith.constant dense<0.0> : tensor<3x5xf32>
  %c2 = arith.constant dense<2.0> : tensor<3x5xf32>
  %a = arith.maximumf %x, %z : tensor<3x5xf32>
  %r = arith.mulf %a, %c2 : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
