// RUN: mirage-opt %s --one-shot-bufferize=bufferize-function-boundaries --split-input-file --verify-diagnostics

// Shared memory, say.
func.func @memory_space(%x: tensor<8x64xf16>, %m: memref<8x64xf16, 3>) -> f16 {
  %c0 = arith.constant 0 : index
  %e = bufferization.to_tensor %m restrict writable : memref<8x64xf16, 3> to tensor<8x64xf16>
  // expected-error @below {{operand 1: expects a memref of the default memory space, got memref<8x64xf16, 3>}}
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  %0 = tensor.extract %r[%c0, %c0] : tensor<8x64xf16>
  return %0 : f16
}
