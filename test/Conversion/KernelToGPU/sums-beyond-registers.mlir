// Sums that grow in registers, more of them than a thread has: mma's over the steps of a
// thread graph, 64 x 128 of a warp, or as many of a block of many threads.
// RUN: not mirage-opt %s --mirage-record-program --mirage-compile="from=optimize ptxas=never artifact=%t" -o /dev/null 2>&1 | FileCheck %s
// CHECK: sums-beyond-registers.mlir:[[#@LINE + 19]]:12: error: expects sums that fit the 255 registers that a thread of this launch can have, got sums of 256
// RUN: sed 's/threads(32)/threads(1024)/' %s > %t.1024.mlir
// RUN: not mirage-opt %t.1024.mlir --mirage-record-program --mirage-compile="from=optimize ptxas=never artifact=%t" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: expects sums that fit the 64 registers that a thread of this launch can have, got sums of 256
// Warps that compute may have other registers than all threads of a block together.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" -o %t.planned.mlir
// RUN: sed 's/mirage.shared_bytes/mirage.register_shares = array<i64: 40, 232>, &/' %t.planned.mlir > %t.shares.mlir
// RUN: not mirage-opt %t.shares.mlir --mirage-compile="from=lower to=lower" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARES
// SHARES: error: expects sums that fit the 232 registers that a thread of this launch can have, got sums of 256

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @f(%x: tensor<64x128xf16>, %w: tensor<128x128xf16>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x128xf16>, tensor<128x128xf16>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<128x128xf16>):
    %o = mirage_block.graph grid(x = 1) threads(32) loop(2) ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap()) : (tensor<64x128xf16>, tensor<128x128xf16>) -> tensor<64x128xf32> {
    ^bb1(%s: tensor<64x64xf16>, %t: tensor<64x128xf16>):
      %p = mirage_thread.graph items() steps(4) ins(%s imap() fmap(1), %t imap() fmap(0)) outs(omap()) : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf32> {
      ^bb2(%aw: tensor<64x16xf16>, %bw: tensor<16x128xf16>):
        %af = mirage_thread.load %aw : (tensor<64x16xf16>) -> tensor<64x16xf16, #a>
        %bf = mirage_thread.load %bw : (tensor<16x128xf16>) -> tensor<16x128xf16, #b>
        %pf = mirage_thread.mma %af, %bf shape [16, 8, 16] : (tensor<64x16xf16, #a>, tensor<16x128xf16, #b>) -> tensor<64x128xf32, #c>
        %sf = mirage_thread.accumulate %pf over loop sum : (tensor<64x128xf32, #c>) -> tensor<64x128xf32, #c>
        %sw = mirage_thread.store %sf : (tensor<64x128xf32, #c>) -> tensor<64x128xf32>
        mirage_thread.yield %sw : tensor<64x128xf32>
      }
      %acc = mirage_block.accumulate %p over loop sum : tensor<64x128xf32>
      mirage_block.yield %acc : tensor<64x128xf32>
    }
    mirage_kernel.yield %o : tensor<64x128xf32>
  } : tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}
