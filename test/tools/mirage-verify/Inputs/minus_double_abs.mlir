func.func @f(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %c = arith.constant dense<-2.0> : tensor<3x1xf32>
  %1 = math.absf %x : tensor<3x1xf32>
  %2 = arith.mulf %1, %c : tensor<3x1xf32>
  return %2 : tensor<3x1xf32>
}
