func.func @norms(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>) -> tensor<4x5xf32> {
  %xx = mirage_kernel.square %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %yy = mirage_kernel.square %y : (tensor<5x6xf32>) -> tensor<5x6xf32>
  %mx = mirage_kernel.mean %xx dims [1] : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %my = mirage_kernel.mean %yy dims [1] : (tensor<5x6xf32>) -> tensor<5x1xf32>
  %row = mirage_kernel.transpose %my dims [1, 0] : (tensor<5x1xf32>) -> tensor<1x5xf32>
  %both = mirage_kernel.mul %mx, %row : (tensor<4x1xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
  %root = mirage_kernel.sqrt %both : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %t = mirage_kernel.transpose %y dims [1, 0] : (tensor<5x6xf32>) -> tensor<6x5xf32>
  %p = mirage_kernel.matmul %x, %t : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  %q = mirage_kernel.div %p, %root : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %q : tensor<4x5xf32>
}
