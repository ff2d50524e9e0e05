// exp(x) / sum(exp(x)) over rows, of sizes that nothing divides.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @odd_softmax(%x: tensor<13x777xf32>) -> tensor<13x777xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<13x777xf32>
  %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<13x777xf32>) outs(%e0 : tensor<13x777xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<13x777xf32>
  %e1 = tensor.empty() : tensor<13xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<13xf32>) -> tensor<13xf32>
  %sum = linalg.reduce ins(%exp : tensor<13x777xf32>) outs(%init : tensor<13xf32>) dimensions = [1]
    (%a: f32, %s: f32) {
      %0 = arith.addf %a, %s : f32
      linalg.yield %0 : f32
    }
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<13x777xf32>, tensor<13xf32>) outs(%e0 : tensor<13x777xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<13x777xf32>
  return %r : tensor<13x777xf32>
}
