// Causal FlashAttention: a block has 8 queries, an iteration 8 keys, and where both stand says
// what is hidden. Of the first blocks some iterations are hidden whole; they add nothing.
// RUN: mirage-verify %S/Inputs/causal.mlir %s --seed=1 | FileCheck %s
// RUN: %python %S/Inputs/against-numpy.py %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --check
// RUN: sed 's/offset 16/offset 15/' %s > %t.mlir
// RUN: not mirage-verify %S/Inputs/causal.mlir %t.mlir --seed=1 | FileCheck %s --check-prefix=SHIFTED
// CHECK: @causal_gqa: equal
// SHIFTED: @causal_gqa: different

func.func @causal_gqa(%Q: tensor<2x24x16xf16>, %K: tensor<2x16x40xf16>, %V: tensor<2x40x16xf16>) -> tensor<2x24x16xf16> {
  %e = tensor.empty() : tensor<2x24x16xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x24x16xf16>, tensor<2x16x40xf16>, tensor<2x40x16xf16>)
      outs(%e : tensor<2x24x16xf16>) {
  ^bb0(%q: tensor<2x24x16xf16>, %k: tensor<2x16x40xf16>, %v: tensor<2x40x16xf16>):
    %o = mirage_block.graph grid(x = 2, y = 3) threads(32) loop(5)
        ins(%q imap(x -> 0, y -> 1), %k imap(x -> 0) fmap(2), %v imap(x -> 0) fmap(1))
        outs(omap(x -> 0, y -> 1)) : (tensor<2x24x16xf16>, tensor<2x16x40xf16>, tensor<2x40x16xf16>) -> tensor<2x24x16xf16> {
    ^bb0(%qt: tensor<1x8x16xf16>, %kt: tensor<1x16x8xf16>, %vt: tensor<1x8x16xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x8x16xf16>, tensor<1x16x8xf16>
      %h = mirage_block.causal_mask %s offset 16 rows ["y"] columns ["loop"] : tensor<1x8x8xf32>
      %m = mirage_block.max %h dims [2] : tensor<1x8x8xf32>
      %c = mirage_block.sub %h, %m : tensor<1x8x8xf32>, tensor<1x8x1xf32>
      %p = mirage_block.exp %c : tensor<1x8x8xf32>
      %ph = mirage_block.cast %p : (tensor<1x8x8xf32>) -> tensor<1x8x8xf16>
      %pv = mirage_block.matmul %ph, %vt : tensor<1x8x8xf16>, tensor<1x8x16xf16>
      %acc = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x8x16xf32>, tensor<1x8x1xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x8x8xf32>, tensor<1x8x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x8x16xf32>, tensor<1x8x1xf32>
      mirage_block.yield %d : tensor<1x8x16xf32>
    }
    mirage_kernel.yield %o : tensor<2x24x16xf16>
  } : tensor<2x24x16xf16>
  return %r : tensor<2x24x16xf16>
}
