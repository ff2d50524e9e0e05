func.func @f(%x: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %c = arith.constant dense<10.0> : tensor<6x10xf32>
  %0 = math.exp %x : tensor<6x10xf32>
  %1 = arith.divf %0, %c : tensor<6x10xf32>
  %2 = arith.mulf %1, %c : tensor<6x10xf32>
  return %2 : tensor<6x10xf32>
}
