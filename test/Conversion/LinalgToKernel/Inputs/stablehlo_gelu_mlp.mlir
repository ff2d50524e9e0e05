// Linear, gelu by tanh, linear, as JAX's StableHLO becomes linalg by its primitive
// ops: a cube by products, constants of rank 0, biases that are broadcast.
func.func @gelu_mlp(%arg0: tensor<7x24xf32>, %arg1: tensor<24x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32x24xf32>) -> tensor<7x24xf32> {
  %cst = arith.constant dense<4.471500e-02> : tensor<f32>
  %cst_0 = arith.constant dense<0.797884583> : tensor<f32>
  %cst_1 = arith.constant dense<1.000000e+00> : tensor<f32>
  %cst_2 = arith.constant dense<5.000000e-01> : tensor<f32>
  %cst_3 = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<7x32xf32>
  %1 = linalg.fill ins(%cst_3 : f32) outs(%0 : tensor<7x32xf32>) -> tensor<7x32xf32>
  %2 = linalg.matmul ins(%arg0, %arg1 : tensor<7x24xf32>, tensor<24x32xf32>) outs(%1 : tensor<7x32xf32>) -> tensor<7x32xf32>
  %broadcasted = linalg.broadcast ins(%arg2 : tensor<32xf32>) outs(%0 : tensor<7x32xf32>) dimensions = [0]
  %mapped = linalg.map { arith.addf } ins(%2, %broadcasted : tensor<7x32xf32>, tensor<7x32xf32>) outs(%0 : tensor<7x32xf32>)
  %mapped_4 = linalg.map { arith.mulf } ins(%mapped, %mapped : tensor<7x32xf32>, tensor<7x32xf32>) outs(%0 : tensor<7x32xf32>)
  %mapped_5 = linalg.map { arith.mulf } ins(%mapped_4, %mapped : tensor<7x32xf32>, tensor<7x32xf32>) outs(%0 : tensor<7x32xf32>)
  %broadcasted_6 = linalg.broadcast ins(%cst : tensor<f32>) outs(%0 : tensor<7x32xf32>) dimensions = [0, 1]
  %mapped_7 = linalg.map { arith.mulf } ins(%broadcasted_6, %mapped_5 : tensor<7x32xf32>, tensor<7x32xf32>) outs(%0 : tensor<7x32xf32>)
  %mapped_8 = linalg.map { arith.addf } ins(%mapped, %mapped_7 : tensor<7x32xf32>, tensor<7x32xf32>) outs(%0 : tensor<7x32xf32>)
  %broadcasted_9 = linalg.broadcast ins(%cst_0 : tensor<f32>) outs(%0 : tensor<7x32xf32>) dimensions = [0, 1]
  %mapped_10 = linalg.map { arith.mulf } ins(%broadcasted_9, %mapped_8 : tensor<7x32xf32>, tensor<7x32xf32>) outs(%0 : tensor<7x32xf32>)
  %mapped_11 = linalg.map { math.tanh } ins(%mapped_10 : tensor<7x32xf32>) outs(%0 : tensor<7x32xf32>)
  %broadcasted_12 = linalg.broadcast ins(%cst_1 : tensor<f32>) outs(%0 : tensor<7x32xf32>) dimensions = [0, 1]
  %mapped_13 = linalg.map { arith.addf } ins(%broadcasted_12, %mapped_11 : tensor<7x32xf32>, tensor<7x32xf32>) outs(%0 : tensor<7x32xf32>)
  %broadcasted_14 = linalg.broadcast ins(%cst_2 : tensor<f32>) outs(%0 : tensor<7x32xf32>) dimensions = [0, 1]
  %mapped_15 = linalg.map { arith.mulf } ins(%broadcasted_14, %mapped_13 : tensor<7x32xf32>, tensor<7x32xf32>) outs(%0 : tensor<7x32xf32>)
  %mapped_16 = linalg.map { arith.mulf } ins(%mapped, %mapped_15 : tensor<7x32xf32>, tensor<7x32xf32>) outs(%0 : tensor<7x32xf32>)
  %3 = tensor.empty() : tensor<7x24xf32>
  %4 = linalg.fill ins(%cst_3 : f32) outs(%3 : tensor<7x24xf32>) -> tensor<7x24xf32>
  %5 = linalg.matmul ins(%mapped_16, %arg3 : tensor<7x32xf32>, tensor<32x24xf32>) outs(%4 : tensor<7x24xf32>) -> tensor<7x24xf32>
  return %5 : tensor<7x24xf32>
}
