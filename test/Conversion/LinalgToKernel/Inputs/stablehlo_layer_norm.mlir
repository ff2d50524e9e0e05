// Layer normalisation as JAX writes it, with the variance as E[x^2] - E[x]^2, and
// as StableHLO becomes linalg.generic.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0) -> (d0)>
func.func @layer_norm(%arg0: tensor<7x100xf32>, %arg1: tensor<100xf32>, %arg2: tensor<100xf32>) -> tensor<7x100xf32> {
  %cst = arith.constant dense<1.000000e+02> : tensor<7xf32>
  %cst_0 = arith.constant dense<9.99999974E-6> : tensor<7xf32>
  %cst_1 = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<7xf32>
  %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<7xf32>) -> tensor<7xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<7x100xf32>) outs(%1 : tensor<7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %20 = arith.addf %out, %in : f32
    linalg.yield %20 : f32
  } -> tensor<7xf32>
  %3 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%2, %cst : tensor<7xf32>, tensor<7xf32>) outs(%0 : tensor<7xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %20 = arith.divf %in, %in_2 : f32
    linalg.yield %20 : f32
  } -> tensor<7xf32>
  %4 = tensor.empty() : tensor<7x100xf32>
  %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg0 : tensor<7x100xf32>, tensor<7x100xf32>) outs(%4 : tensor<7x100xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %20 = arith.mulf %in, %in_2 : f32
    linalg.yield %20 : f32
  } -> tensor<7x100xf32>
  %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<7x100xf32>) outs(%1 : tensor<7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %20 = arith.addf %out, %in : f32
    linalg.yield %20 : f32
  } -> tensor<7xf32>
  %7 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%6, %cst : tensor<7xf32>, tensor<7xf32>) outs(%0 : tensor<7xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %20 = arith.divf %in, %in_2 : f32
    linalg.yield %20 : f32
  } -> tensor<7xf32>
  %8 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%3, %3 : tensor<7xf32>, tensor<7xf32>) outs(%0 : tensor<7xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %20 = arith.mulf %in, %in_2 : f32
    linalg.yield %20 : f32
  } -> tensor<7xf32>
  %9 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%7, %8 : tensor<7xf32>, tensor<7xf32>) outs(%0 : tensor<7xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %20 = arith.subf %in, %in_2 : f32
    linalg.yield %20 : f32
  } -> tensor<7xf32>
  %10 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%9, %cst_0 : tensor<7xf32>, tensor<7xf32>) outs(%0 : tensor<7xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %20 = arith.addf %in, %in_2 : f32
    linalg.yield %20 : f32
  } -> tensor<7xf32>
  %11 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%10 : tensor<7xf32>) outs(%0 : tensor<7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %20 = math.rsqrt %in : f32
    linalg.yield %20 : f32
  } -> tensor<7xf32>
  %12 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<7xf32>) outs(%4 : tensor<7x100xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x100xf32>
  %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %12 : tensor<7x100xf32>, tensor<7x100xf32>) outs(%4 : tensor<7x100xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %20 = arith.subf %in, %in_2 : f32
    linalg.yield %20 : f32
  } -> tensor<7x100xf32>
  %14 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%13, %11, %arg1, %arg2 : tensor<7x100xf32>, tensor<7xf32>, tensor<100xf32>, tensor<100xf32>) outs(%4 : tensor<7x100xf32>) {
  ^bb0(%in: f32, %in_2: f32, %in_3: f32, %in_4: f32, %out: f32):
    %20 = arith.mulf %in_2, %in_3 : f32
    %21 = arith.mulf %in, %20 : f32
    %22 = arith.addf %21, %in_4 : f32
    linalg.yield %22 : f32
  } -> tensor<7x100xf32>
  return %14 : tensor<7x100xf32>
}
