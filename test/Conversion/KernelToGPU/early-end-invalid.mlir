// A loop that is said to end early is one that may.
// RUN: mirage-opt %s --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --verify-diagnostics

func.func @no_mask(%x: tensor<64x256xf32>) -> tensor<64x1xf32> {
  %e = tensor.empty() : tensor<64x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<64x256xf32>) outs(%e : tensor<64x1xf32>) {
  ^bb0(%a: tensor<64x256xf32>):
    // expected-error @below {{expects, where 'mirage.ends_early' is stated, a causal mask whose columns the loop cuts, sums and maxima over it to which what that hides adds nothing, and no cluster that loads together}}
    %o = mirage_block.graph grid(x = 1) threads(128) loop(4) ins(%a imap(x -> 0) fmap(1)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 32768 : i64, mirage.ends_early} : (tensor<64x256xf32>) -> tensor<64x1xf32> {
    ^bb0(%t: tensor<64x64xf32>):
      %s = mirage_block.accumulate %t over loop sum dims [1] {mirage.barrier, mirage.offsets = array<i64: 16384>} : tensor<64x64xf32>
      mirage_block.yield %s {mirage.barrier} : tensor<64x1xf32>
    }
    mirage_kernel.yield %o : tensor<64x1xf32>
  } : tensor<64x1xf32>
  return %r : tensor<64x1xf32>
}
