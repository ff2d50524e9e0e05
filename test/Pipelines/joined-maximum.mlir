// Rescaled sums whose running maximum is used after the loop as well, by a join over the grid and by
// what follows that: one maximum serves all, and the numbers are those of the graph.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --check | FileCheck %s
// CHECK: output output0: right

func.func @joined(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %o = mirage_block.graph grid(x = 2) threads(64) loop(2)
        ins(%a imap(x -> 1) fmap(1), %a imap(x -> 1)) outs(omap(x -> 1))
        : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x16xf32>, %whole: tensor<8x32xf32>):
      %m = mirage_block.max %t dims [1] : tensor<8x16xf32>
      %c = mirage_block.sub %t, %m : tensor<8x16xf32>, tensor<8x1xf32>
      %p = mirage_block.exp %c : tensor<8x16xf32>
      %s = mirage_block.accumulate %p over loop sum dims [1] rescale by %m : tensor<8x16xf32>, tensor<8x1xf32>
      %n = mirage_block.accumulate %m over loop max : tensor<8x1xf32>
      %j = mirage_block.accumulate %s over x sum rescale by %n : tensor<8x1xf32>, tensor<8x1xf32>
      %k = mirage_block.accumulate %n over x max : tensor<8x1xf32>
      %w = mirage_block.sub %whole, %k : tensor<8x32xf32>, tensor<8x1xf32>
      %f = mirage_block.exp %w : tensor<8x32xf32>
      %d = mirage_block.div %f, %j : tensor<8x32xf32>, tensor<8x1xf32>
      mirage_block.yield %d : tensor<8x32xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}
