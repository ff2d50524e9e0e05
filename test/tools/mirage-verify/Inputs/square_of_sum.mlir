#id = affine_map<(i, j) -> (i, j)>
func.func @f(%x: tensor<6x10xf32>, %y: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %e = tensor.empty() : tensor<6x10xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<6x10xf32>, tensor<6x10xf32>) outs(%e : tensor<6x10xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %r = arith.mulf %s, %s : f32
    linalg.yield %r : f32
  } -> tensor<6x10xf32>
  return %r : tensor<6x10xf32>
}
