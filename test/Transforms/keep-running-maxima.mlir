// RUN: mirage-opt %s --mirage-keep-running-maxima | FileCheck %s
// RUN: mirage-opt %s --mirage-keep-running-maxima -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED: @online: equal
// JUDGED: @joined: equal

// One maximum for both sums that the same value rescales, behind them; none for what is
// rescaled over the grid, or not at all.
// CHECK-LABEL: func.func @online(
// CHECK: %[[M:.+]] = mirage_block.max
// CHECK: mirage_block.accumulate %{{.+}} over loop sum rescale by %[[M]]
// CHECK-NOT: over loop max
// CHECK: mirage_block.accumulate %{{.+}} over loop sum dims [1] rescale by %[[M]]
// CHECK-NEXT: mirage_block.accumulate %[[M]] over loop max : tensor<8x1xf32>
// CHECK-NOT: over loop max
// CHECK: return
func.func @online(%x: tensor<8x64xf16>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: tensor<8x64xf16>):
    %o = mirage_block.graph grid(x = 1) threads(32) loop(4) ins(%a imap() fmap(1)) outs(omap())
        : (tensor<8x64xf16>) -> tensor<8x16xf32> {
    ^bb0(%t: tensor<8x16xf16>):
      %m = mirage_block.max %t dims [1] : tensor<8x16xf16>
      %c = mirage_block.sub %t, %m : tensor<8x16xf16>, tensor<8x1xf32>
      %p = mirage_block.exp %c : tensor<8x16xf32>
      %acc = mirage_block.accumulate %p over loop sum rescale by %m : tensor<8x16xf32>, tensor<8x1xf32>
      %l = mirage_block.accumulate %p over loop sum dims [1] rescale by %m : tensor<8x16xf32>, tensor<8x1xf32>
      %s = mirage_block.accumulate %t over loop sum dims [1] : tensor<8x16xf16>
      %d = mirage_block.div %acc, %l : tensor<8x16xf32>, tensor<8x1xf32>
      %u = mirage_block.add %d, %s : tensor<8x16xf32>, tensor<8x1xf32>
      %j = mirage_block.accumulate %u over x sum rescale by %s : tensor<8x16xf32>, tensor<8x1xf32>
      mirage_block.yield %j : tensor<8x16xf32>
    }
    mirage_kernel.yield %o : tensor<8x16xf32>
  } : tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// The maximum that is there is used behind the join too: it stays the only one, comes behind the
// sum, and what reads it, behind it.
// CHECK-LABEL: func.func @joined(
// CHECK: %[[N:.+]] = mirage_block.max
// CHECK-NOT: over loop max
// CHECK: %[[S:.+]] = mirage_block.accumulate %{{.+}} over loop sum dims [1] rescale by %[[N]]
// CHECK-NEXT: %[[M:.+]] = mirage_block.accumulate %[[N]] over loop max : tensor<8x1xf32>
// CHECK-NOT: over loop max
// CHECK: mirage_block.accumulate %[[S]] over x sum rescale by %[[M]]
// CHECK: mirage_block.add %[[M]], %[[M]]
// CHECK: mirage_block.accumulate %[[M]] over x max
// CHECK: return
func.func @joined(%x: tensor<8x64xf32>) -> tensor<8x1xf32> {
  %e = tensor.empty() : tensor<8x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x1xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %o = mirage_block.graph grid(x = 2) threads(32) loop(2) ins(%a imap(x -> 1) fmap(1)) outs(omap())
        : (tensor<8x64xf32>) -> tensor<8x1xf32> {
    ^bb0(%t: tensor<8x16xf32>):
      %n = mirage_block.max %t dims [1] : tensor<8x16xf32>
      %c = mirage_block.sub %t, %n : tensor<8x16xf32>, tensor<8x1xf32>
      %p = mirage_block.exp %c : tensor<8x16xf32>
      %m = mirage_block.accumulate %n over loop max : tensor<8x1xf32>
      %k = mirage_block.accumulate %m over x max : tensor<8x1xf32>
      %s = mirage_block.accumulate %p over loop sum dims [1] rescale by %n : tensor<8x16xf32>, tensor<8x1xf32>
      %j = mirage_block.accumulate %s over x sum rescale by %m : tensor<8x1xf32>, tensor<8x1xf32>
      %m2 = mirage_block.accumulate %n over loop max : tensor<8x1xf32>
      %d = mirage_block.add %m, %m2 : tensor<8x1xf32>, tensor<8x1xf32>
      %g = mirage_block.accumulate %d over x max : tensor<8x1xf32>
      %l = mirage_block.mul %j, %k : tensor<8x1xf32>, tensor<8x1xf32>
      %u = mirage_block.add %l, %g : tensor<8x1xf32>, tensor<8x1xf32>
      mirage_block.yield %u : tensor<8x1xf32>
    }
    mirage_kernel.yield %o : tensor<8x1xf32>
  } : tensor<8x1xf32>
  return %r : tensor<8x1xf32>
}
