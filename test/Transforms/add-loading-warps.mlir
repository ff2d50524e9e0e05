// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-COUNT-5: equal
// RUN: mirage-check-plans %t.mlir | FileCheck %s --check-prefix=PLANS
// PLANS: 0 findings
// Once more, by another choice, and for GPUs whose warps cannot give registers to others.
// RUN: mirage-opt %t.mlir --mirage-add-loading-warps --mirage-overlap-launches -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: mirage-opt %t.mlir --mirage-add-loading-warps=loading-warps=false | FileCheck %s --check-prefix=NONE
// RUN: mirage-opt %t.mlir --mirage-add-loading-warps=target=sm_90 | FileCheck %s --check-prefix=SM90
// SM90-LABEL: func.func @in_clusters(
// SM90-NOT: mirage.loading_warps
// SM90-LABEL: func.func @two_launches(
// SM90: mirage.loading_warps = 1 : i64
// SM90-NOT: mirage.register_shares
// Another plan of shared memory makes it untrue.
// RUN: mirage-opt %t.mlir --mirage-plan-shared-memory=copy-engine=false | FileCheck %s --check-prefix=NONE
// NONE-NOT: mirage.loading_warps
// NONE-NOT: mirage.register_shares

// The first lane behind the threads that compute starts copies, and nobody else; what is a barrier
// of the block counts the others.
// RUN: rm -rf %t.out && mirage-opt %t.mlir --mirage-compile="from=lower artifact=%t.out" -o /dev/null
// RUN: FileCheck %s --check-prefix=PTX < %t.out/in_clusters/kernels.ptx
// PTX:     .maxntid 384
// PTX:     bar.sync 0;
// PTX:     setmaxnreg.{{dec|inc}}.sync.aligned.u32 {{40|232}};
// PTX-NOT: bar.sync 0;
// PTX:     bar.sync 1, 256;
// PTX:     barrier.cluster.arrive
// RUN: grep -c cp.async.bulk.tensor %t.out/in_clusters/kernels.ptx | FileCheck %s --check-prefix=TWO
// TWO: {{^}}2{{$}}
// RUN: for program in in_clusters two_launches one_warpgroup several_blocks warps_alone; do \
// RUN:   mirage-run %t.out/$program --device=emulator --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-5: : right

// RUN: mirage-opt %s --mirage-split-grid-joins | sed 's/{mirage.joins_parts}//' | mirage-opt --mirage-compile="from=optimize to=optimize" -o %t.last.mlir
// RUN: FileCheck %s --check-prefix=LAST < %t.last.mlir
// RUN: mirage-opt %t.last.mlir --mirage-compile="from=lower artifact=%t.last" -o /dev/null
// RUN: mirage-run %t.last/two_launches --device=emulator --check | FileCheck %s --check-prefix=ONE
// ONE: : right

// The emulator finds copies that do not wait until their place is free, and threads that ask for
// more registers than there are.
// RUN: cp %t.out/in_clusters/kernels.ptx %t.ptx
// RUN: sed '/setmaxnreg.dec/,/cp.async.bulk/s/mbarrier.try_wait[^%%]*\(%%p[0-9]*\).*/setp.eq.u32 \1, 0, 0;/' %t.ptx > %t.out/in_clusters/kernels.ptx
// RUN: not mirage-run %t.out/in_clusters --device=emulator --edited-ptx --check 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: shared-race
// RUN: sed '/setmaxnreg.inc/s/232/248/' %t.ptx > %t.out/in_clusters/kernels.ptx
// RUN: not mirage-run %t.out/in_clusters --device=emulator --edited-ptx --check 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: deadlock
// Two blocks on an SM have half of its registers each.
// RUN: sed 's/minnctapersm 1/minnctapersm 2/' %t.ptx > %t.out/in_clusters/kernels.ptx
// RUN: not mirage-run %t.out/in_clusters --device=emulator --edited-ptx --check 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: sed '/func.func @in_clusters/,/^  }/s/mirage.resident_blocks = 1/mirage.resident_blocks = 2/' %t.mlir > %t.two.mlir
// RUN: not mirage-opt %t.two.mlir --mirage-compile="from=lower ptxas=never" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: expects at most the 30720 registers that 384 threads of each of 2 blocks start with, got shares of 64512 in all

// RUN: mirage-opt %t.mlir --mirage-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN:      kernel 0 of @in_clusters
// EXPLAIN:      blocks {{.*}}of 256 threads and 4 warps that load, in clusters
// EXPLAIN-NEXT: loop            8 iterations, 4 stages, whose places warps hand back{{$}}
// EXPLAIN:      registers {{.*}}; warps that load keep 40, so that others can have 232
// EXPLAIN:      occupancy       1 block of an SM = 12 of 64 warps
// EXPLAIN:      kernel 0 of @one_warpgroup
// EXPLAIN:      blocks {{.*}}of 128 threads and 1 warp that loads

// Blocks that are joined, by a cluster.
// CHECK-LABEL: func.func @in_clusters(
// CHECK:       mirage_block.graph {{.*}}mirage.loading_warps = 4 : i64{{.*}}mirage.register_shares = array<i64: 40, 232>
// CHECK:       mirage_block.graph
// CHECK-NOT:   mirage.loading_warps
// CHECK-SAME:  mirage.launch_barrier = "cluster"
func.func @in_clusters(%q: tensor<1x128x64xf16>, %k: tensor<1x64x2048xf16>, %v: tensor<1x2048x64xf16>) -> tensor<1x128x64xf16> {
  %e = tensor.empty() : tensor<1x128x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<1x128x64xf16>, tensor<1x64x2048xf16>, tensor<1x2048x64xf16>) outs(%e : tensor<1x128x64xf16>) {
  ^bb0(%a0: tensor<1x128x64xf16>, %b0: tensor<1x64x2048xf16>, %c0: tensor<1x2048x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = 4) threads(256) loop(8) stages(4)
        ins(%a0 imap(x -> 1), %b0 imap(y -> 2) fmap(2), %c0 imap(y -> 1) fmap(1)) outs(omap(x -> 1))
        : (tensor<1x128x64xf16>, tensor<1x64x2048xf16>, tensor<1x2048x64xf16>) -> tensor<1x128x64xf16> {
    ^bb0(%qt: tensor<1x128x64xf16>, %kt: tensor<1x64x64xf16>, %vt: tensor<1x64x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %p = mirage_block.exp %s : tensor<1x128x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x128x64xf32>
      %h = mirage_block.cast %p : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
      %m = mirage_block.matmul %h, %vt : tensor<1x128x64xf16>, tensor<1x64x64xf16>
      %n = mirage_block.accumulate %m over loop sum : tensor<1x128x64xf32>
      %ls = mirage_block.accumulate %l over y sum : tensor<1x128x1xf32>
      %ns = mirage_block.accumulate %n over y sum : tensor<1x128x64xf32>
      %d = mirage_block.div %ns, %ls : tensor<1x128x64xf32>, tensor<1x128x1xf32>
      mirage_block.yield %d : tensor<1x128x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x128x64xf16>
  } : tensor<1x128x64xf16>
  return %r : tensor<1x128x64xf16>
}

// More of them, by a launch; or by the last one to arrive, which is for one block to go on.
// CHECK-LABEL: func.func @two_launches(
// CHECK:       mirage_block.graph {{.*}}mirage.loading_warps = 1 : i64
// CHECK-NOT:   mirage.register_shares
// CHECK:       mirage_block.graph
// CHECK-NOT:   mirage.loading_warps
// CHECK-NOT:   mirage.launch_barrier
// LAST-LABEL:  func.func @two_launches(
// LAST:        mirage_block.graph {{.*}}mirage.loading_warps = 1 : i64
// LAST:        mirage_block.graph
// LAST-SAME:   mirage.launch_barrier = "last_arrival"
func.func @two_launches(%x: tensor<64x6144xf16>, %w: tensor<6144x16xf16>) -> tensor<64x16xf16> {
  %e = tensor.empty() : tensor<64x16xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x6144xf16>, tensor<6144x16xf16>) outs(%e : tensor<64x16xf16>) {
  ^bb0(%a: tensor<64x6144xf16>, %b: tensor<6144x16xf16>):
    %o = mirage_block.graph grid(x = 24) threads(128) loop(4) stages(3)
        ins(%a imap(x -> 1) fmap(1), %b imap(x -> 0) fmap(0)) outs(omap())
        : (tensor<64x6144xf16>, tensor<6144x16xf16>) -> tensor<64x16xf16> {
    ^bb0(%c: tensor<64x64xf16>, %d: tensor<64x16xf16>):
      %p = mirage_block.matmul %c, %d : tensor<64x64xf16>, tensor<64x16xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x16xf32>
      %j = mirage_block.accumulate %s over x sum : tensor<64x16xf32>
      mirage_block.yield %j : tensor<64x16xf32>
    }
    mirage_kernel.yield %o : tensor<64x16xf16>
  } : tensor<64x16xf16>
  return %r : tensor<64x16xf16>
}

// CHECK-LABEL: func.func @one_warpgroup(
// CHECK:       mirage_block.graph {{.*}}mirage.loading_warps = 1 : i64
func.func @one_warpgroup(%x: tensor<100x512xf16>, %w: tensor<512x120xf16>) -> tensor<100x120xf16> {
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

// More blocks than SMs, several of which an SM holds.
// CHECK-LABEL: func.func @several_blocks(
// CHECK:       mirage_block.graph
// CHECK-NOT:   mirage.loading_warps
// CHECK-SAME:  mirage.resident_blocks = {{[2-9]}}
func.func @several_blocks(%x: tensor<1024x256xf16>, %w: tensor<256x1024xf16>) -> tensor<1024x1024xf16> {
  %e = tensor.empty() : tensor<1024x1024xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<1024x256xf16>, tensor<256x1024xf16>) outs(%e : tensor<1024x1024xf16>) {
  ^bb0(%a: tensor<1024x256xf16>, %b: tensor<256x1024xf16>):
    %o = mirage_block.graph grid(x = 16, y = 16) threads(128) loop(4) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<1024x256xf16>, tensor<256x1024xf16>) -> tensor<1024x1024xf16> {
    ^bb0(%c: tensor<64x64xf16>, %d: tensor<64x64xf16>):
      %p = mirage_block.matmul %c, %d : tensor<64x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      mirage_block.yield %s : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<1024x1024xf16>
  } : tensor<1024x1024xf16>
  return %r : tensor<1024x1024xf16>
}

// Warps that multiply by themselves, six of them, of which the last two leave registers to two more.
// CHECK-LABEL: func.func @warps_alone(
// CHECK:       mirage_block.graph {{.*}}threads(192) {{.*}}mirage.loading_warps = 1 : i64
// CHECK-NOT:   mirage.register_shares
// CHECK-NOT:   wgmma
func.func @warps_alone(%x: tensor<8x512xf16>, %w: tensor<384x512xf16>) -> tensor<8x384xf16> {
  %e = tensor.empty() : tensor<8x384xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x512xf16>, tensor<384x512xf16>) outs(%e : tensor<8x384xf16>) {
  ^bb0(%a: tensor<8x512xf16>, %b: tensor<384x512xf16>):
    %o = mirage_block.graph grid(x = 4) threads(192) loop(8) stages(3)
        ins(%a imap() fmap(1), %b imap(x -> 0) fmap(1)) outs(omap(x -> 1))
        : (tensor<8x512xf16>, tensor<384x512xf16>) -> tensor<8x384xf16> {
    ^bb0(%c: tensor<8x64xf16>, %d: tensor<96x64xf16>):
      %t = mirage_block.transpose %c dims [1, 0] : tensor<8x64xf16>
      %p = mirage_block.matmul %d, %t : tensor<96x64xf16>, tensor<64x8xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<96x8xf32>
      %y = mirage_block.transpose %s dims [1, 0] : tensor<96x8xf32>
      mirage_block.yield %y : tensor<8x96xf32>
    }
    mirage_kernel.yield %o : tensor<8x384xf16>
  } : tensor<8x384xf16>
  return %r : tensor<8x384xf16>
}
