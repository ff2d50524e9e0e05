// A gated MLP: silu(X · W1) * (X · W2), with silu spelled out as x / (1 + exp(-x)).
// X[8, 4096], W1 and W2 [4096, 4096].
#map = affine_map<(i, j) -> (i, j)>

func.func @gated_mlp(%x: tensor<8x4096xf16>, %w1: tensor<4096x4096xf16>,
                     %w2: tensor<4096x4096xf16>) -> tensor<8x4096xf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<8x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %gate = linalg.matmul ins(%x, %w1 : tensor<8x4096xf16>, tensor<4096x4096xf16>)
                        outs(%init : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %up = linalg.matmul ins(%x, %w2 : tensor<8x4096xf16>, tensor<4096x4096xf16>)
                      outs(%init : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %e1 = tensor.empty() : tensor<8x4096xf16>
  %result = linalg.generic {
         indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
       ins(%gate, %up : tensor<8x4096xf32>, tensor<8x4096xf32>) outs(%e1 : tensor<8x4096xf16>) {
  ^bb0(%g: f32, %u: f32, %out: f16):
    %0 = arith.negf %g : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %g, %2 : f32
    %4 = arith.mulf %3, %u : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<8x4096xf16>
  return %result : tensor<8x4096xf16>
}
