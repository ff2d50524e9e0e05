// Σ exp(x)·(y + z).
func.func @f(%x: tensor<2x20xf32>, %y: tensor<2x1xf32>, %z: tensor<2x1xf32>, %e: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %r = mirage_kernel.graph ins(%x, %y, %z : tensor<2x20xf32>, tensor<2x1xf32>, tensor<2x1xf32>) outs(%e : tensor<2x1xf32>) {
  ^bb0(%a: tensor<2x20xf32>, %b: tensor<2x1xf32>, %c: tensor<2x1xf32>):
    %0 = mirage_kernel.exp %a : (tensor<2x20xf32>) -> tensor<2x20xf32>
    %1 = mirage_kernel.sum %0 dims [1] : (tensor<2x20xf32>) -> tensor<2x1xf32>
    %2 = mirage_kernel.add %b, %c : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    %3 = mirage_kernel.mul %1, %2 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    mirage_kernel.yield %3 : tensor<2x1xf32>
  } : tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}
