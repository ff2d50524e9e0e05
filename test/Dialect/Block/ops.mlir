// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @rmsnorm_linear(
func.func @rmsnorm_linear(%x: tensor<8x4096xf16>, %w: tensor<4096x6144xf16>,
                          %e: tensor<8x6144xf16>) -> tensor<8x6144xf16> {
  // CHECK: mirage_kernel.graph ins(%{{.+}}, %{{.+}} : tensor<8x4096xf16>, tensor<4096x6144xf16>) outs(%{{.+}} : tensor<8x6144xf16>)
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x4096xf16>, tensor<4096x6144xf16>)
      outs(%e : tensor<8x6144xf16>) {
  ^bb0(%a: tensor<8x4096xf16>, %b: tensor<4096x6144xf16>):
    // CHECK: mirage_block.graph grid(x = 192) threads(128) loop(64) stages(3)
    // CHECK-SAME: ins(%[[A:.+]] imap() fmap(1), %[[B:.+]] imap(x -> 1) fmap(0)) outs(omap(x -> 1))
    // CHECK-SAME: (tensor<8x4096xf16>, tensor<4096x6144xf16>) -> tensor<8x6144xf16>
    %o = mirage_block.graph grid(x = 192) threads(128) loop(64) stages(3)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<8x4096xf16>, tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
    // CHECK: ^bb0(%[[XT:.+]]: tensor<8x64xf16>, %[[WT:.+]]: tensor<64x32xf16>):
    ^bb0(%xt: tensor<8x64xf16>, %wt: tensor<64x32xf16>):
      // CHECK: %[[RMS:.+]] = mirage_block.accumulate %[[XT]] over loop rms dims [1] count 4096 : tensor<8x64xf16>
      %rms = mirage_block.accumulate %xt over loop rms dims [1] count 4096 : tensor<8x64xf16>
      // CHECK: %[[P:.+]] = mirage_block.matmul %[[XT]], %[[WT]] : tensor<8x64xf16>, tensor<64x32xf16>
      %p = mirage_block.matmul %xt, %wt : tensor<8x64xf16>, tensor<64x32xf16>
      // CHECK: %[[ACC:.+]] = mirage_block.accumulate %[[P]] over loop sum : tensor<8x32xf32>
      %acc = mirage_block.accumulate %p over loop sum : tensor<8x32xf32>
      // CHECK: mirage_block.div %[[ACC]], %[[RMS]] : tensor<8x32xf32>, tensor<8x1xf32>
      %d = mirage_block.div %acc, %rms : tensor<8x32xf32>, tensor<8x1xf32>
      mirage_block.yield %d : tensor<8x32xf32>
    }
    mirage_kernel.yield %o : tensor<8x6144xf16>
  } : tensor<8x6144xf16>
  return %r : tensor<8x6144xf16>
}

// CHECK-LABEL: func.func @partial_softmax(
func.func @partial_softmax(%x: tensor<5x100xf16>) -> tensor<5x1xf32> {
  // CHECK: mirage_block.graph grid() threads(32) loop(4) ins(%{{.+}} imap() fmap(1)) outs(omap())
  %o = mirage_block.graph grid() threads(32) loop(4) ins(%x imap() fmap(1))
      outs(omap()) : (tensor<5x100xf16>) -> tensor<5x1xf32> {
  ^bb0(%t: tensor<5x32xf16>):
    %e = mirage_block.exp %t : tensor<5x32xf16>
    // CHECK: mirage_block.mask %{{.+}} dims [1] axes ["loop"] extent 100 value 0.000000e+00 : tensor<5x32xf32>
    %m = mirage_block.mask %e dims [1] axes ["loop"] extent 100 value 0.0 : tensor<5x32xf32>
    %s = mirage_block.accumulate %m over loop sum dims [1] : tensor<5x32xf32>
    mirage_block.yield %s : tensor<5x1xf32>
  }
  return %o : tensor<5x1xf32>
}

// CHECK-LABEL: func.func @variance(
func.func @variance(%x: tensor<5x100xf16>) -> tensor<5x1xf32> {
  %o = mirage_block.graph grid() threads(32) loop(4) ins(%x imap() fmap(1))
      outs(omap()) : (tensor<5x100xf16>) -> tensor<5x1xf32> {
  ^bb0(%t: tensor<5x32xf16>):
    // CHECK: %[[M:.+]] = mirage_block.mask %{{.+}} dims [1] axes ["loop"] extent 100 value 0xFFF0000000000000 : tensor<5x32xf16>
    %m = mirage_block.mask %t dims [1] axes ["loop"] extent 100 value 0xFFF0000000000000 : tensor<5x32xf16>
    // CHECK: mirage_block.accumulate %[[M]] over loop variance dims [1] : tensor<5x32xf16>
    %v = mirage_block.accumulate %m over loop variance dims [1] : tensor<5x32xf16>
    mirage_block.yield %v : tensor<5x1xf32>
  }
  return %o : tensor<5x1xf32>
}

// CHECK-LABEL: func.func @summed_over_blocks(
func.func @summed_over_blocks(%a: tensor<16x64xf16>, %b: tensor<64x8xf16>) -> tensor<16x8xf32> {
  // CHECK: outs(omap(x -> 0, y -> sum))
  %o = mirage_block.graph grid(x = 2, y = 4) threads(64)
      ins(%a imap(x -> 0, y -> 1), %b imap(y -> 0)) outs(omap(x -> 0, y -> sum))
      : (tensor<16x64xf16>, tensor<64x8xf16>) -> tensor<16x8xf32> {
  ^bb0(%at: tensor<8x16xf16>, %bt: tensor<16x8xf16>):
    %p = mirage_block.matmul %at, %bt : tensor<8x16xf16>, tensor<16x8xf16>
    mirage_block.yield %p : tensor<8x8xf32>
  }
  return %o : tensor<16x8xf32>
}

// A value from before the blocks are joined may meet one from after it.
// CHECK-LABEL: func.func @joined_blocks(
func.func @joined_blocks(%x: tensor<16x64xf16>) -> tensor<16x64xf16> {
  // CHECK: mirage_block.graph grid(x = 2, y = 4) cluster(y = 4) threads(64) ins
  %o = mirage_block.graph grid(x = 2, y = 4) cluster(y = 4) threads(64)
      ins(%x imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
      : (tensor<16x64xf16>) -> tensor<16x64xf16> {
  ^bb0(%t: tensor<8x16xf16>):
    %e = mirage_block.exp %t : tensor<8x16xf16>
    // CHECK: %[[S:.+]] = mirage_block.accumulate %[[E:.+]] over y sum dims [1] : tensor<8x16xf32>
    %s = mirage_block.accumulate %e over y sum dims [1] : tensor<8x16xf32>
    // CHECK: mirage_block.div %[[E]], %[[S]]
    %d = mirage_block.div %e, %s : tensor<8x16xf32>, tensor<8x1xf32>
    mirage_block.yield %d : tensor<8x16xf32>
  }
  return %o : tensor<16x64xf16>
}

// CHECK-LABEL: func.func @online_softmax(
func.func @online_softmax(%x: tensor<8x64xf16>) -> tensor<8x1xf32> {
  // CHECK: mirage_block.graph grid(x = 1) cluster() threads(32) loop(4)
  %o = mirage_block.graph grid(x = 1) cluster(x = 1) threads(32) loop(4)
      ins(%x imap() fmap(1)) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x1xf32> {
  ^bb0(%t: tensor<8x16xf16>):
    // CHECK: %[[M:.+]] = mirage_block.max
    %m = mirage_block.max %t dims [1] : tensor<8x16xf16>
    %c = mirage_block.sub %t, %m : tensor<8x16xf16>, tensor<8x1xf32>
    %e = mirage_block.exp %c : tensor<8x16xf32>
    // CHECK: mirage_block.accumulate %{{.+}} over loop sum dims [1] rescale by %[[M]] : tensor<8x16xf32>, tensor<8x1xf32>
    %s = mirage_block.accumulate %e over loop sum dims [1] rescale by %m : tensor<8x16xf32>, tensor<8x1xf32>
    mirage_block.yield %s : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}
