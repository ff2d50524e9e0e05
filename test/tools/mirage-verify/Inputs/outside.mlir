func.func @f(%x: tensor<6x10xi32>) -> tensor<6x10xi32> {
  return %x : tensor<6x10xi32>
}
