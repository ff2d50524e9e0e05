// x * rsqrt(mean(x^2) + eps) * g, then a matmul, in tosa: means multiply by the
// reciprocal of the size.
func.func @rmsnorm_linear(%x: tensor<1x7x100xf32>, %g: tensor<1x1x100xf32>, %w: tensor<1x100x13xf32>) -> tensor<1x7x13xf32> {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %n = "tosa.const"() <{values = dense<0.01> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %eps = "tosa.const"() <{values = dense<1.0e-5> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %0 = tosa.mul %x, %x, %shift : (tensor<1x7x100xf32>, tensor<1x7x100xf32>, tensor<1xi8>) -> tensor<1x7x100xf32>
  %1 = tosa.reduce_sum %0 {axis = 2 : i32} : (tensor<1x7x100xf32>) -> tensor<1x7x1xf32>
  %2 = tosa.mul %1, %n, %shift : (tensor<1x7x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x7x1xf32>
  %3 = tosa.add %2, %eps : (tensor<1x7x1xf32>, tensor<1x1x1xf32>) -> tensor<1x7x1xf32>
  %4 = tosa.rsqrt %3 : (tensor<1x7x1xf32>) -> tensor<1x7x1xf32>
  %5 = tosa.mul %x, %4, %shift : (tensor<1x7x100xf32>, tensor<1x7x1xf32>, tensor<1xi8>) -> tensor<1x7x100xf32>
  %6 = tosa.mul %5, %g, %shift : (tensor<1x7x100xf32>, tensor<1x1x100xf32>, tensor<1xi8>) -> tensor<1x7x100xf32>
  %7 = tosa.matmul %6, %w, %zp, %zp : (tensor<1x7x100xf32>, tensor<1x100x13xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x13xf32>
  return %7 : tensor<1x7x13xf32>
}
