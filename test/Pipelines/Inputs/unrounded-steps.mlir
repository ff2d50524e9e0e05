#same = affine_map<(i, j) -> (i, j)>
func.func @steps(%x: tensor<4x8xf16>, %y: tensor<4x8xf16>) -> (tensor<4x8xf16>, tensor<4x8xf16>, tensor<4x8xf16>) {
  %empty = tensor.empty() : tensor<4x8xf16>
  %quotient = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf16>) outs(%empty : tensor<4x8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %c = arith.constant 0.01 : f16
    %q = arith.divf %c, %a : f16
    linalg.yield %q : f16
  } -> tensor<4x8xf16>
  %fma = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x8xf16>) outs(%empty : tensor<4x8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %c = arith.constant -60000.0 : f16
    %f = math.fma %a, %a, %c : f16
    linalg.yield %f : f16
  } -> tensor<4x8xf16>
  %cube = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x8xf16>) outs(%empty : tensor<4x8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %hundredth = arith.constant 0.01 : f16
    %three = arith.constant 3.0 : f16
    %s = arith.mulf %a, %hundredth : f16
    %p = math.powf %s, %three : f16
    linalg.yield %p : f16
  } -> tensor<4x8xf16>
  return %quotient, %fma, %cube : tensor<4x8xf16>, tensor<4x8xf16>, tensor<4x8xf16>
}
