// RMSNorm, projections to 8 heads, and attention on normalised queries and keys.
func.func @qkv_qknorm_attention(%x: tensor<1x64x512xf16>, %wq: tensor<8x512x64xf16>, %wk: tensor<8x512x64xf16>, %wv: tensor<8x512x64xf16>) -> tensor<8x64x64xf16> {
  %e = tensor.empty() : tensor<8x64x64xf16>
  %r = mirage_kernel.graph ins(%x, %wq, %wk, %wv : tensor<1x64x512xf16>, tensor<8x512x64xf16>, tensor<8x512x64xf16>, tensor<8x512x64xf16>) outs(%e : tensor<8x64x64xf16>) {
  ^bb0(%a: tensor<1x64x512xf16>, %b: tensor<8x512x64xf16>, %c: tensor<8x512x64xf16>, %d: tensor<8x512x64xf16>):
    %rx = mirage_kernel.rms %a dims [2] : (tensor<1x64x512xf16>) -> tensor<1x64x1xf32>
    %n = mirage_kernel.div %a, %rx : (tensor<1x64x512xf16>, tensor<1x64x1xf32>) -> tensor<1x64x512xf16>
    %q = mirage_kernel.matmul %n, %b : (tensor<1x64x512xf16>, tensor<8x512x64xf16>) -> tensor<8x64x64xf16>
    %k = mirage_kernel.matmul %n, %c : (tensor<1x64x512xf16>, tensor<8x512x64xf16>) -> tensor<8x64x64xf16>
    %v = mirage_kernel.matmul %n, %d : (tensor<1x64x512xf16>, tensor<8x512x64xf16>) -> tensor<8x64x64xf16>
    %rq = mirage_kernel.rms %q dims [2] : (tensor<8x64x64xf16>) -> tensor<8x64x1xf32>
    %nq = mirage_kernel.div %q, %rq : (tensor<8x64x64xf16>, tensor<8x64x1xf32>) -> tensor<8x64x64xf16>
    %rk = mirage_kernel.rms %k dims [2] : (tensor<8x64x64xf16>) -> tensor<8x64x1xf32>
    %nk = mirage_kernel.div %k, %rk : (tensor<8x64x64xf16>, tensor<8x64x1xf32>) -> tensor<8x64x64xf16>
    %kt = mirage_kernel.transpose %nk dims [0, 2, 1] : (tensor<8x64x64xf16>) -> tensor<8x64x64xf16>
    %s = mirage_kernel.matmul %nq, %kt : (tensor<8x64x64xf16>, tensor<8x64x64xf16>) -> tensor<8x64x64xf32>
    %z = mirage_kernel.scale %s by 0.125 : (tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %p = mirage_kernel.exp %z : (tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %t = mirage_kernel.sum %p dims [2] : (tensor<8x64x64xf32>) -> tensor<8x64x1xf32>
    %f = mirage_kernel.div %p, %t : (tensor<8x64x64xf32>, tensor<8x64x1xf32>) -> tensor<8x64x64xf16>
    %o = mirage_kernel.matmul %f, %v : (tensor<8x64x64xf16>, tensor<8x64x64xf16>) -> tensor<8x64x64xf16>
    mirage_kernel.yield %o : tensor<8x64x64xf16>
  } : tensor<8x64x64xf16>
  return %r : tensor<8x64x64xf16>
}
