// A product of one column, of which a fragment has eight, over the sums of rows that warps have
// joined of parts: these have one column.
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-compile="from=optimize ptxas=never artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check | FileCheck %s
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=EQUAL
// RUN: FileCheck %s --check-prefix=FUSED < %t.mlir
// CHECK: output output0: right
// EQUAL: equal

// FUSED: mirage_thread.mma
// FUSED: mirage_thread.div {{.*}} (tensor<16x8xf32, {{.*}}, tensor<16x1xf32
func.func @columns(%x: tensor<8x100xf16>, %w: tensor<100x1xf16>, %u: tensor<8x1xf16>) -> tensor<8x1xf16> {
  %e = tensor.empty() : tensor<8x1xf16>
  %r = mirage_kernel.graph ins(%x, %w, %u : tensor<8x100xf16>, tensor<100x1xf16>, tensor<8x1xf16>) outs(%e : tensor<8x1xf16>) {
  ^bb0(%a: tensor<8x100xf16>, %b: tensor<100x1xf16>, %c: tensor<8x1xf16>):
    %o = mirage_block.graph grid() threads(512) ins(%a imap(), %b imap(), %c imap()) outs(omap())
        : (tensor<8x100xf16>, tensor<100x1xf16>, tensor<8x1xf16>) -> tensor<8x1xf16> {
    ^bb0(%s: tensor<8x100xf16>, %t: tensor<100x1xf16>, %v: tensor<8x1xf16>):
      %0 = mirage_block.exp %s : tensor<8x100xf16>
      %1 = mirage_block.sum %0 dims [1] : tensor<8x100xf32>
      %2 = mirage_block.cast %0 : (tensor<8x100xf32>) -> tensor<8x100xf16>
      %3 = mirage_block.matmul %2, %t : tensor<8x100xf16>, tensor<100x1xf16>
      %4 = mirage_block.div %3, %1 : tensor<8x1xf32>, tensor<8x1xf32>
      %5 = mirage_block.mul %v, %4 : tensor<8x1xf16>, tensor<8x1xf32>
      mirage_block.yield %5 : tensor<8x1xf32>
    }
    mirage_kernel.yield %o : tensor<8x1xf16>
  } : tensor<8x1xf16>
  return %r : tensor<8x1xf16>
}
