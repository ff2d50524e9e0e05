// Products of which a whole tile is less than one instruction gives, 16 rows of m16n8k16: warps hold 16 rows, and
// steps behind read those that there are. The first is read by a reduction of its rows, the others have batches.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize target=sm_90a artifact=%t/sm_90a" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/sm_80" -o /dev/null
// RUN: for artifact in %t/*/*; do mirage-run $artifact --device=emulator --check --schedule=5 || exit 1; done | FileCheck %s
// CHECK-COUNT-6: right:

func.func @row_sums(%a: tensor<8x64xf16>, %b: tensor<64x8xf16>) -> tensor<8x8xf16> {
  %e = tensor.empty() : tensor<8x8xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<8x64xf16>, tensor<64x8xf16>) outs(%e : tensor<8x8xf16>) {
  ^bb0(%x: tensor<8x64xf16>, %y: tensor<64x8xf16>):
    %o = mirage_block.graph grid(x = 1) threads(128) ins(%x imap(), %y imap()) outs(omap(x -> 0))
        : (tensor<8x64xf16>, tensor<64x8xf16>) -> tensor<8x8xf16> {
    ^bb0(%p: tensor<8x64xf16>, %q: tensor<64x8xf16>):
      %m = mirage_block.matmul %p, %q : tensor<8x64xf16>, tensor<64x8xf16>
      %s = mirage_block.sum %m dims [1] : tensor<8x8xf32>
      %d = mirage_block.add %m, %s : tensor<8x8xf32>, tensor<8x1xf32>
      mirage_block.yield %d : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<8x8xf16>
  } : tensor<8x8xf16>
  return %r : tensor<8x8xf16>
}

func.func @batches(%a: tensor<2x3x8x64xf16>, %b: tensor<2x3x64x8xf16>) -> tensor<2x3x8x8xf16> {
  %e = tensor.empty() : tensor<2x3x8x8xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<2x3x8x64xf16>, tensor<2x3x64x8xf16>) outs(%e : tensor<2x3x8x8xf16>) {
  ^bb0(%x: tensor<2x3x8x64xf16>, %y: tensor<2x3x64x8xf16>):
    %o = mirage_block.graph grid(x = 2, y = 3) threads(64) ins(%x imap(x -> 0, y -> 1), %y imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<2x3x8x64xf16>, tensor<2x3x64x8xf16>) -> tensor<2x3x8x8xf16> {
    ^bb0(%p: tensor<1x1x8x64xf16>, %q: tensor<1x1x64x8xf16>):
      %m = mirage_block.matmul %p, %q : tensor<1x1x8x64xf16>, tensor<1x1x64x8xf16>
      %d = mirage_block.relu %m : tensor<1x1x8x8xf32>
      mirage_block.yield %d : tensor<1x1x8x8xf32>
    }
    mirage_kernel.yield %o : tensor<2x3x8x8xf16>
  } : tensor<2x3x8x8xf16>
  return %r : tensor<2x3x8x8xf16>
}

func.func @odd(%a: tensor<2x3x5x40xbf16>, %b: tensor<2x3x40x6xbf16>) -> tensor<2x3x5x6xbf16> {
  %e = tensor.empty() : tensor<2x3x5x6xbf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<2x3x5x40xbf16>, tensor<2x3x40x6xbf16>) outs(%e : tensor<2x3x5x6xbf16>) {
  ^bb0(%x: tensor<2x3x5x40xbf16>, %y: tensor<2x3x40x6xbf16>):
    %o = mirage_block.graph grid(x = 2, y = 3) threads(128) ins(%x imap(x -> 0, y -> 1), %y imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<2x3x5x40xbf16>, tensor<2x3x40x6xbf16>) -> tensor<2x3x5x6xbf16> {
    ^bb0(%p: tensor<1x1x5x40xbf16>, %q: tensor<1x1x40x6xbf16>):
      %m = mirage_block.matmul %p, %q : tensor<1x1x5x40xbf16>, tensor<1x1x40x6xbf16>
      %s = mirage_block.max %m dims [3] : tensor<1x1x5x6xf32>
      %d = mirage_block.sub %m, %s : tensor<1x1x5x6xf32>, tensor<1x1x5x1xf32>
      mirage_block.yield %d : tensor<1x1x5x6xf32>
    }
    mirage_kernel.yield %o : tensor<2x3x5x6xbf16>
  } : tensor<2x3x5x6xbf16>
  return %r : tensor<2x3x5x6xbf16>
}
