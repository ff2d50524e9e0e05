// Sums along another dimension than the last one, as of parts that blocks left, of sizes that
// layouts divide and of others, run on the emulator, in order and by a random schedule, against
// float64; for sm_80 as well.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t/90" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/80" -o /dev/null
// RUN: for name in parts odd_parts maxima_of_columns halves middle; do \
// RUN:   mirage-run %t/90/$name --check && mirage-run %t/90/$name --check --schedule=5 && \
// RUN:   mirage-run %t/80/$name --check || exit 1; \
// RUN: done
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" --mlir-print-local-scope | FileCheck %s

// Parts are scaled, added up and divided in one step: eight warps have a row each, whose elements
// they load themselves, ahead of the barrier for the divisor: 16 bytes of each part.
// CHECK-LABEL: func.func @parts(
// CHECK: mirage.bypassing_inputs = array<i64: 0, 1>
// CHECK: mirage_thread.graph items(x = 8) {{.*}}mirage.held
// CHECK: mirage_thread.load {{.*}}register = {{\[\[}}0, 0, 0, 1], [0, 0, 0, 2], [4, 0, 0, 0], [8, 0, 0, 0]], lane = {{\[\[}}0, 0, 0, 4], [0, 0, 0, 8], [0, 0, 0, 16], [1, 0, 0, 0], [2, 0, 0, 0]]
// CHECK: mirage_thread.graph items(x = 8)
// CHECK: mirage_thread.mul
// CHECK: mirage_thread.accumulate {{.*}} over loop sum dims [0]
// CHECK: mirage_thread.div
// CHECK-NOT: mirage_thread.graph
// CHECK: return
func.func @parts(%a: tensor<16x1x64x64xf32>, %b: tensor<16x1x64xf32>) -> tensor<1x1x64x64xf16> {
  %e = tensor.empty() : tensor<1x1x64x64xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<16x1x64x64xf32>, tensor<16x1x64xf32>) outs(%e : tensor<1x1x64x64xf16>) {
  ^bb0(%ka: tensor<16x1x64x64xf32>, %kb: tensor<16x1x64xf32>):
    %o = mirage_block.graph grid(x = 8, y = 2) threads(256) ins(%ka imap(x -> 2, y -> 3), %kb imap(x -> 2)) outs(omap(x -> 2, y -> 3))
        : (tensor<16x1x64x64xf32>, tensor<16x1x64xf32>) -> tensor<1x1x64x64xf16> {
    ^bb0(%x: tensor<16x1x8x32xf32>, %y: tensor<16x1x8xf32>):
      %0 = mirage_block.exp %y : tensor<16x1x8xf32>
      %1 = mirage_block.reshape %0 : (tensor<16x1x8xf32>) -> tensor<16x1x8x1xf32>
      %2 = mirage_block.mul %x, %1 : tensor<16x1x8x32xf32>, tensor<16x1x8x1xf32>
      %3 = mirage_block.sum %2 dims [0] : tensor<16x1x8x32xf32>
      %4 = mirage_block.sum %0 dims [0] : tensor<16x1x8xf32>
      %5 = mirage_block.reshape %4 : (tensor<1x1x8xf32>) -> tensor<1x1x8x1xf32>
      %6 = mirage_block.div %3, %5 : tensor<1x1x8x32xf32>, tensor<1x1x8x1xf32>
      mirage_block.yield %6 : tensor<1x1x8x32xf32>
    }
    mirage_kernel.yield %o : tensor<1x1x64x64xf16>
  } : tensor<1x1x64x64xf16>
  return %r : tensor<1x1x64x64xf16>
}

// Five parts of seven rows: lanes and registers reach beyond both.
// CHECK-LABEL: func.func @odd_parts(
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.mask
// CHECK: mirage_thread.accumulate {{.*}} over loop sum dims [0]
// CHECK-NOT: mirage_thread.graph
// CHECK: return
func.func @odd_parts(%a: tensor<5x1x14x24xf32>) -> tensor<1x1x14x24xf16> {
  %e = tensor.empty() : tensor<1x1x14x24xf16>
  %r = mirage_kernel.graph ins(%a : tensor<5x1x14x24xf32>) outs(%e : tensor<1x1x14x24xf16>) {
  ^bb0(%ka: tensor<5x1x14x24xf32>):
    %o = mirage_block.graph grid(x = 2) threads(64) ins(%ka imap(x -> 2)) outs(omap(x -> 2))
        : (tensor<5x1x14x24xf32>) -> tensor<1x1x14x24xf16> {
    ^bb0(%x: tensor<5x1x7x24xf32>):
      %0 = mirage_block.exp %x : tensor<5x1x7x24xf32>
      %1 = mirage_block.sum %0 dims [0] : tensor<5x1x7x24xf32>
      mirage_block.yield %1 : tensor<1x1x7x24xf32>
    }
    mirage_kernel.yield %o : tensor<1x1x14x24xf16>
  } : tensor<1x1x14x24xf16>
  return %r : tensor<1x1x14x24xf16>
}

// More rows than a lane has registers for: shared memory has them, as each step would wait for device
// memory.
// CHECK-LABEL: func.func @maxima_of_columns(
// CHECK-NOT: mirage.bypassing_inputs
// CHECK: mirage_thread.graph {{.*}}steps(
func.func @maxima_of_columns(%a: tensor<300x40xf32>) -> tensor<1x40xf32> {
  %e = tensor.empty() : tensor<1x40xf32>
  %r = mirage_kernel.graph ins(%a : tensor<300x40xf32>) outs(%e : tensor<1x40xf32>) {
  ^bb0(%ka: tensor<300x40xf32>):
    %o = mirage_block.graph grid() threads(128) ins(%ka imap()) outs(omap())
        : (tensor<300x40xf32>) -> tensor<1x40xf32> {
    ^bb0(%x: tensor<300x40xf32>):
      %0 = mirage_block.max %x dims [0] : tensor<300x40xf32>
      mirage_block.yield %0 : tensor<1x40xf32>
    }
    mirage_kernel.yield %o : tensor<1x40xf32>
  } : tensor<1x40xf32>
  return %r : tensor<1x40xf32>
}

// Runs are so short that all four warps have columns.
// CHECK-LABEL: func.func @halves(
// CHECK: mirage_thread.graph items(x = 4)
func.func @halves(%a: tensor<32x256xf16>) -> tensor<1x256xf16> {
  %e = tensor.empty() : tensor<1x256xf16>
  %r = mirage_kernel.graph ins(%a : tensor<32x256xf16>) outs(%e : tensor<1x256xf16>) {
  ^bb0(%ka: tensor<32x256xf16>):
    %o = mirage_block.graph grid(x = 2) threads(128) ins(%ka imap(x -> 1)) outs(omap(x -> 1))
        : (tensor<32x256xf16>) -> tensor<1x256xf16> {
    ^bb0(%x: tensor<32x128xf16>):
      %0 = mirage_block.square %x : tensor<32x128xf16>
      %1 = mirage_block.sum %0 dims [0] : tensor<32x128xf32>
      %2 = mirage_block.sqrt %1 : tensor<1x128xf32>
      mirage_block.yield %2 : tensor<1x128xf32>
    }
    mirage_kernel.yield %o : tensor<1x256xf16>
  } : tensor<1x256xf16>
  return %r : tensor<1x256xf16>
}

// A dimension between two others; all four have more than one element, so that what comes before
// the sum is a step of its own.
// CHECK-LABEL: func.func @middle(
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.exp
// CHECK: mirage_thread.graph
// CHECK: mirage_thread.accumulate {{.*}} over loop sum dims [1]
// CHECK: return
func.func @middle(%a: tensor<3x6x4x16xf32>) -> tensor<3x1x4x16xf32> {
  %e = tensor.empty() : tensor<3x1x4x16xf32>
  %r = mirage_kernel.graph ins(%a : tensor<3x6x4x16xf32>) outs(%e : tensor<3x1x4x16xf32>) {
  ^bb0(%ka: tensor<3x6x4x16xf32>):
    %o = mirage_block.graph grid() threads(128) ins(%ka imap()) outs(omap())
        : (tensor<3x6x4x16xf32>) -> tensor<3x1x4x16xf32> {
    ^bb0(%x: tensor<3x6x4x16xf32>):
      %0 = mirage_block.exp %x : tensor<3x6x4x16xf32>
      %1 = mirage_block.sum %0 dims [1] : tensor<3x6x4x16xf32>
      mirage_block.yield %1 : tensor<3x1x4x16xf32>
    }
    mirage_kernel.yield %o : tensor<3x1x4x16xf32>
  } : tensor<3x1x4x16xf32>
  return %r : tensor<3x1x4x16xf32>
}
