func.func @f(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %z = arith.constant dense<0.0> : tensor<3x5xf32>
  %c2 = arith.constant dense<2.0> : tensor<3x5xf32>
  %h = arith.constant dense<1.0e12> : tensor<3x5xf32>
  %a = arith.mulf %x, %c2 : tensor<3x5xf32>
  %b = arith.maximumf %a, %z : tensor<3x5xf32>
  %c = arith.addf %b, %h : tensor<3x5xf32>
  %r = arith.subf %c, %h : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
