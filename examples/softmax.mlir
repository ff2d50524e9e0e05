// Softmax over the rows of X[4096, 8192]: exp(x) / sum(exp(x)).
#row = affine_map<(i, j) -> (i, j)>
#per_row = affine_map<(i, j) -> (i, 0)>

func.func @softmax(%x: tensor<4096x8192xf16>) -> tensor<4096x8192xf16> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4096x8192xf32>
  %exp = linalg.generic {
         indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
       ins(%x : tensor<4096x8192xf16>) outs(%e0 : tensor<4096x8192xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4096x8192xf32>

  %e1 = tensor.empty() : tensor<4096x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4096x1xf32>) -> tensor<4096x1xf32>
  %sums = linalg.generic {
         indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
       ins(%exp : tensor<4096x8192xf32>) outs(%init : tensor<4096x1xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %0 = arith.addf %sum, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4096x1xf32>

  %e2 = tensor.empty() : tensor<4096x8192xf16>
  %result = linalg.generic {
         indexing_maps = [#row, #per_row, #row], iterator_types = ["parallel", "parallel"]}
       ins(%exp, %sums : tensor<4096x8192xf32>, tensor<4096x1xf32>)
       outs(%e2 : tensor<4096x8192xf16>) {
  ^bb0(%in: f32, %sum: f32, %out: f16):
    %0 = arith.divf %in, %sum : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<4096x8192xf16>
  return %result : tensor<4096x8192xf16>
}
