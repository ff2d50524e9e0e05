// layer_norm(x) · W spelled out: mean, centred, mean of squares, and a product with a
// reciprocal root. No tile of a loop divides the 5003 elements of a row.
#row = affine_map<(i, j) -> (i, j)>
#per_row = affine_map<(i, j) -> (i, 0)>

func.func @layer_norm_linear(%x: tensor<8x5003xf16> {mirage.name = "x"},
                             %w: tensor<5003x4096xf16> {mirage.name = "w"}) -> tensor<8x4096xf16> {
  %zero = arith.constant 0.0 : f32
  %size = arith.constant 5003.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32

  %e0 = tensor.empty() : tensor<8x1xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x1xf32>) -> tensor<8x1xf32>
  %sum = linalg.generic {
         indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
       ins(%x : tensor<8x5003xf16>) outs(%zeros : tensor<8x1xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x1xf32>

  %e1 = tensor.empty() : tensor<8x5003xf32>
  %centred = linalg.generic {
         indexing_maps = [#row, #per_row, #row], iterator_types = ["parallel", "parallel"]}
       ins(%x, %sum : tensor<8x5003xf16>, tensor<8x1xf32>) outs(%e1 : tensor<8x5003xf32>) {
  ^bb0(%in: f16, %total: f32, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.divf %total, %size : f32
    %2 = arith.subf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x5003xf32>

  %squares = linalg.generic {
         indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
       ins(%centred : tensor<8x5003xf32>) outs(%zeros : tensor<8x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x1xf32>

  %e2 = tensor.empty() : tensor<8x5003xf16>
  %normed = linalg.generic {
         indexing_maps = [#row, #per_row, #row], iterator_types = ["parallel", "parallel"]}
       ins(%centred, %squares : tensor<8x5003xf32>, tensor<8x1xf32>) outs(%e2 : tensor<8x5003xf16>) {
  ^bb0(%in: f32, %total: f32, %out: f16):
    %0 = arith.divf %total, %size : f32
    %1 = arith.addf %0, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %in, %2 : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<8x5003xf16>

  %e3 = tensor.empty() : tensor<8x4096xf32>
  %zeros3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %linear = linalg.matmul ins(%normed, %w : tensor<8x5003xf16>, tensor<5003x4096xf16>)
                          outs(%zeros3 : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %result = arith.truncf %linear : tensor<8x4096xf32> to tensor<8x4096xf16>
  return %result : tensor<8x4096xf16>
}
