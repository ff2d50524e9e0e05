// A ring of three places. It is filled for two iterations before anything else; in the loop
// each thread waits for all groups but the youngest, everyone for each other, and the place
// that the iteration before has used is loaded anew. What the loop does not cut has one place,
// and is loaded as ever.
// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --canonicalize --cse | FileCheck %s

// CHECK-LABEL: gpu.func @staged_0(
// CHECK-SAME:    %[[X:.+]]: memref<4x360xf16>, %{{.+}}: memref<4x1xf32>,
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[C5:.+]] = arith.constant 5 : index
// CHECK-DAG:     %[[LAST:.+]] = arith.constant -1 : index
// CHECK-DAG:     %[[STRIDE:.+]] = arith.constant 640 : index
// CHECK:         scf.for %[[FIRST:.+]] = %[[C0]] to %[[C2]] step %[[C1]] {
// CHECK:           %[[DISTANCE:.+]] = arith.muli %[[FIRST]], %[[STRIDE]]
// CHECK:           memref.view %{{.+}}[%[[DISTANCE]]][] : memref<{{.+}}xi8, 3> to memref<4x72xf16, 3>
// CHECK:           nvgpu.device_async_copy %[[X]][{{.+}}], %{{.+}}[{{.+}}], 8 {bypassL1} : memref<4x360xf16> to memref<4x72xf16, 3>
// CHECK:           nvvm.cp.async.commit.group
// CHECK-NEXT:    } {loop_annotation = #{{.+}}}
// CHECK:         vector.load %{{.+}} : memref<1x4xf32
// CHECK:         scf.for %[[I:.+]] = %[[C0]] to %[[C5]] step %[[C1]] iter_args(%[[PLACE:.+]] = %[[C0]]) -> (index) {
// CHECK-NEXT:      nvvm.cp.async.wait.group 1
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %[[AHEAD:.+]] = arith.addi %[[I]], %[[C2]]
// CHECK-NEXT:      %[[IS_THERE:.+]] = arith.cmpi ult, %[[AHEAD]], %[[C5]]
// CHECK-NEXT:      %[[BEGINS_ANEW:.+]] = arith.cmpi uge, %[[PLACE]], %[[C1]]
// CHECK-NEXT:      %[[LESS:.+]] = arith.addi %[[PLACE]], %[[LAST]]
// CHECK-NEXT:      %[[MORE:.+]] = arith.addi %[[PLACE]], %[[C2]]
// CHECK-NEXT:      %[[BEFORE:.+]] = arith.select %[[BEGINS_ANEW]], %[[LESS]], %[[MORE]]
// CHECK-NEXT:      scf.if %[[IS_THERE]] {
// CHECK-NEXT:        %[[REFILLED:.+]] = arith.muli %[[BEFORE]], %[[STRIDE]]
// CHECK:             nvgpu.device_async_copy
// CHECK:           }
// CHECK:           nvvm.cp.async.commit.group
// CHECK-NEXT:      %[[OWN:.+]] = arith.muli %[[PLACE]], %[[STRIDE]]
// CHECK-NEXT:      %[[TILE:.+]] = memref.view %{{.+}}[%[[OWN]]][]
// CHECK-NOT:       gpu.barrier
// CHECK:           memref.load %[[TILE]]
// CHECK:           %[[IS_LAST:.+]] = arith.cmpi eq, %[[PLACE]], %[[C2]]
// CHECK:           %[[NEXT:.+]] = arith.select %[[IS_LAST]], %[[C0]]
// CHECK-NEXT:      scf.yield %[[NEXT]]
func.func @staged(%x: tensor<4x360xf16>, %v: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %e = tensor.empty() : tensor<4x1xf32>
  %r = mirage_kernel.graph ins(%x, %v : tensor<4x360xf16>, tensor<4x1xf32>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%a: tensor<4x360xf16>, %b: tensor<4x1xf32>):
    %o = mirage_block.graph grid() threads(32) loop(5) stages(3)
        ins(%a imap() fmap(1), %b imap()) outs(omap())
        : (tensor<4x360xf16>, tensor<4x1xf32>) -> tensor<4x1xf32> {
    ^bb0(%t: tensor<4x72xf16>, %u: tensor<4x1xf32>):
      %s = mirage_block.accumulate %t over loop sum dims [1] : tensor<4x72xf16>
      %q = mirage_block.add %s, %u : tensor<4x1xf32>, tensor<4x1xf32>
      mirage_block.yield %q : tensor<4x1xf32>
    }
    mirage_kernel.yield %o : tensor<4x1xf32>
  } : tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}
