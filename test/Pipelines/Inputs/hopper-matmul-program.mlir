func.func @matmul(%x: tensor<128x256xf16>, %y: tensor<256x48xf16>) -> tensor<128x48xf16> {
  %e = tensor.empty() : tensor<128x48xf16>
  %r = mirage_kernel.graph ins(%x, %y : tensor<128x256xf16>, tensor<256x48xf16>) outs(%e : tensor<128x48xf16>) {
  ^bb0(%a: tensor<128x256xf16>, %b: tensor<256x48xf16>):
    %c = mirage_kernel.matmul %a, %b : (tensor<128x256xf16>, tensor<256x48xf16>) -> tensor<128x48xf16>
    mirage_kernel.yield %c : tensor<128x48xf16>
  } : tensor<128x48xf16>
  return %r : tensor<128x48xf16>
}
