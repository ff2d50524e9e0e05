// RUN: mirage-opt %s --mirage-predict-times | FileCheck %s
// RUN: mirage-opt %s --mirage-predict-times=target=sm_80 | FileCheck %s --check-prefix=A100
// What is said before thread graphs are made stays where nothing can be said any more.
// RUN: mirage-opt %s --mirage-predict-times --convert-mirage-block-to-thread --mirage-predict-times | FileCheck %s
// RUN: mirage-opt %s --convert-mirage-block-to-thread --mirage-predict-times | FileCheck %s --check-prefix=LATE --implicit-check-not=predicted_time
// RUN: mirage-opt %s --mirage-predict-times > %t.mlir
// RUN: mirage-verify %s %t.mlir

// It is the search's number: the parts of what a report says of the same kernel.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize explain=%t.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=REPORT --input-file %t.json

// CHECK-LABEL: func.func @exp
// CHECK:       mirage_block.graph grid(x = 64)
// CHECK-SAME:    mirage.predicted_time = {
// CHECK-SAME:    blocks_us = {{[0-9.e+-]+}} : f64, cache_us = {{[0-9.e+-]+}} : f64
// CHECK-SAME:    join_us = 0.000000e+00 : f64
// CHECK-SAME:    launch_us = 2.35{{[0-9e+]*}} : f64
// CHECK-SAME:    target = "sm_90a"
// A100:        target = "sm_80"
// LATE:        mirage_thread.graph
// REPORT:      "launchUs": 2.35
func.func @exp(%x: tensor<64x4096xf16>) -> tensor<64x4096xf16> {
  %e = tensor.empty() : tensor<64x4096xf16>
  %0 = mirage_kernel.graph ins(%x : tensor<64x4096xf16>) outs(%e : tensor<64x4096xf16>) {
  ^bb0(%k: tensor<64x4096xf16>):
    %1 = mirage_block.graph grid(x = 64) threads(128) ins(%k imap(x -> 0)) outs(omap(x -> 0)) : (tensor<64x4096xf16>) -> tensor<64x4096xf16> {
    ^bb0(%t: tensor<1x4096xf16>):
      %2 = mirage_block.exp %t : tensor<1x4096xf16>
      mirage_block.yield %2 : tensor<1x4096xf32>
    }
    mirage_kernel.yield %1 : tensor<64x4096xf16>
  } : tensor<64x4096xf16>
  return %0 : tensor<64x4096xf16>
}
