func.func @signs(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>, %z: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %xy = mirage_kernel.mul %x, %y : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %xz = mirage_kernel.mul %x, %z : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %a = mirage_kernel.sqrt %xy : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %b = mirage_kernel.sqrt %xz : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %p = mirage_kernel.mul %a, %b : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %p : tensor<4x6xf32>
}
