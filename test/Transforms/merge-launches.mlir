// RUN: mirage-opt %s --mirage-split-grid-joins --mirage-schedule-block --mirage-plan-shared-memory --mirage-merge-launches -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-COUNT-11: equal
// RUN: mirage-opt %s --mirage-split-grid-joins --mirage-schedule-block --mirage-plan-shared-memory --mirage-merge-launches=target=sm_80 2> %t.warnings | FileCheck %s --check-prefix=AMPERE
// RUN: FileCheck %s --check-prefix=WARNING < %t.warnings
// RUN: mirage-opt %s --mirage-split-grid-joins --mirage-schedule-block --mirage-plan-shared-memory --mirage-merge-launches=merge-launches=false | FileCheck %s --check-prefix=APART
// APART-NOT: launch_barrier
// APART-NOT: cluster(

// Once more, on what it has decided: the same.
// RUN: mirage-opt %t.mlir --mirage-merge-launches -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: mirage-opt %t.mlir --mirage-merge-launches=merge-launches=false | FileCheck %s --check-prefix=APART
// What was decided of launches that are none any more does not stand in the way.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize merge-launches=false" -o %t.apart.mlir
// RUN: mirage-opt %t.apart.mlir --mirage-merge-launches --mirage-compile="from=lower to=lower" -o /dev/null

// RUN: mirage-opt %s --mirage-split-grid-joins --mirage-schedule-block --mirage-plan-shared-memory --mirage-merge-launches --remarks-filter=.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// All of it comes to the right numbers, in as many launches.
// RUN: rm -rf %t %t.80 && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t.80" -o /dev/null
// RUN: for program in chain many_on_each_sm in_clusters cross; do mirage-run %t.80/$program --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-5: : right
// RUN: for program in in_clusters last_of_many two_on_each_sm many_on_each_sm chain carried carried_far cluster_alone wanted cross; do \
// RUN:   mirage-run %t/$program --check > %t/log || exit 1; \
// RUN:   echo "$program: $(grep -c 'kernel .*: emulated' %t/log) launches, $(grep right %t/log)"; done | FileCheck %s --check-prefix=LAUNCHES
// LAUNCHES: in_clusters: 1 launches, output
// LAUNCHES: last_of_many: 1 launches, output
// LAUNCHES: two_on_each_sm: 1 launches, output
// LAUNCHES: many_on_each_sm: 2 launches, output
// LAUNCHES: chain: 2 launches, output
// LAUNCHES: carried: 1 launches, output
// LAUNCHES: carried_far: 2 launches, output
// LAUNCHES: cluster_alone: 1 launches, output
// LAUNCHES: wanted: 1 launches, output
// LAUNCHES: cross: 2 launches, output

// What was decided for one GPU, and is compiled for another that has no clusters.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize overlap-launches=false" -o %t.mlir
// RUN: not mirage-opt %t.mlir --mirage-compile="from=lower target=sm_80" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: merge-launches.mlir{{.*}}error: expects a plan for sm_80, which has no clusters of more than 1 blocks, got 8

// The blocks that are joined are a cluster, which the barrier is of.
// CHECK-LABEL: func.func @in_clusters(
// CHECK: mirage_block.graph grid(x = 4, y = 8) cluster(y = 8) threads(64)
// CHECK: mirage_block.graph grid(x = 4, y = 1) threads(64)
// CHECK-SAME: mirage.launch_barrier = "cluster"
// AMPERE-LABEL: func.func @in_clusters(
// AMPERE: mirage_block.graph grid(x = 4, y = 8) threads(64)
// AMPERE: mirage.launch_barrier = "last_arrival"
func.func @in_clusters(%x: tensor<32x64xf32>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x64xf32>) outs(%e : tensor<32x8xf32>) {
  ^bb0(%a: tensor<32x64xf32>):
    %o = mirage_block.graph grid(x = 4, y = 8) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<32x64xf32>) -> tensor<32x8xf32> {
    ^bb0(%t: tensor<8x8xf32>):
      %q = mirage_block.exp %t : tensor<8x8xf32>
      %s = mirage_block.accumulate %q over y sum : tensor<8x8xf32>
      mirage_block.yield %s : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<32x8xf32>
  } : tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}

// More blocks are joined than a cluster has: the last one to arrive goes on.
// CHECK-LABEL: func.func @last_of_many(
// CHECK: mirage_block.graph grid(x = 4, y = 32) threads(64)
// CHECK-SAME: mirage.resident_blocks = 1
// CHECK: mirage_block.graph grid(x = 4, y = 1) threads(64)
// CHECK-NOT: resident_blocks
// CHECK-SAME: mirage.launch_barrier = "last_arrival"
// AMPERE-LABEL: func.func @last_of_many(
// AMPERE: mirage.resident_blocks = 2
// AMPERE: mirage.launch_barrier = "last_arrival"
func.func @last_of_many(%x: tensor<32x256xf32>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x256xf32>) outs(%e : tensor<32x8xf32>) {
  ^bb0(%a: tensor<32x256xf32>):
    %o = mirage_block.graph grid(x = 4, y = 32) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<32x256xf32>) -> tensor<32x8xf32> {
    ^bb0(%t: tensor<8x8xf32>):
      %own = mirage_block.exp %t : tensor<8x8xf32>
      %s = mirage_block.accumulate %own over y sum : tensor<8x8xf32>
      mirage_block.yield %s : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<32x8xf32>
  } : tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}

// CHECK-LABEL: func.func @two_on_each_sm(
// CHECK: mirage_block.graph grid(x = 5, y = 40) threads(128)
// CHECK-SAME: mirage.resident_blocks = 2
// CHECK: mirage.launch_barrier = "last_arrival"
func.func @two_on_each_sm(%x: tensor<33x317xf32>) -> tensor<33x8xf32> {
  %e = tensor.empty() : tensor<33x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<33x317xf32>) outs(%e : tensor<33x8xf32>) {
  ^bb0(%a: tensor<33x317xf32>):
    %o = mirage_block.graph grid(x = 5, y = 40) threads(128) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<33x317xf32>) -> tensor<33x8xf32> {
    ^bb0(%t: tensor<7x8xf32>):
      %own = mirage_block.exp %t : tensor<7x8xf32>
      %s = mirage_block.accumulate %own over y sum : tensor<7x8xf32>
      mirage_block.yield %s : tensor<7x8xf32>
    }
    mirage_kernel.yield %o : tensor<33x8xf32>
  } : tensor<33x8xf32>
  return %r : tensor<33x8xf32>
}

// So many arrivals take longer than a launch.
// CHECK-LABEL: func.func @many_on_each_sm(
// CHECK-NOT: launch_barrier
// CHECK: mirage_block.graph grid(x = 32, y = 32) threads(256)
// CHECK-SAME: mirage.resident_blocks = 4
// CHECK-NOT: launch_barrier
// CHECK: mirage_block.graph grid(x = 32, y = 1) threads(256)
// CHECK-SAME: mirage.resident_blocks = 1
func.func @many_on_each_sm(%x: tensor<256x64xf32>) -> tensor<256x2xf32> {
  %e = tensor.empty() : tensor<256x2xf32>
  %r = mirage_kernel.graph ins(%x : tensor<256x64xf32>) outs(%e : tensor<256x2xf32>) {
  ^bb0(%a: tensor<256x64xf32>):
    %o = mirage_block.graph grid(x = 32, y = 32) threads(256) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<256x64xf32>) -> tensor<256x2xf32> {
    ^bb0(%t: tensor<8x2xf32>):
      %own = mirage_block.exp %t : tensor<8x2xf32>
      %s = mirage_block.accumulate %own over y sum : tensor<8x2xf32>
      mirage_block.yield %s : tensor<8x2xf32>
    }
    mirage_kernel.yield %o : tensor<256x2xf32>
  } : tensor<256x2xf32>
  return %r : tensor<256x2xf32>
}

// Rows that warps keep take half of the registers: two blocks instead of four.
// CHECK-LABEL: func.func @with_rows_in_registers(
// CHECK: mirage.resident_blocks = 2
// CHECK: mirage.resident_blocks = 4
func.func @with_rows_in_registers(%x: tensor<1024x256xf32>) -> tensor<1024x256xf32> {
  %e = tensor.empty() : tensor<1024x256xf32>
  %r = mirage_kernel.graph ins(%x : tensor<1024x256xf32>) outs(%e : tensor<1024x256xf32>) {
  ^bb0(%a: tensor<1024x256xf32>):
    %p = mirage_block.graph grid(x = 1024) threads(256) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.row_registers = 64 : i64}
        : (tensor<1024x256xf32>) -> tensor<1024x256xf32> {
    ^bb0(%t: tensor<1x256xf32>):
      %m = mirage_block.exp %t : tensor<1x256xf32>
      mirage_block.yield %m : tensor<1x256xf32>
    }
    %o = mirage_block.graph grid(x = 1024) threads(256) ins(%p imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<1024x256xf32>) -> tensor<1024x256xf32> {
    ^bb0(%t: tensor<1x256xf32>):
      %m = mirage_block.exp %t : tensor<1x256xf32>
      mirage_block.yield %m : tensor<1x256xf32>
    }
    mirage_kernel.yield %o : tensor<1024x256xf32>
  } : tensor<1024x256xf32>
  return %r : tensor<1024x256xf32>
}

// Three kernels: clusters are between two, last arrivals between any.
// CHECK-LABEL: func.func @chain(
// CHECK: mirage_block.graph grid(x = 2, y = 4) threads(32)
// CHECK-NOT: launch_barrier
// CHECK: mirage_block.graph grid(x = 2, y = {{.*}} cluster(x = 2) threads(32)
// CHECK-NOT: launch_barrier
// CHECK: mirage_block.graph grid(x = 1, y = {{.*}} mirage.launch_barrier = "cluster"
// AMPERE-LABEL: func.func @chain(
// AMPERE: mirage_block.graph grid(x = 2, y = 4) threads(32)
// AMPERE-NOT: launch_barrier
// AMPERE: mirage_block.graph grid(x = 2, y = {{.*}} mirage.launch_barrier = "last_arrival"
// AMPERE: mirage_block.graph grid(x = 1, y = {{.*}} mirage.launch_barrier = "last_arrival"
func.func @chain(%x: tensor<8x64xf16>) -> tensor<4x1xf32> {
  %e = tensor.empty() : tensor<4x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%a: tensor<8x64xf16>):
    %o = mirage_block.graph grid(x = 2, y = 4) threads(32) ins(%a imap(x -> 0, y -> 1)) outs(omap())
        : (tensor<8x64xf16>) -> tensor<4x1xf32> {
    ^bb0(%t: tensor<4x16xf16>):
      %q = mirage_block.square %t : tensor<4x16xf16>
      %s = mirage_block.accumulate %q over y mean dims [1] count 64 : tensor<4x16xf32>
      %u = mirage_block.mul %s, %s : tensor<4x1xf32>, tensor<4x1xf32>
      %m = mirage_block.accumulate %u over x max : tensor<4x1xf32>
      mirage_block.yield %m : tensor<4x1xf32>
    }
    mirage_kernel.yield %o : tensor<4x1xf32>
  } : tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// The second kernel has the first one's blocks, each with what it had before.
// CHECK-LABEL: func.func @carried(
// CHECK: mirage_block.graph grid(x = 3, y = 4) cluster(y = 4) threads(32)
// CHECK: mirage_block.graph grid(x = 3, y = 4) threads(32)
// CHECK-SAME: mirage.launch_barrier = "cluster"
func.func @carried(%x: tensor<12x96xf16>) -> tensor<12x96xf16> {
  %e = tensor.empty() : tensor<12x96xf16>
  %r = mirage_kernel.graph ins(%x : tensor<12x96xf16>) outs(%e : tensor<12x96xf16>) {
  ^bb0(%a: tensor<12x96xf16>):
    %o = mirage_block.graph grid(x = 3, y = 4) threads(32) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<12x96xf16>) -> tensor<12x96xf16> {
    ^bb0(%t: tensor<4x24xf16>):
      %p = mirage_block.exp %t : tensor<4x24xf16>
      %s = mirage_block.sum %p dims [1] : tensor<4x24xf32>
      %j = mirage_block.accumulate %s over y sum : tensor<4x1xf32>
      %q = mirage_block.div %p, %j : tensor<4x24xf32>, tensor<4x1xf32>
      mirage_block.yield %q : tensor<4x24xf32>
    }
    mirage_kernel.yield %o : tensor<12x96xf16>
  } : tensor<12x96xf16>
  return %r : tensor<12x96xf16>
}

// More than a cluster has, and all of them go on.
// CHECK-LABEL: func.func @carried_far(
// CHECK-NOT: launch_barrier
func.func @carried_far(%x: tensor<4x192xf32>) -> tensor<4x192xf32> {
  %e = tensor.empty() : tensor<4x192xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x192xf32>) outs(%e : tensor<4x192xf32>) {
  ^bb0(%a: tensor<4x192xf32>):
    %o = mirage_block.graph grid(x = 24) threads(32) ins(%a imap(x -> 1)) outs(omap(x -> 1))
        : (tensor<4x192xf32>) -> tensor<4x192xf32> {
    ^bb0(%t: tensor<4x8xf32>):
      %p = mirage_block.exp %t : tensor<4x8xf32>
      %s = mirage_block.sum %p dims [1] : tensor<4x8xf32>
      %j = mirage_block.accumulate %s over x sum : tensor<4x1xf32>
      %q = mirage_block.div %p, %j : tensor<4x8xf32>, tensor<4x1xf32>
      mirage_block.yield %q : tensor<4x8xf32>
    }
    mirage_kernel.yield %o : tensor<4x192xf32>
  } : tensor<4x192xf32>
  return %r : tensor<4x192xf32>
}

// Blocks that share their memory compute what they compute alone.
// CHECK-LABEL: func.func @cluster_alone(
// CHECK: mirage_block.graph grid(x = 4) threads(96)
func.func @cluster_alone(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    // REMARK: merge-launches.mlir:[[@LINE+1]]:{{.*}}remark: [Missed] Cluster {{.*}}the cluster is dropped: clusters are made where kernels share a launch, and nowhere else
    %o = mirage_block.graph grid(x = 4) cluster(x = 2) threads(96) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf16>) -> tensor<8x64xf16> {
    ^bb0(%t: tensor<2x64xf16>):
      %m = mirage_block.exp %t : tensor<2x64xf16>
      mirage_block.yield %m : tensor<2x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// A cluster that is what the join asks for stays without a word.
// CHECK-LABEL: func.func @wanted(
// CHECK: mirage_block.graph grid(x = 4) cluster(x = 4) threads(32)
// REMARK-NOT: remark
// WARNING: merge-launches.mlir:[[@LINE+5]]:{{.*}}warning: the cluster of 4 blocks is dropped: sm_80 has no clusters
func.func @wanted(%x: tensor<8x64xf32>) -> tensor<2x64xf32> {
  %e = tensor.empty() : tensor<2x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<2x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %o = mirage_block.graph grid(x = 4) cluster(x = 4) threads(32) ins(%a imap(x -> 0)) outs(omap())
        : (tensor<8x64xf32>) -> tensor<2x64xf32> {
    ^bb0(%t: tensor<2x64xf32>):
      %own = mirage_block.exp %t : tensor<2x64xf32>
      %m = mirage_block.accumulate %own over x max : tensor<2x64xf32>
      mirage_block.yield %m : tensor<2x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x64xf32>
  } : tensor<2x64xf32>
  return %r : tensor<2x64xf32>
}

// The third kernel reads what the first one wrote, across blocks that nothing orders.
// CHECK-LABEL: func.func @cross(
// AMPERE-LABEL: func.func @cross(
// AMPERE: mirage_block.graph grid(x = 8, y = 8, z = 2)
// AMPERE: mirage.launch_barrier = "last_arrival"
// AMPERE: mirage_block.graph grid(x = 1, y = 1, z = 2)
// AMPERE-NOT: launch_barrier
func.func @cross(%x: tensor<8x8x64xf32>) -> (tensor<1x64xf32>, tensor<8x64xf32>) {
  %e = tensor.empty() : tensor<8x64xf32>
  %e2 = tensor.empty() : tensor<1x64xf32>
  %r:2 = mirage_kernel.graph ins(%x : tensor<8x8x64xf32>) outs(%e2, %e : tensor<1x64xf32>, tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x8x64xf32>):
    %p = mirage_block.graph grid(x = 8, y = 8, z = 2) threads(32) ins(%a imap(x -> 0, y -> 1, z -> 2)) outs(omap(x -> 0, y -> 1, z -> 2))
        : (tensor<8x8x64xf32>) -> tensor<8x8x64xf32> {
    ^bb0(%t: tensor<1x1x32xf32>):
      %m = mirage_block.exp %t : tensor<1x1x32xf32>
      mirage_block.yield %m : tensor<1x1x32xf32>
    }
    %q = mirage_block.graph grid(x = 8, y = 1, z = 2) threads(32) loop(8) ins(%p imap(x -> 0, z -> 2) fmap(1)) outs(omap(x -> 0, z -> 2))
        : (tensor<8x8x64xf32>) -> tensor<8x1x64xf32> {
    ^bb0(%t: tensor<1x1x32xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<1x1x32xf32>
      mirage_block.yield %m : tensor<1x1x32xf32>
    }
    %o:2 = mirage_block.graph grid(x = 1, y = 1, z = 2) threads(32) loop(8) ins(%q imap(z -> 2) fmap(0), %p imap(z -> 1) fmap(0)) outs(omap(z -> 1), omap(z -> 0))
        : (tensor<8x1x64xf32>, tensor<8x8x64xf32>) -> (tensor<1x64xf32>, tensor<8x64xf32>) {
    ^bb0(%t: tensor<1x1x32xf32>, %u: tensor<1x4x64xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<1x1x32xf32>
      %n = mirage_block.accumulate %u over loop sum : tensor<1x4x64xf32>
      %mm = mirage_block.reshape %m : (tensor<1x1x32xf32>) -> tensor<1x32xf32>
      %nn = mirage_block.reshape %n : (tensor<1x4x64xf32>) -> tensor<4x64xf32>
      mirage_block.yield %mm, %nn : tensor<1x32xf32>, tensor<4x64xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<1x64xf32>, tensor<8x64xf32>
  } : tensor<1x64xf32>, tensor<8x64xf32>
  return %r#0, %r#1 : tensor<1x64xf32>, tensor<8x64xf32>
}
