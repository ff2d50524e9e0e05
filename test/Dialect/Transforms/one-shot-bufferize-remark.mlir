// RUN: mirage-opt %s --one-shot-bufferize=bufferize-function-boundaries --remarks-filter=mirage-bufferize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// Who has functions take whatever lies by strides is told what it costs.
// CHECK: one-shot-bufferize-remark.mlir:[[@LINE+3]]:{{.*}}a buffer whose strides or offset are not static {{.*}}is copied before it is read
func.func @dynamic(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}
