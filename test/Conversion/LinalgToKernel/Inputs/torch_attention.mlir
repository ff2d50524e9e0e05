// softmax(q kT / 4) v in f16, as torch-mlir writes it: the maximum comes with its
// place, products are kept in f32 and rounded, and so is each step.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module attributes {torch.debug_module_name = "Attention"} {
  func.func @attention(%arg0: tensor<2x7x16xf16>, %arg1: tensor<2x13x16xf16>, %arg2: tensor<2x13x16xf16>) -> tensor<2x7x16xf16> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 2.500000e-01 : f64
    %0 = tensor.empty() : tensor<2x16x13xf16>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x13x16xf16>) outs(%0 : tensor<2x16x13xf16>) permutation = [0, 2, 1]
    %1 = tensor.empty() : tensor<2x7x13xf32>
    %2 = linalg.fill ins(%cst_0 : f32) outs(%1 : tensor<2x7x13xf32>) -> tensor<2x7x13xf32>
    %3 = linalg.batch_matmul ins(%arg0, %transposed : tensor<2x7x16xf16>, tensor<2x16x13xf16>) outs(%2 : tensor<2x7x13xf32>) -> tensor<2x7x13xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<2x7x13xf32>) outs(%1 : tensor<2x7x13xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.truncf %cst_1 : f64 to f32
      %22 = arith.mulf %in, %21 : f32
      linalg.yield %22 : f32
    } -> tensor<2x7x13xf32>
    %5 = tensor.empty() : tensor<2x7x1xi64>
    %6 = linalg.fill ins(%c0_i64 : i64) outs(%5 : tensor<2x7x1xi64>) -> tensor<2x7x1xi64>
    %7 = tensor.empty() : tensor<2x7x1xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<2x7x1xf32>) -> tensor<2x7x1xf32>
    %9:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%4 : tensor<2x7x13xf32>) outs(%8, %6 : tensor<2x7x1xf32>, tensor<2x7x1xi64>) {
    ^bb0(%in: f32, %out: f32, %out_2: i64):
      %21 = linalg.index 2 : index
      %22 = arith.index_cast %21 : index to i64
      %23 = arith.maximumf %in, %out : f32
      %24 = arith.cmpf ogt, %in, %out : f32
      %25 = arith.select %24, %22, %out_2 : i64
      linalg.yield %23, %25 : f32, i64
    } -> (tensor<2x7x1xf32>, tensor<2x7x1xi64>)
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %9#0 : tensor<2x7x13xf32>, tensor<2x7x1xf32>) outs(%1 : tensor<2x7x13xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %21 = arith.subf %in, %in_2 : f32
      linalg.yield %21 : f32
    } -> tensor<2x7x13xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x7x13xf32>) outs(%1 : tensor<2x7x13xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.exp %in : f32
      linalg.yield %21 : f32
    } -> tensor<2x7x13xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<2x7x1xf32>) -> tensor<2x7x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<2x7x13xf32>) outs(%12 : tensor<2x7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %in, %out : f32
      linalg.yield %21 : f32
    } -> tensor<2x7x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %13 : tensor<2x7x13xf32>, tensor<2x7x1xf32>) outs(%1 : tensor<2x7x13xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %21 = arith.divf %in, %in_2 : f32
      linalg.yield %21 : f32
    } -> tensor<2x7x13xf32>
    %15 = tensor.empty() : tensor<2x7x13xf16>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<2x7x13xf32>) outs(%15 : tensor<2x7x13xf16>) {
    ^bb0(%in: f32, %out: f16):
      %21 = arith.truncf %in : f32 to f16
      linalg.yield %21 : f16
    } -> tensor<2x7x13xf16>
    %17 = tensor.empty() : tensor<2x7x16xf32>
    %18 = linalg.fill ins(%cst_0 : f32) outs(%17 : tensor<2x7x16xf32>) -> tensor<2x7x16xf32>
    %19 = linalg.batch_matmul ins(%16, %arg2 : tensor<2x7x13xf16>, tensor<2x13x16xf16>) outs(%18 : tensor<2x7x16xf32>) -> tensor<2x7x16xf32>
    %20 = tensor.empty() : tensor<2x7x16xf16>
    %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<2x7x16xf32>) outs(%20 : tensor<2x7x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %21 = arith.truncf %in : f32 to f16
      linalg.yield %21 : f16
    } -> tensor<2x7x16xf16>
    return %r : tensor<2x7x16xf16>
  }
}
