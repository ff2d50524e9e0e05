// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @norms(
func.func @norms(%x: tensor<8x64xf16>, %w: tensor<64xf16>, %b: tensor<64xf32>) {
  // CHECK: mirage_kernel.rms_norm %{{.+}} dims [1] epsilon 0.000000e+00 : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %0 = mirage_kernel.rms_norm %x dims [1] epsilon 0.0 : (tensor<8x64xf16>) -> tensor<8x64xf32>
  // CHECK: mirage_kernel.rms_norm %{{.+}}, %{{.+}} dims [1] epsilon 1.000000e-05 : (tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  %1 = mirage_kernel.rms_norm %x, %w dims [1] epsilon 1.0e-5 : (tensor<8x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>
  // CHECK: mirage_kernel.layer_norm %{{.+}} dims [0, 1] epsilon 1.000000e-05 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %2 = mirage_kernel.layer_norm %x dims [0, 1] epsilon 1.0e-5 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  // CHECK: mirage_kernel.layer_norm %{{.+}}, %{{.+}}, %{{.+}} dims [1] epsilon 1.000000e-05 : (tensor<8x64xf16>, tensor<64xf16>, tensor<64xf32>) -> tensor<8x64xf16>
  %3 = mirage_kernel.layer_norm %x, %w, %b dims [1] epsilon 1.0e-5 : (tensor<8x64xf16>, tensor<64xf16>, tensor<64xf32>) -> tensor<8x64xf16>
  // CHECK: mirage_kernel.l2_norm %{{.+}} dims [1] epsilon 1.000000e-05 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %4 = mirage_kernel.l2_norm %x dims [1] epsilon 1.0e-5 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  // CHECK: mirage_kernel.softmax %{{.+}} dims [0] : (tensor<8x64xf16>) -> tensor<8x64xbf16>
  %5 = mirage_kernel.softmax %x dims [0] : (tensor<8x64xf16>) -> tensor<8x64xbf16>
  // CHECK: mirage_kernel.repeat %{{.+}} : (tensor<64xf16>) -> tensor<192xf16>
  %6 = mirage_kernel.repeat %w : (tensor<64xf16>) -> tensor<192xf16>
  return
}
