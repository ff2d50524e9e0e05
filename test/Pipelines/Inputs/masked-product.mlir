func.func @m1(%q: tensor<2048x2048xf16>, %k: tensor<2048x2048xf16>) -> tensor<2048x2048xf16> {
  %e = tensor.empty() : tensor<2048x2048xf16>
  %r = mirage_kernel.graph ins(%q, %k : tensor<2048x2048xf16>, tensor<2048x2048xf16>) outs(%e : tensor<2048x2048xf16>) {
  ^bb0(%a: tensor<2048x2048xf16>, %b: tensor<2048x2048xf16>):
    %s = mirage_kernel.matmul %a, %b : (tensor<2048x2048xf16>, tensor<2048x2048xf16>) -> tensor<2048x2048xf32>
    %m = mirage_kernel.causal_mask %s offset 0 : (tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
    %y = mirage_kernel.exp %m : (tensor<2048x2048xf32>) -> tensor<2048x2048xf16>
    mirage_kernel.yield %y : tensor<2048x2048xf16>
  } : tensor<2048x2048xf16>
  return %r : tensor<2048x2048xf16>
}
