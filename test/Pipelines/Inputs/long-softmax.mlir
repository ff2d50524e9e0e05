func.func @long(%x: tensor<8x131072xf16>) -> tensor<8x131072xf16> {
  %e = tensor.empty() : tensor<8x131072xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x131072xf16>) outs(%e : tensor<8x131072xf16>) {
  ^bb0(%a: tensor<8x131072xf16>):
    %s = mirage_kernel.softmax %a dims [1] : (tensor<8x131072xf16>) -> tensor<8x131072xf16>
    mirage_kernel.yield %s : tensor<8x131072xf16>
  } : tensor<8x131072xf16>
  return %r : tensor<8x131072xf16>
}
func.func @columns(%x: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %e = tensor.empty() : tensor<4096x4096xf16>
  %r = mirage_kernel.graph ins(%x : tensor<4096x4096xf16>) outs(%e : tensor<4096x4096xf16>) {
  ^bb0(%a: tensor<4096x4096xf16>):
    %s = mirage_kernel.softmax %a dims [0] : (tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
    mirage_kernel.yield %s : tensor<4096x4096xf16>
  } : tensor<4096x4096xf16>
  return %r : tensor<4096x4096xf16>
}
