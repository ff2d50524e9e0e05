// softmax(q kT / 4) v, as StableHLO becomes linalg.generic: dot_general by maps
// that read keys as [keys, D], constants of rank 0 that are broadcast, ranks that
// reductions drop.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> ()>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
func.func @attention(%arg0: tensor<2x7x16xf32>, %arg1: tensor<2x13x16xf32>, %arg2: tensor<2x13x16xf32>) -> tensor<2x7x16xf32> {
  %cst = arith.constant dense<0xFF800000> : tensor<f32>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_1 = arith.constant dense<2.500000e-01> : tensor<f32>
  %cst_2 = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x7x13xf32>
  %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<2x7x13xf32>) -> tensor<2x7x13xf32>
  %2 = linalg.generic {indexing_maps = [#map3, #map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x7x16xf32>, tensor<2x13x16xf32>) outs(%1 : tensor<2x7x13xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %20 = arith.mulf %in, %in_3 : f32
    %21 = arith.addf %out, %20 : f32
    linalg.yield %21 : f32
  } -> tensor<2x7x13xf32>
  %3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%0 : tensor<2x7x13xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x7x13xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<2x7x13xf32>, tensor<2x7x13xf32>) outs(%0 : tensor<2x7x13xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %20 = arith.mulf %in, %in_3 : f32
    linalg.yield %20 : f32
  } -> tensor<2x7x13xf32>
  %extracted = tensor.extract %cst[] : tensor<f32>
  %5 = tensor.empty() : tensor<2x7xf32>
  %6 = linalg.fill ins(%extracted : f32) outs(%5 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %7 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%4 : tensor<2x7x13xf32>) outs(%6 : tensor<2x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %20 = arith.maximumf %out, %in : f32
    linalg.yield %20 : f32
  } -> tensor<2x7xf32>
  %8 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x7xf32>) outs(%0 : tensor<2x7x13xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x7x13xf32>
  %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %8 : tensor<2x7x13xf32>, tensor<2x7x13xf32>) outs(%0 : tensor<2x7x13xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %20 = arith.subf %in, %in_3 : f32
    linalg.yield %20 : f32
  } -> tensor<2x7x13xf32>
  %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x7x13xf32>) outs(%0 : tensor<2x7x13xf32>) {
  ^bb0(%in: f32, %out: f32):
    %20 = math.exp %in : f32
    linalg.yield %20 : f32
  } -> tensor<2x7x13xf32>
  %extracted_4 = tensor.extract %cst_0[] : tensor<f32>
  %11 = linalg.fill ins(%extracted_4 : f32) outs(%5 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %12 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<2x7x13xf32>) outs(%11 : tensor<2x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %20 = arith.addf %out, %in : f32
    linalg.yield %20 : f32
  } -> tensor<2x7xf32>
  %13 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<2x7xf32>) outs(%0 : tensor<2x7x13xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x7x13xf32>
  %14 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %13 : tensor<2x7x13xf32>, tensor<2x7x13xf32>) outs(%0 : tensor<2x7x13xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %20 = arith.divf %in, %in_3 : f32
    linalg.yield %20 : f32
  } -> tensor<2x7x13xf32>
  %15 = tensor.empty() : tensor<2x7x16xf32>
  %16 = linalg.fill ins(%cst_2 : f32) outs(%15 : tensor<2x7x16xf32>) -> tensor<2x7x16xf32>
  %17 = linalg.batch_matmul ins(%14, %arg2 : tensor<2x7x13xf32>, tensor<2x13x16xf32>) outs(%16 : tensor<2x7x16xf32>) -> tensor<2x7x16xf32>
  return %17 : tensor<2x7x16xf32>
}
