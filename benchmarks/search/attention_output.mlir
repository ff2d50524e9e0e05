// Attention of 8 heads on 512 keys, and the output projection.
func.func @attention_output(%q: tensor<8x16x64xf16>, %k: tensor<8x64x512xf16>, %v: tensor<8x512x64xf16>, %w: tensor<8x64x1024xf16>) -> tensor<1x16x1024xf16> {
  %e = tensor.empty() : tensor<1x16x1024xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v, %w : tensor<8x16x64xf16>, tensor<8x64x512xf16>, tensor<8x512x64xf16>, tensor<8x64x1024xf16>) outs(%e : tensor<1x16x1024xf16>) {
  ^bb0(%a: tensor<8x16x64xf16>, %b: tensor<8x64x512xf16>, %c: tensor<8x512x64xf16>, %d: tensor<8x64x1024xf16>):
    %s = mirage_kernel.matmul %a, %b : (tensor<8x16x64xf16>, tensor<8x64x512xf16>) -> tensor<8x16x512xf32>
    %x = mirage_kernel.exp %s : (tensor<8x16x512xf32>) -> tensor<8x16x512xf32>
    %t = mirage_kernel.sum %x dims [2] : (tensor<8x16x512xf32>) -> tensor<8x16x1xf32>
    %p = mirage_kernel.div %x, %t : (tensor<8x16x512xf32>, tensor<8x16x1xf32>) -> tensor<8x16x512xf16>
    %o = mirage_kernel.matmul %p, %c : (tensor<8x16x512xf16>, tensor<8x512x64xf16>) -> tensor<8x16x64xf16>
    %h = mirage_kernel.matmul %o, %d : (tensor<8x16x64xf16>, tensor<8x64x1024xf16>) -> tensor<8x16x1024xf32>
    %y = mirage_kernel.sum %h dims [0] : (tensor<8x16x1024xf32>) -> tensor<1x16x1024xf16>
    mirage_kernel.yield %y : tensor<1x16x1024xf16>
  } : tensor<1x16x1024xf16>
  return %r : tensor<1x16x1024xf16>
}
