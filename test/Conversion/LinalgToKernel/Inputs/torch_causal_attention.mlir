// softmax(q kT / 4 + triu(full(-inf), 1)) v, as torch-mlir writes it: the mask is a tensor
// of its own, of which rows and columns are numbered in i64.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d1, d2)>
module attributes {torch.debug_module_name = "CausalAttention"} {
  func.func @causal_attention(%arg0: tensor<2x13x16xf32>, %arg1: tensor<2x13x16xf32>, %arg2: tensor<2x13x16xf32>) -> tensor<2x13x16xf32> {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 4.000000e+00 : f64
    %0 = tensor.empty() : tensor<13x13xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<13x13xf32>) -> tensor<13x13xf32>
    %2 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<13x13xf32>) outs(%0 : tensor<13x13xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = linalg.index 0 : index
      %22 = arith.index_cast %21 : index to i64
      %23 = linalg.index 1 : index
      %24 = arith.index_cast %23 : index to i64
      %25 = arith.addi %22, %c1_i64 : i64
      %26 = arith.cmpi sge, %24, %25 : i64
      %27 = arith.select %26, %in, %cst_0 : f32
      linalg.yield %27 : f32
    } -> tensor<13x13xf32>
    %3 = tensor.empty() : tensor<2x16x13xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x13x16xf32>) outs(%3 : tensor<2x16x13xf32>) permutation = [0, 2, 1]
    %4 = tensor.empty() : tensor<2x13x13xf32>
    %5 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<2x13x13xf32>) -> tensor<2x13x13xf32>
    %6 = linalg.batch_matmul ins(%arg0, %transposed : tensor<2x13x16xf32>, tensor<2x16x13xf32>) outs(%5 : tensor<2x13x13xf32>) -> tensor<2x13x13xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x13x13xf32>) outs(%4 : tensor<2x13x13xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.truncf %cst_1 : f64 to f32
      %22 = arith.divf %in, %21 : f32
      linalg.yield %22 : f32
    } -> tensor<2x13x13xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %2 : tensor<2x13x13xf32>, tensor<13x13xf32>) outs(%4 : tensor<2x13x13xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %21 = arith.addf %in, %in_2 : f32
      linalg.yield %21 : f32
    } -> tensor<2x13x13xf32>
    %9 = tensor.empty() : tensor<2x13x1xi64>
    %10 = linalg.fill ins(%c0_i64 : i64) outs(%9 : tensor<2x13x1xi64>) -> tensor<2x13x1xi64>
    %11 = tensor.empty() : tensor<2x13x1xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<2x13x1xf32>) -> tensor<2x13x1xf32>
    %13:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%8 : tensor<2x13x13xf32>) outs(%12, %10 : tensor<2x13x1xf32>, tensor<2x13x1xi64>) {
    ^bb0(%in: f32, %out: f32, %out_2: i64):
      %21 = linalg.index 2 : index
      %22 = arith.index_cast %21 : index to i64
      %23 = arith.maximumf %in, %out : f32
      %24 = arith.cmpf ogt, %in, %out : f32
      %25 = arith.select %24, %22, %out_2 : i64
      linalg.yield %23, %25 : f32, i64
    } -> (tensor<2x13x1xf32>, tensor<2x13x1xi64>)
    %14 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %13#0 : tensor<2x13x13xf32>, tensor<2x13x1xf32>) outs(%4 : tensor<2x13x13xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %21 = arith.subf %in, %in_2 : f32
      linalg.yield %21 : f32
    } -> tensor<2x13x13xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<2x13x13xf32>) outs(%4 : tensor<2x13x13xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.exp %in : f32
      linalg.yield %21 : f32
    } -> tensor<2x13x13xf32>
    %16 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<2x13x1xf32>) -> tensor<2x13x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%15 : tensor<2x13x13xf32>) outs(%16 : tensor<2x13x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %in, %out : f32
      linalg.yield %21 : f32
    } -> tensor<2x13x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %17 : tensor<2x13x13xf32>, tensor<2x13x1xf32>) outs(%4 : tensor<2x13x13xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %21 = arith.divf %in, %in_2 : f32
      linalg.yield %21 : f32
    } -> tensor<2x13x13xf32>
    %19 = tensor.empty() : tensor<2x13x16xf32>
    %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<2x13x16xf32>) -> tensor<2x13x16xf32>
    %r = linalg.batch_matmul ins(%18, %arg2 : tensor<2x13x13xf32>, tensor<2x13x16xf32>) outs(%20 : tensor<2x13x16xf32>) -> tensor<2x13x16xf32>
    return %r : tensor<2x13x16xf32>
  }
}
