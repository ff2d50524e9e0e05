// Blocks that read the same start side by side.
// RUN: mirage-opt %s --mirage-order-grid | FileCheck %s
// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory --mirage-order-grid --mirage-plan-device-memory --convert-mirage-kernel-to-gpu | FileCheck %s --check-prefix=LAUNCH

// Blocks along y have one %b of 8 KiB in common, those along x one %a of 2 KiB.
// CHECK-LABEL:  func.func @second(
// CHECK:          mirage_block.graph grid(x = 4, y = 2, z = 1) {{.*}} {mirage.grid_order = array<i64: 1, 0, 2>}
// LAUNCH-LABEL: gpu.func @second_0(
// LAUNCH:         %[[FIRST:.+]] = gpu.block_id x
// LAUNCH:         %[[NEXT:.+]] = gpu.block_id y
// LAUNCH:         mirage.launch = {{.*}}grid = array<i64: 2, 4, 1>
func.func @second(%a: tensor<8x64xf32>, %b: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<8x64xf32>, tensor<64x32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>):
    %o = mirage_block.graph grid(x = 4, y = 2, z = 1) threads(64)
        ins(%x imap(y -> 0), %w imap(x -> 1)) outs(omap(x -> 1, y -> 0))
        : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32> {
    ^bb0(%xt: tensor<4x64xf32>, %wt: tensor<64x8xf32>):
      %p = mirage_block.matmul %xt, %wt : tensor<4x64xf32>, tensor<64x8xf32>
      mirage_block.yield %p : tensor<4x8xf32>
    }
    mirage_kernel.yield %o : tensor<8x32xf32>
  } : tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// The order is that of the axes already, or nothing is shared.
// CHECK-LABEL: func.func @first(
// CHECK-NOT:     mirage.grid_order
func.func @first(%a: tensor<64x32xf32>, %b: tensor<8x64xf32>) -> (tensor<8x32xf32>, tensor<64x32xf32>) {
  %e = tensor.empty() : tensor<8x32xf32>
  %f = tensor.empty() : tensor<64x32xf32>
  %r:2 = mirage_kernel.graph ins(%a, %b : tensor<64x32xf32>, tensor<8x64xf32>) outs(%e, %f : tensor<8x32xf32>, tensor<64x32xf32>) {
  ^bb0(%w: tensor<64x32xf32>, %x: tensor<8x64xf32>):
    %o = mirage_block.graph grid(x = 2, y = 4) threads(64)
        ins(%x imap(x -> 0), %w imap(y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32> {
    ^bb0(%xt: tensor<4x64xf32>, %wt: tensor<64x8xf32>):
      %p = mirage_block.matmul %xt, %wt : tensor<4x64xf32>, tensor<64x8xf32>
      mirage_block.yield %p : tensor<4x8xf32>
    }
    %q = mirage_block.graph grid(x = 4, y = 2) threads(64) ins(%w imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<64x32xf32>) -> tensor<64x32xf32> {
    ^bb0(%t: tensor<16x16xf32>):
      %p = mirage_block.exp %t : tensor<16x16xf32>
      mirage_block.yield %p : tensor<16x16xf32>
    }
    mirage_kernel.yield %o, %q : tensor<8x32xf32>, tensor<64x32xf32>
  } : tensor<8x32xf32>, tensor<64x32xf32>
  return %r#0, %r#1 : tensor<8x32xf32>, tensor<64x32xf32>
}
