func.func @exp_matmul(%x: tensor<8x100xf16>, %w: tensor<100x70xf16>, %e: tensor<8x70xf16>) -> tensor<8x70xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x100xf16>, tensor<100x70xf16>) outs(%e : tensor<8x70xf16>) {
  ^bb0(%a: tensor<8x100xf16>, %b: tensor<100x70xf16>):
    %m = mirage_kernel.matmul %a, %b : (tensor<8x100xf16>, tensor<100x70xf16>) -> tensor<8x70xf32>
    %d = mirage_kernel.exp %m : (tensor<8x70xf32>) -> tensor<8x70xf16>
    mirage_kernel.yield %d : tensor<8x70xf16>
  } : tensor<8x70xf16>
  return %r : tensor<8x70xf16>
}
