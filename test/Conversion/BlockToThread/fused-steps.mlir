// RUN: mirage-opt %s --convert-mirage-block-to-thread --mlir-print-local-scope | FileCheck %s
// RUN: mirage-opt %s --convert-mirage-block-to-thread -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-COUNT-14: : equal

// What is elementwise before a reduction, and behind it, is one step with it. Of
// a mean square only the result is a tile.
// CHECK-LABEL: func.func @around_a_reduction(
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.square
// CHECK-NOT: mirage_thread.mask
// CHECK: mirage_thread.accumulate {{.*}} over loop sum dims [1]
// CHECK: mirage_thread.unscale
// CHECK: mirage_thread.sqrt
// CHECK: mirage_thread.yield
// CHECK-NOT: mirage_thread.graph
// CHECK: return
func.func @around_a_reduction(%a: tensor<8x64xf16>) -> tensor<8x1xf32> {
  %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap())
      : (tensor<8x64xf16>) -> tensor<8x1xf32> {
  ^bb0(%x: tensor<8x64xf16>):
    %0 = mirage_block.square %x : tensor<8x64xf16>
    %1 = mirage_block.sum %0 dims [1] : tensor<8x64xf32>
    %2 = mirage_block.unscale %1 by 64.0 : tensor<8x1xf32>
    %3 = mirage_block.sqrt %2 : tensor<8x1xf32>
    mirage_block.yield %3 : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}

// exp of what lies beyond the tile, and is read as zero, is one: it is masked.
// CHECK-LABEL: func.func @beyond_the_end(
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.mask {{.*}} value 0.000000e+00
// CHECK: mirage_thread.accumulate
// CHECK-NOT: mirage_thread.graph
// CHECK: return
func.func @beyond_the_end(%a: tensor<8x50xf16>) -> tensor<8x1xf32> {
  %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap())
      : (tensor<8x50xf16>) -> tensor<8x1xf32> {
  ^bb0(%x: tensor<8x50xf16>):
    %0 = mirage_block.exp %x : tensor<8x50xf16>
    %1 = mirage_block.sum %0 dims [1] : tensor<8x50xf32>
    mirage_block.yield %1 : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}

// Behind a product too, beside a row that stretches; a tile that is read twice
// alike is loaded once.
// CHECK-LABEL: func.func @behind_a_product(
// CHECK: mirage_thread.graph {{.*}} : (tensor<16x64xf16>, tensor<64x32xf16>, tensor<16x1xf32>) -> tensor<16x32xf32>
// CHECK: mirage_thread.mma
// CHECK: mirage_thread.accumulate
// CHECK: mirage_thread.div
// CHECK: mirage_thread.add
// CHECK-NOT: mirage_thread.graph
// CHECK: return
func.func @behind_a_product(%a: tensor<16x64xf16>, %b: tensor<64x32xf16>, %c: tensor<16x1xf32>) -> tensor<16x32xf32> {
  %o = mirage_block.graph grid() threads(128) ins(%a imap(), %b imap(), %c imap()) outs(omap())
      : (tensor<16x64xf16>, tensor<64x32xf16>, tensor<16x1xf32>) -> tensor<16x32xf32> {
  ^bb0(%x: tensor<16x64xf16>, %y: tensor<64x32xf16>, %z: tensor<16x1xf32>):
    %0 = mirage_block.matmul %x, %y : tensor<16x64xf16>, tensor<64x32xf16>
    %1 = mirage_block.div %0, %z : tensor<16x32xf32>, tensor<16x1xf32>
    %2 = mirage_block.add %1, %z : tensor<16x32xf32>, tensor<16x1xf32>
    mirage_block.yield %2 : tensor<16x32xf32>
  }
  return %o : tensor<16x32xf32>
}

// What two read is a tile; an operand of a product is one, too; and two cores
// are two steps.
// CHECK-LABEL: func.func @steps_of_their_own(
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.cast
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.cast
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.accumulate {{.*}} dims [1]
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.mma
// CHECK: mirage_thread.div
// CHECK-NOT: mirage_thread.graph
// CHECK: return
func.func @steps_of_their_own(%a: tensor<16x64xf16>, %b: tensor<64x32xf32>) -> tensor<16x32xf32> {
  %o = mirage_block.graph grid() threads(128) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<16x64xf16>, tensor<64x32xf32>) -> tensor<16x32xf32> {
  ^bb0(%x: tensor<16x64xf16>, %w: tensor<64x32xf32>):
    %y = mirage_block.cast %w : (tensor<64x32xf32>) -> tensor<64x32xf16>
    %f = mirage_block.exp %x : tensor<16x64xf16>
    %e = mirage_block.cast %f : (tensor<16x64xf32>) -> tensor<16x64xf16>
    %p = mirage_block.matmul %e, %y : tensor<16x64xf16>, tensor<64x32xf16>
    %s = mirage_block.sum %e dims [1] : tensor<16x64xf16>
    %d = mirage_block.div %p, %s : tensor<16x32xf32>, tensor<16x1xf32>
    mirage_block.yield %d : tensor<16x32xf32>
  }
  return %o : tensor<16x32xf32>
}

// Loop and what comes behind it are two phases, which one step cannot be of.
// CHECK-LABEL: func.func @two_phases(
// CHECK: mirage_thread.square
// CHECK: mirage_thread.accumulate
// CHECK: mirage_block.accumulate
// CHECK: mirage_thread.sqrt
// CHECK: return
func.func @two_phases(%a: tensor<8x64xf16>) -> tensor<8x1xf32> {
  %o = mirage_block.graph grid() threads(128) loop(2) ins(%a imap() fmap(1)) outs(omap())
      : (tensor<8x64xf16>) -> tensor<8x1xf32> {
  ^bb0(%x: tensor<8x32xf16>):
    %0 = mirage_block.square %x : tensor<8x32xf16>
    %1 = mirage_block.sum %0 dims [1] : tensor<8x32xf32>
    %2 = mirage_block.accumulate %1 over loop sum : tensor<8x1xf32>
    %3 = mirage_block.sqrt %2 : tensor<8x1xf32>
    mirage_block.yield %3 : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}

// What the loop does not change is computed once, before it or behind it.
// CHECK-LABEL: func.func @before_the_loop(
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.exp
// CHECK-NEXT: mirage_thread.store
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.mul
// CHECK: mirage_block.accumulate
// CHECK: return
func.func @before_the_loop(%a: tensor<8x64xf32>, %b: tensor<8x1xf32>) -> tensor<8x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(2) ins(%a imap() fmap(1), %b imap()) outs(omap())
      : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x32xf32> {
  ^bb0(%x: tensor<8x32xf32>, %y: tensor<8x1xf32>):
    %0 = mirage_block.exp %y : tensor<8x1xf32>
    %1 = mirage_block.mul %x, %0 : tensor<8x32xf32>, tensor<8x1xf32>
    %2 = mirage_block.accumulate %1 over loop sum : tensor<8x32xf32>
    mirage_block.yield %2 : tensor<8x32xf32>
  }
  return %o : tensor<8x32xf32>
}

// A mask of zeros stands behind what is computed, and what another step may hand on in registers,
// but not where an input is read, or a tile in a loop that multiplies.
// CHECK-LABEL: func.func @read_beyond_the_end(
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.mask {{.*}} extent 50 value 0.000000e+00
// CHECK: mirage_thread.accumulate {{.*}} over loop sum dims [1]
// CHECK: mirage_thread.graph
// CHECK-NOT: mirage_thread.mask
// CHECK: mirage_thread.accumulate {{.*}} over loop sum dims [1]
// CHECK: return
func.func @read_beyond_the_end(%a: tensor<8x50xf16>) -> (tensor<8x50xf32>, tensor<8x1xf32>, tensor<8x1xf32>) {
  %o:3 = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap(), omap(), omap())
      : (tensor<8x50xf16>) -> (tensor<8x50xf32>, tensor<8x1xf32>, tensor<8x1xf32>) {
  ^bb0(%x: tensor<8x50xf16>):
    %0 = mirage_block.exp %x : tensor<8x50xf16>
    %1 = mirage_block.sum %0 dims [1] : tensor<8x50xf32>
    %2 = mirage_block.sum %x dims [1] : tensor<8x50xf16>
    mirage_block.yield %0, %1, %2 : tensor<8x50xf32>, tensor<8x1xf32>, tensor<8x1xf32>
  }
  return %o#0, %o#1, %o#2 : tensor<8x50xf32>, tensor<8x1xf32>, tensor<8x1xf32>
}

// A step of a loop hands on as well, to items that have the same rows.
// CHECK-LABEL: func.func @read_in_the_loop(
// CHECK: mirage_thread.load {{.*}} tensor<[[FRAGMENT:.+]]xf16, [[LAYOUT:#.+]]>
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.load {{.*}} tensor<[[FRAGMENT]]xf32, [[LAYOUT]]>
// CHECK: mirage_thread.mask {{.*}} extent 50 value 0.000000e+00
// CHECK: mirage_thread.accumulate {{.*}} over loop sum dims [1]
// CHECK: return
func.func @read_in_the_loop(%a: tensor<8x100xf16>) -> (tensor<8x50xf32>, tensor<8x1xf32>) {
  %o:2 = mirage_block.graph grid() threads(128) loop(2) ins(%a imap() fmap(1)) outs(omap(), omap())
      : (tensor<8x100xf16>) -> (tensor<8x50xf32>, tensor<8x1xf32>) {
  ^bb0(%x: tensor<8x50xf16>):
    %0 = mirage_block.exp %x : tensor<8x50xf16>
    %1 = mirage_block.sum %0 dims [1] : tensor<8x50xf32>
    %2 = mirage_block.accumulate %0 over loop sum : tensor<8x50xf32>
    %3 = mirage_block.accumulate %1 over loop sum : tensor<8x1xf32>
    mirage_block.yield %2, %3 : tensor<8x50xf32>, tensor<8x1xf32>
  }
  return %o#0, %o#1 : tensor<8x50xf32>, tensor<8x1xf32>
}

// CHECK-LABEL: func.func @read_in_a_loop_that_multiplies(
// CHECK: mirage_thread.exp
// CHECK-NOT: mirage_thread.mask
// CHECK: mirage_thread.accumulate {{.*}} over loop sum dims [1]
// CHECK: return
func.func @read_in_a_loop_that_multiplies(%a: tensor<8x100xf16>, %b: tensor<100x8xf16>) -> (tensor<8x8xf32>, tensor<8x1xf32>) {
  %o:2 = mirage_block.graph grid() threads(128) loop(2) ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap(), omap())
      : (tensor<8x100xf16>, tensor<100x8xf16>) -> (tensor<8x8xf32>, tensor<8x1xf32>) {
  ^bb0(%x: tensor<8x50xf16>, %y: tensor<50x8xf16>):
    %0 = mirage_block.exp %x : tensor<8x50xf16>
    %1 = mirage_block.sum %0 dims [1] : tensor<8x50xf32>
    %2 = mirage_block.cast %0 : (tensor<8x50xf32>) -> tensor<8x50xf16>
    %3 = mirage_block.matmul %2, %y : tensor<8x50xf16>, tensor<50x8xf16>
    %4 = mirage_block.accumulate %3 over loop sum : tensor<8x8xf32>
    %5 = mirage_block.accumulate %1 over loop sum : tensor<8x1xf32>
    mirage_block.yield %4, %5 : tensor<8x8xf32>, tensor<8x1xf32>
  }
  return %o#0, %o#1 : tensor<8x8xf32>, tensor<8x1xf32>
}

// One item of 16 columns for eight warps, which share it, an eighth of k for every
// one; the eighths are summed behind the loop.
// CHECK-LABEL: func.func @shared_sums(
// CHECK: %[[P:.+]] = mirage_thread.graph items(x = 8) ins(%{{.+}} imap(x -> 1) fmap(1), %{{.+}} imap(x -> 0) fmap(0)) outs(omap(x -> 0)) : (tensor<16x128xf16>, tensor<128x16xf16>) -> tensor<8x16x16xf32>
// CHECK: %[[S:.+]] = mirage_block.accumulate %[[P]] over loop sum : tensor<8x16x16xf32>
// CHECK: mirage_thread.graph {{.*}} : (tensor<8x16x16xf32>) -> tensor<1x16x16xf32>
// CHECK: mirage_block.reshape
// CHECK: return
func.func @shared_sums(%a: tensor<16x512xf16>, %b: tensor<512x16xf16>) -> tensor<16x16xf32> {
  %o = mirage_block.graph grid() threads(256) loop(4) ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
      : (tensor<16x512xf16>, tensor<512x16xf16>) -> tensor<16x16xf32> {
  ^bb0(%x: tensor<16x128xf16>, %y: tensor<128x16xf16>):
    %0 = mirage_block.matmul %x, %y : tensor<16x128xf16>, tensor<128x16xf16>
    %1 = mirage_block.accumulate %0 over loop sum : tensor<16x16xf32>
    mirage_block.yield %1 : tensor<16x16xf32>
  }
  return %o : tensor<16x16xf32>
}

// Not without a loop, where the eighths would have to meet at once.
// CHECK-LABEL: func.func @own_sums(
// CHECK: mirage_thread.graph items(x = 2) steps(8)
// CHECK: mirage_thread.mma
// CHECK: mirage_block.accumulate
// CHECK: return
func.func @own_sums(%a: tensor<16x128xf16>, %b: tensor<128x16xf16>) -> tensor<16x16xf32> {
  %o = mirage_block.graph grid() threads(256) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<16x128xf16>, tensor<128x16xf16>) -> tensor<16x16xf32> {
  ^bb0(%x: tensor<16x128xf16>, %y: tensor<128x16xf16>):
    %0 = mirage_block.matmul %x, %y : tensor<16x128xf16>, tensor<128x16xf16>
    %1 = mirage_block.accumulate %0 over loop sum : tensor<16x16xf32>
    mirage_block.yield %1 : tensor<16x16xf32>
  }
  return %o : tensor<16x16xf32>
}

// Nor where each warp has items of 32 columns, nor where parts would take more shared
// memory than the tiles of the loop, or there are fewer steps than parts.
// CHECK-LABEL: func.func @not_shared(
// CHECK: mirage_thread.graph items({{x = 2, y = 2|x = 4}}) steps(4) {{.*}} -> tensor<32x64xf32>
// CHECK: mirage_thread.graph items({{.*}}) {{.*}} -> tensor<32x32xf32>
// CHECK-NOT: dims [0]
// CHECK: return
func.func @not_shared(%a: tensor<32x128xf16>, %b: tensor<128x64xf16>, %c: tensor<32x32xf16>, %d: tensor<32x32xf16>) -> (tensor<32x64xf32>, tensor<32x32xf32>) {
  %o:2 = mirage_block.graph grid() threads(128) loop(2) ins(%a imap() fmap(1), %b imap() fmap(0), %c imap() fmap(1), %d imap() fmap(0)) outs(omap(), omap())
      : (tensor<32x128xf16>, tensor<128x64xf16>, tensor<32x32xf16>, tensor<32x32xf16>) -> (tensor<32x64xf32>, tensor<32x32xf32>) {
  ^bb0(%x: tensor<32x64xf16>, %y: tensor<64x64xf16>, %z: tensor<32x16xf16>, %w: tensor<16x32xf16>):
    %0 = mirage_block.matmul %x, %y : tensor<32x64xf16>, tensor<64x64xf16>
    %1 = mirage_block.accumulate %0 over loop sum : tensor<32x64xf32>
    %2 = mirage_block.matmul %z, %w : tensor<32x16xf16>, tensor<16x32xf16>
    %3 = mirage_block.accumulate %2 over loop sum : tensor<32x32xf32>
    mirage_block.yield %1, %3 : tensor<32x64xf32>, tensor<32x32xf32>
  }
  return %o#0, %o#1 : tensor<32x64xf32>, tensor<32x32xf32>
}

// Nor what is rescaled on the way: each warp's part would have to be.
// CHECK-LABEL: func.func @rescaled_sums(
// CHECK-NOT: 8x16x16
// CHECK: mirage_block.accumulate %{{.+}} over loop sum rescale by
// CHECK: return
func.func @rescaled_sums(%a: tensor<16x512xf16>, %b: tensor<512x16xf16>) -> tensor<16x16xf32> {
  %o = mirage_block.graph grid() threads(256) loop(4) ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
      : (tensor<16x512xf16>, tensor<512x16xf16>) -> tensor<16x16xf32> {
  ^bb0(%x: tensor<16x128xf16>, %y: tensor<128x16xf16>):
    %m = mirage_block.max %x dims [1] : tensor<16x128xf16>
    %0 = mirage_block.matmul %x, %y : tensor<16x128xf16>, tensor<128x16xf16>
    %1 = mirage_block.accumulate %0 over loop sum rescale by %m : tensor<16x16xf32>, tensor<16x1xf32>
    mirage_block.yield %1 : tensor<16x16xf32>
  }
  return %o : tensor<16x16xf32>
}

// Two matrices of 32 x 64 would be eight items for 16 warps: batch, rows and columns are all the
// axes that items have, and parts would be a fourth.
// CHECK-LABEL: func.func @too_many_axes(
// CHECK: mirage_thread.graph items(x = 2, y = 2, z = 4) steps(8) {{.*}} -> tensor<2x32x64xf32>
// CHECK: mirage_block.accumulate %{{.+}} over loop sum : tensor<2x32x64xf32>
// CHECK: return
func.func @too_many_axes(%a: tensor<2x32x256xf16>, %b: tensor<2x256x64xf16>) -> tensor<2x32x64xf32> {
  %o = mirage_block.graph grid() threads(512) loop(2) ins(%a imap() fmap(2), %b imap() fmap(1)) outs(omap())
      : (tensor<2x32x256xf16>, tensor<2x256x64xf16>) -> tensor<2x32x64xf32> {
  ^bb0(%x: tensor<2x32x128xf16>, %y: tensor<2x128x64xf16>):
    %0 = mirage_block.matmul %x, %y : tensor<2x32x128xf16>, tensor<2x128x64xf16>
    %1 = mirage_block.accumulate %0 over loop sum : tensor<2x32x64xf32>
    mirage_block.yield %1 : tensor<2x32x64xf32>
  }
  return %o : tensor<2x32x64xf32>
}

// Weights that lie as [n, k] are loaded transposed: eight elements of a row are what
// ldmatrix takes, without .trans. No step transposes them.
// CHECK-LABEL: func.func @loaded_transposed(
// CHECK: mirage_block.graph
// CHECK-NEXT: ^bb0(%[[X:.+]]: tensor<16x64xf16>, %[[W:.+]]: tensor<32x64xf16>):
// CHECK-NEXT: mirage_thread.graph items(x = 4) steps(4) ins(%[[X]] imap() fmap(1), %[[W]] imap(x -> 0) fmap(1)) outs(omap(x -> 1))
// CHECK: %[[L:.+]] = mirage_thread.ldmatrix %{{.+}} : (tensor<8x16xf16>) -> tensor<8x16xf16, #mirage_thread.layout<register = {{\[}}[0, 1], [0, 8]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
// CHECK: %[[T:.+]] = mirage_thread.transpose %[[L]] dims [1, 0]
// CHECK: mirage_thread.mma %{{.+}}, %[[T]]
// CHECK-NOT: mirage_thread.graph
// CHECK: return
func.func @loaded_transposed(%a: tensor<16x64xf16>, %b: tensor<32x64xf16>) -> tensor<16x32xf32> {
  %o = mirage_block.graph grid() threads(128) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<16x64xf16>, tensor<32x64xf16>) -> tensor<16x32xf32> {
  ^bb0(%x: tensor<16x64xf16>, %w: tensor<32x64xf16>):
    %t = mirage_block.transpose %w dims [1, 0] : tensor<32x64xf16>
    %p = mirage_block.matmul %x, %t : tensor<16x64xf16>, tensor<64x32xf16>
    mirage_block.yield %p : tensor<16x32xf32>
  }
  return %o : tensor<16x32xf32>
}

// What is computed is computed once, and then loaded transposed, by whoever multiplies it.
// Steps of their own have a transpose that others read too, and others than of rows and
// columns.
// CHECK-LABEL: func.func @transposes_of_their_own(
// CHECK: mirage_thread.exp
// CHECK-NEXT: mirage_thread.store
// CHECK: mirage_thread.transpose %{{.+}} dims [0, 2, 1]
// CHECK-NEXT: mirage_thread.matmul
// CHECK: mirage_thread.transpose %{{.+}} dims [0, 2, 1]
// CHECK-NEXT: mirage_thread.store
// CHECK-NOT: mirage_thread.transpose
// CHECK: mirage_thread.mma
// CHECK: mirage_thread.transpose %{{.+}} dims [1, 0, 2]
// CHECK-NEXT: mirage_thread.transpose %{{.+}} dims [1, 0, 2]
// CHECK-NEXT: mirage_thread.store
// CHECK-NOT: mirage_thread.transpose
// CHECK: mirage_thread.mma
// CHECK: return
func.func @transposes_of_their_own(%a: tensor<2x16x32xf16>) -> (tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>) {
  %o:4 = mirage_block.graph grid() threads(32) loop(2) ins(%a imap() fmap(2), %a imap() fmap(2)) outs(omap(), omap(), omap(), omap())
      : (tensor<2x16x32xf16>, tensor<2x16x32xf16>) -> (tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>) {
  ^bb0(%x: tensor<2x16x16xf16>, %y: tensor<2x16x16xf16>):
    %e = mirage_block.exp %x : tensor<2x16x16xf16>
    %et = mirage_block.transpose %e dims [0, 2, 1] : tensor<2x16x16xf32>
    %p = mirage_block.matmul %y, %et : tensor<2x16x16xf16>, tensor<2x16x16xf32>
    %ps = mirage_block.accumulate %p over loop sum : tensor<2x16x16xf32>
    %twice = mirage_block.transpose %x dims [0, 2, 1] : tensor<2x16x16xf16>
    %q = mirage_block.matmul %y, %twice : tensor<2x16x16xf16>, tensor<2x16x16xf16>
    %qs = mirage_block.accumulate %q over loop sum : tensor<2x16x16xf32>
    %ts = mirage_block.accumulate %twice over loop sum : tensor<2x16x16xf16>
    %turned = mirage_block.transpose %x dims [1, 0, 2] : tensor<2x16x16xf16>
    %two = mirage_block.transpose %turned dims [1, 0, 2] : tensor<16x2x16xf16>
    %r = mirage_block.matmul %y, %two : tensor<2x16x16xf16>, tensor<2x16x16xf16>
    %rs = mirage_block.accumulate %r over loop sum : tensor<2x16x16xf32>
    mirage_block.yield %ps, %ts, %qs, %rs : tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>
  }
  return %o#0, %o#1, %o#2, %o#3 : tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>
}
