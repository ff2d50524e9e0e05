// Causal attention as a program: 24 queries, the last of which sees all of the 40 keys.
func.func @causal_gqa(%Q: tensor<2x24x16xf16>, %K: tensor<2x16x40xf16>, %V: tensor<2x40x16xf16>) -> tensor<2x24x16xf16> {
  %e = tensor.empty() : tensor<2x24x16xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x24x16xf16>, tensor<2x16x40xf16>, tensor<2x40x16xf16>)
      outs(%e : tensor<2x24x16xf16>) {
  ^bb0(%q: tensor<2x24x16xf16>, %k: tensor<2x16x40xf16>, %v: tensor<2x40x16xf16>):
    %s = mirage_kernel.matmul %q, %k : (tensor<2x24x16xf16>, tensor<2x16x40xf16>) -> tensor<2x24x40xf32>
    %m = mirage_kernel.causal_mask %s offset 16 : (tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
    %p = mirage_kernel.softmax %m dims [2] : (tensor<2x24x40xf32>) -> tensor<2x24x40xf16>
    %o = mirage_kernel.matmul %p, %v : (tensor<2x24x40xf16>, tensor<2x40x16xf16>) -> tensor<2x24x16xf16>
    mirage_kernel.yield %o : tensor<2x24x16xf16>
  } : tensor<2x24x16xf16>
  return %r : tensor<2x24x16xf16>
}
