// silu(x · w1) * (x · w2) with 8-bit weights of both types, of sizes that nothing divides.
#id = affine_map<(i, j) -> (i, j)>
func.func @float8_gated_mlp(%x: tensor<5x333xf16>, %w1: tensor<333x101xf8E4M3FN>,
                            %w2: tensor<333x101xf8E5M2>) -> tensor<5x101xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x101xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<5x101xf32>) -> tensor<5x101xf32>
  %gate = linalg.matmul ins(%x, %w1 : tensor<5x333xf16>, tensor<333x101xf8E4M3FN>) outs(%init : tensor<5x101xf32>) -> tensor<5x101xf32>
  %up = linalg.matmul ins(%x, %w2 : tensor<5x333xf16>, tensor<333x101xf8E5M2>) outs(%init : tensor<5x101xf32>) -> tensor<5x101xf32>
  %e1 = tensor.empty() : tensor<5x101xf16>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%gate, %up : tensor<5x101xf32>, tensor<5x101xf32>) outs(%e1 : tensor<5x101xf16>) {
  ^bb0(%g: f32, %u: f32, %out: f16):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %g : f32
    %x0 = math.exp %n : f32
    %d = arith.addf %x0, %one : f32
    %s = arith.divf %g, %d : f32
    %m = arith.mulf %s, %u : f32
    %t = arith.truncf %m : f32 to f16
    linalg.yield %t : f16
  } -> tensor<5x101xf16>
  return %r : tensor<5x101xf16>
}
