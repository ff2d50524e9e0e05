// softmax(where(row + 6 >= column, q kT, -inf)) v, as stablehlo-legalize-to-linalg writes
// jax's iota, compare, broadcast and select: each an op of its own.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map4 = affine_map<(d0, d1) -> ()>
module @jit_causal_attention {
  func.func @causal_attention(%arg0: tensor<2x7x16xf16>, %arg1: tensor<2x13x16xf16>, %arg2: tensor<2x13x16xf16>) -> tensor<2x7x16xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0xFF800000> : tensor<f32>
    %c = arith.constant dense<6> : tensor<i32>
    %0 = tensor.empty() : tensor<7x13xi32>
    %1 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<7x13xi32>) {
    ^bb0(%out: i32):
      %30 = linalg.index 0 : index
      %31 = arith.index_cast %30 : index to i32
      linalg.yield %31 : i32
    } -> tensor<7x13xi32>
    %2 = linalg.generic {indexing_maps = [#map4, #map2], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<i32>) outs(%0 : tensor<7x13xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<7x13xi32>
    %3 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<7x13xi32>, tensor<7x13xi32>) outs(%0 : tensor<7x13xi32>) {
    ^bb0(%in: i32, %in_1: i32, %out: i32):
      %30 = arith.addi %in, %in_1 : i32
      linalg.yield %30 : i32
    } -> tensor<7x13xi32>
    %4 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<7x13xi32>) {
    ^bb0(%out: i32):
      %30 = linalg.index 1 : index
      %31 = arith.index_cast %30 : index to i32
      linalg.yield %31 : i32
    } -> tensor<7x13xi32>
    %5 = tensor.empty() : tensor<7x13xi1>
    %6 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<7x13xi32>, tensor<7x13xi32>) outs(%5 : tensor<7x13xi1>) {
    ^bb0(%in: i32, %in_1: i32, %out: i1):
      %30 = arith.cmpi sge, %in, %in_1 : i32
      linalg.yield %30 : i1
    } -> tensor<7x13xi1>
    %7 = tensor.empty() : tensor<2x7x13xi1>
    %8 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<7x13xi1>) outs(%7 : tensor<2x7x13xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x7x13xi1>
    %9 = tensor.empty() : tensor<2x7x13xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<2x7x13xf32>) -> tensor<2x7x13xf32>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x7x16xf16>, tensor<2x13x16xf16>) outs(%10 : tensor<2x7x13xf32>) {
    ^bb0(%in: f16, %in_1: f16, %out: f32):
      %30 = arith.extf %in : f16 to f32
      %31 = arith.extf %in_1 : f16 to f32
      %32 = arith.mulf %30, %31 : f32
      %33 = arith.addf %32, %out : f32
      linalg.yield %33 : f32
    } -> tensor<2x7x13xf32>
    %broadcasted = linalg.broadcast ins(%cst_0 : tensor<f32>) outs(%9 : tensor<2x7x13xf32>) dimensions = [0, 1, 2]
    %12 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %11, %broadcasted : tensor<2x7x13xi1>, tensor<2x7x13xf32>, tensor<2x7x13xf32>) outs(%9 : tensor<2x7x13xf32>) {
    ^bb0(%in: i1, %in_1: f32, %in_2: f32, %out: f32):
      %30 = arith.select %in, %in_1, %in_2 : f32
      linalg.yield %30 : f32
    } -> tensor<2x7x13xf32>
    %extracted = tensor.extract %cst_0[] : tensor<f32>
    %13 = tensor.empty() : tensor<2x7xf32>
    %14 = linalg.fill ins(%extracted : f32) outs(%13 : tensor<2x7xf32>) -> tensor<2x7xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%12 : tensor<2x7x13xf32>) outs(%14 : tensor<2x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.maximumf %out, %in : f32
      linalg.yield %30 : f32
    } -> tensor<2x7xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %15 : tensor<2x7x13xf32>, tensor<2x7xf32>) outs(%9 : tensor<2x7x13xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %30 = arith.subf %in, %in_1 : f32
      %31 = math.exp %30 : f32
      linalg.yield %31 : f32
    } -> tensor<2x7x13xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%13 : tensor<2x7xf32>) -> tensor<2x7xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%16 : tensor<2x7x13xf32>) outs(%17 : tensor<2x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.addf %out, %in : f32
      linalg.yield %30 : f32
    } -> tensor<2x7xf32>
    %19 = tensor.empty() : tensor<2x7x13xf16>
    %20 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %18 : tensor<2x7x13xf32>, tensor<2x7xf32>) outs(%19 : tensor<2x7x13xf16>) {
    ^bb0(%in: f32, %in_1: f32, %out: f16):
      %30 = arith.divf %in, %in_1 : f32
      %31 = arith.truncf %30 : f32 to f16
      linalg.yield %31 : f16
    } -> tensor<2x7x13xf16>
    %21 = tensor.empty() : tensor<2x7x16xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<2x7x16xf32>) -> tensor<2x7x16xf32>
    %23 = linalg.batch_matmul ins(%20, %arg2 : tensor<2x7x13xf16>, tensor<2x13x16xf16>) outs(%22 : tensor<2x7x16xf32>) -> tensor<2x7x16xf32>
    %24 = tensor.empty() : tensor<2x7x16xf16>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<2x7x16xf32>) outs(%24 : tensor<2x7x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %30 = arith.truncf %in : f32 to f16
      linalg.yield %30 : f16
    } -> tensor<2x7x16xf16>
    return %25 : tensor<2x7x16xf16>
  }
}
