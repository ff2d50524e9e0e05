// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

// CHECK-LABEL: func.func @unscale(
func.func @unscale(%x: tensor<8x64xf16>) {
  // CHECK: mirage_kernel.unscale %{{.+}} by 1.000000e+01 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %0 = mirage_kernel.unscale %x by 10.0 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  // CHECK: mirage_block.unscale %{{.+}} by 1.000000e+01 : tensor<8x64xf16>
  %1 = mirage_block.unscale %x by 10.0 : tensor<8x64xf16>
  return
}

// CHECK-LABEL: func.func @unscale_of_fragments(
func.func @unscale_of_fragments(%x: tensor<16x8xf32, #c>) {
  // CHECK: mirage_thread.unscale
  %0 = mirage_thread.unscale %x by 10.0 : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
  return
}
