// Rotary embedding of jax: slices, a concatenation as stablehlo-legalize-to-linalg writes
// it, by scf.if on the index, and padding to twice the keys.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module @jit_rotary {
  func.func @rotary(%arg0: tensor<3x5x16xf32>, %arg1: tensor<3x5x16xf32>, %arg2: tensor<3x5x16xf32>) -> tensor<3x10x16xf32> {
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %extracted_slice = tensor.extract_slice %arg0[0, 0, 8] [3, 5, 8] [1, 1, 1] : tensor<3x5x16xf32> to tensor<3x5x8xf32>
    %0 = tensor.empty() : tensor<3x5x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<3x5x8xf32>) outs(%0 : tensor<3x5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.negf %in : f32
      linalg.yield %7 : f32
    } -> tensor<3x5x8xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 0, 0] [3, 5, 8] [1, 1, 1] : tensor<3x5x16xf32> to tensor<3x5x8xf32>
    %2 = tensor.empty() : tensor<3x5x16xf32>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]} outs(%2 : tensor<3x5x16xf32>) {
    ^bb0(%out: f32):
      %7 = linalg.index 0 : index
      %8 = linalg.index 1 : index
      %9 = linalg.index 2 : index
      %10 = arith.cmpi ult, %9, %c8 : index
      %11 = scf.if %10 -> (f32) {
        %12 = arith.subi %9, %c0 : index
        %extracted = tensor.extract %1[%7, %8, %12] : tensor<3x5x8xf32>
        scf.yield %extracted : f32
      } else {
        %12 = arith.subi %9, %c8 : index
        %extracted = tensor.extract %extracted_slice_0[%7, %8, %12] : tensor<3x5x8xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %11 : f32
    } -> tensor<3x5x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg1 : tensor<3x5x16xf32>, tensor<3x5x16xf32>) outs(%2 : tensor<3x5x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %7 = arith.mulf %in, %in_1 : f32
      linalg.yield %7 : f32
    } -> tensor<3x5x16xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %arg2 : tensor<3x5x16xf32>, tensor<3x5x16xf32>) outs(%2 : tensor<3x5x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %7 = arith.mulf %in, %in_1 : f32
      linalg.yield %7 : f32
    } -> tensor<3x5x16xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %5 : tensor<3x5x16xf32>, tensor<3x5x16xf32>) outs(%2 : tensor<3x5x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %7 = arith.addf %in, %in_1 : f32
      linalg.yield %7 : f32
    } -> tensor<3x5x16xf32>
    %padded = tensor.pad %6 low[0, 0, 0] high[0, 5, 0] {
    ^bb0(%arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst : f32
    } : tensor<3x5x16xf32> to tensor<3x10x16xf32>
    return %padded : tensor<3x10x16xf32>
  }
}
