// RUN: mirage-opt %s --mirage-merge-launches=target=sm_120 --verify-diagnostics

func.func @too_large(%x: tensor<32x64xf32>) -> tensor<2x64xf32> {
  %e = tensor.empty() : tensor<2x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x64xf32>) outs(%e : tensor<2x64xf32>) {
  ^bb0(%a: tensor<32x64xf32>):
    // expected-error @below {{expects a cluster of at most 8 blocks for sm_120, got 16}}
    %o = mirage_block.graph grid(x = 16) cluster(x = 16) threads(32) ins(%a imap(x -> 0)) outs(omap())
        : (tensor<32x64xf32>) -> tensor<2x64xf32> {
    ^bb0(%t: tensor<2x64xf32>):
      %own = mirage_block.exp %t : tensor<2x64xf32>
      %m = mirage_block.accumulate %own over x max : tensor<2x64xf32>
      mirage_block.yield %m : tensor<2x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x64xf32>
  } : tensor<2x64xf32>
  return %r : tensor<2x64xf32>
}
