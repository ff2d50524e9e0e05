// RMSNorm of x, then x · w, small.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @rmsnorm_linear(%x: tensor<6x96xf16>, %w: tensor<96x80xf16>) -> tensor<6x80xf16> {
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : tensor<6xf32>
  %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<6xf32>) -> tensor<6xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x96xf16>) outs(%start : tensor<6xf32>) {
  ^bb0(%a: f16, %sum: f32):
    %e = arith.extf %a : f16 to f32
    %s = arith.mulf %e, %e : f32
    %r = arith.addf %sum, %s : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  %normed = tensor.empty() : tensor<6x96xf16>
  %n = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares : tensor<6x96xf16>, tensor<6xf32>) outs(%normed : tensor<6x96xf16>) {
  ^bb0(%a: f16, %sum: f32, %out: f16):
    %size = arith.constant 96.0 : f32
    %mean = arith.divf %sum, %size : f32
    %root = math.sqrt %mean : f32
    %e = arith.extf %a : f16 to f32
    %q = arith.divf %e, %root : f32
    %t = arith.truncf %q : f32 to f16
    linalg.yield %t : f16
  } -> tensor<6x96xf16>
  %empty = tensor.empty() : tensor<6x80xf16>
  %zero16 = arith.constant 0.0 : f16
  %init = linalg.fill ins(%zero16 : f16) outs(%empty : tensor<6x80xf16>) -> tensor<6x80xf16>
  %o = linalg.matmul ins(%n, %w : tensor<6x96xf16>, tensor<96x80xf16>) outs(%init : tensor<6x80xf16>) -> tensor<6x80xf16>
  return %o : tensor<6x80xf16>
}
