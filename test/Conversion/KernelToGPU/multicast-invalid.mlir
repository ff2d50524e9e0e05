// Clusters for loading that cannot be, however they came here: each is refused at the op, with what
// was expected.
// RUN: rm -rf %t && mkdir %t
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize multicast=4 target=sm_90" -o %t/planned.mlir
// RUN: FileCheck %s < %t/planned.mlir
// CHECK-LABEL: func.func @product(
// CHECK:         mirage.multicast_cluster = array<i64: 2, 2, 1>
// CHECK-LABEL: func.func @joined(
// CHECK:         mirage.multicast_cluster = array<i64: 1, 4>
// CHECK:         mirage.launch_barrier = "cluster"
// RUN: sed '/func.func @joined/,$d' %t/planned.mlir > %t/product.mlir && echo "}" >> %t/product.mlir
// RUN: mirage-opt %t/product.mlir --mirage-compile="from=lower to=lower target=sm_90" -o /dev/null

// RUN: for cluster in "4" "3, 1, 1" "1, 0, 1" "1, 1, 1" "2, 16, 1" "1, 1, 2" "1, 16, 1"; do \
// RUN:   sed "s/multicast_cluster = array<i64: 2, 2, 1>/multicast_cluster = array<i64: $cluster>/" %t/product.mlir > %t/other.mlir && \
// RUN:   not mirage-opt %t/other.mlir --mirage-compile="from=lower to=lower target=sm_90" -o /dev/null 2>&1 | grep error: || exit 1; \
// RUN: done | FileCheck %s --check-prefix=EXTENTS
// EXTENTS:      error: expects as 'mirage.multicast_cluster' an extent for each of 3 grid axes, got 1
// EXTENTS-NEXT: error: expects as 'mirage.multicast_cluster' clusters that divide the 2 blocks along x, got 3
// EXTENTS-NEXT: error: expects as 'mirage.multicast_cluster' clusters that divide the 16 blocks along y, got 0
// EXTENTS-NEXT: error: expects as 'mirage.multicast_cluster' clusters of 2 to 16 blocks, got 1
// EXTENTS-NEXT: error: expects as 'mirage.multicast_cluster' clusters of 2 to 16 blocks, got 32
// EXTENTS-NEXT: error: expects, where 'mirage.multicast_cluster' is stated, one block of a cluster along z, along which the boxes of all inputs vary, got 2
// EXTENTS-NEXT: error: expects, where 'mirage.multicast_cluster' is stated, boxes of input 0 that 16 blocks can share, got 1 of 64 rows

// Nor does the report of what was decided take extents that are none.
// RUN: sed "s/multicast_cluster = array<i64: 2, 2, 1>/multicast_cluster = array<i64: 4>/" %t/product.mlir > %t/other.mlir
// RUN: not mirage-opt %t/other.mlir --mirage-explain=target=sm_90 -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: error: expects as 'mirage.multicast_cluster' an extent for each of 3 grid axes, got 1

// RUN: sed "s/mirage.hands_back_places = [0-9]* : i64, //" %t/product.mlir > %t/other.mlir
// RUN: not mirage-opt %t/other.mlir --mirage-compile="from=lower to=lower target=sm_90" -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: error: expects, where 'mirage.multicast_cluster' is stated, warps that hand places back ('mirage.hands_back_places')

// Blocks that go on with others do so as whole clusters, of which there is one at least.
// RUN: mirage-opt %S/../../Transforms/multicast-boxes.mlir --mirage-compile="from=optimize to=optimize multicast=2" -o %t/large.mlir
// RUN: sed 's/persistent_blocks = 132/persistent_blocks = 1/' %t/large.mlir > %t/other.mlir
// RUN: not mirage-opt %t/other.mlir --mirage-compile="from=lower to=lower" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: expects as 'mirage.multicast_cluster' clusters of no more than the 1 blocks that 'mirage.persistent_blocks' wants, got 2
// RUN: not mirage-opt %t/other.mlir --mirage-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE

// What is planned for one GPU, for another one.
// RUN: sed "s/multicast_cluster = array<i64: 2, 2, 1>/multicast_cluster = array<i64: 2, 8, 1>/" %t/product.mlir > %t/sixteen.mlir
// RUN: mirage-opt %t/sixteen.mlir --mirage-compile="from=lower to=lower target=sm_90" -o /dev/null
// RUN: not mirage-opt %t/sixteen.mlir --mirage-compile="from=lower to=lower target=sm_120" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: expects a plan for sm_120, which has no clusters of more than 8 blocks, got 16
// RUN: not mirage-opt %t/product.mlir --mirage-compile="from=lower to=lower target=sm_80" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-ENGINE
// NO-ENGINE: error: expects a plan for sm_80, which has no copy engine (cp.async.bulk.tensor), got 'mirage.input_swizzles'

// A block is in one cluster, and the first kernel of a launch says in which.
// RUN: sed "s/multicast_cluster = array<i64: 1, 4>/multicast_cluster = array<i64: 2, 2>/" %t/planned.mlir > %t/other.mlir
// RUN: not mirage-opt %t/other.mlir --mirage-compile="from=lower to=lower target=sm_90" -o /dev/null 2>&1 | FileCheck %s --check-prefix=JOINED
// JOINED: error: expects as 'mirage.multicast_cluster' the clusters whose blocks are joined in this launch
// RUN: sed 's/mirage.launch_barrier = "cluster"/&, mirage.multicast_cluster = array<i64: 1, 4>/' %t/planned.mlir > %t/other.mlir
// RUN: not mirage-opt %t/other.mlir --mirage-compile="from=lower to=lower target=sm_90" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: error: expects no 'mirage.multicast_cluster' of a kernel that shares the launch of another one
// RUN: sed 's/mirage.multicast_cluster = array<i64: 1, 4>/&, mirage.grid_order = array<i64: 1, 0>/' %t/planned.mlir > %t/other.mlir
// RUN: not mirage-opt %t/other.mlir --mirage-compile="from=lower to=lower target=sm_90" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: expects no 'mirage.grid_order' where blocks of clusters are joined

// RUN: sed 's/multicast_cluster = array<i64: 2, 2, 1>/multicast_cluster = 4 : i64/' %t/product.mlir > %t/other.mlir
// RUN: not mirage-opt %t/other.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: 'mirage_block.graph' op expects an array of i64 as 'mirage.multicast_cluster', got 4

func.func @product(%x: tensor<2x128x512xf16>, %w: tensor<2x512x1024xf16>) -> tensor<2x128x1024xf16> {
  %e = tensor.empty() : tensor<2x128x1024xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<2x128x512xf16>, tensor<2x512x1024xf16>) outs(%e : tensor<2x128x1024xf16>) {
  ^bb0(%a: tensor<2x128x512xf16>, %b: tensor<2x512x1024xf16>):
    %o = mirage_block.graph grid(x = 2, y = 16, z = 2) threads(128) loop(8) stages(3)
        ins(%a imap(x -> 1, z -> 0) fmap(2), %b imap(y -> 2, z -> 0) fmap(1)) outs(omap(x -> 1, y -> 2, z -> 0))
        : (tensor<2x128x512xf16>, tensor<2x512x1024xf16>) -> tensor<2x128x1024xf16> {
    ^bb0(%c: tensor<1x64x64xf16>, %d: tensor<1x64x64xf16>):
      %p = mirage_block.matmul %c, %d : tensor<1x64x64xf16>, tensor<1x64x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<1x64x64xf32>
      mirage_block.yield %s : tensor<1x64x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x128x1024xf16>
  } : tensor<2x128x1024xf16>
  return %r : tensor<2x128x1024xf16>
}

func.func @joined(%x: tensor<128x512xf16>, %w: tensor<512x256xf16>) -> tensor<128x256xf16> {
  %e = tensor.empty() : tensor<128x256xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<128x512xf16>, tensor<512x256xf16>) outs(%e : tensor<128x256xf16>) {
  ^bb0(%a: tensor<128x512xf16>, %b: tensor<512x256xf16>):
    %o = mirage_block.graph grid(x = 4, y = 4) threads(64) loop(8) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<128x512xf16>, tensor<512x256xf16>) -> tensor<128x256xf16> {
    ^bb0(%xt: tensor<32x64xf16>, %wt: tensor<64x64xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<32x64xf16>, tensor<64x64xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<32x64xf32>
      %q = mirage_block.square %acc : tensor<32x64xf32>
      %n = mirage_block.sum %q dims [1] : tensor<32x64xf32>
      %all = mirage_block.accumulate %n over y sum : tensor<32x1xf32>
      %d = mirage_block.div %acc, %all : tensor<32x64xf32>, tensor<32x1xf32>
      mirage_block.yield %d : tensor<32x64xf32>
    }
    mirage_kernel.yield %o : tensor<128x256xf16>
  } : tensor<128x256xf16>
  return %r : tensor<128x256xf16>
}
