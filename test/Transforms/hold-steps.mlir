// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-hold-in-registers --verify-roundtrip | FileCheck %s
// RUN: mirage-opt %s --convert-mirage-block-to-thread -o %t.before.mlir && mirage-opt %t.before.mlir --mirage-hold-in-registers --mirage-bypass-shared-memory --mirage-schedule-block -o %t.after.mlir && mirage-verify %t.before.mlir %t.after.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// RUN: mirage-verify %s %t.before.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED: @rows: equal
// JUDGED: @behind_the_edge: equal
// JUDGED: @mixed_at_the_edge: equal
// JUDGED: @zeros_behind: equal
// JUDGED: @many_registers: equal
// JUDGED: @fewer_items_than_warps: equal
// JUDGED: @shares_of_some: equal
// JUDGED: @one_warp: equal
// JUDGED: @in_the_loop: equal
// JUDGED: @sums_of_one_value: equal
// JUDGED: @registers_of_two_sums: equal
// JUDGED: @behind_the_loop: equal
// JUDGED: @loop_that_multiplies: equal
// JUDGED: @sums_of_rows: equal

// What two steps of the same items read is handed on in registers: the input, which a step of its
// own loads, and exp x. Parts of the sum go to other warps.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[X:.*]] = mirage_thread.graph items(x = 4) {{.*}}{mirage.held}
// CHECK-NEXT: ^bb
// CHECK-NEXT: mirage_thread.load
// CHECK-NEXT: mirage_thread.store
// CHECK: %[[E:.*]] = mirage_thread.graph items(x = 4) ins(%[[X]] {{.*}}{mirage.held}
// CHECK: mirage_thread.exp
// CHECK: %[[P:.*]] = mirage_thread.graph items(x = 4) ins(%[[E]] imap(x -> 1)) outs(omap(x -> 1)) : (tensor<1x1024xf32>) -> tensor<1x4xf32>
// CHECK: mirage_thread.sum {{.*}} dims [1]
// CHECK: mirage_thread.graph items(x = 4) ins(%[[X]] {{.*}}%[[E]] {{.*}}%[[P]] imap()) outs(omap(x -> 1)) :
// CHECK: mirage_thread.sum {{.*}} : (tensor<1x4xf32
func.func @rows(%x: tensor<2x1024xf16>) -> tensor<2x1024xf16> {
  %r = mirage_block.graph grid(x = 2) threads(128) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<2x1024xf16>) -> tensor<2x1024xf16> {
  ^bb0(%t: tensor<1x1024xf16>):
    %e = mirage_block.exp %t : tensor<1x1024xf16>
    %s = mirage_block.sum %e dims [1] : tensor<1x1024xf32>
    %q = mirage_block.div %e, %s : tensor<1x1024xf32>, tensor<1x1xf32>
    %m = mirage_block.mul %t, %q : tensor<1x1024xf16>, tensor<1x1024xf32>
    mirage_block.yield %m : tensor<1x1024xf32>
  }
  return %r : tensor<2x1024xf16>
}

// Six items are eight where they hold tiles, of which the last two are of nothing. Nobody is the
// worse for it: parts behind the edge are masked, and elements there are not stored.
// CHECK-LABEL: func.func @behind_the_edge(
// CHECK: mirage_thread.graph items(x = 6) {{.*}}{mirage.held}
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.graph items(x = 8)
// CHECK: mirage_thread.mask
func.func @behind_the_edge(%x: tensor<2x1536xf16>) -> tensor<2x1536xf16> {
  %r = mirage_block.graph grid(x = 2) threads(128) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<2x1536xf16>) -> tensor<2x1536xf16> {
  ^bb0(%t: tensor<1x1536xf16>):
    %e = mirage_block.exp %t : tensor<1x1536xf16>
    %s = mirage_block.sum %e dims [1] : tensor<1x1536xf32>
    %q = mirage_block.div %e, %s : tensor<1x1536xf32>, tensor<1x1xf32>
    mirage_block.yield %q : tensor<1x1536xf32>
  }
  return %r : tensor<2x1536xf16>
}

// A column is reduced across the edge of rows: what lies behind it would be added.
// CHECK-LABEL: func.func @mixed_at_the_edge(
// CHECK: mirage_thread.graph items(x = 12) ins(%{{.*}}) outs(omap(x -> 0)) : (tensor<12x128xf16>) -> tensor<12x128xf32>
// CHECK: mirage_thread.exp
func.func @mixed_at_the_edge(%x: tensor<12x128xf16>) -> tensor<1x128xf32> {
  %r = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) : (tensor<12x128xf16>) -> tensor<1x128xf32> {
  ^bb0(%t: tensor<12x128xf16>):
    %e = mirage_block.exp %t : tensor<12x128xf16>
    %f = mirage_block.add %e, %t : tensor<12x128xf32>, tensor<12x128xf16>
    %s = mirage_block.sum %e dims [0] : tensor<12x128xf32>
    %u = mirage_block.sum %f dims [0] : tensor<12x128xf32>
    %v = mirage_block.add %s, %u : tensor<1x128xf32>, tensor<1x128xf32>
    mirage_block.yield %v : tensor<1x128xf32>
  }
  return %r : tensor<1x128xf32>
}

// Four items read three rows, and the fourth zeros: of a tile that is held it would read what the
// fourth item made of them.
// CHECK-LABEL: func.func @zeros_behind(
// CHECK: mirage_thread.graph items(x = 3) ins(%{{.*}} imap(x -> 0)) outs(omap(x -> 0)) :
#l = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]>
func.func @zeros_behind(%a: tensor<6x256xf16>) -> tensor<8x256xf16> {
    %o = mirage_block.graph grid(x = 2) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) : (tensor<6x256xf16>) -> tensor<8x256xf16> {
    ^bb0(%t: tensor<3x256xf16>):
      %y = mirage_thread.graph items(x = 3) ins(%t imap(x -> 0)) outs(omap(x -> 0)) : (tensor<3x256xf16>) -> tensor<3x256xf16> {
      ^bb0(%w: tensor<1x256xf16>):
        %f = mirage_thread.load %w : (tensor<1x256xf16>) -> tensor<1x256xf16, #l>
        %g = mirage_thread.exp %f : (tensor<1x256xf16, #l>) -> tensor<1x256xf16, #l>
        %s = mirage_thread.store %g : (tensor<1x256xf16, #l>) -> tensor<1x256xf16>
        mirage_thread.yield %s : tensor<1x256xf16>
      }
      %z = mirage_thread.graph items(x = 4) ins(%y imap(x -> 0)) outs(omap(x -> 0)) : (tensor<3x256xf16>) -> tensor<4x256xf16> {
      ^bb0(%w: tensor<1x256xf16>):
        %f = mirage_thread.load %w : (tensor<1x256xf16>) -> tensor<1x256xf16, #l>
        %s = mirage_thread.store %f : (tensor<1x256xf16, #l>) -> tensor<1x256xf16>
        mirage_thread.yield %s : tensor<1x256xf16>
      }
      mirage_block.yield %z : tensor<4x256xf16>
    }
  return %o : tensor<8x256xf16>
}

// 64 registers of each thread are more than is reckoned with: fewer blocks are to be on an SM.
// CHECK-LABEL: func.func @many_registers(
// CHECK: mirage_block.graph {{.*}}{mirage.row_registers = 64 : i64}
// CHECK: mirage.held
func.func @many_registers(%x: tensor<2x8192xf16>) -> tensor<2x8192xf16> {
  %r = mirage_block.graph grid(x = 2) threads(128) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<2x8192xf16>) -> tensor<2x8192xf16> {
  ^bb0(%t: tensor<1x8192xf16>):
    %e = mirage_block.exp %t : tensor<1x8192xf16>
    %s = mirage_block.sum %e dims [1] : tensor<1x8192xf32>
    %q = mirage_block.div %e, %s : tensor<1x8192xf32>, tensor<1x1xf32>
    mirage_block.yield %q : tensor<1x8192xf32>
  }
  return %r : tensor<2x8192xf16>
}

// Two of eight warps have an item: each is a share, of all steps of the chain, the last one too.
// CHECK-LABEL: func.func @fewer_items_than_warps(
// CHECK: mirage_thread.graph items(x = 2) {{.*}}{mirage.held, mirage.held_shares}
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.graph items(x = 2) {{.*}}{mirage.held, mirage.held_shares}
// CHECK: mirage_thread.tanh
// CHECK: mirage_thread.graph items(x = 2) {{.*}}{mirage.held_shares}
// CHECK: mirage_thread.mul
func.func @fewer_items_than_warps(%x: tensor<100xf16>) -> tensor<100xf32> {
  %r = mirage_block.graph grid() threads(256) ins(%x imap()) outs(omap()) : (tensor<100xf16>) -> tensor<100xf32> {
  ^bb0(%t: tensor<100xf16>):
    %e = mirage_block.exp %t : tensor<100xf16>
    %h = mirage_block.tanh %e : tensor<100xf32>
    %a = mirage_block.add %h, %e : tensor<100xf32>, tensor<100xf32>
    %s = mirage_block.square %a : tensor<100xf32>
    %m = mirage_block.mul %s, %a : tensor<100xf32>, tensor<100xf32>
    mirage_block.yield %m : tensor<100xf32>
  }
  return %r : tensor<100xf32>
}

// Twelve of 32 warps have a share of two steps; columns are read by others, from a tile.
// CHECK-LABEL: func.func @shares_of_some(
// CHECK: mirage_thread.graph items(x = 3, y = 4) {{.*}}{mirage.held, mirage.held_shares}
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.graph items(x = 3, y = 4) {{.*}}{mirage.held_shares}
// CHECK: mirage_thread.tanh
// CHECK: mirage_thread.graph
// CHECK-NOT: mirage.held
// CHECK: mirage_thread.accumulate
func.func @shares_of_some(%x: tensor<3x256xf16>) -> (tensor<3x256xf32>, tensor<1x256xf32>) {
  %r:2 = mirage_block.graph grid() threads(1024) ins(%x imap()) outs(omap(), omap()) : (tensor<3x256xf16>) -> (tensor<3x256xf32>, tensor<1x256xf32>) {
  ^bb0(%t: tensor<3x256xf16>):
    %e = mirage_block.exp %t : tensor<3x256xf16>
    %h = mirage_block.tanh %e : tensor<3x256xf32>
    %a = mirage_block.add %h, %e : tensor<3x256xf32>, tensor<3x256xf32>
    %s = mirage_block.sum %a dims [0] : tensor<3x256xf32>
    mirage_block.yield %a, %s : tensor<3x256xf32>, tensor<1x256xf32>
  }
  return %r#0, %r#1 : tensor<3x256xf32>, tensor<1x256xf32>
}

// A warp that is alone has both parts of its row: they stay in registers as well.
// CHECK-LABEL: func.func @one_warp(
// CHECK: %[[E:.*]] = mirage_thread.graph items(x = 2) {{.*}}{mirage.held}
// CHECK: mirage_thread.exp
// CHECK: %[[P:.*]] = mirage_thread.graph items(x = 2) ins(%[[E]] {{.*}}{mirage.held} : (tensor<1x200xf32>) -> tensor<1x2xf32>
// CHECK: mirage_thread.graph items(x = 2) ins(%[[E]] imap(x -> 1), %[[P]] imap())
// CHECK: mirage_thread.div
func.func @one_warp(%x: tensor<1x200xf32>) -> tensor<1x200xf32> {
  %r = mirage_block.graph grid() threads(32) ins(%x imap()) outs(omap()) : (tensor<1x200xf32>) -> tensor<1x200xf32> {
  ^bb0(%t: tensor<1x200xf32>):
    %e = mirage_block.exp %t : tensor<1x200xf32>
    %s = mirage_block.sum %e dims [1] : tensor<1x200xf32>
    %q = mirage_block.div %e, %s : tensor<1x200xf32>, tensor<1x1xf32>
    mirage_block.yield %q : tensor<1x200xf32>
  }
  return %r : tensor<1x200xf32>
}

// What a step of the loop leaves is added up where it is, and read by another one on the same rows.
// CHECK-LABEL: func.func @in_the_loop(
// CHECK: %[[E:.*]] = mirage_thread.graph {{.*}}{mirage.held}
// CHECK: mirage_thread.exp
// CHECK: %[[M:.*]] = mirage_thread.graph {{.*}}ins(%[[E]] {{.*}}{mirage.held}
// CHECK: mirage_thread.accumulate {{.*}} over loop max dims [1]
// CHECK-DAG: mirage_block.accumulate %[[E]] over loop sum {mirage.held}
// CHECK-DAG: mirage_block.accumulate %[[M]] over loop max {mirage.held}
func.func @in_the_loop(%x: tensor<16x256xf16>) -> (tensor<16x64xf32>, tensor<16x1xf32>) {
  %r:2 = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap(), omap()) : (tensor<16x256xf16>) -> (tensor<16x64xf32>, tensor<16x1xf32>) {
  ^bb0(%t: tensor<16x64xf16>):
    %e = mirage_block.exp %t : tensor<16x64xf16>
    %m = mirage_block.max %e dims [1] : tensor<16x64xf32>
    %s = mirage_block.accumulate %e over loop sum : tensor<16x64xf32>
    %u = mirage_block.accumulate %m over loop max : tensor<16x1xf32>
    mirage_block.yield %s, %u : tensor<16x64xf32>, tensor<16x1xf32>
  }
  return %r#0, %r#1 : tensor<16x64xf32>, tensor<16x1xf32>
}

// Two sums and a maximum grow of one value and its square.
// CHECK-LABEL: func.func @sums_of_one_value(
// CHECK: %[[E:.*]] = mirage_thread.graph {{.*}}{mirage.held}
// CHECK: mirage_thread.tanh
// CHECK: %[[S:.*]] = mirage_thread.graph {{.*}}ins(%[[E]] {{.*}}{mirage.held}
// CHECK: mirage_thread.square
// CHECK-DAG: mirage_block.accumulate %[[E]] over loop sum {mirage.held}
// CHECK-DAG: mirage_block.accumulate %[[S]] over loop sum {mirage.held}
// CHECK-DAG: mirage_block.accumulate %[[E]] over loop max {mirage.held}
func.func @sums_of_one_value(%x: tensor<4096xf32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
  %r:3 = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(0)) outs(omap(), omap(), omap()) : (tensor<4096xf32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
  ^bb0(%t: tensor<1024xf32>):
    %e = mirage_block.tanh %t : tensor<1024xf32>
    %q = mirage_block.square %e : tensor<1024xf32>
    %a = mirage_block.accumulate %e over loop sum : tensor<1024xf32>
    %b = mirage_block.accumulate %q over loop sum : tensor<1024xf32>
    %c = mirage_block.accumulate %e over loop max : tensor<1024xf32>
    mirage_block.yield %a, %b, %c : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>
}

// The same of 4096 elements would take 32 registers for each of the sums, the value and its square,
// of 85 that there are: the value is a tile.
// CHECK-LABEL: func.func @registers_of_two_sums(
// CHECK: %[[E:.*]] = mirage_thread.graph items(x = {{[0-9]+}}) ins(%{{.*}} imap(x -> 0)) outs(omap(x -> 0)) : (tensor<4096xf32>) -> tensor<4096xf32>
// CHECK: mirage_thread.tanh
// CHECK: mirage_thread.graph {{.*}}ins(%[[E]] {{.*}}{mirage.held}
// CHECK: mirage_block.accumulate %[[E]] over loop sum : tensor
func.func @registers_of_two_sums(%x: tensor<16384xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %r:2 = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(0)) outs(omap(), omap()) : (tensor<16384xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  ^bb0(%t: tensor<4096xf32>):
    %e = mirage_block.tanh %t : tensor<4096xf32>
    %q = mirage_block.square %e : tensor<4096xf32>
    %a = mirage_block.accumulate %e over loop sum : tensor<4096xf32>
    %b = mirage_block.accumulate %q over loop sum : tensor<4096xf32>
    mirage_block.yield %a, %b : tensor<4096xf32>, tensor<4096xf32>
  }
  return %r#0, %r#1 : tensor<4096xf32>, tensor<4096xf32>
}

// Three of eight warps have a row of the sum: readers have it as shares, one behind the other.
// CHECK-LABEL: func.func @behind_the_loop(
// CHECK: %[[P:.*]] = mirage_thread.graph items(x = 3) {{.*}}{mirage.held, mirage.held_shares}
// CHECK: %[[S:.*]] = mirage_block.accumulate %[[P]] over loop sum {mirage.held}
// CHECK: %[[M:.*]] = mirage_thread.graph items(x = 3) ins(%[[S]] {{.*}}{mirage.held, mirage.held_shares}
// CHECK: mirage_thread.accumulate {{.*}} dims [1]
// CHECK: mirage_thread.graph items(x = 3) {{.*}}{mirage.held_shares}
// CHECK: mirage_thread.div
func.func @behind_the_loop(%x: tensor<3x200xf16>) -> tensor<3x50xf16> {
  %r = mirage_block.graph grid() threads(256) loop(4) ins(%x imap() fmap(1)) outs(omap()) : (tensor<3x200xf16>) -> tensor<3x50xf16> {
  ^bb0(%t: tensor<3x50xf16>):
    %e = mirage_block.exp %t : tensor<3x50xf16>
    %s = mirage_block.accumulate %e over loop sum : tensor<3x50xf32>
    %m = mirage_block.sum %s dims [1] : tensor<3x50xf32>
    %d = mirage_block.div %s, %m : tensor<3x50xf32>, tensor<3x1xf32>
    mirage_block.yield %d : tensor<3x50xf32>
  }
  return %r : tensor<3x50xf16>
}

// Registers are for products, where there are any: what else the loop hands on is a tile.
// CHECK-LABEL: func.func @loop_that_multiplies(
// CHECK: %[[E:.*]] = mirage_thread.graph {{.*}} : (tensor<16x64xf16>) -> tensor<16x64xf32>
// CHECK: mirage_thread.exp
// CHECK: mirage_block.accumulate %[[E]] over loop sum : tensor
func.func @loop_that_multiplies(%x: tensor<16x256xf16>, %y: tensor<256x16xf16>) -> (tensor<16x64xf32>, tensor<16x16xf32>, tensor<16x64xf32>) {
  %r:3 = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1), %y imap() fmap(0)) outs(omap(), omap(), omap()) : (tensor<16x256xf16>, tensor<256x16xf16>) -> (tensor<16x64xf32>, tensor<16x16xf32>, tensor<16x64xf32>) {
  ^bb0(%t: tensor<16x64xf16>, %u: tensor<64x16xf16>):
    %e = mirage_block.exp %t : tensor<16x64xf16>
    %s = mirage_block.accumulate %e over loop sum : tensor<16x64xf32>
    %q = mirage_block.accumulate %e over loop max : tensor<16x64xf32>
    %p = mirage_block.matmul %t, %u : tensor<16x64xf16>, tensor<64x16xf16>
    %c = mirage_block.accumulate %p over loop sum : tensor<16x16xf32>
    mirage_block.yield %s, %c, %q : tensor<16x64xf32>, tensor<16x16xf32>, tensor<16x64xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<16x64xf32>, tensor<16x16xf32>, tensor<16x64xf32>
}

// Two warps have the sums of four rows each. What goes on with them behind the loop has the same lanes,
// and so has what goes on with that.
// CHECK-LABEL: func.func @sums_of_rows(
// CHECK: %[[P:.*]] = mirage_thread.graph items(x = 2) {{.*}}{mirage.held} : (tensor<8x64xf32>) -> tensor<8x1xf32>
// CHECK: %[[S:.*]] = mirage_block.accumulate %[[P]] over loop sum {mirage.held}
// CHECK: %[[E:.*]] = mirage_thread.graph items(x = 2) ins(%[[S]] imap(x -> 0)) {{.*}}{mirage.held}
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.graph items(x = 2) ins(%[[E]] imap(x -> 0), %[[S]] imap(x -> 0))
// CHECK: mirage_thread.tanh
func.func @sums_of_rows(%x: tensor<8x128xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>) {
  %r:2 = mirage_block.graph grid() threads(64) loop(2) ins(%x imap() fmap(1)) outs(omap(), omap()) : (tensor<8x128xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>) {
  ^bb0(%t: tensor<8x64xf32>):
    %q = mirage_block.square %t : tensor<8x64xf32>
    %p = mirage_block.sum %q dims [1] : tensor<8x64xf32>
    %s = mirage_block.accumulate %p over loop sum : tensor<8x1xf32>
    %e = mirage_block.exp %s : tensor<8x1xf32>
    %h = mirage_block.tanh %e : tensor<8x1xf32>
    %d = mirage_block.div %h, %s : tensor<8x1xf32>, tensor<8x1xf32>
    mirage_block.yield %e, %d : tensor<8x1xf32>, tensor<8x1xf32>
  }
  return %r#0, %r#1 : tensor<8x1xf32>, tensor<8x1xf32>
}
