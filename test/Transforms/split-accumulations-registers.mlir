// Threads have registers for one of these averages, not for two: the others are taken where their tiles lie, and the
// block fits its shared memory.
// RUN: mirage-opt %s --mirage-split-accumulations | FileCheck %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check | FileCheck %s --check-prefix=RIGHT
// CHECK-LABEL: func.func @averages(
// CHECK: mirage_block.cast
// CHECK-NEXT: mirage_block.accumulate {{.*}} over loop sum :
// CHECK-NOT: mirage_block.cast
// CHECK: mirage_block.accumulate {{.*}} over loop mean :
// CHECK-NEXT: mirage_block.accumulate {{.*}} over loop mean :
// CHECK-NEXT: mirage_block.accumulate {{.*}} over loop mean :
// RIGHT-COUNT-4: right:

func.func @averages(%x0: tensor<256x128xf16>, %x1: tensor<256x128xf16>, %x2: tensor<256x128xf16>, %x3: tensor<256x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>) {
  %e0 = tensor.empty() : tensor<64x128xf16>
  %e1 = tensor.empty() : tensor<64x128xf16>
  %e2 = tensor.empty() : tensor<64x128xf16>
  %e3 = tensor.empty() : tensor<64x128xf16>
  %r:4 = mirage_kernel.graph ins(%x0, %x1, %x2, %x3 : tensor<256x128xf16>, tensor<256x128xf16>, tensor<256x128xf16>, tensor<256x128xf16>) outs(%e0, %e1, %e2, %e3 : tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>) {
  ^bb0(%k0: tensor<256x128xf16>, %k1: tensor<256x128xf16>, %k2: tensor<256x128xf16>, %k3: tensor<256x128xf16>):
    %o:4 = mirage_block.graph grid() threads(128) loop(4) ins(%k0 imap() fmap(0), %k1 imap() fmap(0), %k2 imap() fmap(0), %k3 imap() fmap(0)) outs(omap(), omap(), omap(), omap()) : (tensor<256x128xf16>, tensor<256x128xf16>, tensor<256x128xf16>, tensor<256x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>) {
    ^bb0(%t0: tensor<64x128xf16>, %t1: tensor<64x128xf16>, %t2: tensor<64x128xf16>, %t3: tensor<64x128xf16>):
      %s0 = mirage_block.accumulate %t0 over loop mean : tensor<64x128xf16>
      %s1 = mirage_block.accumulate %t1 over loop mean : tensor<64x128xf16>
      %s2 = mirage_block.accumulate %t2 over loop mean : tensor<64x128xf16>
      %s3 = mirage_block.accumulate %t3 over loop mean : tensor<64x128xf16>
      mirage_block.yield %s0, %s1, %s2, %s3 : tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2, %o#3 : tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>
  } : tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>
  return %r#0, %r#1, %r#2, %r#3 : tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>, tensor<64x128xf16>
}
