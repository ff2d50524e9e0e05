func.func @g(%x: tensor<6x10xf32>, %e: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %r = mirage_kernel.graph ins(%x : tensor<6x10xf32>) outs(%e : tensor<6x10xf32>) {
  ^bb0(%a: tensor<6x10xf32>):
    %0 = mirage_kernel.relu %a : (tensor<6x10xf32>) -> tensor<6x10xf32>
    %1 = mirage_kernel.scale %0 by 2.0 : (tensor<6x10xf32>) -> tensor<6x10xf32>
    mirage_kernel.yield %1 : tensor<6x10xf32>
  } : tensor<6x10xf32>
  return %r : tensor<6x10xf32>
}
