func.func @f(%x: tensor<6x10xf32>) -> tensor<6x10xf32> {
  return %x : tensor<6x10xf32>
}
func.func @other(%x: tensor<6x10xf32>) -> tensor<6x10xf32> {
  return %x : tensor<6x10xf32>
}
