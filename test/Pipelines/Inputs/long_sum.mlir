func.func @long_sum(%x: tensor<1x1048576xf32> {mirage.name = "x"}) -> tensor<1x1xf32> {
  %e = tensor.empty() : tensor<1x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<1x1048576xf32>) outs(%e : tensor<1x1xf32>) {
  ^bb0(%a: tensor<1x1048576xf32>):
    %s = mirage_kernel.sum %a dims [1] : (tensor<1x1048576xf32>) -> tensor<1x1xf32>
    mirage_kernel.yield %s : tensor<1x1xf32>
  } : tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}
