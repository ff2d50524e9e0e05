// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-COUNT-2: equal
// Once more, and by another choice.
// RUN: mirage-opt %t.mlir --mirage-overlap-launches -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: mirage-opt %t.mlir --mirage-overlap-launches=overlap-launches=false | FileCheck %s --check-prefix=APART
// RUN: mirage-opt %t.mlir --mirage-overlap-launches=target=sm_80 | FileCheck %s --check-prefix=APART
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize overlap-launches=false" | FileCheck %s --check-prefix=APART
// What plans blocks anew forgets what it was for.
// RUN: mirage-opt %t.mlir --mirage-merge-launches | FileCheck %s --check-prefix=FORGOTTEN
// RUN: mirage-opt %t.mlir --mirage-plan-shared-memory | FileCheck %s --check-prefix=FORGOTTEN
// RUN: mirage-opt %t.mlir --mirage-make-blocks-persistent | FileCheck %s --check-prefix=FORGOTTEN
// RUN: mirage-opt %t.mlir --mirage-add-loading-warps | FileCheck %s --check-prefix=FORGOTTEN
// RUN: mirage-opt %t.mlir --mirage-multicast-boxes | FileCheck %s --check-prefix=FORGOTTEN
// FORGOTTEN-NOT: mirage.{{admits_next_launch|requested_shared_bytes}}
// RUN: mirage-opt %t.mlir --mirage-compile="from=optimize to=optimize" -o %t.twice.mlir && diff %t.mlir %t.twice.mlir
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize explain=%t.json ptxas=never" -o /dev/null && tr -d ' \n' < %t.json | FileCheck %s --check-prefix=EXPLAINED
// EXPLAINED: "admitted":true,{{.*}}"requestedSharedBytes":115840
// APART-NOT: mirage.{{dependent_launch|admits_next_launch|requested_shared_bytes}}

// All kernels but the first wait before they touch device memory.
// RUN: mirage-opt %t.mlir --mirage-compile="from=lower to=lower" | FileCheck %s --check-prefix=LOWER
// RUN: not mirage-opt %t.mlir --mirage-compile="from=lower target=sm_80" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/mirage.requested_shared_bytes = [0-9]*/mirage.requested_shared_bytes = 232449/' %t.mlir > %t.large.mlir
// RUN: not mirage-opt %t.large.mlir --mirage-compile="from=lower" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: expects 0 to 232448 bytes as 'mirage.requested_shared_bytes' for sm_90a, got 232449
// OTHER: overlap-launches.mlir{{.*}}error: expects a plan for sm_80, which has no launches that begin early (griddepcontrol), got 'mirage.dependent_launch'

// The emulator has the first launch's writes still on their way when the second begins.
// RUN: rm -rf %t.out && mirage-opt %t.mlir --mirage-compile="from=lower artifact=%t.out" -o /dev/null
// RUN: grep -c '"dependent": true' %t.out/three/manifest.json | FileCheck %s --check-prefix=TWO
// TWO: {{^2$}}
// RUN: for program in three joined; do mirage-run %t.out/$program --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-2: : right
// Without the wait it finds what is wrong.
// RUN: sed -i 's/griddepcontrol.wait;//' %t.out/three/kernels.ptx
// RUN: not mirage-run %t.out/three --edited-ptx --check 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: expected griddepcontrol.wait before it
// What is asked for is not there to be used.
// RUN: grep -c '"requestedSharedBytes": 115840' %t.out/three/manifest.json | FileCheck %s --check-prefix=TWO
// RUN: sed -i 's/^	ret;/	mov.b32 %r0, 51024;\n	st.shared.b32 [%r0], %r0;\n	ret;/' %t.out/three/kernels.ptx
// RUN: not mirage-run %t.out/three --edited-ptx --check 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: out-of-bounds: write of 4 bytes at shared address 51024, the block has 0 bytes

// Each lets the next one begin when it has begun itself; 115840 bytes leave room for one block on an SM.
// CHECK-LABEL: func.func @three(
// CHECK-NOT:     mirage.dependent_launch
// CHECK:         mirage_block.graph {{.*}}mirage.admits_next_launch
// CHECK:         mirage_block.graph {{.*}}mirage.admits_next_launch, {{.*}}mirage.dependent_launch, {{.*}}mirage.requested_shared_bytes = 115840
// CHECK-NOT:     mirage.admits_next_launch
// CHECK:         mirage_block.graph {{.*}}mirage.dependent_launch, {{.*}}mirage.requested_shared_bytes = 115840
// LOWER-LABEL: gpu.func @three_0(
// LOWER:         llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.launch_dependents;", ""
// LOWER-NOT:     griddepcontrol.wait
// LOWER-LABEL: gpu.func @three_1(
// LOWER-NOT:     memref.load
// LOWER:         llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.launch_dependents;", ""
// LOWER-NOT:     memref.load
// LOWER:         llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.wait;", "~{memory}"
// LOWER-LABEL: gpu.func @three_2(
// LOWER-NOT:     griddepcontrol.launch_dependents
// LOWER:         llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.wait;", "~{memory}"
// LOWER:         gpu.return
// LOWER:         gpu.launch_func {{.*}}@three_0 {{.*}}mirage.launch = {
// LOWER-NOT:     dependent
// LOWER:         gpu.launch_func {{.*}}@three_1 {{.*}}dependent, dynamic_shared_bytes = 0 : i64, {{.*}}kernel = "three_1", requested_shared_bytes = 115840 : i64
func.func @three(%x: tensor<16x64xf16>, %w: tensor<64x32xf16>) -> tensor<16x32xf16> {
  %e = tensor.empty() : tensor<16x32xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x32xf16>) outs(%e : tensor<16x32xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x32xf16>):
    %p = mirage_kernel.matmul %a, %b : (tensor<16x64xf16>, tensor<64x32xf16>) -> tensor<16x32xf16>
    %q = mirage_block.graph grid(x = 4) threads(64) ins(%p imap(x -> 0)) outs(omap(x -> 0)) : (tensor<16x32xf16>) -> tensor<16x32xf16> {
    ^bb0(%t: tensor<4x32xf16>):
      %u = mirage_block.sigmoid %t : tensor<4x32xf16>
      mirage_block.yield %u : tensor<4x32xf32>
    }
    %s = mirage_kernel.square %q : (tensor<16x32xf16>) -> tensor<16x32xf16>
    mirage_kernel.yield %s : tensor<16x32xf16>
  } : tensor<16x32xf16>
  return %r : tensor<16x32xf16>
}

// Of kernels that share a launch the first one waits, and none for itself.
// RUN: grep -c griddepcontrol.wait %t.out/joined/kernels.ptx | FileCheck %s --check-prefix=ONE
// ONE: {{^1$}}
// RUN: sed 's/mirage.launch_barrier = /mirage.dependent_launch, mirage.launch_barrier = /' %t.mlir > %t.shared.mlir
// RUN: not mirage-opt %t.shared.mlir --mirage-plan-device-memory 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: expects 'mirage.dependent_launch' of the first kernel of a launch that follows another one, got it of kernel 1 of launch 1
// CHECK-LABEL: func.func @joined(
// CHECK:         mirage_block.graph {{.*}}mirage.admits_next_launch
// CHECK-NOT:     mirage.admits_next_launch
// CHECK:         mirage_block.graph {{.*}}mirage.dependent_launch
// CHECK-NOT:     mirage.dependent_launch
// CHECK:         mirage_block.graph {{.*}}mirage.launch_barrier
// CHECK-NOT:     mirage.dependent_launch
// CHECK:         return
func.func @joined(%x: tensor<32x256xf16>) -> tensor<32x1xf32> {
  %e = tensor.empty() : tensor<32x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x256xf16>) outs(%e : tensor<32x1xf32>) {
  ^bb0(%a: tensor<32x256xf16>):
    %b = mirage_kernel.sigmoid %a : (tensor<32x256xf16>) -> tensor<32x256xf16>
    %q = mirage_block.graph grid(x = 4, y = 4) threads(128) loop(1) ins(%b imap(x -> 0, y -> 1)) outs(omap(x -> 0)) : (tensor<32x256xf16>) -> tensor<32x1xf32> {
    ^bb0(%t: tensor<8x64xf16>):
      %s = mirage_block.sum %t dims [1] : tensor<8x64xf16>
      %j = mirage_block.accumulate %s over y sum : tensor<8x1xf32>
      mirage_block.yield %j : tensor<8x1xf32>
    }
    mirage_kernel.yield %q : tensor<32x1xf32>
  } : tensor<32x1xf32>
  return %r : tensor<32x1xf32>
}
