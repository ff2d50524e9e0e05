func.func @norm_linear(%x: tensor<16x256xf32>, %w: tensor<256x96xf32>) -> tensor<16x96xf32> {
  %e = tensor.empty() : tensor<16x96xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x256xf32>, tensor<256x96xf32>) outs(%e : tensor<16x96xf32>) {
  ^bb0(%a: tensor<16x256xf32>, %b: tensor<256x96xf32>):
    %rms = mirage_kernel.rms %a dims [1] : (tensor<16x256xf32>) -> tensor<16x1xf32>
    %n = mirage_kernel.div %a, %rms : (tensor<16x256xf32>, tensor<16x1xf32>) -> tensor<16x256xf32>
    %o = mirage_kernel.matmul %n, %b : (tensor<16x256xf32>, tensor<256x96xf32>) -> tensor<16x96xf32>
    mirage_kernel.yield %o : tensor<16x96xf32>
  } : tensor<16x96xf32>
  return %r : tensor<16x96xf32>
}

func.func @gated_mlp(%x: tensor<8x192xf32>, %w1: tensor<192x64xf32>, %w2: tensor<192x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x, %w1, %w2 : tensor<8x192xf32>, tensor<192x64xf32>, tensor<192x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x192xf32>, %b: tensor<192x64xf32>, %c: tensor<192x64xf32>):
    %y = mirage_kernel.matmul %a, %b : (tensor<8x192xf32>, tensor<192x64xf32>) -> tensor<8x64xf32>
    %z = mirage_kernel.matmul %a, %c : (tensor<8x192xf32>, tensor<192x64xf32>) -> tensor<8x64xf32>
    %g = mirage_kernel.silu %y : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %o = mirage_kernel.mul %g, %z : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

func.func @attention(%Q: tensor<2x64x32xf32>, %K: tensor<2x32x128xf32>, %V: tensor<2x128x32xf32>) -> tensor<2x64x32xf32> {
  %e = tensor.empty() : tensor<2x64x32xf32>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x64x32xf32>, tensor<2x32x128xf32>, tensor<2x128x32xf32>) outs(%e : tensor<2x64x32xf32>) {
  ^bb0(%q: tensor<2x64x32xf32>, %k: tensor<2x32x128xf32>, %v: tensor<2x128x32xf32>):
    %s = mirage_kernel.matmul %q, %k : (tensor<2x64x32xf32>, tensor<2x32x128xf32>) -> tensor<2x64x128xf32>
    %t = mirage_kernel.scale %s by 0.177 : (tensor<2x64x128xf32>) -> tensor<2x64x128xf32>
    %p = mirage_kernel.softmax %t dims [2] : (tensor<2x64x128xf32>) -> tensor<2x64x128xf32>
    %o = mirage_kernel.matmul %p, %v : (tensor<2x64x128xf32>, tensor<2x128x32xf32>) -> tensor<2x64x32xf32>
    mirage_kernel.yield %o : tensor<2x64x32xf32>
  } : tensor<2x64x32xf32>
  return %r : tensor<2x64x32xf32>
}

func.func @odd(%x: tensor<7x203xf32>, %w: tensor<203x77xf32>) -> tensor<7x77xf32> {
  %e = tensor.empty() : tensor<7x77xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<7x203xf32>, tensor<203x77xf32>) outs(%e : tensor<7x77xf32>) {
  ^bb0(%a: tensor<7x203xf32>, %b: tensor<203x77xf32>):
    %y = mirage_kernel.matmul %a, %b : (tensor<7x203xf32>, tensor<203x77xf32>) -> tensor<7x77xf32>
    %o = mirage_kernel.relu %y : (tensor<7x77xf32>) -> tensor<7x77xf32>
    mirage_kernel.yield %o : tensor<7x77xf32>
  } : tensor<7x77xf32>
  return %r : tensor<7x77xf32>
}

func.func @columns(%x: tensor<16x128xf32>, %w: tensor<48x128xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16x48xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x128xf32>, tensor<48x128xf32>) outs(%e : tensor<16x48xf32>) {
  ^bb0(%a: tensor<16x128xf32>, %b: tensor<48x128xf32>):
    %t = mirage_kernel.transpose %b dims [1, 0] : (tensor<48x128xf32>) -> tensor<128x48xf32>
    %o = mirage_kernel.matmul %a, %t : (tensor<16x128xf32>, tensor<128x48xf32>) -> tensor<16x48xf32>
    mirage_kernel.yield %o : tensor<16x48xf32>
  } : tensor<16x48xf32>
  return %r : tensor<16x48xf32>
}

// The narrow operands are exact in tf32; all results are f32.
func.func @mixed(%x: tensor<16x64xf32>, %w: tensor<64x32xf16>, %v: tensor<64x32xbf16>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %e = tensor.empty() : tensor<16x32xf32>
  %r:2 = mirage_kernel.graph ins(%x, %w, %v : tensor<16x64xf32>, tensor<64x32xf16>, tensor<64x32xbf16>) outs(%e, %e : tensor<16x32xf32>, tensor<16x32xf32>) {
  ^bb0(%a: tensor<16x64xf32>, %b: tensor<64x32xf16>, %c: tensor<64x32xbf16>):
    %o = mirage_kernel.matmul %a, %b : (tensor<16x64xf32>, tensor<64x32xf16>) -> tensor<16x32xf32>
    %p = mirage_kernel.matmul %a, %c : (tensor<16x64xf32>, tensor<64x32xbf16>) -> tensor<16x32xf32>
    mirage_kernel.yield %o, %p : tensor<16x32xf32>, tensor<16x32xf32>
  } : tensor<16x32xf32>, tensor<16x32xf32>
  return %r#0, %r#1 : tensor<16x32xf32>, tensor<16x32xf32>
}

func.func @f16_beside(%x: tensor<16x64xf16>, %w: tensor<64x32xf16>, %y: tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %e = tensor.empty() : tensor<16x32xf32>
  %r:2 = mirage_kernel.graph ins(%x, %w, %y : tensor<16x64xf16>, tensor<64x32xf16>, tensor<16x32xf32>) outs(%e, %e : tensor<16x32xf32>, tensor<16x32xf32>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x32xf16>, %c: tensor<16x32xf32>):
    %o = mirage_kernel.matmul %a, %b : (tensor<16x64xf16>, tensor<64x32xf16>) -> tensor<16x32xf32>
    %p = mirage_kernel.exp %c : (tensor<16x32xf32>) -> tensor<16x32xf32>
    mirage_kernel.yield %o, %p : tensor<16x32xf32>, tensor<16x32xf32>
  } : tensor<16x32xf32>, tensor<16x32xf32>
  return %r#0, %r#1 : tensor<16x32xf32>, tensor<16x32xf32>
}
