// Every kind of step at sizes that nothing divides, and a product whose rows are
// aligned, so that ldmatrix reads it: the PTX of both targets, run
// on the emulator, against float64. Each output is a kernel of its own.
// RUN: mirage-opt %s --mirage-record-program --mirage-compile="from=optimize target=sm_90a artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check | FileCheck %s
// RUN: mirage-opt %s --mirage-record-program --mirage-compile="from=optimize target=sm_80 artifact=%t.80" -o /dev/null
// RUN: mirage-run %t.80 --device=emulator --check --seed=2 | FileCheck %s

// CHECK: output output0: right
// CHECK: output output1: right
// CHECK: output output2: right
// CHECK: output output3: right
// CHECK: output output4: right
// CHECK: output output5: right
// CHECK: output output6: right
// CHECK: output output7: right
// CHECK: output output8: right
// CHECK: output output9: right
// CHECK: output output10: right
// CHECK: output output11: right
// CHECK: output output12: right
func.func @steps(%a: tensor<7x50xf16>, %b: tensor<50x13xf16>, %c: tensor<7x50xf32>, %d: tensor<50x13xf32>, %e: tensor<7x1xf32>, %f: tensor<2x7x50xbf16>, %g: tensor<50x13xbf16>, %v: tensor<50xf32>, %h: tensor<8x64xf16>, %i: tensor<64x24xf16>)
    -> (tensor<7x13xf32>, tensor<7x13xf32>, tensor<2x7x13xf32>, tensor<7x50xf32>, tensor<7x50xf32>, tensor<7x1xf32>, tensor<1x13xf32>, tensor<1x7x1xf32>, tensor<50x7xf16>, tensor<7x20xf32>, tensor<7x50xf16>, tensor<50xf32>, tensor<8x24xf32>) {
  %e0 = tensor.empty() : tensor<7x13xf32>
  %e1 = tensor.empty() : tensor<7x13xf32>
  %e2 = tensor.empty() : tensor<2x7x13xf32>
  %e3 = tensor.empty() : tensor<7x50xf32>
  %e4 = tensor.empty() : tensor<7x50xf32>
  %e5 = tensor.empty() : tensor<7x1xf32>
  %e6 = tensor.empty() : tensor<1x13xf32>
  %e7 = tensor.empty() : tensor<1x7x1xf32>
  %e8 = tensor.empty() : tensor<50x7xf16>
  %e9 = tensor.empty() : tensor<7x20xf32>
  %e10 = tensor.empty() : tensor<7x50xf16>
  %e11 = tensor.empty() : tensor<50xf32>
  %e12 = tensor.empty() : tensor<8x24xf32>
  %r:13 = mirage_kernel.graph ins(%a, %b, %c, %d, %e, %f, %g, %v, %h, %i : tensor<7x50xf16>, tensor<50x13xf16>, tensor<7x50xf32>, tensor<50x13xf32>, tensor<7x1xf32>, tensor<2x7x50xbf16>, tensor<50x13xbf16>, tensor<50xf32>, tensor<8x64xf16>, tensor<64x24xf16>)
      outs(%e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12 : tensor<7x13xf32>, tensor<7x13xf32>, tensor<2x7x13xf32>, tensor<7x50xf32>, tensor<7x50xf32>, tensor<7x1xf32>, tensor<1x13xf32>, tensor<1x7x1xf32>, tensor<50x7xf16>, tensor<7x20xf32>, tensor<7x50xf16>, tensor<50xf32>, tensor<8x24xf32>) {
  ^bb0(%ka: tensor<7x50xf16>, %kb: tensor<50x13xf16>, %kc: tensor<7x50xf32>, %kd: tensor<50x13xf32>, %ke: tensor<7x1xf32>, %kf: tensor<2x7x50xbf16>, %kg: tensor<50x13xbf16>, %kv: tensor<50xf32>, %kh: tensor<8x64xf16>, %ki: tensor<64x24xf16>):
    %matmul = mirage_kernel.matmul %ka, %kb : (tensor<7x50xf16>, tensor<50x13xf16>) -> tensor<7x13xf32>
    %exact = mirage_kernel.matmul %kc, %kd : (tensor<7x50xf32>, tensor<50x13xf32>) -> tensor<7x13xf32>
    %batched = mirage_kernel.matmul %kf, %kg : (tensor<2x7x50xbf16>, tensor<50x13xbf16>) -> tensor<2x7x13xf32>
    %divided = mirage_kernel.div %kc, %ke : (tensor<7x50xf32>, tensor<7x1xf32>) -> tensor<7x50xf32>
    %scaled = mirage_kernel.mul %ka, %kv : (tensor<7x50xf16>, tensor<50xf32>) -> tensor<7x50xf32>
    %rms = mirage_kernel.rms %ka dims [1] : (tensor<7x50xf16>) -> tensor<7x1xf32>
    %greatest = mirage_kernel.max %kd dims [0] : (tensor<50x13xf32>) -> tensor<1x13xf32>
    %total = mirage_kernel.sum %kf dims [0, 2] : (tensor<2x7x50xbf16>) -> tensor<1x7x1xf32>
    %transposed = mirage_kernel.transpose %ka dims [1, 0] : (tensor<7x50xf16>) -> tensor<50x7xf16>
    %stretched = mirage_kernel.broadcast %ke : (tensor<7x1xf32>) -> tensor<7x20xf32>
    %silu = mirage_kernel.silu %kc : (tensor<7x50xf32>) -> tensor<7x50xf16>
    %gelu = mirage_kernel.gelu %kv : (tensor<50xf32>) -> tensor<50xf32>
    %by_ldmatrix = mirage_kernel.matmul %kh, %ki : (tensor<8x64xf16>, tensor<64x24xf16>) -> tensor<8x24xf32>
    mirage_kernel.yield %matmul, %exact, %batched, %divided, %scaled, %rms, %greatest, %total, %transposed, %stretched, %silu, %gelu, %by_ldmatrix
        : tensor<7x13xf32>, tensor<7x13xf32>, tensor<2x7x13xf32>, tensor<7x50xf32>, tensor<7x50xf32>, tensor<7x1xf32>, tensor<1x13xf32>, tensor<1x7x1xf32>, tensor<50x7xf16>, tensor<7x20xf32>, tensor<7x50xf16>, tensor<50xf32>, tensor<8x24xf32>
  } : tensor<7x13xf32>, tensor<7x13xf32>, tensor<2x7x13xf32>, tensor<7x50xf32>, tensor<7x50xf32>, tensor<7x1xf32>, tensor<1x13xf32>, tensor<1x7x1xf32>, tensor<50x7xf16>, tensor<7x20xf32>, tensor<7x50xf16>, tensor<50xf32>, tensor<8x24xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9, %r#10, %r#11, %r#12
      : tensor<7x13xf32>, tensor<7x13xf32>, tensor<2x7x13xf32>, tensor<7x50xf32>, tensor<7x50xf32>, tensor<7x1xf32>, tensor<1x13xf32>, tensor<1x7x1xf32>, tensor<50x7xf16>, tensor<7x20xf32>, tensor<7x50xf16>, tensor<50xf32>, tensor<8x24xf32>
}
