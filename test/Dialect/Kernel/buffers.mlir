// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s
// A graph on memrefs has effects: nothing moves across it, and nothing drops it.
// RUN: mirage-opt %s --canonicalize --cse --loop-invariant-code-motion | FileCheck %s --check-prefix=EFFECTS

// CHECK-LABEL: func.func @strided(
// CHECK-SAME:    %[[X:.+]]: memref<8x32xf16, strided<[40, 1], offset: 16>>, %[[E:.+]]: memref<8x32xf16>
func.func @strided(%x: memref<8x32xf16, strided<[40, 1], offset: 16>>, %e: memref<8x32xf16>) {
  // CHECK: mirage_kernel.graph ins(%[[X]] : memref<8x32xf16, strided<[40, 1], offset: 16>>) outs(%[[E]] : memref<8x32xf16>) {
  // CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<8x32xf16>):
  mirage_kernel.graph ins(%x : memref<8x32xf16, strided<[40, 1], offset: 16>>) outs(%e : memref<8x32xf16>) {
  ^bb0(%a: tensor<8x32xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x32xf16>) -> tensor<8x32xf16>
    mirage_kernel.yield %0 : tensor<8x32xf16>
  }
  return
}

// EFFECTS-LABEL: func.func @loop(
// EFFECTS: %[[BEFORE:.+]] = memref.load
// EFFECTS: scf.for
// EFFECTS:   mirage_kernel.graph
// EFFECTS:   mirage_kernel.graph
// EFFECTS: %[[AFTER:.+]] = memref.load
// EFFECTS: return %[[BEFORE]], %[[AFTER]]
func.func @loop(%x: memref<8x32xf16>, %e: memref<8x32xf16>, %n: index) -> (f16, f16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %before = memref.load %e[%c0, %c0] : memref<8x32xf16>
  scf.for %i = %c0 to %n step %c1 {
    mirage_kernel.graph ins(%x : memref<8x32xf16>) outs(%e : memref<8x32xf16>) {
    ^bb0(%a: tensor<8x32xf16>):
      %0 = mirage_kernel.exp %a : (tensor<8x32xf16>) -> tensor<8x32xf16>
      mirage_kernel.yield %0 : tensor<8x32xf16>
    }
    mirage_kernel.graph ins(%e : memref<8x32xf16>) outs(%x : memref<8x32xf16>) {
    ^bb0(%a: tensor<8x32xf16>):
      %0 = mirage_kernel.exp %a : (tensor<8x32xf16>) -> tensor<8x32xf16>
      mirage_kernel.yield %0 : tensor<8x32xf16>
    }
  }
  %after = memref.load %e[%c0, %c0] : memref<8x32xf16>
  return %before, %after : f16, f16
}

// On tensors it has none.
// EFFECTS-LABEL: func.func @dead(
// EFFECTS-NEXT: return
func.func @dead(%x: tensor<8x32xf16>, %e: tensor<8x32xf16>) {
  %r = mirage_kernel.graph ins(%x : tensor<8x32xf16>) outs(%e : tensor<8x32xf16>) {
  ^bb0(%a: tensor<8x32xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x32xf16>) -> tensor<8x32xf16>
    mirage_kernel.yield %0 : tensor<8x32xf16>
  } : tensor<8x32xf16>
  return
}

// EFFECTS-LABEL: func.func @hoisted(
// EFFECTS: mirage_kernel.graph
// EFFECTS: scf.for
func.func @hoisted(%x: tensor<8x32xf16>, %e: tensor<8x32xf16>, %n: index) -> tensor<8x32xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %x) -> tensor<8x32xf16> {
    %r = mirage_kernel.graph ins(%x : tensor<8x32xf16>) outs(%e : tensor<8x32xf16>) {
    ^bb0(%a: tensor<8x32xf16>):
      %0 = mirage_kernel.exp %a : (tensor<8x32xf16>) -> tensor<8x32xf16>
      mirage_kernel.yield %0 : tensor<8x32xf16>
    } : tensor<8x32xf16>
    scf.yield %r : tensor<8x32xf16>
  }
  return %last : tensor<8x32xf16>
}
