// Results that are written into the midst of a memref keep their rows: a reshape would have them begin at its start.
// RUN: mirage-opt %s --mirage-assign-default-blocks --mirage-join-tile-rows | FileCheck %s --implicit-check-not=mirage_kernel.reshape
// RUN: mirage-opt %s --mirage-compile-in-place="from=optimize ptxas=never" | FileCheck %s --check-prefix=COMPILED
// CHECK-LABEL: func.func @by_default(
// CHECK: mirage_block.graph
// CHECK-LABEL: func.func @stated(
// CHECK: mirage_block.graph
// COMPILED-COUNT-2: gpu.launch_func

func.func @by_default(%x: memref<16x33xf16>, %e: memref<16x33xf16, strided<[33, 1], offset: 16>>) {
  mirage_kernel.graph ins(%x : memref<16x33xf16>) outs(%e : memref<16x33xf16, strided<[33, 1], offset: 16>>) {
  ^bb0(%k: tensor<16x33xf16>):
    %a = mirage_kernel.exp %k : (tensor<16x33xf16>) -> tensor<16x33xf16>
    mirage_kernel.yield %a : tensor<16x33xf16>
  }
  return
}

func.func @stated(%x: memref<16x33xf16>, %e: memref<16x33xf16, strided<[33, 1], offset: 16>>) {
  mirage_kernel.graph ins(%x : memref<16x33xf16>) outs(%e : memref<16x33xf16, strided<[33, 1], offset: 16>>) {
  ^bb0(%k: tensor<16x33xf16>):
    %o = mirage_block.graph grid() threads(64) ins(%k imap()) outs(omap()) : (tensor<16x33xf16>) -> tensor<16x33xf16> {
    ^bb0(%t: tensor<16x33xf16>):
      %b = mirage_block.exp %t : tensor<16x33xf16>
      mirage_block.yield %b : tensor<16x33xf32>
    }
    mirage_kernel.yield %o : tensor<16x33xf16>
  }
  return
}
