// Which kernel is the first of its launch, and what blocks of the launch take, is what the launch
// says, and no attribute of that kernel alone.
// RUN: mirage-opt %s --mirage-split-grid-joins | sed 's/{mirage.joins_parts}//' | mirage-opt --mirage-compile="from=optimize to=optimize" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK-LABEL: func.func @alone(
// CHECK:       mirage_block.graph {{.*}}mirage.loading_warps = 1
// CHECK-LABEL: func.func @joined(
// CHECK-NOT:   mirage.loading_warps
// CHECK:       mirage.resident_blocks = 2
// CHECK:       mirage.launch_barrier = "last_arrival"

// RUN: sed 's/mirage.resident_blocks = 1 : i64, //' %t.mlir | mirage-opt --mirage-add-loading-warps | FileCheck %s --check-prefix=ALONE
// ALONE-LABEL: func.func @alone(
// ALONE:       mirage_block.graph {{.*}}mirage.loading_warps = 1

// Where the second kernel wants most of an SM, no other block is there beside the first one.
// RUN: sed '/mirage.launch_barrier/s/mirage.shared_bytes = [0-9]*/mirage.shared_bytes = 200000/' %t.mlir | mirage-opt --mirage-add-loading-warps | FileCheck %s --check-prefix=LARGE
// LARGE-LABEL: func.func @joined(
// LARGE:       mirage_block.graph {{.*}}mirage.loading_warps = 1

func.func @alone(%x: tensor<100x512xf16>, %w: tensor<512x120xf16>) -> tensor<100x120xf16> {
  %e = tensor.empty() : tensor<100x120xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<100x512xf16>, tensor<512x120xf16>) outs(%e : tensor<100x120xf16>) {
  ^bb0(%a: tensor<100x512xf16>, %b: tensor<512x120xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2) threads(128) loop(8) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<100x512xf16>, tensor<512x120xf16>) -> tensor<100x120xf16> {
    ^bb0(%c: tensor<64x64xf16>, %d: tensor<64x64xf16>):
      %p = mirage_block.matmul %c, %d : tensor<64x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      mirage_block.yield %s : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<100x120xf16>
  } : tensor<100x120xf16>
  return %r : tensor<100x120xf16>
}

// 144 blocks, of which an SM holds two.
func.func @joined(%x: tensor<768x3072xf16>, %w: tensor<3072x64xf16>) -> tensor<768x64xf16> {
  %e = tensor.empty() : tensor<768x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<768x3072xf16>, tensor<3072x64xf16>) outs(%e : tensor<768x64xf16>) {
  ^bb0(%a: tensor<768x3072xf16>, %b: tensor<3072x64xf16>):
    %o = mirage_block.graph grid(x = 12, y = 12) threads(128) loop(4) stages(3)
        ins(%a imap(x -> 0, y -> 1) fmap(1), %b imap(y -> 0) fmap(0)) outs(omap(x -> 0))
        : (tensor<768x3072xf16>, tensor<3072x64xf16>) -> tensor<768x64xf16> {
    ^bb0(%c: tensor<64x64xf16>, %d: tensor<64x64xf16>):
      %p = mirage_block.matmul %c, %d : tensor<64x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      %j = mirage_block.accumulate %s over y sum : tensor<64x64xf32>
      mirage_block.yield %j : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<768x64xf16>
  } : tensor<768x64xf16>
  return %r : tensor<768x64xf16>
}
