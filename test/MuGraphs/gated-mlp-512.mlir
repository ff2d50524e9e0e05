// A gated MLP in one kernel of 512 blocks, eight columns each.
// RUN: mirage-verify %mirage_src/benchmarks/gated_mlp.mlir %s --seed=1 | FileCheck %s
// CHECK: @gated_mlp: equal
// RUN: %python %S/Inputs/against-numpy.py %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --check

func.func @gated_mlp(%X: tensor<8x4096xf16>, %W1: tensor<4096x4096xf16>, %W2: tensor<4096x4096xf16>) -> tensor<8x4096xf16> {
  %e = tensor.empty() : tensor<8x4096xf16>
  %r = mirage_kernel.graph ins(%X, %W1, %W2 : tensor<8x4096xf16>, tensor<4096x4096xf16>, tensor<4096x4096xf16>)
      outs(%e : tensor<8x4096xf16>) {
  ^bb0(%x: tensor<8x4096xf16>, %w1: tensor<4096x4096xf16>, %w2: tensor<4096x4096xf16>):
    %o = mirage_block.graph grid(x = 512) threads(128) loop(32)
        ins(%x imap() fmap(1), %w1 imap(x -> 1) fmap(0), %w2 imap(x -> 1) fmap(0))
        outs(omap(x -> 1))
        : (tensor<8x4096xf16>, tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16> {
    ^bb0(%xt: tensor<8x128xf16>, %gt: tensor<128x8xf16>, %ut: tensor<128x8xf16>):
      %pg = mirage_block.matmul %xt, %gt : tensor<8x128xf16>, tensor<128x8xf16>
      %pu = mirage_block.matmul %xt, %ut : tensor<8x128xf16>, tensor<128x8xf16>
      %g = mirage_block.accumulate %pg over loop sum : tensor<8x8xf32>
      %u = mirage_block.accumulate %pu over loop sum : tensor<8x8xf32>
      %s = mirage_block.silu %g : tensor<8x8xf32>
      %y = mirage_block.mul %s, %u : tensor<8x8xf32>, tensor<8x8xf32>
      mirage_block.yield %y : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<8x4096xf16>
  } : tensor<8x4096xf16>
  return %r : tensor<8x4096xf16>
}
