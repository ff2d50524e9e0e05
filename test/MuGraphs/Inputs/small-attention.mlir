// What the µGraphs of small-attention.mlir compute, as kernels.
func.func @gqa_split(%Q: tensor<2x12x8xf16>, %K: tensor<2x8x30xf16>, %V: tensor<2x30x8xf16>) -> tensor<2x12x8xf16> {
  %e = tensor.empty() : tensor<2x12x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x12x8xf16>, tensor<2x8x30xf16>, tensor<2x30x8xf16>)
      outs(%e : tensor<2x12x8xf16>) {
  ^bb0(%q: tensor<2x12x8xf16>, %k: tensor<2x8x30xf16>, %v: tensor<2x30x8xf16>):
    %s = mirage_kernel.matmul %q, %k : (tensor<2x12x8xf16>, tensor<2x8x30xf16>) -> tensor<2x12x30xf32>
    %x = mirage_kernel.exp %s : (tensor<2x12x30xf32>) -> tensor<2x12x30xf32>
    %l = mirage_kernel.sum %x dims [2] : (tensor<2x12x30xf32>) -> tensor<2x12x1xf32>
    %p = mirage_kernel.div %x, %l : (tensor<2x12x30xf32>, tensor<2x12x1xf32>) -> tensor<2x12x30xf32>
    %o = mirage_kernel.matmul %p, %v : (tensor<2x12x30xf32>, tensor<2x30x8xf16>) -> tensor<2x12x8xf16>
    mirage_kernel.yield %o : tensor<2x12x8xf16>
  } : tensor<2x12x8xf16>
  return %r : tensor<2x12x8xf16>
}

func.func @gqa_split_where_nothing_divides(%Q: tensor<2x11x8xf16>, %K: tensor<2x8x27xf16>, %V: tensor<2x27x8xf16>) -> tensor<2x11x8xf16> {
  %e = tensor.empty() : tensor<2x11x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x11x8xf16>, tensor<2x8x27xf16>, tensor<2x27x8xf16>)
      outs(%e : tensor<2x11x8xf16>) {
  ^bb0(%q: tensor<2x11x8xf16>, %k: tensor<2x8x27xf16>, %v: tensor<2x27x8xf16>):
    %s = mirage_kernel.matmul %q, %k : (tensor<2x11x8xf16>, tensor<2x8x27xf16>) -> tensor<2x11x27xf32>
    %x = mirage_kernel.exp %s : (tensor<2x11x27xf32>) -> tensor<2x11x27xf32>
    %l = mirage_kernel.sum %x dims [2] : (tensor<2x11x27xf32>) -> tensor<2x11x1xf32>
    %p = mirage_kernel.div %x, %l : (tensor<2x11x27xf32>, tensor<2x11x1xf32>) -> tensor<2x11x27xf32>
    %o = mirage_kernel.matmul %p, %v : (tensor<2x11x27xf32>, tensor<2x27x8xf16>) -> tensor<2x11x8xf16>
    mirage_kernel.yield %o : tensor<2x11x8xf16>
  } : tensor<2x11x8xf16>
  return %r : tensor<2x11x8xf16>
}

func.func @gqa_online(%Q: tensor<2x12x8xf16>, %K: tensor<2x8x30xf16>, %V: tensor<2x30x8xf16>) -> tensor<2x12x8xf16> {
  %e = tensor.empty() : tensor<2x12x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x12x8xf16>, tensor<2x8x30xf16>, tensor<2x30x8xf16>)
      outs(%e : tensor<2x12x8xf16>) {
  ^bb0(%q: tensor<2x12x8xf16>, %k: tensor<2x8x30xf16>, %v: tensor<2x30x8xf16>):
    %s = mirage_kernel.matmul %q, %k : (tensor<2x12x8xf16>, tensor<2x8x30xf16>) -> tensor<2x12x30xf32>
    %x = mirage_kernel.exp %s : (tensor<2x12x30xf32>) -> tensor<2x12x30xf32>
    %l = mirage_kernel.sum %x dims [2] : (tensor<2x12x30xf32>) -> tensor<2x12x1xf32>
    %p = mirage_kernel.div %x, %l : (tensor<2x12x30xf32>, tensor<2x12x1xf32>) -> tensor<2x12x30xf32>
    %o = mirage_kernel.matmul %p, %v : (tensor<2x12x30xf32>, tensor<2x30x8xf16>) -> tensor<2x12x8xf16>
    mirage_kernel.yield %o : tensor<2x12x8xf16>
  } : tensor<2x12x8xf16>
  return %r : tensor<2x12x8xf16>
}

func.func @gqa_online_where_nothing_divides(%Q: tensor<2x11x8xf16>, %K: tensor<2x8x27xf16>, %V: tensor<2x27x8xf16>) -> tensor<2x11x8xf16> {
  %e = tensor.empty() : tensor<2x11x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x11x8xf16>, tensor<2x8x27xf16>, tensor<2x27x8xf16>)
      outs(%e : tensor<2x11x8xf16>) {
  ^bb0(%q: tensor<2x11x8xf16>, %k: tensor<2x8x27xf16>, %v: tensor<2x27x8xf16>):
    %s = mirage_kernel.matmul %q, %k : (tensor<2x11x8xf16>, tensor<2x8x27xf16>) -> tensor<2x11x27xf32>
    %x = mirage_kernel.exp %s : (tensor<2x11x27xf32>) -> tensor<2x11x27xf32>
    %l = mirage_kernel.sum %x dims [2] : (tensor<2x11x27xf32>) -> tensor<2x11x1xf32>
    %p = mirage_kernel.div %x, %l : (tensor<2x11x27xf32>, tensor<2x11x1xf32>) -> tensor<2x11x27xf32>
    %o = mirage_kernel.matmul %p, %v : (tensor<2x11x27xf32>, tensor<2x27x8xf16>) -> tensor<2x11x8xf16>
    mirage_kernel.yield %o : tensor<2x11x8xf16>
  } : tensor<2x11x8xf16>
  return %r : tensor<2x11x8xf16>
}

func.func @gqa_online_split(%Q: tensor<2x12x8xf16>, %K: tensor<2x8x30xf16>, %V: tensor<2x30x8xf16>) -> tensor<2x12x8xf16> {
  %e = tensor.empty() : tensor<2x12x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x12x8xf16>, tensor<2x8x30xf16>, tensor<2x30x8xf16>)
      outs(%e : tensor<2x12x8xf16>) {
  ^bb0(%q: tensor<2x12x8xf16>, %k: tensor<2x8x30xf16>, %v: tensor<2x30x8xf16>):
    %s = mirage_kernel.matmul %q, %k : (tensor<2x12x8xf16>, tensor<2x8x30xf16>) -> tensor<2x12x30xf32>
    %x = mirage_kernel.exp %s : (tensor<2x12x30xf32>) -> tensor<2x12x30xf32>
    %l = mirage_kernel.sum %x dims [2] : (tensor<2x12x30xf32>) -> tensor<2x12x1xf32>
    %p = mirage_kernel.div %x, %l : (tensor<2x12x30xf32>, tensor<2x12x1xf32>) -> tensor<2x12x30xf32>
    %o = mirage_kernel.matmul %p, %v : (tensor<2x12x30xf32>, tensor<2x30x8xf16>) -> tensor<2x12x8xf16>
    mirage_kernel.yield %o : tensor<2x12x8xf16>
  } : tensor<2x12x8xf16>
  return %r : tensor<2x12x8xf16>
}

func.func @gqa_online_split_masked_whole(%Q: tensor<2x11x8xf16>, %K: tensor<2x8x9xf16>, %V: tensor<2x9x8xf16>) -> tensor<2x11x8xf16> {
  %e = tensor.empty() : tensor<2x11x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x11x8xf16>, tensor<2x8x9xf16>, tensor<2x9x8xf16>)
      outs(%e : tensor<2x11x8xf16>) {
  ^bb0(%q: tensor<2x11x8xf16>, %k: tensor<2x8x9xf16>, %v: tensor<2x9x8xf16>):
    %s = mirage_kernel.matmul %q, %k : (tensor<2x11x8xf16>, tensor<2x8x9xf16>) -> tensor<2x11x9xf32>
    %x = mirage_kernel.exp %s : (tensor<2x11x9xf32>) -> tensor<2x11x9xf32>
    %l = mirage_kernel.sum %x dims [2] : (tensor<2x11x9xf32>) -> tensor<2x11x1xf32>
    %p = mirage_kernel.div %x, %l : (tensor<2x11x9xf32>, tensor<2x11x1xf32>) -> tensor<2x11x9xf32>
    %o = mirage_kernel.matmul %p, %v : (tensor<2x11x9xf32>, tensor<2x9x8xf16>) -> tensor<2x11x8xf16>
    mirage_kernel.yield %o : tensor<2x11x8xf16>
  } : tensor<2x11x8xf16>
  return %r : tensor<2x11x8xf16>
}
