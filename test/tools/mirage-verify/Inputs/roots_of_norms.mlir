func.func @norms(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>) -> tensor<4x5xf32> {
  %xx = mirage_kernel.square %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %yy = mirage_kernel.square %y : (tensor<5x6xf32>) -> tensor<5x6xf32>
  %mx = mirage_kernel.mean %xx dims [1] : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %my = mirage_kernel.mean %yy dims [1] : (tensor<5x6xf32>) -> tensor<5x1xf32>
  %sx = mirage_kernel.sqrt %mx : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %sy = mirage_kernel.sqrt %my : (tensor<5x1xf32>) -> tensor<5x1xf32>
  %nx = mirage_kernel.div %x, %sx : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %ny = mirage_kernel.div %y, %sy : (tensor<5x6xf32>, tensor<5x1xf32>) -> tensor<5x6xf32>
  %t = mirage_kernel.transpose %ny dims [1, 0] : (tensor<5x6xf32>) -> tensor<6x5xf32>
  %p = mirage_kernel.matmul %nx, %t : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  return %p : tensor<4x5xf32>
}
