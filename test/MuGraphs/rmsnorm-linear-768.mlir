// RMSNorm and a linear layer in one kernel of 768 blocks and 32 iterations.
// RUN: mirage-verify %mirage_src/benchmarks/rmsnorm_linear_bs8.mlir %s --seed=1 | FileCheck %s
// CHECK: @rmsnorm_linear_bs8: equal
// RUN: %python %S/Inputs/against-numpy.py %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --check

func.func @rmsnorm_linear_bs8(%X: tensor<16x4096xf16>, %W: tensor<4096x6144xf16>) -> tensor<16x6144xf16> {
  %e = tensor.empty() : tensor<16x6144xf16>
  %r = mirage_kernel.graph ins(%X, %W : tensor<16x4096xf16>, tensor<4096x6144xf16>) outs(%e : tensor<16x6144xf16>) {
  ^bb0(%x: tensor<16x4096xf16>, %w: tensor<4096x6144xf16>):
    %o = mirage_block.graph grid(x = 768) threads(128) loop(32)
        ins(%x imap() fmap(1), %w imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<16x4096xf16>, tensor<4096x6144xf16>) -> tensor<16x6144xf16> {
    ^bb0(%xt: tensor<16x128xf16>, %wt: tensor<128x8xf16>):
      %rms = mirage_block.accumulate %xt over loop rms dims [1] count 4096 : tensor<16x128xf16>
      %p = mirage_block.matmul %xt, %wt : tensor<16x128xf16>, tensor<128x8xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<16x8xf32>
      %d = mirage_block.div %acc, %rms : tensor<16x8xf32>, tensor<16x1xf32>
      mirage_block.yield %d : tensor<16x8xf32>
    }
    mirage_kernel.yield %o : tensor<16x6144xf16>
  } : tensor<16x6144xf16>
  return %r : tensor<16x6144xf16>
}
