// exp(X · W), X[8, 4096], W[4096, 6144]: a matmul whose result never needs to
// be stored before the exponential.
func.func @exp_matmul(%x: tensor<8x4096xf16>, %w: tensor<4096x6144xf16>)
    -> tensor<8x6144xf16> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x6144xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x6144xf32>) -> tensor<8x6144xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x4096xf16>, tensor<4096x6144xf16>)
                     outs(%init : tensor<8x6144xf32>) -> tensor<8x6144xf32>
  %e1 = tensor.empty() : tensor<8x6144xf16>
  %r = linalg.generic {
         indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
         iterator_types = ["parallel", "parallel"]}
       ins(%p : tensor<8x6144xf32>) outs(%e1 : tensor<8x6144xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = math.exp %in : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<8x6144xf16>
  return %r : tensor<8x6144xf16>
}
