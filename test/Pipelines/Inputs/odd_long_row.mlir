// Row sums of exp(x) on rows too long for one tile, of a size that nothing divides:
// whatever is done loops over tiles the last of which is partial, and exp(0) is 1.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @odd_long_row(%x: tensor<3x100003xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x100003xf32>) outs(%init : tensor<3xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = math.exp %a : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  return %sum : tensor<3xf32>
}
