func.func @signs(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>, %z: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %yz = mirage_kernel.mul %y, %z : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %a = mirage_kernel.sqrt %yz : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %p = mirage_kernel.mul %x, %a : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %p : tensor<4x6xf32>
}
