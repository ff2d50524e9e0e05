// RMSNorm and a linear layer in one kernel of 64 blocks and 64 iterations.
// RUN: mirage-verify %mirage_src/benchmarks/rmsnorm_linear_bs1.mlir %s --seed=1 | FileCheck %s
// CHECK: @rmsnorm_linear_bs1: equal
// RUN: %python %S/Inputs/against-numpy.py %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --check

func.func @rmsnorm_linear_bs1(%X: tensor<2x4096xf16>, %W: tensor<4096x6144xf16>) -> tensor<2x6144xf16> {
  %e = tensor.empty() : tensor<2x6144xf16>
  %r = mirage_kernel.graph ins(%X, %W : tensor<2x4096xf16>, tensor<4096x6144xf16>) outs(%e : tensor<2x6144xf16>) {
  ^bb0(%x: tensor<2x4096xf16>, %w: tensor<4096x6144xf16>):
    %o = mirage_block.graph grid(x = 64) threads(128) loop(64)
        ins(%x imap() fmap(1), %w imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<2x4096xf16>, tensor<4096x6144xf16>) -> tensor<2x6144xf16> {
    ^bb0(%xt: tensor<2x64xf16>, %wt: tensor<64x96xf16>):
      %rms = mirage_block.accumulate %xt over loop rms dims [1] count 4096 : tensor<2x64xf16>
      %p = mirage_block.matmul %xt, %wt : tensor<2x64xf16>, tensor<64x96xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<2x96xf32>
      %d = mirage_block.div %acc, %rms : tensor<2x96xf32>, tensor<2x1xf32>
      mirage_block.yield %d : tensor<2x96xf32>
    }
    mirage_kernel.yield %o : tensor<2x6144xf16>
  } : tensor<2x6144xf16>
  return %r : tensor<2x6144xf16>
}
