// Attention of 2 heads, 256 queries on 4096 keys, with a softmax that subtracts the maximum:
// softmax(Q·K)·V.
#full = affine_map<(h, q, k) -> (h, q, k)>
#per_row = affine_map<(h, q, k) -> (h, q, 0)>

func.func @safe_attention(%q: tensor<2x256x64xf16>, %k: tensor<2x64x4096xf16>,
                          %v: tensor<2x4096x64xf16>) -> tensor<2x256x64xf16> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32

  %e0 = tensor.empty() : tensor<2x256x4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x256x4096xf32>) -> tensor<2x256x4096xf32>
  %scores = linalg.batch_matmul ins(%q, %k : tensor<2x256x64xf16>, tensor<2x64x4096xf16>)
                                outs(%zeros : tensor<2x256x4096xf32>) -> tensor<2x256x4096xf32>

  %e1 = tensor.empty() : tensor<2x256x1xf32>
  %least = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<2x256x1xf32>) -> tensor<2x256x1xf32>
  %maxima = linalg.generic {
         indexing_maps = [#full, #per_row], iterator_types = ["parallel", "parallel", "reduction"]}
       ins(%scores : tensor<2x256x4096xf32>) outs(%least : tensor<2x256x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<2x256x1xf32>

  %exp = linalg.generic {
         indexing_maps = [#full, #per_row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
       ins(%scores, %maxima : tensor<2x256x4096xf32>, tensor<2x256x1xf32>)
       outs(%e0 : tensor<2x256x4096xf32>) {
  ^bb0(%in: f32, %maximum: f32, %out: f32):
    %0 = arith.subf %in, %maximum : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x256x4096xf32>

  %none = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x256x1xf32>) -> tensor<2x256x1xf32>
  %sums = linalg.generic {
         indexing_maps = [#full, #per_row], iterator_types = ["parallel", "parallel", "reduction"]}
       ins(%exp : tensor<2x256x4096xf32>) outs(%none : tensor<2x256x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<2x256x1xf32>

  %e2 = tensor.empty() : tensor<2x256x4096xf16>
  %weights = linalg.generic {
         indexing_maps = [#full, #per_row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
       ins(%exp, %sums : tensor<2x256x4096xf32>, tensor<2x256x1xf32>)
       outs(%e2 : tensor<2x256x4096xf16>) {
  ^bb0(%in: f32, %sum: f32, %out: f16):
    %0 = arith.divf %in, %sum : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<2x256x4096xf16>

  %e3 = tensor.empty() : tensor<2x256x64xf32>
  %zeros3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<2x256x64xf32>) -> tensor<2x256x64xf32>
  %mixed = linalg.batch_matmul ins(%weights, %v : tensor<2x256x4096xf16>, tensor<2x4096x64xf16>)
                               outs(%zeros3 : tensor<2x256x64xf32>) -> tensor<2x256x64xf32>
  %result = arith.truncf %mixed : tensor<2x256x64xf32> to tensor<2x256x64xf16>
  return %result : tensor<2x256x64xf16>
}
