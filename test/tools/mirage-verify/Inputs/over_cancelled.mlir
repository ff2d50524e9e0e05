func.func @f(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %h = arith.constant dense<1.0e12> : tensor<3x5xf32>
  %a = arith.addf %y, %h : tensor<3x5xf32>
  %b = arith.subf %a, %h : tensor<3x5xf32>
  %zero = arith.subf %b, %y : tensor<3x5xf32>
  %r = arith.divf %x, %zero : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
