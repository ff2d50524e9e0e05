// Weights as nn.Linear has them ([N, K]) and keys as attention has them ([keys, D]):
// no kernel transposes, searched or not, and what is read is read in whole sectors.

func.func @linear_nk(%x: tensor<8x256xf16> {mirage.name = "x"}, %w: tensor<128x256xf16> {mirage.name = "w"}) -> tensor<8x128xf16> {
  %e = tensor.empty() : tensor<8x128xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x256xf16>, tensor<128x256xf16>) outs(%e : tensor<8x128xf16>) {
  ^bb0(%a: tensor<8x256xf16>, %b: tensor<128x256xf16>):
    %s = mirage_kernel.rms_norm %a dims [1] epsilon 0.00001 : (tensor<8x256xf16>) -> tensor<8x256xf16>
    %t = mirage_kernel.transpose %b dims [1, 0] : (tensor<128x256xf16>) -> tensor<256x128xf16>
    %0 = mirage_kernel.matmul %s, %t : (tensor<8x256xf16>, tensor<256x128xf16>) -> tensor<8x128xf16>
    mirage_kernel.yield %0 : tensor<8x128xf16>
  } : tensor<8x128xf16>
  return %r : tensor<8x128xf16>
}

func.func @gated_mlp_nk(%x: tensor<8x256xf16> {mirage.name = "x"}, %w: tensor<128x256xf16> {mirage.name = "w"}, %v: tensor<128x256xf16> {mirage.name = "v"}) -> tensor<8x128xf16> {
  %e = tensor.empty() : tensor<8x128xf16>
  %r = mirage_kernel.graph ins(%x, %w, %v : tensor<8x256xf16>, tensor<128x256xf16>, tensor<128x256xf16>) outs(%e : tensor<8x128xf16>) {
  ^bb0(%a: tensor<8x256xf16>, %b: tensor<128x256xf16>, %c: tensor<128x256xf16>):
    %t = mirage_kernel.transpose %b dims [1, 0] : (tensor<128x256xf16>) -> tensor<256x128xf16>
    %u = mirage_kernel.transpose %c dims [1, 0] : (tensor<128x256xf16>) -> tensor<256x128xf16>
    %0 = mirage_kernel.matmul %a, %t : (tensor<8x256xf16>, tensor<256x128xf16>) -> tensor<8x128xf32>
    %1 = mirage_kernel.matmul %a, %u : (tensor<8x256xf16>, tensor<256x128xf16>) -> tensor<8x128xf32>
    %2 = mirage_kernel.silu %0 : (tensor<8x128xf32>) -> tensor<8x128xf32>
    %3 = mirage_kernel.mul %2, %1 : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xf16>
    mirage_kernel.yield %3 : tensor<8x128xf16>
  } : tensor<8x128xf16>
  return %r : tensor<8x128xf16>
}

func.func @attention_keys(%q: tensor<2x64x64xf16> {mirage.name = "q"}, %k: tensor<2x512x64xf16> {mirage.name = "k"}, %v: tensor<2x512x64xf16> {mirage.name = "v"}) -> tensor<2x64x64xf16> {
  %e = tensor.empty() : tensor<2x64x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<2x64x64xf16>, tensor<2x512x64xf16>, tensor<2x512x64xf16>) outs(%e : tensor<2x64x64xf16>) {
  ^bb0(%a: tensor<2x64x64xf16>, %b: tensor<2x512x64xf16>, %c: tensor<2x512x64xf16>):
    %t = mirage_kernel.transpose %b dims [0, 2, 1] : (tensor<2x512x64xf16>) -> tensor<2x64x512xf16>
    %0 = mirage_kernel.matmul %a, %t : (tensor<2x64x64xf16>, tensor<2x64x512xf16>) -> tensor<2x64x512xf32>
    %1 = mirage_kernel.softmax %0 dims [2] : (tensor<2x64x512xf32>) -> tensor<2x64x512xf16>
    %2 = mirage_kernel.matmul %1, %c : (tensor<2x64x512xf16>, tensor<2x512x64xf16>) -> tensor<2x64x64xf16>
    mirage_kernel.yield %2 : tensor<2x64x64xf16>
  } : tensor<2x64x64xf16>
  return %r : tensor<2x64x64xf16>
}
