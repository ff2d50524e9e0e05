// RMSNorm followed by a linear layer: (x / rms(x)) · W, where rms is taken over
// each row of X[8, 4096], and W[4096, 6144].
#row = affine_map<(i, j) -> (i, j)>
#per_row = affine_map<(i, j) -> (i, 0)>

func.func @rmsnorm_linear(%x: tensor<8x4096xf16>, %w: tensor<4096x6144xf16>)
    -> tensor<8x6144xf16> {
  %zero = arith.constant 0.0 : f32

  // The sum of squares of each row.
  %e0 = tensor.empty() : tensor<8x1xf32>
  %init0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x1xf32>) -> tensor<8x1xf32>
  %squares = linalg.generic {
         indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
       ins(%x : tensor<8x4096xf16>) outs(%init0 : tensor<8x1xf32>) {
  ^bb0(%in: f16, %sum: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x1xf32>

  // Its root mean square.
  %e1 = tensor.empty() : tensor<8x1xf16>
  %rms = linalg.generic {
         indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
       ins(%squares : tensor<8x1xf32>) outs(%e1 : tensor<8x1xf16>) {
  ^bb0(%in: f32, %out: f16):
    %size = arith.constant 4096.0 : f32
    %0 = arith.divf %in, %size : f32
    %1 = math.sqrt %0 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<8x1xf16>

  %e2 = tensor.empty() : tensor<8x4096xf16>
  %normalized = linalg.generic {
         indexing_maps = [#row, #per_row, #row], iterator_types = ["parallel", "parallel"]}
       ins(%x, %rms : tensor<8x4096xf16>, tensor<8x1xf16>) outs(%e2 : tensor<8x4096xf16>) {
  ^bb0(%in: f16, %norm: f16, %out: f16):
    %0 = arith.divf %in, %norm : f16
    linalg.yield %0 : f16
  } -> tensor<8x4096xf16>

  %e3 = tensor.empty() : tensor<8x6144xf32>
  %init3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<8x6144xf32>) -> tensor<8x6144xf32>
  %linear = linalg.matmul ins(%normalized, %w : tensor<8x4096xf16>, tensor<4096x6144xf16>)
                          outs(%init3 : tensor<8x6144xf32>) -> tensor<8x6144xf32>
  %result = arith.truncf %linear : tensor<8x6144xf32> to tensor<8x6144xf16>
  return %result : tensor<8x6144xf16>
}
