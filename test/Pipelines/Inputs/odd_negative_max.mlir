// The largest of -x² - 1 in each row: always negative, so that a zero that fills a
// partial tile would win.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @odd_negative_max(%x: tensor<9x70xf16>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9x70xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<9x70xf16>) outs(%e : tensor<9x70xf32>) {
  ^bb0(%a: f16, %out: f32):
    %one = arith.constant 1.0 : f32
    %0 = arith.extf %a : f16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.negf %1 : f32
    %3 = arith.subf %2, %one : f32
    linalg.yield %3 : f32
  } -> tensor<9x70xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<9xf32>
  %init = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<9xf32>) -> tensor<9xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%n : tensor<9x70xf32>) outs(%init : tensor<9xf32>) {
  ^bb0(%a: f32, %m: f32):
    %0 = arith.maximumf %m, %a : f32
    linalg.yield %0 : f32
  } -> tensor<9xf32>
  return %max : tensor<9xf32>
}
