// Attention on RMS-normalised queries and values, whose keys are split among blocks: both
// norms are taken where the tiles are, and nothing normalised goes through device memory.
// RUN: mirage-verify %mirage_src/benchmarks/qknorm_gqa_bs1.mlir %s --seed=1 | FileCheck %s
// RUN: %python %S/Inputs/against-numpy.py %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --check
// CHECK: @qknorm_gqa_bs1: equal; wrong with probability at most

func.func @qknorm_gqa_bs1(%Q: tensor<2x256x64xf16>, %K: tensor<2x64x4096xf16>, %V: tensor<2x4096x64xf16>) -> tensor<2x256x64xf16> {
  %e = tensor.empty() : tensor<2x256x64xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x256x64xf16>, tensor<2x64x4096xf16>, tensor<2x4096x64xf16>)
      outs(%e : tensor<2x256x64xf16>) {
  ^bb0(%q: tensor<2x256x64xf16>, %k: tensor<2x64x4096xf16>, %v: tensor<2x4096x64xf16>):
    %o = mirage_block.graph grid(x = 2, y = 16, z = 4) threads(128) loop(4)
        ins(%q imap(x -> 0, z -> 1), %k imap(x -> 0, y -> 2) fmap(2),
            %v imap(x -> 0, y -> 1) fmap(1))
        outs(omap(x -> 0, z -> 1)) : (tensor<2x256x64xf16>, tensor<2x64x4096xf16>, tensor<2x4096x64xf16>) -> tensor<2x256x64xf16> {
    ^bb0(%qt: tensor<1x64x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %qr = mirage_block.rms %qt dims [2] : tensor<1x64x64xf16>
      %qn = mirage_block.div %qt, %qr : tensor<1x64x64xf16>, tensor<1x64x1xf32>
      %qh = mirage_block.cast %qn : (tensor<1x64x64xf32>) -> tensor<1x64x64xf16>
      %s = mirage_block.matmul %qh, %kt : tensor<1x64x64xf16>, tensor<1x64x64xf16>
      %p = mirage_block.exp %s : tensor<1x64x64xf32>
      %h = mirage_block.cast %p : (tensor<1x64x64xf32>) -> tensor<1x64x64xf16>
      %vr = mirage_block.rms %vt dims [2] : tensor<1x64x64xf16>
      %vn = mirage_block.div %vt, %vr : tensor<1x64x64xf16>, tensor<1x64x1xf32>
      %vh = mirage_block.cast %vn : (tensor<1x64x64xf32>) -> tensor<1x64x64xf16>
      %pv = mirage_block.matmul %h, %vh : tensor<1x64x64xf16>, tensor<1x64x64xf16>
      %a = mirage_block.accumulate %pv over loop sum : tensor<1x64x64xf32>
      %b = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x64x64xf32>
      %acc = mirage_block.accumulate %a over y sum : tensor<1x64x64xf32>
      %l = mirage_block.accumulate %b over y sum : tensor<1x64x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %r : tensor<2x256x64xf16>
}
