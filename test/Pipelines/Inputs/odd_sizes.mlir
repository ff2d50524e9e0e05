#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @odd(%x: tensor<7x1000xf16>, %w: tensor<1000x130xf16>) -> tensor<7x130xf16> {
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : tensor<7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<7xf32>) -> tensor<7xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<7x1000xf16>) outs(%start : tensor<7xf32>) {
  ^bb0(%a: f16, %sum: f32):
    %e = arith.extf %a : f16 to f32
    %s = arith.mulf %e, %e : f32
    %r = arith.addf %sum, %s : f32
    linalg.yield %r : f32
  } -> tensor<7xf32>
  %normed = tensor.empty() : tensor<7x1000xf16>
  %n = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares : tensor<7x1000xf16>, tensor<7xf32>) outs(%normed : tensor<7x1000xf16>) {
  ^bb0(%a: f16, %sum: f32, %out: f16):
    %size = arith.constant 1000.0 : f32
    %mean = arith.divf %sum, %size : f32
    %root = math.sqrt %mean : f32
    %e = arith.extf %a : f16 to f32
    %q = arith.divf %e, %root : f32
    %t = arith.truncf %q : f32 to f16
    linalg.yield %t : f16
  } -> tensor<7x1000xf16>
  %empty = tensor.empty() : tensor<7x130xf16>
  %zero16 = arith.constant 0.0 : f16
  %init = linalg.fill ins(%zero16 : f16) outs(%empty : tensor<7x130xf16>) -> tensor<7x130xf16>
  %o = linalg.matmul ins(%n, %w : tensor<7x1000xf16>, tensor<1000x130xf16>) outs(%init : tensor<7x130xf16>) -> tensor<7x130xf16>
  return %o : tensor<7x130xf16>
}
