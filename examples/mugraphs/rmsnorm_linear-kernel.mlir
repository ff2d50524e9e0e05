// RMSNorm followed by a linear layer at the kernel level alone: three kernels, and two
// tensors between them that make a trip through device memory. docs/MuGraphs.md tells
// the story; rmsnorm_linear-block.mlir and -thread.mlir are the same program.
func.func @rmsnorm_linear(%x: tensor<8x4096xf16>, %w: tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
  %e = tensor.empty() : tensor<8x6144xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x4096xf16>, tensor<4096x6144xf16>)
      outs(%e : tensor<8x6144xf16>) {
  ^bb0(%a: tensor<8x4096xf16>, %b: tensor<4096x6144xf16>):
    %rms = mirage_kernel.rms %a dims [1] : (tensor<8x4096xf16>) -> tensor<8x1xf32>
    %n = mirage_kernel.div %a, %rms : (tensor<8x4096xf16>, tensor<8x1xf32>) -> tensor<8x4096xf16>
    %o = mirage_kernel.matmul %n, %b : (tensor<8x4096xf16>, tensor<4096x6144xf16>) -> tensor<8x6144xf16>
    mirage_kernel.yield %o : tensor<8x6144xf16>
  } : tensor<8x6144xf16>
  return %r : tensor<8x6144xf16>
}
