func.func @gated_mlp_f8(%X: tensor<8x4096xf16>, %W1: tensor<4096x4096xf8E4M3FN>, %W2: tensor<4096x4096xf8E4M3FN>) -> tensor<8x4096xf16> {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<8x4096xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %4 = linalg.matmul ins(%X, %W1 : tensor<8x4096xf16>, tensor<4096x4096xf8E4M3FN>) outs(%3 : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %5 = tensor.empty() : tensor<8x4096xf16>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<8x4096xf32>) outs(%5 : tensor<8x4096xf16>) {
    ^bb0(%a: f32, %o: f16):
    %t = arith.truncf %a : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8x4096xf16>
  %7 = arith.constant 0.0 : f32
  %8 = tensor.empty() : tensor<8x4096xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %10 = linalg.matmul ins(%X, %W2 : tensor<8x4096xf16>, tensor<4096x4096xf8E4M3FN>) outs(%9 : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %11 = tensor.empty() : tensor<8x4096xf16>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<8x4096xf32>) outs(%11 : tensor<8x4096xf16>) {
    ^bb0(%a: f32, %o: f16):
    %t = arith.truncf %a : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8x4096xf16>
  %13 = tensor.empty() : tensor<8x4096xf16>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<8x4096xf16>) outs(%13 : tensor<8x4096xf16>) {
    ^bb0(%a: f16, %o: f16):
    %e = arith.extf %a : f16 to f32
    %n = arith.negf %e : f32
    %x = math.exp %n : f32
    %one = arith.constant 1.0 : f32
    %d = arith.addf %x, %one : f32
    %r = arith.divf %e, %d : f32
    %t = arith.truncf %r : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8x4096xf16>
  %15 = tensor.empty() : tensor<8x4096xf16>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%14, %12 : tensor<8x4096xf16>, tensor<8x4096xf16>) outs(%15 : tensor<8x4096xf16>) {
    ^bb0(%a: f16, %b: f16, %o: f16):
    %r = arith.mulf %a, %b : f16
    linalg.yield %r : f16
  } -> tensor<8x4096xf16>
  return %16 : tensor<8x4096xf16>
}
