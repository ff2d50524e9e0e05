// Kernels that share a launch are one function of the GPU, with a barrier between
// them and the arguments of all.
// RUN: mirage-opt %s --mirage-split-grid-joins --mirage-schedule-block --mirage-plan-shared-memory --mirage-merge-launches --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --split-input-file | FileCheck %s
// RUN: mirage-opt %s --mirage-compile="from=optimize ptxas=never" --split-input-file | FileCheck %s --check-prefix=PTX

// The second kernel reads what the first one wrote, in the same place.
// CHECK: gpu.func @clusters_0({{.*}}) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 8, 1, 1>, nvvm.minctasm = 1 : i32}
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: %[[CHOSEN:.+]] = arith.remui %{{.+}}, %c8
// CHECK: %[[GOES_ON:.+]] = arith.cmpi eq, %block_id_x, %[[CHOSEN]]
// CHECK-NEXT: scf.if %[[GOES_ON]] {
// CHECK-NOT: gpu.func
// CHECK-LABEL: func.func @clusters(
// CHECK: gpu.launch_func {{.*}} clusters in (%c8, %c1, {{.*}}) blocks in (%c8{{.*}}) threads in
// CHECK-SAME: args(%[[IN:[a-z0-9]+]] : memref<8x64xf32>, %[[PARTS:.+]] : memref<8x1x64xf32>, %{{.+}} : memref<8x1x64xf32>, %[[OUT:.+]] : memref<1x64xf32>)
// CHECK-SAME: arguments = [{index = 0 : i64, offset_bytes = 0 : i64, role = "input"}, [[WRITTEN:.+]], [[WRITTEN]], {index = 0 : i64, offset_bytes = 0 : i64, role = "output"}]
// CHECK-SAME: cluster = array<i64: 8, 1, 1>
// CHECK-SAME: grid = array<i64: 8, 1, 1>
// PTX: .entry clusters_0
// PTX: .reqnctapercluster 8, 1, 1
// PTX: barrier.cluster.arrive.aligned
// PTX: barrier.cluster.wait.aligned
func.func @clusters(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %o = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap())
        : (tensor<8x64xf32>) -> tensor<1x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %own = mirage_block.exp %t : tensor<1x64xf32>
      %m = mirage_block.accumulate %own over x sum : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x64xf32>
  } : tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

// -----

// One thread of each block counts, and all of them learn whether it is the last.
// CHECK: llvm.mlir.global internal @counter_0_arrivals_1(dense<0> : tensor<96xi32>) {addr_space = 1 : i32, alignment = 128 : i64} : !llvm.array<96 x i32>
// CHECK: gpu.func @counter_0
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK: gpu.barrier
// CHECK: %[[LAST:.+]] = scf.if {{.*}} -> (i1) {
// CHECK: %[[MOST:.+]] = arith.constant 79 : i32
// CHECK: llvm.fence syncscope("device") release
// CHECK: %[[BEFORE:.+]] = llvm.atomicrmw uinc_wrap %{{.+}}, %[[MOST]] syncscope("device") monotonic
// CHECK: %[[IS_LAST:.+]] = arith.cmpi eq, %[[BEFORE]], %[[MOST]]
// CHECK-NEXT: scf.if %[[IS_LAST]] {
// CHECK-NEXT: llvm.fence syncscope("device") acquire
// CHECK: %[[ALL:.+]] = arith.constant 0 : i32
// CHECK: %[[GOES_ON:.+]] = llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.all"(%[[ALL]], %[[LAST]])
// CHECK: scf.if %[[GOES_ON]] {
// CHECK-LABEL: func.func @counter(
// CHECK: gpu.launch_func
// CHECK-NOT: clusters in
// CHECK-SAME: cluster = array<i64: 1, 1, 1>
// PTX: .global .align 128 .b8 counter_0_arrivals_1[384];
// PTX: .entry counter_0
// PTX: .minnctapersm 2
// PTX: fence.release.gpu
// PTX: atom.global.inc.u32
// PTX: fence.acquire.gpu
// PTX: bar.red.or.pred
func.func @counter(%x: tensor<80x24xf32>) -> tensor<1x24xf32> {
  %e = tensor.empty() : tensor<1x24xf32>
  %r = mirage_kernel.graph ins(%x : tensor<80x24xf32>) outs(%e : tensor<1x24xf32>) {
  ^bb0(%a: tensor<80x24xf32>):
    %o = mirage_block.graph grid(x = 80, y = 3) threads(32) ins(%a imap(x -> 0, y -> 1)) outs(omap(y -> 1))
        : (tensor<80x24xf32>) -> tensor<1x24xf32> {
    ^bb0(%t: tensor<1x8xf32>):
      %own = mirage_block.exp %t : tensor<1x8xf32>
      %m = mirage_block.accumulate %own over x sum : tensor<1x8xf32>
      mirage_block.yield %m : tensor<1x8xf32>
    }
    mirage_kernel.yield %o : tensor<1x24xf32>
  } : tensor<1x24xf32>
  return %r : tensor<1x24xf32>
}
