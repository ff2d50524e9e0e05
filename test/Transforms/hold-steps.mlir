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
