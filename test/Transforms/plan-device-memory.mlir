// RUN: mirage-opt %s --mirage-plan-device-memory | FileCheck %s

// A chain of three kernels: while the third one runs, what the first one wrote
// is needed no more, so the place of `%0` is free when `%2` is written. `%3`
// is returned and has no place in the workspace.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    attributes {mirage.workspace_bytes = 512 : i64}
// CHECK:         mirage_block.graph {{.*}}mirage.workspace_offsets = array<i64: 0>
// CHECK:         mirage_block.graph {{.*}}mirage.workspace_offsets = array<i64: 256>
// CHECK:         mirage_block.graph {{.*}}mirage.workspace_offsets = array<i64: 0>
// CHECK:         mirage_block.graph {{.*}}mirage.workspace_offsets = array<i64: -1>
func.func @chain(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: tensor<4x16xf32>):
    %0 = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<4x16xf32>) -> tensor<4x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %y = mirage_block.exp %t : tensor<4x16xf32>
      mirage_block.yield %y : tensor<4x16xf32>
    }
    %1 = mirage_block.graph grid() threads(32) ins(%0 imap()) outs(omap()) : (tensor<4x16xf32>) -> tensor<4x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %y = mirage_block.exp %t : tensor<4x16xf32>
      mirage_block.yield %y : tensor<4x16xf32>
    }
    // A view lives where its operand does.
    %v = mirage_kernel.reshape %1 : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %2 = mirage_block.graph grid() threads(32) ins(%v imap()) outs(omap()) : (tensor<16x4xf32>) -> tensor<16x4xf32> {
    ^bb0(%t: tensor<16x4xf32>):
      %y = mirage_block.exp %t : tensor<16x4xf32>
      mirage_block.yield %y : tensor<16x4xf32>
    }
    %w = mirage_kernel.reshape %2 : (tensor<16x4xf32>) -> tensor<4x16xf32>
    %3 = mirage_block.graph grid() threads(32) ins(%w imap(), %1 imap()) outs(omap()) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32> {
    ^bb0(%t: tensor<4x16xf32>, %u: tensor<4x16xf32>):
      %y = mirage_block.add %t, %u : tensor<4x16xf32>, tensor<4x16xf32>
      mirage_block.yield %y : tensor<4x16xf32>
    }
    mirage_kernel.yield %3 : tensor<4x16xf32>
  } : tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
