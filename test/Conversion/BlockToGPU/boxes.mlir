// A ring of two places, of which the copy engine fills that of the right operand: the barriers are
// made once, thread 0 says how many bytes come and asks for the box, and all threads wait for the
// parity of their place, which changes where the ring begins anew. What other steps read, too, is
// copied by threads.
// RUN: mirage-opt %s --mirage-give-rows-to-warps --convert-mirage-block-to-thread --mirage-hold-in-registers --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --canonicalize --cse | FileCheck %s

// CHECK-LABEL: gpu.func @boxed_0(
// CHECK-SAME:    %{{[^:]+}}: memref<16x256xf16>, %{{[^:]+}}: memref<256x64xf16>, %{{[^:]+}}: memref<16x64xf16>, %[[MAP:.+]]: memref<256x64xf16>)
// CHECK-SAME:    mirage.tensor_map_parameters = array<i32: 3>
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK:         scf.if
// CHECK-COUNT-2:   nvvm.mbarrier.init
// CHECK:           nvvm.fence.mbarrier.init
// CHECK:         gpu.barrier
// CHECK:           nvgpu.device_async_copy
// CHECK:           nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c4096_i32
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global {{.+}} {isCTAOnly = true}
// CHECK:           nvvm.cp.async.commit.group
// CHECK:         scf.for {{.+}} iter_args(%[[PLACE:[^ ]+]] = %c0, %[[PARITY:[^ ]+]] = %c0_i32,
// CHECK:           nvvm.cp.async.wait.group 0
// CHECK-NEXT:      nvvm.fence.proxy
// CHECK:           scf.while
// CHECK:             nvvm.mbarrier.try_wait %{{.+}}, %[[PARITY]]
// CHECK:           gpu.barrier
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:           mirage_thread.graph {{.+}} {mirage.input_swizzles = array<i64: 0, 128
// CHECK:           %[[OTHER:.+]] = arith.xori %[[PARITY]], %c1_i32
// CHECK:           arith.select %{{.+}}, %[[OTHER]], %[[PARITY]]

// CHECK-LABEL: func.func @boxed(
// CHECK:         gpu.launch_func
// CHECK-SAME:    args(%[[X:.+]] : memref<16x256xf16>, %[[W:.+]] : memref<256x64xf16>, %{{.+}} : memref<16x64xf16>, %[[W]] : memref<256x64xf16>)
// CHECK-SAME:    {index = 1 : i64, offset_bytes = 0 : i64, role = "input", tensor_map = {box = array<i64: 64, 32>, element_bytes = 2 : i64, sizes = array<i64: 64, 256>, stride_bytes = array<i64: 128>, swizzle_bytes = 128 : i64}}
func.func @boxed(%x: tensor<16x256xf16>, %w: tensor<256x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x256xf16>, tensor<256x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x256xf16>, %b: tensor<256x64xf16>):
    %o = mirage_block.graph grid() threads(64) loop(8) stages(2)
        ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
        : (tensor<16x256xf16>, tensor<256x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%xt: tensor<16x32xf16>, %wt: tensor<32x64xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x32xf16>, tensor<32x64xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<16x64xf32>
      %n = mirage_block.accumulate %xt over loop rms dims [1] count 256 : tensor<16x32xf16>
      %q = mirage_block.div %acc, %n : tensor<16x64xf32>, tensor<16x1xf32>
      mirage_block.yield %q : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}
