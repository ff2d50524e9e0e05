// Loops that a causal mask ends, and others.
// RUN: mirage-opt %s --mirage-end-loops-early --verify-roundtrip | FileCheck %s
// RUN: mirage-opt %s --mirage-end-loops-early --mirage-end-loops-early | FileCheck %s

// The largest of what is seen.
// CHECK-LABEL: func.func @largest(
// CHECK: mirage_block.graph {{.*}}mirage.ends_early
// CHECK: return
func.func @largest(%x: tensor<256x256xf32>) -> tensor<256x1xf32> {
  %r = mirage_block.graph grid(x = 1, y = 4) threads(128) loop(4) ins(%x imap(y -> 0) fmap(1)) outs(omap(y -> 0)) : (tensor<256x256xf32>) -> tensor<256x1xf32> {
  ^bb0(%t: tensor<64x64xf32>):
    %m = mirage_block.causal_mask %t offset 0 rows ["y"] columns ["loop"] : tensor<64x64xf32>
    %s = mirage_block.accumulate %m over loop max dims [1] : tensor<64x64xf32>
    mirage_block.yield %s : tensor<64x1xf32>
  }
  return %r : tensor<256x1xf32>
}

// What is hidden adds exp(-inf) = 0, also behind a factor and a product.
// CHECK-LABEL: func.func @sum(
// CHECK: mirage_block.graph {{.*}}mirage.ends_early
// CHECK: return
func.func @sum(%x: tensor<256x256xf32>) -> tensor<256x1xf32> {
  %r = mirage_block.graph grid(x = 1, y = 4) threads(128) loop(4) ins(%x imap(y -> 0) fmap(1)) outs(omap(y -> 0)) : (tensor<256x256xf32>) -> tensor<256x1xf32> {
  ^bb0(%t: tensor<64x64xf32>):
    %m = mirage_block.causal_mask %t offset 0 rows ["y"] columns ["loop"] : tensor<64x64xf32>
    %e = mirage_block.exp %m : tensor<64x64xf32>
    %p = mirage_block.mul %e, %t : tensor<64x64xf32>, tensor<64x64xf32>
    %s = mirage_block.accumulate %p over loop sum dims [1] : tensor<64x64xf32>
    mirage_block.yield %s : tensor<64x1xf32>
  }
  return %r : tensor<256x1xf32>
}

// A sum of what is hidden is minus infinity.
// CHECK-LABEL: func.func @hidden(
// CHECK-NOT: mirage.ends_early
// CHECK: return
func.func @hidden(%x: tensor<256x256xf32>) -> tensor<256x1xf32> {
  %r = mirage_block.graph grid(x = 1, y = 4) threads(128) loop(4) ins(%x imap(y -> 0) fmap(1)) outs(omap(y -> 0)) : (tensor<256x256xf32>) -> tensor<256x1xf32> {
  ^bb0(%t: tensor<64x64xf32>):
    %m = mirage_block.causal_mask %t offset 0 rows ["y"] columns ["loop"] : tensor<64x64xf32>
    %s = mirage_block.accumulate %m over loop sum dims [1] : tensor<64x64xf32>
    mirage_block.yield %s : tensor<64x1xf32>
  }
  return %r : tensor<256x1xf32>
}

// A second sum sees all.
// CHECK-LABEL: func.func @both(
// CHECK-NOT: mirage.ends_early
// CHECK: return
func.func @both(%x: tensor<256x256xf32>) -> tensor<256x1xf32> {
  %r = mirage_block.graph grid(x = 1, y = 4) threads(128) loop(4) ins(%x imap(y -> 0) fmap(1)) outs(omap(y -> 0)) : (tensor<256x256xf32>) -> tensor<256x1xf32> {
  ^bb0(%t: tensor<64x64xf32>):
    %m = mirage_block.causal_mask %t offset 0 rows ["y"] columns ["loop"] : tensor<64x64xf32>
    %e = mirage_block.exp %m : tensor<64x64xf32>
    %s = mirage_block.accumulate %e over loop sum dims [1] : tensor<64x64xf32>
    %u = mirage_block.accumulate %t over loop sum dims [1] : tensor<64x64xf32>
    %v = mirage_block.div %s, %u : tensor<64x1xf32>, tensor<64x1xf32>
    mirage_block.yield %v : tensor<64x1xf32>
  }
  return %r : tensor<256x1xf32>
}

// exp(0) = 1 is added of what another mask hides.
// CHECK-LABEL: func.func @offset(
// CHECK-NOT: mirage.ends_early
// CHECK: return
func.func @offset(%x: tensor<256x256xf32>) -> tensor<256x1xf32> {
  %r = mirage_block.graph grid(x = 1, y = 4) threads(128) loop(4) ins(%x imap(y -> 0) fmap(1)) outs(omap(y -> 0)) : (tensor<256x256xf32>) -> tensor<256x1xf32> {
  ^bb0(%t: tensor<64x64xf32>):
    %m = mirage_block.causal_mask %t offset 0 rows ["y"] columns ["loop"] : tensor<64x64xf32>
    %n = mirage_block.causal_mask %t offset 64 rows ["y"] columns ["loop"] : tensor<64x64xf32>
    %e = mirage_block.exp %n : tensor<64x64xf32>
    %k = mirage_block.accumulate %e over loop sum dims [1] : tensor<64x64xf32>
    %s = mirage_block.accumulate %m over loop max dims [1] : tensor<64x64xf32>
    %v = mirage_block.add %k, %s : tensor<64x1xf32>, tensor<64x1xf32>
    mirage_block.yield %v : tensor<64x1xf32>
  }
  return %r : tensor<256x1xf32>
}

// All blocks have the same rows.
// CHECK-LABEL: func.func @one_block(
// CHECK-NOT: mirage.ends_early
// CHECK: return
func.func @one_block(%x: tensor<256x256xf32>) -> tensor<256x1xf32> {
  %r = mirage_block.graph grid(x = 1, y = 1) threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap()) : (tensor<256x256xf32>) -> tensor<256x1xf32> {
  ^bb0(%t: tensor<256x64xf32>):
    %m = mirage_block.causal_mask %t offset 0 rows [] columns ["loop"] : tensor<256x64xf32>
    %s = mirage_block.accumulate %m over loop max dims [1] : tensor<256x64xf32>
    mirage_block.yield %s : tensor<256x1xf32>
  }
  return %r : tensor<256x1xf32>
}

// Blocks of a cluster load together.
// CHECK-LABEL: func.func @cluster(
// CHECK-NOT: mirage.ends_early
// CHECK: return
func.func @cluster(%x: tensor<256x256xf32>) -> tensor<256x1xf32> {
  %r = mirage_block.graph grid(x = 1, y = 4) threads(128) loop(4) ins(%x imap(y -> 0) fmap(1)) outs(omap(y -> 0)) {mirage.multicast_cluster = array<i64: 1, 2>} : (tensor<256x256xf32>) -> tensor<256x1xf32> {
  ^bb0(%t: tensor<64x64xf32>):
    %m = mirage_block.causal_mask %t offset 0 rows ["y"] columns ["loop"] : tensor<64x64xf32>
    %s = mirage_block.accumulate %m over loop max dims [1] : tensor<64x64xf32>
    mirage_block.yield %s : tensor<64x1xf32>
  }
  return %r : tensor<256x1xf32>
}

// A maximum that is clamped is never less, and what is relative to it adds exp(-inf) = 0.
// CHECK-LABEL: func.func @clamped(
// CHECK: mirage_block.graph {{.*}}mirage.ends_early
// CHECK: return
func.func @clamped(%x: tensor<256x512xf32>) -> (tensor<2x256x1xf32>, tensor<2x256x1xf32>) {
  %r:2 = mirage_block.graph grid(x = 2, y = 4) threads(128) loop(4) ins(%x imap(x -> 1, y -> 0) fmap(1)) outs(omap(x -> 0, y -> 1), omap(x -> 0, y -> 1)) : (tensor<256x512xf32>) -> (tensor<2x256x1xf32>, tensor<2x256x1xf32>) {
  ^bb0(%t: tensor<64x64xf32>):
    %m = mirage_block.causal_mask %t offset 256 rows ["y"] columns ["x", "loop"] : tensor<64x64xf32>
    %l = mirage_block.max %m dims [1] : tensor<64x64xf32>
    %c = mirage_block.clamp %l to -3.0e38, 0x7FF0000000000000 : tensor<64x1xf32>
    %d = mirage_block.sub %m, %c : tensor<64x64xf32>, tensor<64x1xf32>
    %e = mirage_block.exp %d : tensor<64x64xf32>
    %s = mirage_block.accumulate %e over loop sum dims [1] rescale by %c : tensor<64x64xf32>, tensor<64x1xf32>
    %a = mirage_block.accumulate %c over loop max : tensor<64x1xf32>
    %p = mirage_block.reshape %s : (tensor<64x1xf32>) -> tensor<1x64x1xf32>
    %q = mirage_block.reshape %a : (tensor<64x1xf32>) -> tensor<1x64x1xf32>
    mirage_block.yield %p, %q : tensor<1x64x1xf32>, tensor<1x64x1xf32>
  }
  return %r#0, %r#1 : tensor<2x256x1xf32>, tensor<2x256x1xf32>
}

// A sum of what is least is more than what is least.
// CHECK-LABEL: func.func @not_least(
// CHECK-NOT: mirage.ends_early
// CHECK: return
func.func @not_least(%x: tensor<256x256xf32>) -> tensor<256x1xf32> {
  %r = mirage_block.graph grid(x = 1, y = 4) threads(128) loop(4) ins(%x imap(y -> 0) fmap(1)) outs(omap(y -> 0)) : (tensor<256x256xf32>) -> tensor<256x1xf32> {
  ^bb0(%t: tensor<64x64xf32>):
    %m = mirage_block.causal_mask %t offset 0 rows ["y"] columns ["loop"] : tensor<64x64xf32>
    %l = mirage_block.max %m dims [1] : tensor<64x64xf32>
    %c = mirage_block.clamp %l to -3.0e38, 0x7FF0000000000000 : tensor<64x1xf32>
    %s = mirage_block.accumulate %c over loop sum : tensor<64x1xf32>
    mirage_block.yield %s : tensor<64x1xf32>
  }
  return %r : tensor<256x1xf32>
}

// What is relative to the least of all is not nothing where it is no part of what is hidden.
// CHECK-LABEL: func.func @relative_to_least(
// CHECK-NOT: mirage.ends_early
// CHECK: return
func.func @relative_to_least(%x: tensor<256x256xf32>) -> tensor<256x1xf32> {
  %r = mirage_block.graph grid(x = 1, y = 4) threads(128) loop(4) ins(%x imap(y -> 0) fmap(1)) outs(omap(y -> 0)) : (tensor<256x256xf32>) -> tensor<256x1xf32> {
  ^bb0(%t: tensor<64x64xf32>):
    %m = mirage_block.causal_mask %t offset 0 rows ["y"] columns ["loop"] : tensor<64x64xf32>
    %l = mirage_block.max %m dims [1] : tensor<64x64xf32>
    %c = mirage_block.clamp %l to -3.0e38, 0x7FF0000000000000 : tensor<64x1xf32>
    %s = mirage_block.accumulate %t over loop sum dims [1] rescale by %c : tensor<64x64xf32>, tensor<64x1xf32>
    mirage_block.yield %s : tensor<64x1xf32>
  }
  return %r : tensor<256x1xf32>
}
