// Fused steps and shared sums at sizes that nothing divides, run on the emulator, in order and
// by a random schedule, against float64; for sm_80 as well.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t/90" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/80" -o /dev/null
// RUN: for name in odd_depth odd_columns batches vector column narrow stretched float8 held windows three_products; do \
// RUN:   mirage-run %t/90/$name --check && mirage-run %t/90/$name --check --schedule=5 && \
// RUN:   mirage-run %t/80/$name --check || exit 1; \
// RUN: done

// Parts of sums take no more shared memory than the tiles of the loop, which fit.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize target=sm_89" -o /dev/null

// And these are shared, fused or held, so that this is what was run.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" | FileCheck %s

// Five steps of 16 for eight warps: four share two items of eight columns.
// CHECK-LABEL: func.func @odd_depth(
// CHECK: mirage_thread.graph items(x = 4, y = 2) steps(2) {{.*}}mirage.held
func.func @odd_depth(%a: tensor<16x240xf16>, %b: tensor<240x16xf16>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<16x240xf16>, tensor<240x16xf16>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%ka: tensor<16x240xf16>, %kb: tensor<240x16xf16>):
    %o = mirage_block.graph grid() threads(256) loop(3) ins(%ka imap() fmap(1), %kb imap() fmap(0)) outs(omap())
        : (tensor<16x240xf16>, tensor<240x16xf16>) -> tensor<16x16xf32> {
    ^bb0(%x: tensor<16x80xf16>, %y: tensor<80x16xf16>):
      %p = mirage_block.matmul %x, %y : tensor<16x80xf16>, tensor<80x16xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<16x16xf32>
      mirage_block.yield %s : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// CHECK-LABEL: func.func @odd_columns(
// CHECK: mirage_thread.graph items(x = 4, y = 2) steps(2) {{.*}}mirage.held
func.func @odd_columns(%a: tensor<8x336xf16>, %b: tensor<336x20xf16>) -> tensor<8x20xf32> {
  %e = tensor.empty() : tensor<8x20xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<8x336xf16>, tensor<336x20xf16>) outs(%e : tensor<8x20xf32>) {
  ^bb0(%ka: tensor<8x336xf16>, %kb: tensor<336x20xf16>):
    %o = mirage_block.graph grid() threads(256) loop(3) stages(3) ins(%ka imap() fmap(1), %kb imap() fmap(0)) outs(omap())
        : (tensor<8x336xf16>, tensor<336x20xf16>) -> tensor<8x20xf32> {
    ^bb0(%x: tensor<8x112xf16>, %y: tensor<112x20xf16>):
      %p = mirage_block.matmul %x, %y : tensor<8x112xf16>, tensor<112x20xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<8x20xf32>
      mirage_block.yield %s : tensor<8x20xf32>
    }
    mirage_kernel.yield %o : tensor<8x20xf32>
  } : tensor<8x20xf32>
  return %r : tensor<8x20xf32>
}

// CHECK-LABEL: func.func @batches(
// CHECK: mirage.held
func.func @batches(%a: tensor<2x8x240xf16>, %b: tensor<2x240x20xf16>, %c: tensor<20xf32>) -> (tensor<2x8x20xf32>, tensor<2x1x20xf32>, tensor<1x8x1xf32>) {
  %e0 = tensor.empty() : tensor<2x8x20xf32>
  %e1 = tensor.empty() : tensor<2x1x20xf32>
  %e2 = tensor.empty() : tensor<1x8x1xf32>
  %r:3 = mirage_kernel.graph ins(%a, %b, %c : tensor<2x8x240xf16>, tensor<2x240x20xf16>, tensor<20xf32>) outs(%e0, %e1, %e2 : tensor<2x8x20xf32>, tensor<2x1x20xf32>, tensor<1x8x1xf32>) {
  ^bb0(%ka: tensor<2x8x240xf16>, %kb: tensor<2x240x20xf16>, %kc: tensor<20xf32>):
    %o:3 = mirage_block.graph grid() threads(512) loop(3) ins(%ka imap() fmap(2), %kb imap() fmap(1), %kc imap()) outs(omap(), omap(), omap())
        : (tensor<2x8x240xf16>, tensor<2x240x20xf16>, tensor<20xf32>) -> (tensor<2x8x20xf32>, tensor<2x1x20xf32>, tensor<1x8x1xf32>) {
    ^bb0(%x: tensor<2x8x80xf16>, %y: tensor<2x80x20xf16>, %z: tensor<20xf32>):
      %p = mirage_block.matmul %x, %y : tensor<2x8x80xf16>, tensor<2x80x20xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<2x8x20xf32>
      %s1 = mirage_block.add %s, %z : tensor<2x8x20xf32>, tensor<20xf32>
      %x1 = mirage_block.exp %y : tensor<2x80x20xf16>
      %x2 = mirage_block.add %x1, %z : tensor<2x80x20xf32>, tensor<20xf32>
      %q = mirage_block.sum %x2 dims [1] : tensor<2x80x20xf32>
      %q1 = mirage_block.accumulate %q over loop sum : tensor<2x1x20xf32>
      %y1 = mirage_block.sigmoid %x : tensor<2x8x80xf16>
      %y2 = mirage_block.sum %y1 dims [0, 2] : tensor<2x8x80xf32>
      %y3 = mirage_block.accumulate %y2 over loop sum : tensor<1x8x1xf32>
      mirage_block.yield %s1, %q1, %y3 : tensor<2x8x20xf32>, tensor<2x1x20xf32>, tensor<1x8x1xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2 : tensor<2x8x20xf32>, tensor<2x1x20xf32>, tensor<1x8x1xf32>
  } : tensor<2x8x20xf32>, tensor<2x1x20xf32>, tensor<1x8x1xf32>
  return %r#0, %r#1, %r#2 : tensor<2x8x20xf32>, tensor<2x1x20xf32>, tensor<1x8x1xf32>
}

// One row, whose fragment has sixteen, and two operations behind its product.
// CHECK-LABEL: func.func @vector(
// CHECK: mirage_thread.mma
// CHECK: mirage_thread.tanh
// CHECK: mirage_thread.add
// CHECK-NOT: mirage_thread.graph
// CHECK: return
func.func @vector(%a: tensor<1x50xf16>, %b: tensor<50x24xf16>, %c: tensor<24xf32>) -> tensor<1x24xf32> {
  %e = tensor.empty() : tensor<1x24xf32>
  %r = mirage_kernel.graph ins(%a, %b, %c : tensor<1x50xf16>, tensor<50x24xf16>, tensor<24xf32>) outs(%e : tensor<1x24xf32>) {
  ^bb0(%ka: tensor<1x50xf16>, %kb: tensor<50x24xf16>, %kc: tensor<24xf32>):
    %o = mirage_block.graph grid() threads(64) ins(%ka imap(), %kb imap(), %kc imap()) outs(omap())
        : (tensor<1x50xf16>, tensor<50x24xf16>, tensor<24xf32>) -> tensor<1x24xf32> {
    ^bb0(%x: tensor<1x50xf16>, %y: tensor<50x24xf16>, %z: tensor<24xf32>):
      %p = mirage_block.matmul %x, %y : tensor<1x50xf16>, tensor<50x24xf16>
      %t = mirage_block.tanh %p : tensor<1x24xf32>
      %s = mirage_block.add %t, %z : tensor<1x24xf32>, tensor<24xf32>
      mirage_block.yield %s : tensor<1x24xf32>
    }
    mirage_kernel.yield %o : tensor<1x24xf32>
  } : tensor<1x24xf32>
  return %r : tensor<1x24xf32>
}

// CHECK-LABEL: func.func @column(
// CHECK: mirage_thread.mma
// CHECK: mirage_thread.neg
// CHECK-NOT: mirage_thread.graph
// CHECK: return
func.func @column(%a: tensor<9x50xf16>, %b: tensor<50x1xf16>) -> tensor<9x1xf32> {
  %e = tensor.empty() : tensor<9x1xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<9x50xf16>, tensor<50x1xf16>) outs(%e : tensor<9x1xf32>) {
  ^bb0(%ka: tensor<9x50xf16>, %kb: tensor<50x1xf16>):
    %o = mirage_block.graph grid() threads(32) ins(%ka imap(), %kb imap()) outs(omap())
        : (tensor<9x50xf16>, tensor<50x1xf16>) -> tensor<9x1xf32> {
    ^bb0(%x: tensor<9x50xf16>, %y: tensor<50x1xf16>):
      %p = mirage_block.matmul %x, %y : tensor<9x50xf16>, tensor<50x1xf16>
      %t = mirage_block.tanh %p : tensor<9x1xf32>
      %n = mirage_block.neg %t : tensor<9x1xf32>
      mirage_block.yield %n : tensor<9x1xf32>
    }
    mirage_kernel.yield %o : tensor<9x1xf32>
  } : tensor<9x1xf32>
  return %r : tensor<9x1xf32>
}

// Three items of one warp, of whose lanes few store: a product stays with all of them.
// CHECK-LABEL: func.func @narrow(
// CHECK: mirage_thread.graph items(x = 3) {{.*}}tensor<48x4xf32> {
// CHECK: mirage_thread.mma
func.func @narrow(%a: tensor<48x4xf16>, %b: tensor<4x4xf16>) -> tensor<48x4xf32> {
  %e = tensor.empty() : tensor<48x4xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<48x4xf16>, tensor<4x4xf16>) outs(%e : tensor<48x4xf32>) {
  ^bb0(%ka: tensor<48x4xf16>, %kb: tensor<4x4xf16>):
    %o = mirage_block.graph grid() threads(32) loop(4) ins(%ka imap() fmap(1), %kb imap() fmap(0)) outs(omap())
        : (tensor<48x4xf16>, tensor<4x4xf16>) -> tensor<48x4xf32> {
    ^bb0(%x: tensor<48x1xf16>, %y: tensor<1x4xf16>):
      %p = mirage_block.matmul %x, %y : tensor<48x1xf16>, tensor<1x4xf16>
      %s = mirage_block.accumulate %p over loop variance : tensor<48x4xf32>
      mirage_block.yield %s : tensor<48x4xf32>
    }
    mirage_kernel.yield %o : tensor<48x4xf32>
  } : tensor<48x4xf32>
  return %r : tensor<48x4xf32>
}

// A column that is stretched along what is summed.
// CHECK-LABEL: func.func @stretched(
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.graph
// CHECK: return
func.func @stretched(%a: tensor<7x1xf32>, %b: tensor<1x600xf32>) -> tensor<7x1xf32> {
  %e = tensor.empty() : tensor<7x1xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<7x1xf32>, tensor<1x600xf32>) outs(%e : tensor<7x1xf32>) {
  ^bb0(%ka: tensor<7x1xf32>, %kb: tensor<1x600xf32>):
    %o = mirage_block.graph grid() threads(64) ins(%ka imap(), %kb imap()) outs(omap())
        : (tensor<7x1xf32>, tensor<1x600xf32>) -> tensor<7x1xf32> {
    ^bb0(%x: tensor<7x1xf32>, %y: tensor<1x600xf32>):
      %p = mirage_block.mul %x, %y : tensor<7x1xf32>, tensor<1x600xf32>
      %q = mirage_block.exp %p : tensor<7x600xf32>
      %s = mirage_block.sum %q dims [1] : tensor<7x600xf32>
      mirage_block.yield %s : tensor<7x1xf32>
    }
    mirage_kernel.yield %o : tensor<7x1xf32>
  } : tensor<7x1xf32>
  return %r : tensor<7x1xf32>
}

// What lies beyond the tile is minus infinity, which e4m3 has not.
// CHECK-LABEL: func.func @float8(
// CHECK: mirage_thread.mask {{.*}} value 0xFFF0000000000000
func.func @float8(%a: tensor<5x50xf8E4M3FN>) -> tensor<5x1xf32> {
  %e = tensor.empty() : tensor<5x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<5x50xf8E4M3FN>) outs(%e : tensor<5x1xf32>) {
  ^bb0(%ka: tensor<5x50xf8E4M3FN>):
    %o = mirage_block.graph grid() threads(32) ins(%ka imap()) outs(omap())
        : (tensor<5x50xf8E4M3FN>) -> tensor<5x1xf32> {
    ^bb0(%x: tensor<5x50xf8E4M3FN>):
      %m = mirage_block.max %x dims [1] : tensor<5x50xf8E4M3FN>
      mirage_block.yield %m : tensor<5x1xf32>
    }
    mirage_kernel.yield %o : tensor<5x1xf32>
  } : tensor<5x1xf32>
  return %r : tensor<5x1xf32>
}

// By hand: a sum that is read in registers behind the loop.
// CHECK-LABEL: func.func @held(
// CHECK: mirage_block.accumulate {{.*}} {mirage.held, mirage.offsets = array<i64: -1>
func.func @held(%a: tensor<16x256xf32>) -> tensor<16x1xf32> {
  %e = tensor.empty() : tensor<16x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<16x256xf32>) outs(%e : tensor<16x1xf32>) {
  ^bb0(%ka: tensor<16x256xf32>):
    %o = mirage_block.graph grid() threads(128) loop(4) ins(%ka imap() fmap(1)) outs(omap())
        : (tensor<16x256xf32>) -> tensor<16x1xf32> {
    ^bb0(%x: tensor<16x64xf32>):
      %p = mirage_block.exp %x : tensor<16x64xf32>
      %s = mirage_block.accumulate %p over loop sum {mirage.held} : tensor<16x64xf32>
      %q = mirage_block.sum %s dims [1] : tensor<16x64xf32>
      mirage_block.yield %q : tensor<16x1xf32>
    }
    mirage_kernel.yield %o : tensor<16x1xf32>
  } : tensor<16x1xf32>
  return %r : tensor<16x1xf32>
}

// By hand: rows that two warps hold, and read a quarter at a time.
// CHECK-LABEL: func.func @windows(
// CHECK: mirage_thread.graph items(x = 2) steps(4)
func.func @windows(%a: tensor<16x64xf32>) -> tensor<16x1xf32> {
  %e = tensor.empty() : tensor<16x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<16x64xf32>) outs(%e : tensor<16x1xf32>) {
  ^bb0(%ka: tensor<16x64xf32>):
    %o = mirage_block.graph grid() threads(64) ins(%ka imap()) outs(omap()) : (tensor<16x64xf32>) -> tensor<16x1xf32> {
    ^bb0(%x: tensor<16x64xf32>):
      %p = mirage_thread.graph items(x = 2) ins(%x imap(x -> 0)) outs(omap(x -> 0)) {mirage.held} : (tensor<16x64xf32>) -> tensor<16x64xf32> {
      ^bb0(%w: tensor<8x64xf32>):
        %f = mirage_thread.load %w : (tensor<8x64xf32>) -> tensor<8x64xf32, #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>>
        %g = mirage_thread.exp %f : (tensor<8x64xf32, #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>>) -> tensor<8x64xf32, #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>>
        %v = mirage_thread.store %g : (tensor<8x64xf32, #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>>) -> tensor<8x64xf32>
        mirage_thread.yield %v : tensor<8x64xf32>
      }
      %q = mirage_thread.graph items(x = 2) steps(4) ins(%p imap(x -> 0) fmap(1)) outs(omap(x -> 0)) : (tensor<16x64xf32>) -> tensor<16x1xf32> {
      ^bb0(%w: tensor<8x16xf32>):
        %f = mirage_thread.load %w : (tensor<8x16xf32>) -> tensor<8x16xf32, #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>>
        %s = mirage_thread.accumulate %f over loop sum dims [1] : (tensor<8x16xf32, #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>>) -> tensor<8x1xf32, #mirage_thread.layout<register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>>
        %v = mirage_thread.store %s : (tensor<8x1xf32, #mirage_thread.layout<register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>>) -> tensor<8x1xf32>
        mirage_thread.yield %v : tensor<8x1xf32>
      }
      mirage_block.yield %q : tensor<16x1xf32>
    }
    mirage_kernel.yield %o : tensor<16x1xf32>
  } : tensor<16x1xf32>
  return %r : tensor<16x1xf32>
}

// Sixteen parts of each product would be 96 KiB, where a block of sm_89 has 99 and the sums lie there too.
func.func @three_products(%a: tensor<16x1024xf16>, %b0: tensor<1024x32xf16>, %b1: tensor<1024x32xf16>, %b2: tensor<1024x32xf16>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<16x32xf32>
  %r = mirage_kernel.graph ins(%a, %b0, %b1, %b2 : tensor<16x1024xf16>, tensor<1024x32xf16>, tensor<1024x32xf16>, tensor<1024x32xf16>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%xa: tensor<16x1024xf16>, %xb0: tensor<1024x32xf16>, %xb1: tensor<1024x32xf16>, %xb2: tensor<1024x32xf16>):
    %o = mirage_block.graph grid() threads(512) loop(4) ins(%xa imap() fmap(1), %xb0 imap() fmap(0), %xb1 imap() fmap(0), %xb2 imap() fmap(0)) outs(omap())
      : (tensor<16x1024xf16>, tensor<1024x32xf16>, tensor<1024x32xf16>, tensor<1024x32xf16>) -> tensor<16x32xf32> {
    ^bb0(%t: tensor<16x256xf16>, %u0: tensor<256x32xf16>, %u1: tensor<256x32xf16>, %u2: tensor<256x32xf16>):
      %m0 = mirage_block.matmul %t, %u0 : tensor<16x256xf16>, tensor<256x32xf16>
      %m1 = mirage_block.matmul %t, %u1 : tensor<16x256xf16>, tensor<256x32xf16>
      %m2 = mirage_block.matmul %t, %u2 : tensor<16x256xf16>, tensor<256x32xf16>
      %s0 = mirage_block.accumulate %m0 over loop sum : tensor<16x32xf32>
      %s1 = mirage_block.accumulate %m1 over loop sum : tensor<16x32xf32>
      %s2 = mirage_block.accumulate %m2 over loop sum : tensor<16x32xf32>
      %z1 = mirage_block.add %s0, %s1 : tensor<16x32xf32>, tensor<16x32xf32>
      %z2 = mirage_block.add %z1, %s2 : tensor<16x32xf32>, tensor<16x32xf32>
      mirage_block.yield %z2 : tensor<16x32xf32>
    }
    mirage_kernel.yield %o : tensor<16x32xf32>
  } : tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}
