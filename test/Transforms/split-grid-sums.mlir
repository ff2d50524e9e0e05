// RUN: mirage-opt %s --mirage-split-grid-sums | FileCheck %s

// CHECK-LABEL: func.func @split_k(
func.func @split_k(%x: tensor<7x1024xf16>, %w: tensor<1024x130xf16>, %e: tensor<7x130xf16>) -> tensor<7x130xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<7x1024xf16>, tensor<1024x130xf16>) outs(%e : tensor<7x130xf16>) {
  ^bb0(%a: tensor<7x1024xf16>, %b: tensor<1024x130xf16>):
    // CHECK: %[[PARTS:.+]] = mirage_block.graph {{.*}} outs(omap(x -> 2, y -> 0)) {{.*}} -> tensor<4x7x130xf32>
    // CHECK: %[[LIFTED:.+]] = mirage_block.reshape {{.*}} -> tensor<1x7x32xf32>
    // CHECK: mirage_block.yield %[[LIFTED]]
    // CHECK: %[[SUM:.+]] = mirage_kernel.sum %[[PARTS]] dims [0] : (tensor<4x7x130xf32>) -> tensor<1x7x130xf16>
    // CHECK: %[[OUT:.+]] = mirage_kernel.reshape %[[SUM]]
    // CHECK: mirage_kernel.yield %[[OUT]]
    %o = mirage_block.graph grid(x = 5, y = 4) threads(96) loop(4)
        ins(%a imap(y -> 1) fmap(1), %b imap(x -> 1, y -> 0) fmap(0)) outs(omap(x -> 1, y -> sum))
        : (tensor<7x1024xf16>, tensor<1024x130xf16>) -> tensor<7x130xf16> {
    ^bb0(%xt: tensor<7x64xf16>, %wt: tensor<64x32xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<7x64xf16>, tensor<64x32xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<7x32xf32>
      mirage_block.yield %acc : tensor<7x32xf32>
    }
    mirage_kernel.yield %o : tensor<7x130xf16>
  } : tensor<7x130xf16>
  return %r : tensor<7x130xf16>
}
