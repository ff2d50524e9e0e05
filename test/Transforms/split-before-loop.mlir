// Joins before a loop that reads the result, each with something more to go wrong: see
// split-grid-joins.mlir for the form of what comes out.
// RUN: mirage-opt %s --mirage-split-grid-joins --verify-each -o %t.mlir && FileCheck %s < %t.mlir
// RUN: mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// RUN: mirage-opt %s --mirage-compile="from=optimize ptxas=never artifact=%t" -o /dev/null
// RUN: for name in nested rescaled yield_joined masks causal cluster summed loop1 xyz wide dead; do \
// RUN:   mirage-run %t/$name --device=emulator --check || exit 1; \
// RUN: done
// JUDGED-DAG: @nested: equal
// JUDGED-DAG: @rescaled: equal
// JUDGED-DAG: @yield_joined: equal
// JUDGED-DAG: @masks: equal
// JUDGED-DAG: @causal: equal
// JUDGED-DAG: @cluster: equal
// JUDGED-DAG: @summed: equal
// JUDGED-DAG: @loop1: equal
// JUDGED-DAG: @xyz: equal
// JUDGED-DAG: @wide: equal
// JUDGED-DAG: @dead: equal
// No join is left.
// CHECK-NOT: over x
// CHECK-NOT: over y
// CHECK-NOT: over z

// Along one axis, twice, and then along another.
func.func @nested(%x: tensor<8x24xf32>, %w: tensor<8x32xf32>) -> tensor<8x8xf32> {
  %e0 = tensor.empty() : tensor<8x8xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x24xf32>, tensor<8x32xf32>) outs(%e0 : tensor<8x8xf32>) {
  ^bb0(%kx: tensor<8x24xf32>, %kw: tensor<8x32xf32>):
    %o = mirage_block.graph grid(x = 2, y = 3) threads(32) loop(4) ins(%kx imap(x -> 0, y -> 1), %kw imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<8x24xf32>, tensor<8x32xf32>) -> tensor<8x8xf32> {
    ^bb0(%t: tensor<4x8xf32>, %u: tensor<4x8xf32>):
      %s = mirage_block.accumulate %t over y sum dims [1] : tensor<4x8xf32>
      %q = mirage_block.mul %t, %s : tensor<4x8xf32>, tensor<4x1xf32>
      %s2 = mirage_block.accumulate %q over y max : tensor<4x8xf32>
      %s3 = mirage_block.accumulate %s2 over x sum : tensor<4x8xf32>
      %z = mirage_block.mul %u, %s3 : tensor<4x8xf32>, tensor<4x8xf32>
      %l = mirage_block.accumulate %z over loop sum : tensor<4x8xf32>
      mirage_block.yield %l : tensor<4x8xf32>
    }
    mirage_kernel.yield %o : tensor<8x8xf32>
  } : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// Parts that are relative to maxima of their own.
func.func @rescaled(%x: tensor<8x24xf32>, %w: tensor<8x32xf32>) -> tensor<8x8xf32> {
  %e0 = tensor.empty() : tensor<8x8xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x24xf32>, tensor<8x32xf32>) outs(%e0 : tensor<8x8xf32>) {
  ^bb0(%kx: tensor<8x24xf32>, %kw: tensor<8x32xf32>):
    %o = mirage_block.graph grid(x = 2, y = 3) threads(32) loop(4) ins(%kx imap(x -> 0, y -> 1), %kw imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<8x24xf32>, tensor<8x32xf32>) -> tensor<8x8xf32> {
    ^bb0(%t: tensor<4x8xf32>, %u: tensor<4x8xf32>):
      %m = mirage_block.max %t dims [1] : tensor<4x8xf32>
      %d = mirage_block.sub %t, %m : tensor<4x8xf32>, tensor<4x1xf32>
      %p = mirage_block.exp %d : tensor<4x8xf32>
      %s = mirage_block.accumulate %p over y sum dims [1] rescale by %m : tensor<4x8xf32>, tensor<4x1xf32>
      %gm = mirage_block.accumulate %m over y max : tensor<4x1xf32>
      %z0 = mirage_block.sub %u, %gm : tensor<4x8xf32>, tensor<4x1xf32>
      %z = mirage_block.div %z0, %s : tensor<4x8xf32>, tensor<4x1xf32>
      %l = mirage_block.accumulate %z over loop sum : tensor<4x8xf32>
      mirage_block.yield %l : tensor<4x8xf32>
    }
    mirage_kernel.yield %o : tensor<8x8xf32>
  } : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// What is joined is read by the loop, behind it, behind another join, and is a result.
func.func @yield_joined(%x: tensor<8x24xf32>, %w: tensor<8x32xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>) {
  %e0 = tensor.empty() : tensor<8x8xf32>
  %e1 = tensor.empty() : tensor<8x8xf32>
  %e2 = tensor.empty() : tensor<8x1xf32>
  %r:3 = mirage_kernel.graph ins(%x, %w : tensor<8x24xf32>, tensor<8x32xf32>) outs(%e0, %e1, %e2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>) {
  ^bb0(%kx: tensor<8x24xf32>, %kw: tensor<8x32xf32>):
    %o:3 = mirage_block.graph grid(x = 2, y = 3) threads(32) loop(4) ins(%kx imap(x -> 0, y -> 1), %kw imap(x -> 0) fmap(1)) outs(omap(x -> 0), omap(x -> 0), omap(x -> 0))
        : (tensor<8x24xf32>, tensor<8x32xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>) {
    ^bb0(%t: tensor<4x8xf32>, %u: tensor<4x8xf32>):
      %s = mirage_block.accumulate %t over y sum : tensor<4x8xf32>
      %z = mirage_block.mul %u, %s : tensor<4x8xf32>, tensor<4x8xf32>
      %l = mirage_block.accumulate %z over loop sum : tensor<4x8xf32>
      %lm = mirage_block.mul %l, %t : tensor<4x8xf32>, tensor<4x8xf32>
      %lj = mirage_block.accumulate %lm over y sum : tensor<4x8xf32>
      %e = mirage_block.exp %s : tensor<4x8xf32>
      %f = mirage_block.add %lj, %e : tensor<4x8xf32>, tensor<4x8xf32>
      %v = mirage_block.accumulate %t over y rms dims [1] : tensor<4x8xf32>
      mirage_block.yield %f, %s, %v : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>
  } : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>
  return %r#0, %r#1, %r#2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>
}

// Masks along axes of the grid and the loop, before and behind the join.
func.func @masks(%x: tensor<7x22xf32>, %w: tensor<7x30xf32>) -> tensor<7x8xf32> {
  %e0 = tensor.empty() : tensor<7x8xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<7x22xf32>, tensor<7x30xf32>) outs(%e0 : tensor<7x8xf32>) {
  ^bb0(%kx: tensor<7x22xf32>, %kw: tensor<7x30xf32>):
    %o = mirage_block.graph grid(x = 2, y = 3) threads(32) loop(4) ins(%kx imap(x -> 0, y -> 1), %kw imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<7x22xf32>, tensor<7x30xf32>) -> tensor<7x8xf32> {
    ^bb0(%t: tensor<4x8xf32>, %u: tensor<4x8xf32>):
      %p = mirage_block.exp %t : tensor<4x8xf32>
      %pm = mirage_block.mask %p dims [1] axes ["y"] extent 22 value 0.0 : tensor<4x8xf32>
      %s = mirage_block.accumulate %pm over y sum dims [1] : tensor<4x8xf32>
      %g = mirage_block.mul %pm, %s : tensor<4x8xf32>, tensor<4x1xf32>
      %g2 = mirage_block.accumulate %g over y sum : tensor<4x8xf32>
      %z = mirage_block.mul %u, %g2 : tensor<4x8xf32>, tensor<4x8xf32>
      %l = mirage_block.accumulate %z over loop sum : tensor<4x8xf32>
      mirage_block.yield %l : tensor<4x8xf32>
    }
    mirage_kernel.yield %o : tensor<7x8xf32>
  } : tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}

func.func @causal(%x: tensor<16x24xf32>, %w: tensor<16x32xf32>) -> tensor<16x8xf32> {
  %e0 = tensor.empty() : tensor<16x8xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x24xf32>, tensor<16x32xf32>) outs(%e0 : tensor<16x8xf32>) {
  ^bb0(%kx: tensor<16x24xf32>, %kw: tensor<16x32xf32>):
    %o = mirage_block.graph grid(x = 2, y = 3) threads(32) loop(4) ins(%kx imap(x -> 0, y -> 1), %kw imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<16x24xf32>, tensor<16x32xf32>) -> tensor<16x8xf32> {
    ^bb0(%t: tensor<8x8xf32>, %u: tensor<8x8xf32>):
      %c = mirage_block.causal_mask %t offset 9 rows ["x"] columns ["y"] : tensor<8x8xf32>
      %p = mirage_block.exp %c : tensor<8x8xf32>
      %s = mirage_block.accumulate %p over y sum dims [1] : tensor<8x8xf32>
      %m = mirage_block.accumulate %c over y max dims [1] : tensor<8x8xf32>
      %z = mirage_block.div %u, %s : tensor<8x8xf32>, tensor<8x1xf32>
      %zz = mirage_block.sub %z, %m : tensor<8x8xf32>, tensor<8x1xf32>
      %l = mirage_block.accumulate %zz over loop sum : tensor<8x8xf32>
      mirage_block.yield %l : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<16x8xf32>
  } : tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// Blocks in clusters.
func.func @cluster(%x: tensor<8x24xf32>, %w: tensor<8x32xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>) {
  %e0 = tensor.empty() : tensor<8x8xf32>
  %e1 = tensor.empty() : tensor<8x8xf32>
  %e2 = tensor.empty() : tensor<8x1xf32>
  %r:3 = mirage_kernel.graph ins(%x, %w : tensor<8x24xf32>, tensor<8x32xf32>) outs(%e0, %e1, %e2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>) {
  ^bb0(%kx: tensor<8x24xf32>, %kw: tensor<8x32xf32>):
    %o:3 = mirage_block.graph grid(x = 2, y = 3) cluster(y = 3) threads(32) loop(4) ins(%kx imap(x -> 0, y -> 1), %kw imap(x -> 0) fmap(1)) outs(omap(x -> 0), omap(x -> 0), omap(x -> 0))
        : (tensor<8x24xf32>, tensor<8x32xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>) {
    ^bb0(%t: tensor<4x8xf32>, %u: tensor<4x8xf32>):
      %s = mirage_block.accumulate %t over y sum : tensor<4x8xf32>
      %z = mirage_block.mul %u, %s : tensor<4x8xf32>, tensor<4x8xf32>
      %l = mirage_block.accumulate %z over loop sum : tensor<4x8xf32>
      %lm = mirage_block.mul %l, %t : tensor<4x8xf32>, tensor<4x8xf32>
      %lj = mirage_block.accumulate %lm over y sum : tensor<4x8xf32>
      %e = mirage_block.exp %s : tensor<4x8xf32>
      %f = mirage_block.add %lj, %e : tensor<4x8xf32>, tensor<4x8xf32>
      %v = mirage_block.accumulate %t over y rms dims [1] : tensor<4x8xf32>
      mirage_block.yield %f, %s, %v : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>
  } : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>
  return %r#0, %r#1, %r#2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x1xf32>
}

// Results that blocks sum up.
func.func @summed(%x: tensor<8x24xf32>, %w: tensor<24x32xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e0 = tensor.empty() : tensor<8x8xf32>
  %e1 = tensor.empty() : tensor<8x8xf32>
  %r:2 = mirage_kernel.graph ins(%x, %w : tensor<8x24xf32>, tensor<24x32xf32>) outs(%e0, %e1 : tensor<8x8xf32>, tensor<8x8xf32>) {
  ^bb0(%kx: tensor<8x24xf32>, %kw: tensor<24x32xf32>):
    %o:2 = mirage_block.graph grid(x = 2, y = 3) threads(32) loop(4) stages(2) ins(%kx imap(x -> 0, y -> 1), %kw imap(y -> 0) fmap(1)) outs(omap(x -> 0, y -> sum), omap(x -> 0, y -> sum))
        : (tensor<8x24xf32>, tensor<24x32xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    ^bb0(%t: tensor<4x8xf32>, %u: tensor<8x8xf32>):
      %s = mirage_block.accumulate %t over y sum dims [1] : tensor<4x8xf32>
      %q = mirage_block.div %t, %s : tensor<4x8xf32>, tensor<4x1xf32>
      %z = mirage_block.matmul %q, %u : tensor<4x8xf32>, tensor<8x8xf32>
      %l = mirage_block.accumulate %z over loop sum : tensor<4x8xf32>
      mirage_block.yield %l, %q : tensor<4x8xf32>, tensor<4x8xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<8x8xf32>, tensor<8x8xf32>
  } : tensor<8x8xf32>, tensor<8x8xf32>
  return %r#0, %r#1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// A loop of one iteration.
func.func @loop1(%x: tensor<8x24xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e0 = tensor.empty() : tensor<8x8xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x24xf32>, tensor<8x8xf32>) outs(%e0 : tensor<8x8xf32>) {
  ^bb0(%kx: tensor<8x24xf32>, %kw: tensor<8x8xf32>):
    %o = mirage_block.graph grid(x = 2, y = 3) threads(32) loop(1) ins(%kx imap(x -> 0, y -> 1), %kw imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<8x24xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
    ^bb0(%t: tensor<4x8xf32>, %u: tensor<4x8xf32>):
      %s = mirage_block.accumulate %t over y sum : tensor<4x8xf32>
      %sl = mirage_block.accumulate %s over loop max : tensor<4x8xf32>
      %z = mirage_block.mul %u, %s : tensor<4x8xf32>, tensor<4x8xf32>
      %l = mirage_block.accumulate %z over loop sum : tensor<4x8xf32>
      %f = mirage_block.add %l, %sl : tensor<4x8xf32>, tensor<4x8xf32>
      mirage_block.yield %f : tensor<4x8xf32>
    }
    mirage_kernel.yield %o : tensor<8x8xf32>
  } : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// Three axes.
func.func @xyz(%x: tensor<8x24xf16>, %w: tensor<6x8x32xf16>) -> tensor<6x8x8xf32> {
  %e0 = tensor.empty() : tensor<6x8x8xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x24xf16>, tensor<6x8x32xf16>) outs(%e0 : tensor<6x8x8xf32>) {
  ^bb0(%kx: tensor<8x24xf16>, %kw: tensor<6x8x32xf16>):
    %o = mirage_block.graph grid(x = 2, y = 3, z = 2) threads(32) loop(4) ins(%kx imap(x -> 0, y -> 1), %kw imap(z -> 0) fmap(2)) outs(omap(z -> 0))
        : (tensor<8x24xf16>, tensor<6x8x32xf16>) -> tensor<6x8x8xf32> {
    ^bb0(%t: tensor<4x8xf16>, %u: tensor<3x8x8xf16>):
      %s = mirage_block.accumulate %t over y sum : tensor<4x8xf16>
      %sx = mirage_block.accumulate %s over x sum dims [0]: tensor<4x8xf32>
      %p = mirage_block.accumulate %t over x max dims [0] : tensor<4x8xf16>
      %px = mirage_block.accumulate %p over y sum : tensor<1x8xf32>
      %a = mirage_block.add %sx, %px : tensor<1x8xf32>, tensor<1x8xf32>
      %r = mirage_block.reshape %a : (tensor<1x8xf32>) -> tensor<1x1x8xf32>
      %z = mirage_block.mul %u, %r : tensor<3x8x8xf16>, tensor<1x1x8xf32>
      %l = mirage_block.accumulate %z over loop sum : tensor<3x8x8xf32>
      mirage_block.yield %l : tensor<3x8x8xf32>
    }
    mirage_kernel.yield %o : tensor<6x8x8xf32>
  } : tensor<6x8x8xf32>
  return %r : tensor<6x8x8xf32>
}

// Blocks along an axis along which nothing ahead differs are one there.
// CHECK-LABEL: func.func @wide(
// CHECK: mirage_block.graph grid(x = 4, y = 1)
// CHECK: mirage_block.graph grid(x = 1, y = 1)
// CHECK: mirage_block.graph grid(x = 4, y = 64)
func.func @wide(%x: tensor<16x256xf16>, %v: tensor<256x64xf16>, %w: tensor<64x4096xf16>) -> tensor<16x4096xf32> {
  %e0 = tensor.empty() : tensor<16x4096xf32>
  %r = mirage_kernel.graph ins(%x, %v, %w : tensor<16x256xf16>, tensor<256x64xf16>, tensor<64x4096xf16>) outs(%e0 : tensor<16x4096xf32>) {
  ^bb0(%kx: tensor<16x256xf16>, %kv: tensor<256x64xf16>, %kw: tensor<64x4096xf16>):
    %o = mirage_block.graph grid(x = 4, y = 64) threads(128) loop(2) stages(2) ins(%kx imap(x -> 1), %kv imap(x -> 0) fmap(1), %kw imap(y -> 1) fmap(0)) outs(omap(x -> sum, y -> 1))
        : (tensor<16x256xf16>, tensor<256x64xf16>, tensor<64x4096xf16>) -> tensor<16x4096xf32> {
    ^bb0(%t: tensor<16x64xf16>, %u: tensor<64x32xf16>, %ww: tensor<32x64xf16>):
      %s = mirage_block.accumulate %t over x sum dims [1] : tensor<16x64xf16>
      %n = mirage_block.div %t, %s : tensor<16x64xf16>, tensor<16x1xf32>
      %a = mirage_block.matmul %n, %u : tensor<16x64xf32>, tensor<64x32xf16>
      %b = mirage_block.matmul %a, %ww : tensor<16x32xf32>, tensor<32x64xf16>
      %l = mirage_block.accumulate %b over loop sum : tensor<16x64xf32>
      mirage_block.yield %l : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x4096xf32>
  } : tensor<16x4096xf32>
  return %r : tensor<16x4096xf32>
}

// What only dead ops of the loop read is joined for nobody.
// CHECK-LABEL: func.func @dead(
// CHECK: mirage_block.graph
// CHECK-NOT: mirage_block.graph
func.func @dead(%x: tensor<8x64xf16>, %y: tensor<8x16xf16>) -> tensor<8x1xf32> {
  %e = tensor.empty() : tensor<8x1xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<8x64xf16>, tensor<8x16xf16>) outs(%e : tensor<8x1xf32>) {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x16xf16>):
    %o = mirage_block.graph grid(x = 4) threads(128) loop(4) ins(%a imap() fmap(1), %b imap(x -> 1)) outs(omap())
        : (tensor<8x64xf16>, tensor<8x16xf16>) -> tensor<8x1xf32> {
    ^bb0(%t: tensor<8x16xf16>, %u: tensor<8x4xf16>):
      %s = mirage_block.accumulate %u over x sum dims [1] : tensor<8x4xf16>
      %d = mirage_block.div %t, %s : tensor<8x16xf16>, tensor<8x1xf32>
      %l = mirage_block.accumulate %t over loop sum dims [1] : tensor<8x16xf16>
      mirage_block.yield %l : tensor<8x1xf32>
    }
    mirage_kernel.yield %o : tensor<8x1xf32>
  } : tensor<8x1xf32>
  return %r : tensor<8x1xf32>
}
