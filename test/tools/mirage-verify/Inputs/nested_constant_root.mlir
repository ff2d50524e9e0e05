func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %z = arith.constant dense<0.0> : tensor<3xf32>
  %c2 = arith.constant dense<2.0> : tensor<3xf32>
  %c3 = arith.constant dense<3.0> : tensor<3xf32>
  %0 = arith.mulf %x, %z : tensor<3xf32>
  %1 = arith.addf %0, %c2 : tensor<3xf32>
  %2 = math.sqrt %1 : tensor<3xf32>
  %3 = arith.mulf %2, %c2 : tensor<3xf32>
  %4 = arith.addf %3, %c3 : tensor<3xf32>
  %5 = math.sqrt %4 : tensor<3xf32>
  return %5 : tensor<3xf32>
}
