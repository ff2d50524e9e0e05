// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-COUNT-4: equal
// RUN: mirage-check-plans %t.mlir | FileCheck %s --check-prefix=PLANS
// PLANS: 0 findings
// Once more, and by another choice, whose plan is still one that holds.
// RUN: mirage-opt %t.mlir --mirage-make-blocks-persistent -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: mirage-opt %t.mlir --mirage-make-blocks-persistent=persistent=false -o %t.none.mlir && FileCheck %s --check-prefix=NONE < %t.none.mlir
// RUN: mirage-check-plans %t.none.mlir | FileCheck %s --check-prefix=PLANS
// Without loading warps, or by a plan made anew, there are none, and the rest can be lowered.
// RUN: mirage-opt %t.mlir --mirage-add-loading-warps=loading-warps=false -o %t.alone.mlir && FileCheck %s --check-prefix=NONE < %t.alone.mlir
// RUN: mirage-opt %t.alone.mlir --mirage-compile="from=lower to=lower" -o /dev/null
// RUN: mirage-opt %t.mlir --mirage-plan-shared-memory -o %t.anew.mlir && FileCheck %s --check-prefix=NONE < %t.anew.mlir
// RUN: mirage-opt %t.anew.mlir --mirage-compile="from=lower to=lower" -o /dev/null
// NONE-NOT: mirage.persistent_blocks
// Loading warps are there for GPUs alone whose warps multiply by fours.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize target=sm_90" | FileCheck %s --check-prefix=NONE

// As many blocks start as there are SMs; what they compute is right, of the last ones too.
// RUN: rm -rf %t.out && mirage-opt %t.mlir --mirage-compile="from=lower artifact=%t.out" -o /dev/null
// RUN: tr -d ' \n' < %t.out/product/manifest.json | FileCheck %s --check-prefix=GRID
// GRID: "grid":[132,1,1]
// RUN: for program in product odd_sizes attention; do \
// RUN:   mirage-run %t.out/$program --device=emulator --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-3: : right

// Attention, whose products start ahead and are waited for late, is right as well where somebody
// wants it so, whatever the number of blocks: its results have their place where queries lay.
// RUN: sed -E '/func.func @attention/,/^  }/{ s/(mirage.loading_warps = 4 : i64)/\1, mirage.persistent_blocks = 5 : i64/; s/mirage.offsets = array<i64: 0>/mirage.offsets = array<i64: 163840>/; }' %t.mlir > %t.five.mlir
// RUN: mirage-check-plans %t.five.mlir | FileCheck %s --check-prefix=PLANS
// RUN: rm -rf %t.five && mirage-opt %t.five.mlir --mirage-compile="from=lower artifact=%t.five" -o /dev/null
// RUN: mirage-run %t.five/attention --device=emulator --check | FileCheck %s --check-prefix=ONE
// ONE: : right

// Results that lie where boxes of the next block come are found, by whoever looks.
// RUN: sed -E '/func.func @product/,/^  }/s/mirage.offsets = array<i64: 163840>/mirage.offsets = array<i64: 131072>/' %t.mlir > %t.bad.mlir
// RUN: not mirage-check-plans %t.bad.mlir | FileCheck %s --check-prefix=BAD
// BAD: no barrier between the writes
// RUN: not mirage-opt %t.bad.mlir --mirage-compile="from=lower ptxas=never" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: expects a plan of shared memory that holds: tiles 1 and 2 are live together and share bytes
// RUN: mirage-opt %t.mlir --mirage-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN:      kernel 0 of @product
// EXPLAIN-NEXT:   launch
// EXPLAIN-NEXT:   blocks          12 x 12 = 144, of 256 threads and 4 warps that load, 132 launched, each of which goes on with others

// CHECK-LABEL: func.func @product(
// CHECK:       mirage_block.graph {{.*}}mirage.persistent_blocks = 132 : i64
func.func @product(%x: tensor<1536x512xf16>, %w: tensor<512x1536xf16>) -> tensor<1536x1536xf16> {
  %e = tensor.empty() : tensor<1536x1536xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<1536x512xf16>, tensor<512x1536xf16>) outs(%e : tensor<1536x1536xf16>) {
  ^bb0(%a: tensor<1536x512xf16>, %b: tensor<512x1536xf16>):
    %o = mirage_block.graph grid(x = 12, y = 12) threads(256) loop(8) stages(5)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<1536x512xf16>, tensor<512x1536xf16>) -> tensor<1536x1536xf16> {
    ^bb0(%c: tensor<128x64xf16>, %d: tensor<64x128xf16>):
      %p = mirage_block.matmul %c, %d : tensor<128x64xf16>, tensor<64x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<1536x1536xf16>
  } : tensor<1536x1536xf16>
  return %r : tensor<1536x1536xf16>
}

// Tiles end beyond the tensors, and there is an axis more.
// CHECK-LABEL: func.func @odd_sizes(
// CHECK:       mirage_block.graph {{.*}}mirage.persistent_blocks = 132 : i64
func.func @odd_sizes(%x: tensor<3x760x264xf16>, %w: tensor<3x264x1000xf16>) -> tensor<3x760x1000xf32> {
  %e = tensor.empty() : tensor<3x760x1000xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<3x760x264xf16>, tensor<3x264x1000xf16>) outs(%e : tensor<3x760x1000xf32>) {
  ^bb0(%a: tensor<3x760x264xf16>, %b: tensor<3x264x1000xf16>):
    %o = mirage_block.graph grid(x = 3, y = 6, z = 8) threads(256) loop(5) stages(4)
        ins(%a imap(x -> 0, y -> 1) fmap(2), %b imap(x -> 0, z -> 2) fmap(1)) outs(omap(x -> 0, y -> 1, z -> 2))
        : (tensor<3x760x264xf16>, tensor<3x264x1000xf16>) -> tensor<3x760x1000xf32> {
    ^bb0(%c: tensor<1x128x64xf16>, %d: tensor<1x64x128xf16>):
      %p = mirage_block.matmul %c, %d : tensor<1x128x64xf16>, tensor<1x64x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<1x128x128xf32>
      mirage_block.yield %s : tensor<1x128x128xf32>
    }
    mirage_kernel.yield %o : tensor<3x760x1000xf32>
  } : tensor<3x760x1000xf32>
  return %r : tensor<3x760x1000xf32>
}

// Results that find no place beside the rings.
// CHECK-LABEL: func.func @no_place(
// CHECK:       mirage_block.graph {{.*}}mirage.loading_warps
// CHECK-NOT:   mirage.persistent_blocks
func.func @no_place(%x: tensor<1536x512xf16>, %w: tensor<512x1536xf16>) -> tensor<1536x1536xf32> {
  %e = tensor.empty() : tensor<1536x1536xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<1536x512xf16>, tensor<512x1536xf16>) outs(%e : tensor<1536x1536xf32>) {
  ^bb0(%a: tensor<1536x512xf16>, %b: tensor<512x1536xf16>):
    %o = mirage_block.graph grid(x = 12, y = 12) threads(256) loop(8) stages(6)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<1536x512xf16>, tensor<512x1536xf16>) -> tensor<1536x1536xf32> {
    ^bb0(%c: tensor<128x64xf16>, %d: tensor<64x128xf16>):
      %p = mirage_block.matmul %c, %d : tensor<128x64xf16>, tensor<64x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<1536x1536xf32>
  } : tensor<1536x1536xf32>
  return %r : tensor<1536x1536xf32>
}

// Warpgroups that compute between products are better left apart (Mirage/Planning/BlocksToLaunch.h).
// CHECK-LABEL: func.func @attention(
// CHECK:       mirage_block.graph {{.*}}mirage.loading_warps
// CHECK-NOT:   mirage.persistent_blocks
// CHECK:       mirage.starts_ahead
// CHECK:       mirage.waits_late
func.func @attention(%q: tensor<9x2048x128xf16>, %k: tensor<9x128x512xf16>, %v: tensor<9x512x128xf16>) -> tensor<9x2048x128xf16> {
  %e = tensor.empty() : tensor<9x2048x128xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<9x2048x128xf16>, tensor<9x128x512xf16>, tensor<9x512x128xf16>) outs(%e : tensor<9x2048x128xf16>) {
  ^bb0(%a: tensor<9x2048x128xf16>, %b: tensor<9x128x512xf16>, %c: tensor<9x512x128xf16>):
    %o = mirage_block.graph grid(x = 9, y = 16) threads(256) loop(8) stages(5)
        ins(%a imap(x -> 0, y -> 1), %b imap(x -> 0) fmap(2), %c imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<9x2048x128xf16>, tensor<9x128x512xf16>, tensor<9x512x128xf16>) -> tensor<9x2048x128xf16> {
    ^bb0(%qt: tensor<1x128x128xf16>, %kt: tensor<1x128x64xf16>, %vt: tensor<1x64x128xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x128x128xf16>, tensor<1x128x64xf16>
      %p = mirage_block.exp %s : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x128x64xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x128xf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<1x128x128xf32>
      %d = mirage_block.div %n, %l : tensor<1x128x128xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x128xf32>
    }
    mirage_kernel.yield %o : tensor<9x2048x128xf16>
  } : tensor<9x2048x128xf16>
  return %r : tensor<9x2048x128xf16>
}
