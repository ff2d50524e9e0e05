// RUN: mirage-opt %s --mirage-split-grid-joins --mirage-join-parts-at-once -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-COUNT-7: equal
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: for program in sums rows maxima rescaled large by_hand masked; do mirage-run %t/$program --device=emulator --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-7: : right

// CHECK-LABEL: func.func @sums(
// CHECK:       mirage_block.graph
// CHECK:       mirage_block.graph grid(x = 4, y = 1) threads(64) ins(%{{.+}} imap(x -> 0)) outs(omap(x -> 0))
// CHECK-NEXT:  ^bb0(%[[PARTS:.+]]: tensor<1x6x8x8xf32>):
// CHECK-NEXT:  mirage_block.sum %[[PARTS]] dims [1] : tensor<1x6x8x8xf32>
func.func @sums(%x: tensor<32x48xf32>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x48xf32>) outs(%e : tensor<32x8xf32>) {
  ^bb0(%a: tensor<32x48xf32>):
    %o = mirage_block.graph grid(x = 4, y = 6) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<32x48xf32>) -> tensor<32x8xf32> {
    ^bb0(%t: tensor<8x8xf32>):
      %q = mirage_block.exp %t : tensor<8x8xf32>
      %s = mirage_block.accumulate %q over y sum : tensor<8x8xf32>
      mirage_block.yield %s : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<32x8xf32>
  } : tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}

// Blocks have summed their rows.
// CHECK-LABEL: func.func @rows(
// CHECK:       mirage_block.graph
// CHECK:       mirage_block.sum %{{.+}} dims [1] : tensor<1x6x8x1xf32>
func.func @rows(%x: tensor<32x48xf32>) -> tensor<32x1xf32> {
  %e = tensor.empty() : tensor<32x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x48xf32>) outs(%e : tensor<32x1xf32>) {
  ^bb0(%a: tensor<32x48xf32>):
    %o = mirage_block.graph grid(x = 4, y = 6) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<32x48xf32>) -> tensor<32x1xf32> {
    ^bb0(%t: tensor<8x8xf32>):
      %q = mirage_block.exp %t : tensor<8x8xf32>
      %s = mirage_block.accumulate %q over y sum dims [1] : tensor<8x8xf32>
      mirage_block.yield %s : tensor<8x1xf32>
    }
    mirage_kernel.yield %o : tensor<32x1xf32>
  } : tensor<32x1xf32>
  return %r : tensor<32x1xf32>
}

// CHECK-LABEL: func.func @maxima(
// CHECK:       mirage_block.graph
// CHECK:       mirage_block.max %{{.+}} dims [1] : tensor<1x6x8x8xf32>
func.func @maxima(%x: tensor<32x48xf32>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x48xf32>) outs(%e : tensor<32x8xf32>) {
  ^bb0(%a: tensor<32x48xf32>):
    %o = mirage_block.graph grid(x = 4, y = 6) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<32x48xf32>) -> tensor<32x8xf32> {
    ^bb0(%t: tensor<8x8xf32>):
      %q = mirage_block.exp %t : tensor<8x8xf32>
      %s = mirage_block.accumulate %q over y max : tensor<8x8xf32>
      mirage_block.yield %s : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<32x8xf32>
  } : tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}

// A sum that is rescaled is none of parts as they are.
// CHECK-LABEL: func.func @rescaled(
// CHECK:       mirage_block.graph
// CHECK:       mirage_block.graph {{.*}}loop(6)
// CHECK:       mirage_block.accumulate {{.*}}rescale
func.func @rescaled(%x: tensor<32x48xf32>) -> tensor<32x1xf32> {
  %e = tensor.empty() : tensor<32x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x48xf32>) outs(%e : tensor<32x1xf32>) {
  ^bb0(%a: tensor<32x48xf32>):
    %o = mirage_block.graph grid(x = 4, y = 6) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<32x48xf32>) -> tensor<32x1xf32> {
    ^bb0(%t: tensor<8x8xf32>):
      %m = mirage_block.max %t dims [1] : tensor<8x8xf32>
      %d = mirage_block.sub %t, %m : tensor<8x8xf32>, tensor<8x1xf32>
      %p = mirage_block.exp %d : tensor<8x8xf32>
      %l = mirage_block.sum %p dims [1] : tensor<8x8xf32>
      %s = mirage_block.accumulate %l over y sum rescale by %m : tensor<8x1xf32>, tensor<8x1xf32>
      mirage_block.yield %s : tensor<8x1xf32>
    }
    mirage_kernel.yield %o : tensor<32x1xf32>
  } : tensor<32x1xf32>
  return %r : tensor<32x1xf32>
}

// 96 parts of 1 KiB are more than 64 KiB.
// CHECK-LABEL: func.func @large(
// CHECK:       mirage_block.graph
// CHECK:       mirage_block.graph {{.*}}loop(96)
func.func @large(%x: tensor<16x1536xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<16x1536xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: tensor<16x1536xf32>):
    %o = mirage_block.graph grid(x = 1, y = 96) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<16x1536xf32>) -> tensor<16x16xf32> {
    ^bb0(%t: tensor<16x16xf32>):
      %q = mirage_block.exp %t : tensor<16x16xf32>
      %s = mirage_block.accumulate %q over y sum : tensor<16x16xf32>
      mirage_block.yield %s : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// A loop of parts that somebody stated, and sums along its own dimension, too, and those
// of rows.
// CHECK-LABEL: func.func @by_hand(
// CHECK:       mirage_block.sum %{{.+}} dims [0] : tensor<4x4x8xf32>
// CHECK:       mirage_block.sum %{{.+}} dims [0, 2] : tensor<4x4x8xf32>
func.func @by_hand(%x: tensor<4x8x8xf32>) -> tensor<1x8x8xf32> {
  %e = tensor.empty() : tensor<1x8x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x8x8xf32>) outs(%e : tensor<1x8x8xf32>) {
  ^bb0(%a: tensor<4x8x8xf32>):
    %o = mirage_block.graph grid(x = 2) threads(64) loop(4) ins(%a imap(x -> 1) fmap(0)) outs(omap(x -> 1)) {mirage.joins_parts}
        : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32> {
    ^bb0(%t: tensor<1x4x8xf32>):
      %s = mirage_block.accumulate %t over loop sum dims [0] : tensor<1x4x8xf32>
      %r = mirage_block.accumulate %t over loop sum dims [2] : tensor<1x4x8xf32>
      %p = mirage_block.mul %s, %r : tensor<1x4x8xf32>, tensor<1x4x1xf32>
      mirage_block.yield %p : tensor<1x4x8xf32>
    }
    mirage_kernel.yield %o : tensor<1x8x8xf32>
  } : tensor<1x8x8xf32>
  return %r : tensor<1x8x8xf32>
}

// What the loop does beside the parts keeps it: here a mask that counts its iterations.
// CHECK-LABEL: func.func @masked(
// CHECK:       mirage_block.graph {{.*}}loop(4)
func.func @masked(%x: tensor<4x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>):
    %o = mirage_block.graph grid(x = 1) threads(64) loop(4) ins(%a imap() fmap(0), %b imap()) outs(omap()) {mirage.joins_parts}
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
    ^bb0(%t: tensor<1x8xf32>, %u: tensor<8x8xf32>):
      %s = mirage_block.accumulate %t over loop sum : tensor<1x8xf32>
      %m = mirage_block.mask %u dims [0] axes ["loop"] extent 27 value 0.0 : tensor<8x8xf32>
      %n = mirage_block.accumulate %m over loop sum : tensor<8x8xf32>
      %p = mirage_block.add %n, %s : tensor<8x8xf32>, tensor<1x8xf32>
      mirage_block.yield %p : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<8x8xf32>
  } : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
