// RUN: mirage-opt %s --convert-mirage-kernel-to-linalg --split-input-file --verify-diagnostics

func.func @superoptimized(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  // expected-note @below {{in this graph}}
  %r = mirage_kernel.graph ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>):
    %0 = mirage_kernel.exp %a : (tensor<64x64xf32>) -> tensor<64x64xf32>
    // expected-error @below {{expects operators of the table, got 'mirage_block.graph': a superoptimized graph is compiled, not exported}}
    %1 = mirage_block.graph grid(x = 4) threads(128) ins(%0 imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    ^bb0(%t: tensor<16x64xf32>):
      %2 = mirage_block.exp %t : tensor<16x64xf32>
      mirage_block.yield %2 : tensor<16x64xf32>
    }
    mirage_kernel.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

func.func @bufferized(%x: memref<8x32xf16>, %e: memref<8x32xf16>) {
  // expected-error @below {{expects a kernel graph on tensors, got one that is bufferized}}
  mirage_kernel.graph ins(%x : memref<8x32xf16>) outs(%e : memref<8x32xf16>) {
  ^bb0(%a: tensor<8x32xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x32xf16>) -> tensor<8x32xf16>
    mirage_kernel.yield %0 : tensor<8x32xf16>
  }
  return
}
