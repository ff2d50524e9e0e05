// Two outputs, an unused input, a 1-element tensor, bf16 and a maximum.
#id = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (0, 0)>
#row = affine_map<(i, j) -> (i)>
func.func @several(%x: tensor<9x70xbf16>, %unused: tensor<3x5xf16>, %s: tensor<1x1xf32>)
    -> (tensor<9x70xbf16>, tensor<9xf32>) {
  %e0 = tensor.empty() : tensor<9x70xbf16>
  %scaled = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<9x70xbf16>, tensor<1x1xf32>) outs(%e0 : tensor<9x70xbf16>) {
  ^bb0(%a: bf16, %b: f32, %out: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<9x70xbf16>
  %lowest = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<9xf32>
  %init = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<9xf32>) -> tensor<9xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<9x70xbf16>) outs(%init : tensor<9xf32>) {
  ^bb0(%a: bf16, %m: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.maximumf %m, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  return %scaled, %max : tensor<9x70xbf16>, tensor<9xf32>
}
