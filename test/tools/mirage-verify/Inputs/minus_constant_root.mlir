func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %z = arith.constant dense<0.0> : tensor<3xf32>
  %c2 = arith.constant dense<2.0> : tensor<3xf32>
  %c1 = arith.constant dense<1.0> : tensor<3xf32>
  %0 = arith.mulf %x, %z : tensor<3xf32>
  %1 = arith.addf %0, %c2 : tensor<3xf32>
  %2 = math.sqrt %1 : tensor<3xf32>
  %3 = arith.addf %2, %c1 : tensor<3xf32>
  %4 = arith.negf %3 : tensor<3xf32>
  return %4 : tensor<3xf32>
}
