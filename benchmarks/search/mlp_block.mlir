// RMSNorm, gated MLP, down projection and residual.
func.func @mlp_block(%x: tensor<8x1024xf16>, %wg: tensor<1024x2816xf16>, %wu: tensor<1024x2816xf16>, %wd: tensor<2816x1024xf16>) -> tensor<8x1024xf16> {
  %e = tensor.empty() : tensor<8x1024xf16>
  %r = mirage_kernel.graph ins(%x, %wg, %wu, %wd : tensor<8x1024xf16>, tensor<1024x2816xf16>, tensor<1024x2816xf16>, tensor<2816x1024xf16>) outs(%e : tensor<8x1024xf16>) {
  ^bb0(%a: tensor<8x1024xf16>, %g: tensor<1024x2816xf16>, %u: tensor<1024x2816xf16>, %d: tensor<2816x1024xf16>):
    %rms = mirage_kernel.rms %a dims [1] : (tensor<8x1024xf16>) -> tensor<8x1xf32>
    %n = mirage_kernel.div %a, %rms : (tensor<8x1024xf16>, tensor<8x1xf32>) -> tensor<8x1024xf16>
    %p = mirage_kernel.matmul %n, %g : (tensor<8x1024xf16>, tensor<1024x2816xf16>) -> tensor<8x2816xf16>
    %s = mirage_kernel.silu %p : (tensor<8x2816xf16>) -> tensor<8x2816xf16>
    %q = mirage_kernel.matmul %n, %u : (tensor<8x1024xf16>, tensor<1024x2816xf16>) -> tensor<8x2816xf16>
    %h = mirage_kernel.mul %s, %q : (tensor<8x2816xf16>, tensor<8x2816xf16>) -> tensor<8x2816xf16>
    %o = mirage_kernel.matmul %h, %d : (tensor<8x2816xf16>, tensor<2816x1024xf16>) -> tensor<8x1024xf16>
    %y = mirage_kernel.add %a, %o : (tensor<8x1024xf16>, tensor<8x1024xf16>) -> tensor<8x1024xf16>
    mirage_kernel.yield %y : tensor<8x1024xf16>
  } : tensor<8x1024xf16>
  return %r : tensor<8x1024xf16>
}
