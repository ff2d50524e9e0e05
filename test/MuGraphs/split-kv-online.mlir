// FlashDecoding: split-KV attention with online softmax in both of its kernels, which
// hand on (acc, l, m).
// Wherever maxima stand in exponents they cancel: proved outright.
// RUN: mirage-verify %mirage_src/benchmarks/gqa_bs1.mlir %s --seed=1 | FileCheck %s
// CHECK: @gqa_bs1: equal; proved outright at 2x4x3, 2x3x8, 2x8x5
// RUN: %python %S/Inputs/against-numpy.py %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --check

func.func @gqa_bs1(%Q: tensor<2x256x64xf16>, %K: tensor<2x64x4096xf16>, %V: tensor<2x4096x64xf16>) -> tensor<2x256x64xf16> {
  %e = tensor.empty() : tensor<2x256x64xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x256x64xf16>, tensor<2x64x4096xf16>, tensor<2x4096x64xf16>)
      outs(%e : tensor<2x256x64xf16>) {
  ^bb0(%q: tensor<2x256x64xf16>, %k: tensor<2x64x4096xf16>, %v: tensor<2x4096x64xf16>):
    %acc, %l, %m = mirage_block.graph grid(x = 2, y = 16, z = 4) threads(128) loop(4)
        ins(%q imap(x -> 0, z -> 1), %k imap(x -> 0, y -> 2) fmap(2),
            %v imap(x -> 0, y -> 1) fmap(1))
        outs(omap(x -> 1, y -> 0, z -> 2), omap(x -> 1, y -> 0, z -> 2), omap(x -> 1, y -> 0, z -> 2))
        : (tensor<2x256x64xf16>, tensor<2x64x4096xf16>, tensor<2x4096x64xf16>) -> (tensor<16x2x256x64xf32>, tensor<16x2x256x1xf32>, tensor<16x2x256x1xf32>) {
    ^bb0(%qt: tensor<1x64x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x64x64xf16>, tensor<1x64x64xf16>
      %t = mirage_block.max %s dims [2] : tensor<1x64x64xf32>
      %c = mirage_block.sub %s, %t : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      %p = mirage_block.exp %c : tensor<1x64x64xf32>
      %h = mirage_block.cast %p : (tensor<1x64x64xf32>) -> tensor<1x64x64xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x64x64xf16>, tensor<1x64x64xf16>
      %a = mirage_block.accumulate %pv over loop sum rescale by %t : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      %b = mirage_block.accumulate %p over loop sum dims [2] rescale by %t : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      %n = mirage_block.accumulate %t over loop max : tensor<1x64x1xf32>
      %ap = mirage_block.reshape %a : (tensor<1x64x64xf32>) -> tensor<1x1x64x64xf32>
      %bp = mirage_block.reshape %b : (tensor<1x64x1xf32>) -> tensor<1x1x64x1xf32>
      %np = mirage_block.reshape %n : (tensor<1x64x1xf32>) -> tensor<1x1x64x1xf32>
      mirage_block.yield %ap, %bp, %np : tensor<1x1x64x64xf32>, tensor<1x1x64x1xf32>, tensor<1x1x64x1xf32>
    }
    %o = mirage_block.graph grid(x = 2, y = 16) threads(128) loop(16)
        ins(%acc imap(x -> 1, y -> 2) fmap(0), %l imap(x -> 1, y -> 2) fmap(0),
            %m imap(x -> 1, y -> 2) fmap(0))
        outs(omap(x -> 0, y -> 1))
        : (tensor<16x2x256x64xf32>, tensor<16x2x256x1xf32>, tensor<16x2x256x1xf32>) -> tensor<2x256x64xf16> {
    ^bb0(%at: tensor<1x1x16x64xf32>, %lt: tensor<1x1x16x1xf32>, %mt: tensor<1x1x16x1xf32>):
      %a = mirage_block.accumulate %at over loop sum rescale by %mt : tensor<1x1x16x64xf32>, tensor<1x1x16x1xf32>
      %b = mirage_block.accumulate %lt over loop sum rescale by %mt : tensor<1x1x16x1xf32>, tensor<1x1x16x1xf32>
      %d = mirage_block.div %a, %b : tensor<1x1x16x64xf32>, tensor<1x1x16x1xf32>
      %y = mirage_block.reshape %d : (tensor<1x1x16x64xf32>) -> tensor<1x16x64xf32>
      mirage_block.yield %y : tensor<1x16x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %r : tensor<2x256x64xf16>
}
