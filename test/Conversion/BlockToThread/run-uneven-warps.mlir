// Blocks whose warps are no power of two: items are shares, which come to warps in turn, and
// values stay in registers all the same. The last round of shares may not be there for all
// warps. Run on the emulator, in order and by a random schedule, against float64.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t/90" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/80" -o /dev/null
// RUN: for name in elements edge columns maxima rows float8 sums shared_sums products three_groups uneven_groups attention causal; do \
// RUN:   mirage-run %t/90/$name --check && mirage-run %t/90/$name --check --schedule=5 && \
// RUN:   mirage-run %t/80/$name --check && mirage-run %t/80/$name --check --schedule=5 || exit 1; \
// RUN: done

// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" -o %t/90.mlir && FileCheck %s --input-file=%t/90.mlir
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize target=sm_80" -o %t/80.mlir && FileCheck %s --input-file=%t/80.mlir --check-prefix=SM80
// RUN: mirage-check-plans %t/90.mlir %t/80.mlir

// 16 items of three warps: no shared memory, as for four.
// CHECK-LABEL: func.func @elements(
// CHECK: mirage_block.graph {{.*}}mirage.shared_bytes = 0 : i64
// CHECK-COUNT-2: mirage_thread.graph items(x = 16) {{.*}}mirage.held
// CHECK: mirage_thread.graph items(x = 16) {{.*}}mirage.bypasses
// SM80-LABEL: func.func @elements(
// SM80: mirage_block.graph {{.*}}mirage.shared_bytes = 0 : i64
func.func @elements(%a: tensor<128x1024xf16>, %b: tensor<128x1024xf16>) -> tensor<128x1024xf16> {
  %e = tensor.empty() : tensor<128x1024xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<128x1024xf16>, tensor<128x1024xf16>) outs(%e : tensor<128x1024xf16>) {
  ^bb0(%ak: tensor<128x1024xf16>, %bk: tensor<128x1024xf16>):
    %o = mirage_block.graph grid(x = 8, y = 4) threads(96) ins(%ak imap(x -> 0, y -> 1), %bk imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<128x1024xf16>, tensor<128x1024xf16>) -> tensor<128x1024xf16> {
    ^bb0(%x: tensor<16x256xf16>, %y: tensor<16x256xf16>):
      %p = mirage_block.exp %x : tensor<16x256xf16>
      %q = mirage_block.add %p, %y : tensor<16x256xf32>, tensor<16x256xf16>
      %u = mirage_block.mul %q, %p : tensor<16x256xf32>, tensor<16x256xf32>
      mirage_block.yield %u : tensor<16x256xf32>
    }
    mirage_kernel.yield %o : tensor<128x1024xf16>
  } : tensor<128x1024xf16>
  return %r : tensor<128x1024xf16>
}

// Tiles that end beyond their tensor, in fragments that overhang them; five warps.
// CHECK-LABEL: func.func @edge(
// CHECK: mirage_block.graph {{.*}}mirage.shared_bytes = 0 : i64
// CHECK: mirage_thread.graph {{.*}}mirage.held
func.func @edge(%a: tensor<50x300xf32>, %b: tensor<50x300xf32>) -> tensor<50x300xf32> {
  %e = tensor.empty() : tensor<50x300xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<50x300xf32>, tensor<50x300xf32>) outs(%e : tensor<50x300xf32>) {
  ^bb0(%ak: tensor<50x300xf32>, %bk: tensor<50x300xf32>):
    %o = mirage_block.graph grid(x = 5, y = 2) threads(160) ins(%ak imap(x -> 0, y -> 1), %bk imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<50x300xf32>, tensor<50x300xf32>) -> tensor<50x300xf32> {
    ^bb0(%x: tensor<11x160xf32>, %y: tensor<11x160xf32>):
      %p = mirage_block.exp %x : tensor<11x160xf32>
      %q = mirage_block.add %p, %y : tensor<11x160xf32>, tensor<11x160xf32>
      %u = mirage_block.mul %q, %p : tensor<11x160xf32>, tensor<11x160xf32>
      mirage_block.yield %u : tensor<11x160xf32>
    }
    mirage_kernel.yield %o : tensor<50x300xf32>
  } : tensor<50x300xf32>
  return %r : tensor<50x300xf32>
}

// Columns that are reduced, and stretched over the tile again; six warps.
func.func @columns(%a: tensor<48x64xf16>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %r = mirage_kernel.graph ins(%a : tensor<48x64xf16>) outs(%e : tensor<48x64xf32>) {
  ^bb0(%ak: tensor<48x64xf16>):
    %o = mirage_block.graph grid() threads(192) ins(%ak imap()) outs(omap()) : (tensor<48x64xf16>) -> tensor<48x64xf32> {
    ^bb0(%x: tensor<48x64xf16>):
      %p = mirage_block.exp %x : tensor<48x64xf16>
      %s = mirage_block.sum %p dims [0] : tensor<48x64xf32>
      %d = mirage_block.div %p, %s : tensor<48x64xf32>, tensor<1x64xf32>
      mirage_block.yield %d : tensor<48x64xf32>
    }
    mirage_kernel.yield %o : tensor<48x64xf32>
  } : tensor<48x64xf32>
  return %r : tensor<48x64xf32>
}

// The largest of a row in twelve parts, all of them negative: zeros beyond the parts count for
// nothing. Nothing but parts is in shared memory.
// CHECK-LABEL: func.func @maxima(
// CHECK: mirage_block.graph {{.*}}mirage.shared_bytes = 128 : i64
// CHECK: mirage_thread.graph items(x = 12) {{.*}}mirage.held
// CHECK: mirage_thread.mask {{.*}} extent 12 value 0xFFF0000000000000
func.func @maxima(%a: tensor<2x1500xf16>) -> tensor<2x1500xf16> {
  %e = tensor.empty() : tensor<2x1500xf16>
  %r = mirage_kernel.graph ins(%a : tensor<2x1500xf16>) outs(%e : tensor<2x1500xf16>) {
  ^bb0(%k: tensor<2x1500xf16>):
    %o = mirage_block.graph grid(x = 2) threads(96) ins(%k imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<2x1500xf16>) -> tensor<2x1500xf16> {
    ^bb0(%x: tensor<1x1500xf16>):
      %p = mirage_block.exp %x : tensor<1x1500xf16>
      %n = mirage_block.scale %p by -1.0 : tensor<1x1500xf32>
      %m = mirage_block.max %n dims [1] : tensor<1x1500xf32>
      %d = mirage_block.add %n, %m : tensor<1x1500xf32>, tensor<1x1xf32>
      mirage_block.yield %d : tensor<1x1500xf32>
    }
    mirage_kernel.yield %o : tensor<2x1500xf16>
  } : tensor<2x1500xf16>
  return %r : tensor<2x1500xf16>
}

// Several short rows, of which each warp has whole ones: no shared memory.
// CHECK-LABEL: func.func @rows(
// CHECK: mirage_block.graph {{.*}}mirage.shared_bytes = 0 : i64
// SM80-LABEL: func.func @rows(
// SM80: mirage_block.graph {{.*}}mirage.shared_bytes = 0 : i64
func.func @rows(%a: tensor<40x128xf16>) -> tensor<40x128xf16> {
  %e = tensor.empty() : tensor<40x128xf16>
  %r = mirage_kernel.graph ins(%a : tensor<40x128xf16>) outs(%e : tensor<40x128xf16>) {
  ^bb0(%k: tensor<40x128xf16>):
    %o = mirage_block.graph grid(x = 2) threads(224) ins(%k imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<40x128xf16>) -> tensor<40x128xf16> {
    ^bb0(%x: tensor<20x128xf16>):
      %m = mirage_block.max %x dims [1] : tensor<20x128xf16>
      %c = mirage_block.sub %x, %m : tensor<20x128xf16>, tensor<20x1xf32>
      %p = mirage_block.exp %c : tensor<20x128xf32>
      %s = mirage_block.sum %p dims [1] : tensor<20x128xf32>
      %d = mirage_block.div %p, %s : tensor<20x128xf32>, tensor<20x1xf32>
      mirage_block.yield %d : tensor<20x128xf32>
    }
    mirage_kernel.yield %o : tensor<40x128xf16>
  } : tensor<40x128xf16>
  return %r : tensor<40x128xf16>
}

// What is loaded once and held has 8 bits; the last share's registers are zeros of that type.
// CHECK-LABEL: func.func @float8(
// CHECK: mirage_thread.graph {{.*}}mirage.held
func.func @float8(%a: tensor<16x256xf8E4M3FN>) -> tensor<16x256xf32> {
  %e = tensor.empty() : tensor<16x256xf32>
  %r = mirage_kernel.graph ins(%a : tensor<16x256xf8E4M3FN>) outs(%e : tensor<16x256xf32>) {
  ^bb0(%k: tensor<16x256xf8E4M3FN>):
    %o = mirage_block.graph grid() threads(96) ins(%k imap()) outs(omap()) : (tensor<16x256xf8E4M3FN>) -> tensor<16x256xf32> {
    ^bb0(%x: tensor<16x256xf8E4M3FN>):
      %p = mirage_block.exp %x : tensor<16x256xf8E4M3FN>
      %q = mirage_block.add %p, %x : tensor<16x256xf32>, tensor<16x256xf8E4M3FN>
      %u = mirage_block.mul %q, %p : tensor<16x256xf32>, tensor<16x256xf32>
      mirage_block.yield %u : tensor<16x256xf32>
    }
    mirage_kernel.yield %o : tensor<16x256xf32>
  } : tensor<16x256xf32>
  return %r : tensor<16x256xf32>
}

// Elements that a loop adds up, and their largest ones, in registers of seven warps.
// CHECK-LABEL: func.func @sums(
// CHECK-COUNT-2: mirage.held
// CHECK: mirage_block.yield
func.func @sums(%a: tensor<16x1024xf32>) -> (tensor<16x128xf32>, tensor<16x128xf32>) {
  %e0 = tensor.empty() : tensor<16x128xf32>
  %e1 = tensor.empty() : tensor<16x128xf32>
  %r:2 = mirage_kernel.graph ins(%a : tensor<16x1024xf32>) outs(%e0, %e1 : tensor<16x128xf32>, tensor<16x128xf32>) {
  ^bb0(%k: tensor<16x1024xf32>):
    %o:2 = mirage_block.graph grid() threads(224) loop(8) ins(%k imap() fmap(1)) outs(omap(), omap())
        : (tensor<16x1024xf32>) -> (tensor<16x128xf32>, tensor<16x128xf32>) {
    ^bb0(%x: tensor<16x128xf32>):
      %s = mirage_block.accumulate %x over loop sum : tensor<16x128xf32>
      %t = mirage_block.tanh %x : tensor<16x128xf32>
      %m = mirage_block.accumulate %t over loop max : tensor<16x128xf32>
      mirage_block.yield %s, %m : tensor<16x128xf32>, tensor<16x128xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<16x128xf32>, tensor<16x128xf32>
  } : tensor<16x128xf32>, tensor<16x128xf32>
  return %r#0, %r#1 : tensor<16x128xf32>, tensor<16x128xf32>
}

// A product of 16 rows and columns is for one warp; of six each adds up a part of k. Of eleven
// steps in six parts five have two, and the sixth one.
// CHECK-LABEL: func.func @shared_sums(
// CHECK: mirage_thread.graph items(x = 6) {{.*}}mirage.held
// CHECK: mirage_block.accumulate {{.*}} over loop sum {{.*}} tensor<6x16x32xf32>
func.func @shared_sums(%a: tensor<16x704xf16>, %w: tensor<704x32xf16>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<16x32xf32>
  %r = mirage_kernel.graph ins(%a, %w : tensor<16x704xf16>, tensor<704x32xf16>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%ak: tensor<16x704xf16>, %wk: tensor<704x32xf16>):
    %o = mirage_block.graph grid() threads(192) loop(4) stages(2) ins(%ak imap() fmap(1), %wk imap() fmap(0)) outs(omap())
        : (tensor<16x704xf16>, tensor<704x32xf16>) -> tensor<16x32xf32> {
    ^bb0(%x: tensor<16x176xf16>, %y: tensor<176x32xf16>):
      %p = mirage_block.matmul %x, %y : tensor<16x176xf16>, tensor<176x32xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<16x32xf32>
      mirage_block.yield %s : tensor<16x32xf32>
    }
    mirage_kernel.yield %o : tensor<16x32xf32>
  } : tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

// 8 by 4 fragments, of which twelve warps hold two or three each; not one place of 64 KiB for
// the sum's parts.
// CHECK-LABEL: func.func @products(
// CHECK: mirage_thread.graph items(x = 8, y = 4) {{.*}}mirage.held
// SM80-LABEL: func.func @products(
// SM80: mirage_thread.graph items(x = 8, y = 4) {{.*}}mirage.held
func.func @products(%a: tensor<256x256xf16>, %w: tensor<256x256xf16>) -> tensor<256x256xf16> {
  %e = tensor.empty() : tensor<256x256xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<256x256xf16>, tensor<256x256xf16>) outs(%e : tensor<256x256xf16>) {
  ^bb0(%ak: tensor<256x256xf16>, %wk: tensor<256x256xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2) threads(384) loop(4) stages(2) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<256x256xf16>, tensor<256x256xf16>) -> tensor<256x256xf16> {
    ^bb0(%x: tensor<128x64xf16>, %y: tensor<64x128xf16>):
      %p = mirage_block.matmul %x, %y : tensor<128x64xf16>, tensor<64x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<256x256xf16>
  } : tensor<256x256xf16>
  return %r : tensor<256x256xf16>
}

// 192 rows are 64 for each of three warpgroups, which hold their sums: 272 KiB less.
// CHECK-LABEL: func.func @three_groups(
// CHECK: mirage_thread.graph items(x = 12) {{.*}}mirage.held
// CHECK: mirage_thread.wgmma
// SM80-LABEL: func.func @three_groups(
// SM80: mirage_thread.graph items(x = 12) {{.*}}mirage.held
// SM80: mirage_thread.mma
func.func @three_groups(%a: tensor<192x256xf16>, %w: tensor<256x256xf16>) -> tensor<192x256xf16> {
  %e = tensor.empty() : tensor<192x256xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<192x256xf16>, tensor<256x256xf16>) outs(%e : tensor<192x256xf16>) {
  ^bb0(%ak: tensor<192x256xf16>, %wk: tensor<256x256xf16>):
    %o = mirage_block.graph grid(x = 1, y = 2) threads(384) loop(4) stages(2) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<192x256xf16>, tensor<256x256xf16>) -> tensor<192x256xf16> {
    ^bb0(%x: tensor<192x64xf16>, %y: tensor<64x128xf16>):
      %p = mirage_block.matmul %x, %y : tensor<192x64xf16>, tensor<64x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<192x128xf32>
      mirage_block.yield %s : tensor<192x128xf32>
    }
    mirage_kernel.yield %o : tensor<192x256xf16>
  } : tensor<192x256xf16>
  return %r : tensor<192x256xf16>
}

// 256 rows are 64 for each of three warpgroups, and 64 more for the first.
// CHECK-LABEL: func.func @uneven_groups(
// CHECK: mirage_thread.graph items(x = 16) {{.*}}mirage.held
// CHECK: mirage_thread.wgmma
func.func @uneven_groups(%a: tensor<256x256xf16>, %w: tensor<256x256xf16>) -> tensor<256x256xf16> {
  %e = tensor.empty() : tensor<256x256xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<256x256xf16>, tensor<256x256xf16>) outs(%e : tensor<256x256xf16>) {
  ^bb0(%ak: tensor<256x256xf16>, %wk: tensor<256x256xf16>):
    %o = mirage_block.graph grid(x = 1, y = 4) threads(384) loop(4) stages(2) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<256x256xf16>, tensor<256x256xf16>) -> tensor<256x256xf16> {
    ^bb0(%x: tensor<256x64xf16>, %y: tensor<64x64xf16>):
      %p = mirage_block.matmul %x, %y : tensor<256x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<256x64xf32>
      mirage_block.yield %s : tensor<256x64xf32>
    }
    mirage_kernel.yield %o : tensor<256x256xf16>
  } : tensor<256x256xf16>
  return %r : tensor<256x256xf16>
}

// Four times 16 rows of three warps: the first has a second share, which others pass over with
// all that is done to it. The last keys are beyond the end.
// CHECK-LABEL: func.func @attention(
// CHECK: mirage_thread.graph items(x = 4) {{.*}}mirage.held{{.*}} -> tensor<64x64xf32>
// CHECK: mirage_block.mask {{.*}}mirage.held
// CHECK: mirage_thread.graph items(x = 4) {{.*}}mirage.held{{.*}} -> tensor<64x1xf32>
// CHECK: mirage_thread.graph items(x = 4) {{.*}}mirage.held{{.*}} -> tensor<64x32xf32>
// SM80-LABEL: func.func @attention(
// SM80: mirage_block.mask {{.*}}mirage.held
func.func @attention(%q: tensor<64x32xf16>, %k: tensor<32x200xf16>, %v: tensor<200x32xf16>) -> tensor<64x32xf16> {
  %e = tensor.empty() : tensor<64x32xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<64x32xf16>, tensor<32x200xf16>, tensor<200x32xf16>) outs(%e : tensor<64x32xf16>) {
  ^bb0(%qk: tensor<64x32xf16>, %kk: tensor<32x200xf16>, %vk: tensor<200x32xf16>):
    %o = mirage_block.graph grid() threads(96) loop(4) stages(2) ins(%qk imap(), %kk imap() fmap(1), %vk imap() fmap(0)) outs(omap())
        : (tensor<64x32xf16>, tensor<32x200xf16>, tensor<200x32xf16>) -> tensor<64x32xf16> {
    ^bb0(%qt: tensor<64x32xf16>, %kt: tensor<32x64xf16>, %vt: tensor<64x32xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<64x32xf16>, tensor<32x64xf16>
      %b = mirage_block.mask %s dims [1] axes ["loop"] extent 200 value 0xFFF0000000000000 : tensor<64x64xf32>
      %m = mirage_block.max %b dims [1] : tensor<64x64xf32>
      %c = mirage_block.sub %b, %m : tensor<64x64xf32>, tensor<64x1xf32>
      %p = mirage_block.exp %c : tensor<64x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [1] rescale by %m : tensor<64x64xf32>, tensor<64x1xf32>
      %h = mirage_block.cast %p : (tensor<64x64xf32>) -> tensor<64x64xf16>
      %t = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x32xf16>
      %n = mirage_block.accumulate %t over loop sum rescale by %m : tensor<64x32xf32>, tensor<64x1xf32>
      %d = mirage_block.div %n, %l : tensor<64x32xf32>, tensor<64x1xf32>
      mirage_block.yield %d : tensor<64x32xf32>
    }
    mirage_kernel.yield %o : tensor<64x32xf16>
  } : tensor<64x32xf16>
  return %r : tensor<64x32xf16>
}

// Three warpgroups with 64 rows each, and products that run beside other steps.
// CHECK-LABEL: func.func @causal(
// CHECK: mirage_thread.graph items(x = 12) {{.*}}mirage.held
// CHECK: mirage_thread.wgmma
// CHECK: mirage_block.causal_mask {{.*}}mirage.held
// CHECK: mirage_thread.wgmma
// SM80-LABEL: func.func @causal(
// SM80: mirage_block.causal_mask {{.*}}mirage.held
func.func @causal(%q: tensor<384x64xf16>, %k: tensor<64x384xf16>, %v: tensor<384x64xf16>) -> tensor<384x64xf16> {
  %e = tensor.empty() : tensor<384x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<384x64xf16>, tensor<64x384xf16>, tensor<384x64xf16>) outs(%e : tensor<384x64xf16>) {
  ^bb0(%qk: tensor<384x64xf16>, %kk: tensor<64x384xf16>, %vk: tensor<384x64xf16>):
    %o = mirage_block.graph grid(x = 2) threads(384) loop(6) stages(4) ins(%qk imap(x -> 0), %kk imap() fmap(1), %vk imap() fmap(0)) outs(omap(x -> 0))
        : (tensor<384x64xf16>, tensor<64x384xf16>, tensor<384x64xf16>) -> tensor<384x64xf16> {
    ^bb0(%qt: tensor<192x64xf16>, %kt: tensor<64x64xf16>, %vt: tensor<64x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<192x64xf16>, tensor<64x64xf16>
      %b = mirage_block.causal_mask %s offset 0 rows ["x"] columns ["loop"] : tensor<192x64xf32>
      %m = mirage_block.max %b dims [1] : tensor<192x64xf32>
      %c = mirage_block.sub %b, %m : tensor<192x64xf32>, tensor<192x1xf32>
      %p = mirage_block.exp %c : tensor<192x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [1] rescale by %m : tensor<192x64xf32>, tensor<192x1xf32>
      %h = mirage_block.cast %p : (tensor<192x64xf32>) -> tensor<192x64xf16>
      %t = mirage_block.matmul %h, %vt : tensor<192x64xf16>, tensor<64x64xf16>
      %n = mirage_block.accumulate %t over loop sum rescale by %m : tensor<192x64xf32>, tensor<192x1xf32>
      %d = mirage_block.div %n, %l : tensor<192x64xf32>, tensor<192x1xf32>
      mirage_block.yield %d : tensor<192x64xf32>
    }
    mirage_kernel.yield %o : tensor<384x64xf16>
  } : tensor<384x64xf16>
  return %r : tensor<384x64xf16>
}
