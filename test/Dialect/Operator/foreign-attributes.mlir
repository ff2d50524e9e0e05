// What stands on an op and is none of its own attributes means nothing to it, whatever
// its name; it stays where it is.
// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s
// RUN: mirage-opt %s -o %t
// RUN: mirage-verify %t %S/Inputs/foreign-attributes-left-out.mlir

// CHECK-LABEL: func @mask
// CHECK: mirage_kernel.causal_mask %{{.*}} offset 0 {rows = ["x"]}
func.func @mask(%s: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %m = mirage_kernel.causal_mask %s offset 0 {rows = ["x"]} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %p = mirage_kernel.softmax %m dims [1] {count = 2} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %p : tensor<3x4xf32>
}

// CHECK-LABEL: func @tiles
// CHECK: mirage_block.exp %{{.*}} {axes = ["q"], count = 3 : ui8}
// CHECK: mirage_block.sum %{{.*}} dims [1] {axes = [1]}
func.func @tiles(%x: tensor<8x4xf32>) -> tensor<8x1xf32> {
  %o = mirage_block.graph grid(x = 2) threads(32) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x4xf32>) -> tensor<8x1xf32> {
  ^bb0(%t: tensor<4x4xf32>):
    %e = mirage_block.exp %t {axes = ["q"], count = 3 : ui8} : tensor<4x4xf32>
    %s = mirage_block.sum %e dims [1] {axes = [1]} : tensor<4x4xf32>
    mirage_block.yield %s : tensor<4x1xf32>
  }
  return %o : tensor<8x1xf32>
}
