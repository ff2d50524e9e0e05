// Tiles of the copy engine: a host of somebody else's makes no tensor map.
// RUN: mirage-opt %s --mirage-compile-in-place="from=optimize to=optimize" | FileCheck %s --check-prefix=NONE
// NONE-NOT: mirage.input_swizzles
// RUN: mirage-opt %s --mirage-assign-default-blocks=stages=2 --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: mirage.input_swizzles
// RUN: not mirage-opt %t.mlir --convert-mirage-graphs-to-launches 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: expects tiles that threads load (--mirage-plan-shared-memory{copy-engine=false}), got input {{[01]}} for the copy engine
func.func @matmul(%x: memref<128x256xf16>, %w: memref<256x128xf16>, %e: memref<128x128xf16>) {
  mirage_kernel.graph ins(%x, %w : memref<128x256xf16>, memref<256x128xf16>) outs(%e : memref<128x128xf16>) {
  ^bb0(%a: tensor<128x256xf16>, %b: tensor<256x128xf16>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<128x256xf16>, tensor<256x128xf16>) -> tensor<128x128xf16>
    mirage_kernel.yield %0 : tensor<128x128xf16>
  }
  return
}
