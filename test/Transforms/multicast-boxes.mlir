// Blocks that load the same boxes are clusters, for who asks for them.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" -o %t.mlir && FileCheck %s --check-prefix=NONE < %t.mlir
// RUN: mirage-opt %t.mlir --mirage-multicast-boxes=multicast=2 | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: mirage-opt %t.mlir --mirage-multicast-boxes=multicast=8 -o %t.eight.mlir && FileCheck %s --check-prefixes=CHECK,EIGHT < %t.eight.mlir
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize multicast=8" -o %t.same.mlir && diff %t.eight.mlir %t.same.mlir
// RUN: sed '/^func.func @large/,/^}/d' %s > %t.others.mlir
// RUN: sed '/func.func @large/,/^  }$/d' %t.eight.mlir > %t.judged.mlir
// RUN: mirage-verify %t.others.mlir %t.judged.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-COUNT-4: equal
// RUN: mirage-check-plans %t.eight.mlir | FileCheck %s --check-prefix=PLANS
// PLANS: 0 findings
// NONE-NOT: mirage.multicast_cluster

// Once more, otherwise, and not at all: as if nothing had been before.
// RUN: mirage-opt %t.eight.mlir --mirage-multicast-boxes=multicast=8 -o %t.again.mlir && diff %t.eight.mlir %t.again.mlir
// RUN: mirage-opt %t.eight.mlir --mirage-multicast-boxes=multicast=2 | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: mirage-opt %t.eight.mlir --mirage-multicast-boxes=multicast=never -o %t.never.mlir && diff %t.mlir %t.never.mlir
// Who changes what it was decided for takes it back.
// RUN: for pass in mirage-plan-shared-memory mirage-merge-launches mirage-make-blocks-persistent; do \
// RUN:   mirage-opt %t.eight.mlir --$pass | FileCheck %s --check-prefix=NONE || exit 1; done
// How many blocks are wanted is not for clusters to say: it stays, whatever comes and goes.
// RUN: mirage-opt %t.mlir --mirage-merge-launches -o %t.merged.mlir
// RUN: mirage-opt %t.eight.mlir --mirage-merge-launches -o %t.again.mlir && diff %t.merged.mlir %t.again.mlir
// RUN: sed 's/persistent_blocks = 132/persistent_blocks = 100/' %t.mlir > %t.hundred.mlir && not diff -q %t.mlir %t.hundred.mlir
// RUN: mirage-opt %t.hundred.mlir --mirage-multicast-boxes=multicast=8 --mirage-multicast-boxes=multicast=2 -o %t.wanted.mlir
// RUN: FileCheck %s --check-prefix=HUNDRED < %t.wanted.mlir
// RUN: mirage-opt %t.wanted.mlir --mirage-multicast-boxes=multicast=never -o %t.again.mlir && diff %t.hundred.mlir %t.again.mlir
// HUNDRED: mirage.multicast_cluster = array<i64: 2, 1>
// HUNDRED-SAME: mirage.persistent_blocks = 100 : i64
// What is launched are whole clusters, no more than find SMs: 30 of 4 blocks and 15 of 8.
// RUN: for wanted in 132 100 101 9 8; do \
// RUN:   sed "s/persistent_blocks = 132/persistent_blocks = $wanted/" %t.eight.mlir > %t.wanted.mlir && \
// RUN:   mirage-opt %t.wanted.mlir --mirage-explain -o /dev/null 2> %t.log && grep -m1 "launched," %t.log && \
// RUN:   mirage-opt %t.wanted.mlir --mirage-compile="from=lower to=lower" -o %t.lowered.mlir && \
// RUN:   grep -o -m1 "grid = array<i64: [0-9]*, 1, 1>" %t.lowered.mlir || exit 1; \
// RUN: done | FileCheck %s --check-prefix=LAUNCHED
// LAUNCHED:      32 x 16 = 512, {{.*}}, 120 launched, each of which goes on with others, in clusters of 4 x 2
// LAUNCHED-NEXT: grid = array<i64: 120, 1, 1>
// LAUNCHED-NEXT: {{.*}}, 96 launched,
// LAUNCHED-NEXT: grid = array<i64: 96, 1, 1>
// LAUNCHED-NEXT: {{.*}}, 96 launched,
// LAUNCHED-NEXT: grid = array<i64: 96, 1, 1>
// LAUNCHED-NEXT: {{.*}}, 8 launched,
// LAUNCHED-NEXT: grid = array<i64: 8, 1, 1>
// LAUNCHED-NEXT: {{.*}}, 8 launched,
// LAUNCHED-NEXT: grid = array<i64: 8, 1, 1>
// So there are no clusters of more blocks than are wanted.
// RUN: sed 's/persistent_blocks = 132/persistent_blocks = 2/' %t.mlir > %t.two.mlir
// RUN: mirage-opt %t.two.mlir --mirage-multicast-boxes=multicast=4 -o %t.again.mlir
// RUN: FileCheck %s --check-prefix=FEW < %t.again.mlir
// RUN: mirage-opt %t.again.mlir --mirage-compile="from=lower to=lower" -o /dev/null
// FEW: mirage.multicast_cluster = array<i64: 2, 1>
// FEW-SAME: mirage.persistent_blocks = 2 : i64
// RUN: sed 's/persistent_blocks = 132/persistent_blocks = 1/' %t.mlir > %t.one.mlir
// RUN: mirage-opt %t.one.mlir --mirage-multicast-boxes=multicast=4 | FileCheck %s --check-prefix=ONE
// ONE-LABEL: func.func @large(
// ONE-NOT: mirage.multicast_cluster
// ONE: mirage.persistent_blocks = 1 : i64
// Which blocks start side by side is no reason to.
// RUN: mirage-opt %t.eight.mlir --mirage-order-grid -o %t.again.mlir && diff %t.eight.mlir %t.again.mlir

// The cost model has it that L2 binds a large product, and that a small one waits for its first loads.
// RUN: mirage-opt %t.mlir --mirage-multicast-boxes | FileCheck %s --check-prefix=AUTO
// What is not timed is left alone.
// RUN: sed 's/mirage.predicted_time = {[^}]*}, //' %t.mlir > %t.untimed.mlir
// RUN: mirage-opt %t.untimed.mlir --mirage-multicast-boxes | FileCheck %s --check-prefix=NONE

// There are no clusters before sm_90, and none of more than 8 blocks on sm_120.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize target=sm_80 multicast=8" | FileCheck %s --check-prefix=NONE
// RUN: mirage-opt %t.others.mlir --mirage-compile="from=optimize to=optimize target=sm_120 multicast=16" | FileCheck %s --check-prefix=MOST
// MOST: func.func @high(
// MOST: mirage.multicast_cluster = array<i64: 8, 1>

// RUN: mirage-opt %t.mlir --mirage-multicast-boxes=multicast=2 --remarks-filter=.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-2: no cluster of its blocks could load together
// REMARK: its warps hand no places back
// RUN: mirage-opt %t.mlir --mirage-multicast-boxes --remarks-filter=.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK-AUTO
// REMARK-AUTO: no cluster is predicted to take less
// RUN: mirage-opt %t.untimed.mlir --mirage-multicast-boxes --remarks-filter=.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK-UNTIMED
// REMARK-UNTIMED-COUNT-2: its time is not predicted ('mirage.predicted_time' is missing)
// REMARK-UNTIMED-NOT: predicted to take less

// RUN: not mirage-opt %t.mlir --mirage-multicast-boxes=multicast=often -o /dev/null 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not mirage-opt %t.mlir --mirage-compile="multicast=often" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: expects multicast never, auto or 2 to 16 blocks, got 'often'

// Tiles of the right operand have twice the bytes: where there are two blocks they share these.
// CHECK-LABEL: func.func @large(
// TWO:           mirage.multicast_cluster = array<i64: 2, 1>
// TWO-SAME:      mirage.persistent_blocks = 132 : i64
// EIGHT:         mirage.multicast_cluster = array<i64: 4, 2>
// EIGHT-SAME:    mirage.persistent_blocks = 132 : i64
// AUTO-LABEL:  func.func @large(
// AUTO:          mirage.multicast_cluster = array<i64: 2, 1>
func.func @large(%x: tensor<4096x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %e = tensor.empty() : tensor<4096x4096xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%e : tensor<4096x4096xf16>) {
  ^bb0(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>):
    %o = mirage_block.graph grid(x = 32, y = 16) threads(256) loop(64) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
    ^bb0(%c: tensor<128x64xf16>, %d: tensor<64x256xf16>):
      %p = mirage_block.matmul %c, %d : tensor<128x64xf16>, tensor<64x256xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x256xf32>
      mirage_block.yield %s : tensor<128x256xf32>
    }
    mirage_kernel.yield %o : tensor<4096x4096xf16>
  } : tensor<4096x4096xf16>
  return %r : tensor<4096x4096xf16>
}

// Five blocks along y are no clusters; along x right tiles are the same.
// CHECK-LABEL: func.func @high(
// TWO:           mirage.multicast_cluster = array<i64: 2, 1>
// EIGHT:         mirage.multicast_cluster = array<i64: 8, 1>
// AUTO-LABEL:  func.func @high(
// AUTO-NOT:      mirage.multicast_cluster
func.func @high(%x: tensor<1024x512xf16>, %w: tensor<512x320xf16>) -> tensor<1024x320xf16> {
  %e = tensor.empty() : tensor<1024x320xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<1024x512xf16>, tensor<512x320xf16>) outs(%e : tensor<1024x320xf16>) {
  ^bb0(%a: tensor<1024x512xf16>, %b: tensor<512x320xf16>):
    %o = mirage_block.graph grid(x = 16, y = 5) threads(128) loop(8) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<1024x512xf16>, tensor<512x320xf16>) -> tensor<1024x320xf16> {
    ^bb0(%c: tensor<64x64xf16>, %d: tensor<64x64xf16>):
      %p = mirage_block.matmul %c, %d : tensor<64x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      mirage_block.yield %s : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<1024x320xf16>
  } : tensor<1024x320xf16>
  return %r : tensor<1024x320xf16>
}

// No cluster fills such a grid.
// CHECK-LABEL: func.func @odd_grid(
// CHECK-NOT:     mirage.multicast_cluster
func.func @odd_grid(%x: tensor<320x512xf16>, %w: tensor<512x192xf16>) -> tensor<320x192xf16> {
  %e = tensor.empty() : tensor<320x192xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<320x512xf16>, tensor<512x192xf16>) outs(%e : tensor<320x192xf16>) {
  ^bb0(%a: tensor<320x512xf16>, %b: tensor<512x192xf16>):
    %o = mirage_block.graph grid(x = 5, y = 3) threads(128) loop(8) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<320x512xf16>, tensor<512x192xf16>) -> tensor<320x192xf16> {
    ^bb0(%c: tensor<64x64xf16>, %d: tensor<64x64xf16>):
      %p = mirage_block.matmul %c, %d : tensor<64x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      mirage_block.yield %s : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<320x192xf16>
  } : tensor<320x192xf16>
  return %r : tensor<320x192xf16>
}

// All that is boxed varies along the only axis.
// CHECK-LABEL: func.func @batch(
// CHECK-NOT:     mirage.multicast_cluster
func.func @batch(%x: tensor<4x64x512xf16>, %w: tensor<4x512x64xf16>) -> tensor<4x64x64xf16> {
  %e = tensor.empty() : tensor<4x64x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<4x64x512xf16>, tensor<4x512x64xf16>) outs(%e : tensor<4x64x64xf16>) {
  ^bb0(%a: tensor<4x64x512xf16>, %b: tensor<4x512x64xf16>):
    %o = mirage_block.graph grid(x = 4) threads(128) loop(8) stages(3)
        ins(%a imap(x -> 0) fmap(2), %b imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<4x64x512xf16>, tensor<4x512x64xf16>) -> tensor<4x64x64xf16> {
    ^bb0(%c: tensor<1x64x64xf16>, %d: tensor<1x64x64xf16>):
      %p = mirage_block.matmul %c, %d : tensor<1x64x64xf16>, tensor<1x64x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<1x64x64xf32>
      mirage_block.yield %s : tensor<1x64x64xf32>
    }
    mirage_kernel.yield %o : tensor<4x64x64xf16>
  } : tensor<4x64x64xf16>
  return %r : tensor<4x64x64xf16>
}

// Without rings nothing is boxed.
// CHECK-LABEL: func.func @no_ring(
// CHECK-NOT:     mirage.multicast_cluster
func.func @no_ring(%x: tensor<64x64xf16>, %w: tensor<64x256xf16>) -> tensor<64x256xf16> {
  %e = tensor.empty() : tensor<64x256xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x64xf16>, tensor<64x256xf16>) outs(%e : tensor<64x256xf16>) {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x256xf16>):
    %o = mirage_block.graph grid(x = 4) threads(128)
        ins(%a imap(), %b imap(x -> 1)) outs(omap(x -> 1))
        : (tensor<64x64xf16>, tensor<64x256xf16>) -> tensor<64x256xf16> {
    ^bb0(%c: tensor<64x64xf16>, %d: tensor<64x64xf16>):
      %p = mirage_block.matmul %c, %d : tensor<64x64xf16>, tensor<64x64xf16>
      mirage_block.yield %p : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<64x256xf16>
  } : tensor<64x256xf16>
  return %r : tensor<64x256xf16>
}
