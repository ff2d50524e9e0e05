// nn.LayerNorm over the last dimension, as torch-mlir writes it.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module attributes {torch.debug_module_name = "LayerNorm"} {
  func.func @layer_norm(%arg0: tensor<7x100xf32>, %arg1: tensor<100xf32>, %arg2: tensor<100xf32>) -> tensor<7x100xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c100_i64 = arith.constant 100 : i64
    %cst_0 = arith.sitofp %c100_i64 : i64 to f32
    %cst_1 = arith.constant 9.9999999999999995E-7 : f64
    %0 = tensor.empty() : tensor<7x100xf32>
    %1 = tensor.empty() : tensor<7x1xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<7x1xf32>) -> tensor<7x1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<7x100xf32>) outs(%2 : tensor<7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %in, %out : f32
      linalg.yield %13 : f32
    } -> tensor<7x1xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<7x1xf32>) outs(%1 : tensor<7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.divf %in, %cst_0 : f32
      linalg.yield %13 : f32
    } -> tensor<7x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %4 : tensor<7x100xf32>, tensor<7x1xf32>) outs(%0 : tensor<7x100xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.subf %in, %in_2 : f32
      linalg.yield %13 : f32
    } -> tensor<7x100xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %5 : tensor<7x100xf32>, tensor<7x100xf32>) outs(%0 : tensor<7x100xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.mulf %in, %in_2 : f32
      linalg.yield %13 : f32
    } -> tensor<7x100xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<7x100xf32>) outs(%2 : tensor<7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %in, %out : f32
      linalg.yield %13 : f32
    } -> tensor<7x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<7x1xf32>) outs(%1 : tensor<7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.divf %in, %cst_0 : f32
      linalg.yield %13 : f32
    } -> tensor<7x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<7x1xf32>) outs(%1 : tensor<7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.truncf %cst_1 : f64 to f32
      %14 = arith.addf %in, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<7x1xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<7x1xf32>) outs(%1 : tensor<7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.rsqrt %in : f32
      linalg.yield %13 : f32
    } -> tensor<7x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %10 : tensor<7x100xf32>, tensor<7x1xf32>) outs(%0 : tensor<7x100xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.mulf %in, %in_2 : f32
      linalg.yield %13 : f32
    } -> tensor<7x100xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map2, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%11, %arg1, %arg2 : tensor<7x100xf32>, tensor<100xf32>, tensor<100xf32>) outs(%0 : tensor<7x100xf32>) {
    ^bb0(%in: f32, %in_2: f32, %in_3: f32, %out: f32):
      %13 = arith.mulf %in, %in_2 : f32
      %14 = arith.addf %13, %in_3 : f32
      linalg.yield %14 : f32
    } -> tensor<7x100xf32>
    return %12 : tensor<7x100xf32>
  }
}
