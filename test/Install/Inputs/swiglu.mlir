// Two products of x, gated, by an op that Mirage does not know.
func.func @gated(%x: tensor<6x32xf16> {mirage.name = "x"}, %w: tensor<32x48xf16> {mirage.name = "w"},
                 %v: tensor<32x48xf16> {mirage.name = "v"}) -> tensor<6x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<6x48xf32>) -> tensor<6x48xf32>
  %gate = linalg.matmul ins(%x, %w : tensor<6x32xf16>, tensor<32x48xf16>) outs(%init : tensor<6x48xf32>) -> tensor<6x48xf32>
  %up = linalg.matmul ins(%x, %v : tensor<6x32xf16>, tensor<32x48xf16>) outs(%init : tensor<6x48xf32>) -> tensor<6x48xf32>
  %r = toy.swiglu %gate, %up : tensor<6x48xf32>
  return %r : tensor<6x48xf32>
}
