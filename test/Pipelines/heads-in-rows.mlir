// Attention of [batch, rows, heads, depth], as FlashAttention and many models have it: no step moves an
// element of it but the product that reads keys as they lie, and no kernel copies.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="artifact=%t explain=true" -o /dev/null 2>&1 | FileCheck %s
// CHECK-NOT: {{transpose:|, transpose}}
// CHECK: transpose, {{w?g?mma}}
// CHECK-NOT: {{transpose[:,]|, transpose}}
// CHECK: @heads_in_rows: 1 kernel
// RUN: mirage-run %t --device=emulator --check --schedule=3 | FileCheck %s --check-prefix=RIGHT
// RIGHT: right:

// RUN: mirage-opt %s --mirage-compile="to=search" | FileCheck %s --check-prefix=VIEWS
// VIEWS-COUNT-3: mirage_kernel.transpose
// VIEWS: mirage_block.graph
// VIEWS: mirage_kernel.transpose
// VIEWS-NEXT: {{mirage_kernel.reshape|mirage_kernel.yield}}

func.func @heads_in_rows(%q: tensor<1x128x4x64xf16>, %k: tensor<1x128x4x64xf16>, %v: tensor<1x128x4x64xf16>) -> tensor<1x128x4x64xf16> {
  %e = tensor.empty() : tensor<1x128x4x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x128x4x64xf16>, tensor<1x128x4x64xf16>, tensor<1x128x4x64xf16>) outs(%e : tensor<1x128x4x64xf16>) {
  ^bb0(%x: tensor<1x128x4x64xf16>, %y: tensor<1x128x4x64xf16>, %z: tensor<1x128x4x64xf16>):
    %0 = mirage_kernel.transpose %x dims [0, 2, 1, 3] : (tensor<1x128x4x64xf16>) -> tensor<1x4x128x64xf16>
    %1 = mirage_kernel.transpose %y dims [0, 2, 3, 1] : (tensor<1x128x4x64xf16>) -> tensor<1x4x64x128xf16>
    %2 = mirage_kernel.matmul %0, %1 : (tensor<1x4x128x64xf16>, tensor<1x4x64x128xf16>) -> tensor<1x4x128x128xf32>
    %3 = mirage_kernel.scale %2 by 1.250000e-01 : (tensor<1x4x128x128xf32>) -> tensor<1x4x128x128xf32>
    %4 = mirage_kernel.max %3 dims [3] : (tensor<1x4x128x128xf32>) -> tensor<1x4x128x1xf32>
    %5 = mirage_kernel.sub %3, %4 : (tensor<1x4x128x128xf32>, tensor<1x4x128x1xf32>) -> tensor<1x4x128x128xf32>
    %6 = mirage_kernel.exp %5 : (tensor<1x4x128x128xf32>) -> tensor<1x4x128x128xf32>
    %7 = mirage_kernel.sum %6 dims [3] : (tensor<1x4x128x128xf32>) -> tensor<1x4x128x1xf32>
    %8 = mirage_kernel.div %6, %7 : (tensor<1x4x128x128xf32>, tensor<1x4x128x1xf32>) -> tensor<1x4x128x128xf16>
    %9 = mirage_kernel.transpose %z dims [0, 2, 1, 3] : (tensor<1x128x4x64xf16>) -> tensor<1x4x128x64xf16>
    %10 = mirage_kernel.matmul %8, %9 : (tensor<1x4x128x128xf16>, tensor<1x4x128x64xf16>) -> tensor<1x4x128x64xf16>
    %11 = mirage_kernel.transpose %10 dims [0, 2, 1, 3] : (tensor<1x4x128x64xf16>) -> tensor<1x128x4x64xf16>
    mirage_kernel.yield %11 : tensor<1x128x4x64xf16>
  } : tensor<1x128x4x64xf16>
  return %r : tensor<1x128x4x64xf16>
}
