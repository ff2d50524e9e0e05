// In f16 there are no numbers between 1000 and 1000.5.
func.func @cancelling(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.offset %a by 1000.0 : (tensor<8x64xf16>) -> tensor<8x64xf16>
    %1 = mirage_kernel.offset %0 by -1000.0 : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %1 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}
