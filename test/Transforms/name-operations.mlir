// RUN: mirage-opt %s --mirage-name-operations --mlir-print-debuginfo | FileCheck %s
// A second time changes nothing.
// RUN: mirage-opt %s --mirage-name-operations --mlir-print-debuginfo -o %t.once.mlir
// RUN: mirage-opt %s --mirage-name-operations --mirage-name-operations --mlir-print-debuginfo -o %t.twice.mlir
// RUN: cmp %t.once.mlir %t.twice.mlir

func.func @named(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %o = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf16>) -> tensor<8x64xf16> {
    ^bb0(%t: tensor<1x64xf16>):
      %p = mirage_block.exp %t : tensor<1x64xf16>
      mirage_block.yield %p : tensor<1x64xf32>
    }
    %s = mirage_kernel.relu %o : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %s : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// Ops of kernel graphs and of the block graphs in them, and no others; what was there is
// inside.
// CHECK: tensor.empty() : tensor<8x64xf16> loc(#[[EMPTY:.+]])
// CHECK: mirage_block.exp {{.*}} loc(#[[EXP:.+]])
// CHECK: mirage_kernel.relu {{.*}} loc(#[[RELU:.+]])
// CHECK-DAG: #[[EMPTY]] = loc("{{.*}}name-operations.mlir":8:8)
// CHECK-DAG: #[[IN_EXP:.+]] = loc("{{.*}}name-operations.mlir":14:12)
// CHECK-DAG: = loc("0:mirage_block.graph"(
// CHECK-DAG: #[[EXP]] = loc("1:mirage_block.exp"(#[[IN_EXP]]))
// CHECK-DAG: = loc("2:mirage_block.yield"(
// CHECK-DAG: #[[RELU]] = loc("3:mirage_kernel.relu"(
