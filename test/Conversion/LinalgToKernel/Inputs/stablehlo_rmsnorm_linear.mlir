// x / sqrt(mean(x^2) + eps), then a product with weights [N, K], as StableHLO
// becomes linalg by its primitive ops: maps, reductions and broadcasts of rank-0
// constants.
func.func @rmsnorm_linear(%arg0: tensor<7x100xf32>, %arg1: tensor<13x100xf32>) -> tensor<7x13xf32> {
  %cst = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_0 = arith.constant dense<1.000000e+02> : tensor<f32>
  %cst_1 = arith.constant dense<9.99999974E-6> : tensor<f32>
  %0 = tensor.empty() : tensor<7x100xf32>
  %mapped = linalg.map { arith.mulf } ins(%arg0, %arg0 : tensor<7x100xf32>, tensor<7x100xf32>) outs(%0 : tensor<7x100xf32>)
  %extracted = tensor.extract %cst[] : tensor<f32>
  %1 = tensor.empty() : tensor<7xf32>
  %2 = linalg.fill ins(%extracted : f32) outs(%1 : tensor<7xf32>) -> tensor<7xf32>
  %reduced = linalg.reduce { arith.addf } ins(%mapped : tensor<7x100xf32>) outs(%2 : tensor<7xf32>) dimensions = [1]
  %expanded = tensor.expand_shape %reduced [[0, 1]] output_shape [7, 1] : tensor<7xf32> into tensor<7x1xf32>
  %3 = tensor.empty() : tensor<7x1xf32>
  %broadcasted = linalg.broadcast ins(%cst_0 : tensor<f32>) outs(%3 : tensor<7x1xf32>) dimensions = [0, 1]
  %mapped_2 = linalg.map { arith.divf } ins(%expanded, %broadcasted : tensor<7x1xf32>, tensor<7x1xf32>) outs(%3 : tensor<7x1xf32>)
  %broadcasted_3 = linalg.broadcast ins(%cst_1 : tensor<f32>) outs(%3 : tensor<7x1xf32>) dimensions = [0, 1]
  %mapped_4 = linalg.map { arith.addf } ins(%mapped_2, %broadcasted_3 : tensor<7x1xf32>, tensor<7x1xf32>) outs(%3 : tensor<7x1xf32>)
  %mapped_5 = linalg.map { math.sqrt } ins(%mapped_4 : tensor<7x1xf32>) outs(%3 : tensor<7x1xf32>)
  %collapsed = tensor.collapse_shape %mapped_5 [[0, 1]] : tensor<7x1xf32> into tensor<7xf32>
  %broadcasted_6 = linalg.broadcast ins(%collapsed : tensor<7xf32>) outs(%0 : tensor<7x100xf32>) dimensions = [1]
  %mapped_7 = linalg.map { arith.divf } ins(%arg0, %broadcasted_6 : tensor<7x100xf32>, tensor<7x100xf32>) outs(%0 : tensor<7x100xf32>)
  %4 = tensor.empty() : tensor<100x13xf32>
  %transposed = linalg.transpose ins(%arg1 : tensor<13x100xf32>) outs(%4 : tensor<100x13xf32>) permutation = [1, 0]
  %5 = tensor.empty() : tensor<7x13xf32>
  %cst_8 = arith.constant 0.000000e+00 : f32
  %6 = linalg.fill ins(%cst_8 : f32) outs(%5 : tensor<7x13xf32>) -> tensor<7x13xf32>
  %7 = linalg.matmul ins(%mapped_7, %transposed : tensor<7x100xf32>, tensor<100x13xf32>) outs(%6 : tensor<7x13xf32>) -> tensor<7x13xf32>
  return %7 : tensor<7x13xf32>
}
