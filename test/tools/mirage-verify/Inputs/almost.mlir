#id = affine_map<(i, j) -> (i, j)>
func.func @f(%x: tensor<6x10xf32>, %y: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %e = tensor.empty() : tensor<6x10xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<6x10xf32>, tensor<6x10xf32>) outs(%e : tensor<6x10xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %two = arith.constant 1.0 : f32
    %aa = arith.mulf %a, %a : f32
    %ab = arith.mulf %a, %b : f32
    %bb = arith.mulf %b, %b : f32
    %ab2 = arith.mulf %ab, %two : f32
    %0 = arith.addf %aa, %ab2 : f32
    %r = arith.addf %0, %bb : f32
    linalg.yield %r : f32
  } -> tensor<6x10xf32>
  return %r : tensor<6x10xf32>
}
