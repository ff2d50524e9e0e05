// Rows that the warps of a block share, in blocks without a loop: values stay in registers
// from device memory to device memory, and parts of sums and maxima alone go through shared
// memory. Sizes that fragments do not divide, several rows, other types, and rows that
// are not held; run on the emulator, in order and by a random schedule, against float64.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t/90" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/80" -o /dev/null
// RUN: for name in softmax norm maxima beyond_run several_rows short_rows chain columns partial two_readers outputs float8 three_warps longest unread; do \
// RUN:   mirage-run %t/90/$name --check && mirage-run %t/90/$name --check --schedule=5 && \
// RUN:   mirage-run %t/80/$name --check || exit 1; \
// RUN: done

// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" -o %t/optimized.mlir && FileCheck %s --input-file=%t/optimized.mlir
// RUN: mirage-check-plans %t/optimized.mlir

// One barrier, before parts are joined, and shared memory for 32 parts alone.
// CHECK-LABEL: func.func @softmax(
// CHECK: mirage.bypassing_inputs = array<i64: 0>
// CHECK-SAME: mirage.shared_bytes = 128 : i64
// CHECK: mirage_thread.graph {{.*}}mirage.held
// CHECK-NOT: mirage.barrier
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.graph items(x = 32)
// CHECK-NOT: mirage.barrier
// CHECK: mirage_thread.sum
// CHECK: mirage_thread.graph {{.*}} {mirage.barrier, mirage.bypasses
// CHECK: mirage_thread.sum
// CHECK: mirage_thread.div
// CHECK: mirage_block.yield
func.func @softmax(%a: tensor<3x8192xf16>) -> tensor<3x8192xf16> {
  %e = tensor.empty() : tensor<3x8192xf16>
  %r = mirage_kernel.graph ins(%a : tensor<3x8192xf16>) outs(%e : tensor<3x8192xf16>) {
  ^bb0(%k: tensor<3x8192xf16>):
    %o = mirage_block.graph grid(x = 3) threads(512) ins(%k imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<3x8192xf16>) -> tensor<3x8192xf16> {
    ^bb0(%x: tensor<1x8192xf16>):
      %p = mirage_block.exp %x : tensor<1x8192xf16>
      %s = mirage_block.sum %p dims [1] : tensor<1x8192xf32>
      %d = mirage_block.div %p, %s : tensor<1x8192xf32>, tensor<1x1xf32>
      mirage_block.yield %d : tensor<1x8192xf32>
    }
    mirage_kernel.yield %o : tensor<3x8192xf16>
  } : tensor<3x8192xf16>
  return %r : tensor<3x8192xf16>
}

// 24 parts of 256 are 32, of which the last eight are masked. The input is loaded
// once, by a step of its own; a row of weights, which every block reads, as well.
// CHECK-LABEL: func.func @norm(
// CHECK: mirage.bypassing_inputs = array<i64: 0, 1>
// CHECK: mirage_thread.graph items(x = 24) {{.*}}mirage.held
// CHECK: mirage_thread.graph items(x = 32) {{.*}}mirage.held
// CHECK: mirage_thread.graph items(x = 32)
// CHECK: mirage_thread.mask {{.*}} extent 6144
// CHECK: mirage_thread.graph {{.*}}mirage.bypasses
func.func @norm(%a: tensor<2x6144xf16>, %w: tensor<1x6144xf16>) -> tensor<2x6144xf16> {
  %e = tensor.empty() : tensor<2x6144xf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<2x6144xf16>, tensor<1x6144xf16>) outs(%e : tensor<2x6144xf16>) {
  ^bb0(%k: tensor<2x6144xf16>, %kw: tensor<1x6144xf16>):
    %o = mirage_block.graph grid(x = 2) threads(256) ins(%k imap(x -> 0), %kw imap()) outs(omap(x -> 0))
        : (tensor<2x6144xf16>, tensor<1x6144xf16>) -> tensor<2x6144xf16> {
    ^bb0(%x: tensor<1x6144xf16>, %y: tensor<1x6144xf16>):
      %s = mirage_block.rms %x dims [1] count 6144 : tensor<1x6144xf16>
      %d = mirage_block.div %x, %s : tensor<1x6144xf16>, tensor<1x1xf32>
      %m = mirage_block.mul %d, %y : tensor<1x6144xf32>, tensor<1x6144xf16>
      mirage_block.yield %m : tensor<1x6144xf32>
    }
    mirage_kernel.yield %o : tensor<2x6144xf16>
  } : tensor<2x6144xf16>
  return %r : tensor<2x6144xf16>
}

// A safe softmax of rows that end in the midst of a fragment: what lies behind is no maximum,
// and no part of the sum.
// CHECK-LABEL: func.func @maxima(
// CHECK: mirage.bypassing_inputs
// CHECK: mirage_thread.mask {{.*}} extent 3000 value 0xFFF0000000000000
// CHECK: mirage_thread.mask {{.*}} extent 3000 value 0.0
func.func @maxima(%a: tensor<2x3000xf32>) -> tensor<2x3000xf32> {
  %e = tensor.empty() : tensor<2x3000xf32>
  %r = mirage_kernel.graph ins(%a : tensor<2x3000xf32>) outs(%e : tensor<2x3000xf32>) {
  ^bb0(%k: tensor<2x3000xf32>):
    %o = mirage_block.graph grid(x = 2) threads(128) ins(%k imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<2x3000xf32>) -> tensor<2x3000xf32> {
    ^bb0(%x: tensor<1x3000xf32>):
      %m = mirage_block.max %x dims [1] : tensor<1x3000xf32>
      %q = mirage_block.sub %x, %m : tensor<1x3000xf32>, tensor<1x1xf32>
      %p = mirage_block.exp %q : tensor<1x3000xf32>
      %s = mirage_block.sum %p dims [1] : tensor<1x3000xf32>
      %d = mirage_block.div %p, %s : tensor<1x3000xf32>, tensor<1x1xf32>
      mirage_block.yield %d : tensor<1x3000xf32>
    }
    mirage_kernel.yield %o : tensor<2x3000xf32>
  } : tensor<2x3000xf32>
  return %r : tensor<2x3000xf32>
}

// A row of 1999 elements has no accesses of two, and lanes nothing side by side. (Rows of other blocks
// would begin in the midst of a sector: rows-anywhere.test.)
// CHECK-LABEL: func.func @beyond_run(
// CHECK: mirage.bypassing_inputs = array<i64: 0>
// CHECK: mirage_thread.mask {{.*}} extent 1999
func.func @beyond_run(%a: tensor<1x1999xbf16>) -> tensor<1x1999xbf16> {
  %e = tensor.empty() : tensor<1x1999xbf16>
  %r = mirage_kernel.graph ins(%a : tensor<1x1999xbf16>) outs(%e : tensor<1x1999xbf16>) {
  ^bb0(%k: tensor<1x1999xbf16>):
    %o = mirage_block.graph grid() threads(128) ins(%k imap()) outs(omap())
        : (tensor<1x1999xbf16>) -> tensor<1x1999xbf16> {
    ^bb0(%x: tensor<1x1999xbf16>):
      %s = mirage_block.mean %x dims [1] count 1999 : tensor<1x1999xbf16>
      %d = mirage_block.sub %x, %s : tensor<1x1999xbf16>, tensor<1x1xf32>
      mirage_block.yield %d : tensor<1x1999xf32>
    }
    mirage_kernel.yield %o : tensor<1x1999xbf16>
  } : tensor<1x1999xbf16>
  return %r : tensor<1x1999xbf16>
}

// Several rows of a block, in parts.
// CHECK-LABEL: func.func @several_rows(
// CHECK: mirage_thread.graph items(x = 4, y = 4) {{.*}}mirage.held
// CHECK: mirage_thread.graph items(x = 4, y = 4) {{.*}} -> tensor<4x4xf32>
// CHECK: mirage_thread.graph items(x = 4, y = 4) {{.*}}mirage.bypasses
func.func @several_rows(%a: tensor<8x1024xf16>) -> tensor<8x1024xf16> {
  %e = tensor.empty() : tensor<8x1024xf16>
  %r = mirage_kernel.graph ins(%a : tensor<8x1024xf16>) outs(%e : tensor<8x1024xf16>) {
  ^bb0(%k: tensor<8x1024xf16>):
    %o = mirage_block.graph grid(x = 2) threads(256) ins(%k imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x1024xf16>) -> tensor<8x1024xf16> {
    ^bb0(%x: tensor<4x1024xf16>):
      %p = mirage_block.exp %x : tensor<4x1024xf16>
      %s = mirage_block.sum %p dims [1] : tensor<4x1024xf32>
      %d = mirage_block.div %p, %s : tensor<4x1024xf32>, tensor<4x1xf32>
      mirage_block.yield %d : tensor<4x1024xf32>
    }
    mirage_kernel.yield %o : tensor<8x1024xf16>
  } : tensor<8x1024xf16>
  return %r : tensor<8x1024xf16>
}

// Rows that a warp has whole need no shared memory at all, and no barrier.
// CHECK-LABEL: func.func @short_rows(
// CHECK: mirage.shared_bytes = 0 : i64
// CHECK-NOT: mirage.barrier
// CHECK: mirage_kernel.yield
func.func @short_rows(%a: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %e = tensor.empty() : tensor<64x128xf16>
  %r = mirage_kernel.graph ins(%a : tensor<64x128xf16>) outs(%e : tensor<64x128xf16>) {
  ^bb0(%k: tensor<64x128xf16>):
    %o = mirage_block.graph grid(x = 2) threads(128) ins(%k imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<64x128xf16>) -> tensor<64x128xf16> {
    ^bb0(%x: tensor<32x128xf16>):
      %m = mirage_block.max %x dims [1] : tensor<32x128xf16>
      %q = mirage_block.sub %x, %m : tensor<32x128xf16>, tensor<32x1xf32>
      %p = mirage_block.exp %q : tensor<32x128xf32>
      %s = mirage_block.sum %p dims [1] : tensor<32x128xf32>
      %d = mirage_block.div %p, %s : tensor<32x128xf32>, tensor<32x1xf32>
      mirage_block.yield %d : tensor<32x128xf32>
    }
    mirage_kernel.yield %o : tensor<64x128xf16>
  } : tensor<64x128xf16>
  return %r : tensor<64x128xf16>
}

// Two norms behind each other: all three inputs are loaded at the head.
// CHECK-LABEL: func.func @chain(
// CHECK: mirage.bypassing_inputs = array<i64: 0, 1, 2>
// CHECK: mirage.held
// CHECK: mirage.held
// CHECK: mirage.held
// CHECK: mirage_thread.square
func.func @chain(%a: tensor<2x4096xf16>, %b: tensor<2x4096xf16>, %c: tensor<2x4096xf16>) -> tensor<2x4096xf16> {
  %e = tensor.empty() : tensor<2x4096xf16>
  %r = mirage_kernel.graph ins(%a, %b, %c : tensor<2x4096xf16>, tensor<2x4096xf16>, tensor<2x4096xf16>) outs(%e : tensor<2x4096xf16>) {
  ^bb0(%ka: tensor<2x4096xf16>, %kb: tensor<2x4096xf16>, %kc: tensor<2x4096xf16>):
    %o = mirage_block.graph grid(x = 2) threads(512) ins(%ka imap(x -> 0), %kb imap(x -> 0), %kc imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<2x4096xf16>, tensor<2x4096xf16>, tensor<2x4096xf16>) -> tensor<2x4096xf16> {
    ^bb0(%x: tensor<1x4096xf16>, %y: tensor<1x4096xf16>, %z: tensor<1x4096xf16>):
      %s = mirage_block.rms %x dims [1] count 4096 : tensor<1x4096xf16>
      %d = mirage_block.div %x, %s : tensor<1x4096xf16>, tensor<1x1xf32>
      %f = mirage_block.add %y, %d : tensor<1x4096xf16>, tensor<1x4096xf32>
      %g = mirage_block.mul %z, %f : tensor<1x4096xf16>, tensor<1x4096xf32>
      %h = mirage_block.add %y, %g : tensor<1x4096xf16>, tensor<1x4096xf32>
      %t = mirage_block.rms %h dims [1] count 4096 : tensor<1x4096xf32>
      %q = mirage_block.div %h, %t : tensor<1x4096xf32>, tensor<1x1xf32>
      mirage_block.yield %q : tensor<1x4096xf32>
    }
    mirage_kernel.yield %o : tensor<2x4096xf16>
  } : tensor<2x4096xf16>
  return %r : tensor<2x4096xf16>
}

// What lies along columns is loaded by way of shared memory, as before.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: mirage.bypassing_inputs
// CHECK: mirage_kernel.yield
func.func @columns(%a: tensor<512x4xf16>) -> tensor<4x512xf16> {
  %e = tensor.empty() : tensor<4x512xf16>
  %r = mirage_kernel.graph ins(%a : tensor<512x4xf16>) outs(%e : tensor<4x512xf16>) {
  ^bb0(%k: tensor<512x4xf16>):
    %t = mirage_kernel.transpose %k dims [1, 0] : (tensor<512x4xf16>) -> tensor<4x512xf16>
    %o = mirage_block.graph grid(x = 4) threads(64) ins(%t imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<4x512xf16>) -> tensor<4x512xf16> {
    ^bb0(%x: tensor<1x512xf16>):
      %p = mirage_block.exp %x : tensor<1x512xf16>
      %s = mirage_block.sum %p dims [1] : tensor<1x512xf32>
      %d = mirage_block.div %p, %s : tensor<1x512xf32>, tensor<1x1xf32>
      mirage_block.yield %d : tensor<1x512xf32>
    }
    mirage_kernel.yield %o : tensor<4x512xf16>
  } : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// Tiles that end beyond the tensor: three blocks of two rows have five.
// CHECK-LABEL: func.func @partial(
// CHECK: mirage.bypassing_inputs = array<i64: 0>
// CHECK: mirage_thread.graph {{.*}} {mirage.barrier, mirage.bypasses
// CHECK: mirage_kernel.yield
func.func @partial(%a: tensor<5x2048xf16>) -> tensor<5x2048xf16> {
  %e = tensor.empty() : tensor<5x2048xf16>
  %r = mirage_kernel.graph ins(%a : tensor<5x2048xf16>) outs(%e : tensor<5x2048xf16>) {
  ^bb0(%k: tensor<5x2048xf16>):
    %o = mirage_block.graph grid(x = 3) threads(128) ins(%k imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<5x2048xf16>) -> tensor<5x2048xf16> {
    ^bb0(%x: tensor<2x2048xf16>):
      %p = mirage_block.exp %x : tensor<2x2048xf16>
      %s = mirage_block.sum %p dims [1] : tensor<2x2048xf32>
      %d = mirage_block.div %p, %s : tensor<2x2048xf32>, tensor<2x1xf32>
      mirage_block.yield %d : tensor<2x2048xf32>
    }
    mirage_kernel.yield %o : tensor<5x2048xf16>
  } : tensor<5x2048xf16>
  return %r : tensor<5x2048xf16>
}

// A sum that two steps read is a step of its own; two outputs, of which one is
// read on.
// CHECK-LABEL: func.func @two_readers(
// CHECK: mirage.bypassing_inputs = array<i64: 0>
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.graph items() ins
// CHECK: mirage_thread.accumulate {{.*}} : (tensor<1x16xf32,
func.func @two_readers(%a: tensor<2x2048xf16>) -> (tensor<2x2048xf16>, tensor<2x2048xf32>, tensor<2x1xf32>) {
  %e = tensor.empty() : tensor<2x2048xf16>
  %f = tensor.empty() : tensor<2x2048xf32>
  %g = tensor.empty() : tensor<2x1xf32>
  %r:3 = mirage_kernel.graph ins(%a : tensor<2x2048xf16>) outs(%e, %f, %g : tensor<2x2048xf16>, tensor<2x2048xf32>, tensor<2x1xf32>) {
  ^bb0(%k: tensor<2x2048xf16>):
    %o:3 = mirage_block.graph grid(x = 2) threads(128) ins(%k imap(x -> 0)) outs(omap(x -> 0), omap(x -> 0), omap(x -> 0))
        : (tensor<2x2048xf16>) -> (tensor<2x2048xf16>, tensor<2x2048xf32>, tensor<2x1xf32>) {
    ^bb0(%x: tensor<1x2048xf16>):
      %p = mirage_block.exp %x : tensor<1x2048xf16>
      %s = mirage_block.sum %p dims [1] : tensor<1x2048xf32>
      %d = mirage_block.div %p, %s : tensor<1x2048xf32>, tensor<1x1xf32>
      %m = mirage_block.max %d dims [1] : tensor<1x2048xf32>
      %q = mirage_block.sub %d, %m : tensor<1x2048xf32>, tensor<1x1xf32>
      %u = mirage_block.sqrt %s : tensor<1x1xf32>
      mirage_block.yield %d, %q, %u : tensor<1x2048xf32>, tensor<1x2048xf32>, tensor<1x1xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2 : tensor<2x2048xf16>, tensor<2x2048xf32>, tensor<2x1xf32>
  } : tensor<2x2048xf16>, tensor<2x2048xf32>, tensor<2x1xf32>
  return %r#0, %r#1, %r#2 : tensor<2x2048xf16>, tensor<2x2048xf32>, tensor<2x1xf32>
}

// Pure elementwise programs have no shared memory.
// CHECK-LABEL: func.func @outputs(
// CHECK: mirage.bypassing_inputs = array<i64: 0, 1>
// CHECK-SAME: mirage.shared_bytes = 0 : i64
func.func @outputs(%a: tensor<16x2048xf16>, %b: tensor<16x2048xf32>) -> tensor<16x2048xbf16> {
  %e = tensor.empty() : tensor<16x2048xbf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<16x2048xf16>, tensor<16x2048xf32>) outs(%e : tensor<16x2048xbf16>) {
  ^bb0(%k: tensor<16x2048xf16>, %l: tensor<16x2048xf32>):
    %o = mirage_block.graph grid(x = 4, y = 2) threads(128) ins(%k imap(x -> 0, y -> 1), %l imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<16x2048xf16>, tensor<16x2048xf32>) -> tensor<16x2048xbf16> {
    ^bb0(%x: tensor<4x1024xf16>, %y: tensor<4x1024xf32>):
      %p = mirage_block.exp %x : tensor<4x1024xf16>
      %s = mirage_block.add %p, %y : tensor<4x1024xf32>, tensor<4x1024xf32>
      mirage_block.yield %s : tensor<4x1024xf32>
    }
    mirage_kernel.yield %o : tensor<16x2048xbf16>
  } : tensor<16x2048xbf16>
  return %r : tensor<16x2048xbf16>
}

// Lanes have eight elements of eight bits, half of the widest access.
// CHECK-LABEL: func.func @float8(
// CHECK: mirage.bypassing_inputs
func.func @float8(%a: tensor<2x4096xf8E4M3FN>) -> tensor<2x4096xf16> {
  %e = tensor.empty() : tensor<2x4096xf16>
  %r = mirage_kernel.graph ins(%a : tensor<2x4096xf8E4M3FN>) outs(%e : tensor<2x4096xf16>) {
  ^bb0(%k: tensor<2x4096xf8E4M3FN>):
    %o = mirage_block.graph grid(x = 2) threads(256) ins(%k imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<2x4096xf8E4M3FN>) -> tensor<2x4096xf16> {
    ^bb0(%x: tensor<1x4096xf8E4M3FN>):
      %s = mirage_block.rms %x dims [1] count 4096 : tensor<1x4096xf8E4M3FN>
      %d = mirage_block.div %x, %s : tensor<1x4096xf8E4M3FN>, tensor<1x1xf32>
      mirage_block.yield %d : tensor<1x4096xf32>
    }
    mirage_kernel.yield %o : tensor<2x4096xf16>
  } : tensor<2x4096xf16>
  return %r : tensor<2x4096xf16>
}

// Three warps have two of six items each, and join six parts.
// CHECK-LABEL: func.func @three_warps(
// CHECK: mirage.bypassing_inputs = array<i64: 0>
// CHECK: mirage_thread.graph items(x = 6) {{.*}}mirage.held
// CHECK: mirage_thread.graph items(x = 6) {{.*}} -> tensor<1x6xf32>
// CHECK: mirage_thread.graph items(x = 6) {{.*}}mirage.bypasses
// CHECK: mirage_thread.mask {{.*}} extent 6
// CHECK: mirage_kernel.yield
func.func @three_warps(%a: tensor<2x1536xf16>) -> tensor<2x1536xf16> {
  %e = tensor.empty() : tensor<2x1536xf16>
  %r = mirage_kernel.graph ins(%a : tensor<2x1536xf16>) outs(%e : tensor<2x1536xf16>) {
  ^bb0(%k: tensor<2x1536xf16>):
    %o = mirage_block.graph grid(x = 2) threads(96) ins(%k imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<2x1536xf16>) -> tensor<2x1536xf16> {
    ^bb0(%x: tensor<1x1536xf16>):
      %p = mirage_block.exp %x : tensor<1x1536xf16>
      %s = mirage_block.sum %p dims [1] : tensor<1x1536xf32>
      %d = mirage_block.div %p, %s : tensor<1x1536xf32>, tensor<1x1xf32>
      mirage_block.yield %d : tensor<1x1536xf32>
    }
    mirage_kernel.yield %o : tensor<2x1536xf16>
  } : tensor<2x1536xf16>
  return %r : tensor<2x1536xf16>
}

// 128 elements of a thread are more than half of its registers: not held.
// CHECK-LABEL: func.func @longest(
// CHECK-NOT: mirage.held
// CHECK: mirage_kernel.yield
func.func @longest(%a: tensor<1x16384xf16>) -> tensor<1x16384xf16> {
  %e = tensor.empty() : tensor<1x16384xf16>
  %r = mirage_kernel.graph ins(%a : tensor<1x16384xf16>) outs(%e : tensor<1x16384xf16>) {
  ^bb0(%k: tensor<1x16384xf16>):
    %o = mirage_block.graph grid(x = 1) threads(64) ins(%k imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<1x16384xf16>) -> tensor<1x16384xf16> {
    ^bb0(%x: tensor<1x16384xf16>):
      %p = mirage_block.exp %x : tensor<1x16384xf16>
      %s = mirage_block.sum %p dims [1] : tensor<1x16384xf32>
      %d = mirage_block.div %p, %s : tensor<1x16384xf32>, tensor<1x1xf32>
      mirage_block.yield %d : tensor<1x16384xf32>
    }
    mirage_kernel.yield %o : tensor<1x16384xf16>
  } : tensor<1x16384xf16>
  return %r : tensor<1x16384xf16>
}

// A step that nobody reads is one of an input's readers until it is dropped.
func.func @unread(%a: tensor<2x512xf16>, %b: tensor<1x512xf32>) -> tensor<2x512xf32> {
  %e = tensor.empty() : tensor<2x512xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<2x512xf16>, tensor<1x512xf32>) outs(%e : tensor<2x512xf32>) {
  ^bb0(%k: tensor<2x512xf16>, %l: tensor<1x512xf32>):
    %o = mirage_block.graph grid(x = 2) threads(128) ins(%k imap(x -> 0), %l imap()) outs(omap(x -> 0)) : (tensor<2x512xf16>, tensor<1x512xf32>) -> tensor<2x512xf32> {
    ^bb0(%x: tensor<1x512xf16>, %y: tensor<1x512xf32>):
      %p = mirage_block.exp %x : tensor<1x512xf16>
      %s = mirage_block.add %x, %y : tensor<1x512xf16>, tensor<1x512xf32>
      mirage_block.yield %p : tensor<1x512xf32>
    }
    mirage_kernel.yield %o : tensor<2x512xf32>
  } : tensor<2x512xf32>
  return %r : tensor<2x512xf32>
}
