// Default blocks fit the target they are for: what sm_90a has room for is more
// than sm_80, and much more than sm_89, has.
// RUN: for target in sm_80 sm_89 sm_100a; do \
// RUN:   rm -rf %t && mirage-opt %s --mirage-record-program --mirage-compile="from=optimize target=$target artifact=%t" -o /dev/null && \
// RUN:   grep -q "^.target $target" %t/kernels.ptx || exit 1; \
// RUN: done
func.func @program(%x: tensor<256x1024xf32>, %w: tensor<1024x512xf32>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<256x1024xf32>, tensor<1024x512xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%a: tensor<256x1024xf32>, %b: tensor<1024x512xf32>):
    %m = mirage_kernel.max %a dims [0] : (tensor<256x1024xf32>) -> tensor<1x1024xf32>
    %s = mirage_kernel.sub %a, %m : (tensor<256x1024xf32>, tensor<1x1024xf32>) -> tensor<256x1024xf32>
    %o = mirage_kernel.matmul %s, %b : (tensor<256x1024xf32>, tensor<1024x512xf32>) -> tensor<256x512xf32>
    mirage_kernel.yield %o : tensor<256x512xf32>
  } : tensor<256x512xf32>
  return %r : tensor<256x512xf32>
}
