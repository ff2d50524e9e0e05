func.func @f(%x: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %0 = math.exp %x : tensor<6x10xf32>
  return %0 : tensor<6x10xf32>
}
