// softmax(q kT / 4) v, heads moved behind, in tosa: maxima start from the lowest
// finite number.
func.func @attention(%q: tensor<2x3x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>) -> tensor<3x2x8xf32> {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %scale = "tosa.const"() <{values = dense<0.25> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %kt = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<2x5x8xf32>) -> tensor<2x8x5xf32>
  %s = tosa.matmul %q, %kt, %zp, %zp : (tensor<2x3x8xf32>, tensor<2x8x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
  %sc = tosa.mul %s, %scale, %shift : (tensor<2x3x5xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x3x5xf32>
  %m = tosa.reduce_max %sc {axis = 2 : i32} : (tensor<2x3x5xf32>) -> tensor<2x3x1xf32>
  %d = tosa.sub %sc, %m : (tensor<2x3x5xf32>, tensor<2x3x1xf32>) -> tensor<2x3x5xf32>
  %e = tosa.exp %d : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %sum = tosa.reduce_sum %e {axis = 2 : i32} : (tensor<2x3x5xf32>) -> tensor<2x3x1xf32>
  %r = tosa.reciprocal %sum : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %p = tosa.mul %e, %r, %shift : (tensor<2x3x5xf32>, tensor<2x3x1xf32>, tensor<1xi8>) -> tensor<2x3x5xf32>
  %o = tosa.matmul %p, %v, %zp, %zp : (tensor<2x3x5xf32>, tensor<2x5x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x8xf32>
  %ot = tosa.transpose %o {perms = array<i32: 1, 0, 2>} : (tensor<2x3x8xf32>) -> tensor<3x2x8xf32>
  return %ot : tensor<3x2x8xf32>
}
