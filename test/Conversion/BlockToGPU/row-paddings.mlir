// Rows with bytes behind them are parts of longer rows, in every place of a ring. Eight
// neighbouring threads copy a part of one row each, in as many banks, where those along rows
// of 96 bytes would go on behind what is left free; rows of 128 bytes are one such pass.
// RUN: mirage-opt %s --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --canonicalize --cse | FileCheck %s

// CHECK-LABEL: gpu.func @padded_0(
// CHECK-SAME:    %[[X:.+]]: memref<16x128xf16>, %[[W:.+]]: memref<128x48xf16>,
// CHECK-DAG:     %[[C8:.+]] = arith.constant 8 : index
// CHECK-DAG:     %[[STRIDE:.+]] = arith.constant 7168 : index
// CHECK:         scf.for
// CHECK:           %[[XS:.+]] = memref.view %{{.+}} : memref<{{.+}}xi8, 3> to memref<16x72xf16, 3>
// CHECK-NEXT:      %[[XT:.+]] = memref.reinterpret_cast %[[XS]] to offset: [0], sizes: [16, 64], strides: [72, 1]
// CHECK:           %[[DISTANCE:.+]] = arith.muli %{{.+}}, %[[STRIDE]]
// CHECK:           %[[WS:.+]] = memref.view %{{.+}} : memref<{{.+}}xi8, 3> to memref<64x56xf16, 3>
// CHECK-NEXT:      %[[WT:.+]] = memref.reinterpret_cast %[[WS]] to offset: [0], sizes: [64, 48], strides: [56, 1]
// CHECK:           nvgpu.device_async_copy %[[X]][{{.+}}], %[[XT]][%{{.+}}, %{{.+}}], 8 {{.*}} to memref<16x64xf16, strided<[72, 1]>, 3>
// CHECK:           %[[PART:.+]] = arith.remui %[[CHUNK:.+]], %[[C8]]
// CHECK-NEXT:      %[[REST:.+]] = arith.divui %[[CHUNK]], %[[C8]]
// CHECK:           %[[ROW:.+]] = arith.addi %{{.+}}, %[[PART]]
// CHECK:           nvgpu.device_async_copy %[[W]][{{.+}}], %[[WT]][%[[ROW]], %{{.+}}], 8 {{.*}} to memref<64x48xf16, strided<[56, 1]>, 3>
func.func @padded(%x: tensor<16x128xf16>, %w: tensor<128x48xf16>) -> tensor<16x48xf16> {
  %e = tensor.empty() : tensor<16x48xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x128xf16>, tensor<128x48xf16>) outs(%e : tensor<16x48xf16>) {
  ^bb0(%a: tensor<16x128xf16>, %b: tensor<128x48xf16>):
    %o = mirage_block.graph grid() threads(128) loop(2) stages(2)
        ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
        {mirage.barrier_at_head, mirage.input_offsets = array<i64: 14336, 0>, mirage.input_row_paddings = array<i64: 16, 16>, mirage.shared_bytes = 25088 : i64}
        : (tensor<16x128xf16>, tensor<128x48xf16>) -> tensor<16x48xf16> {
    ^bb0(%xt: tensor<16x64xf16>, %wt: tensor<64x48xf16>):
      %p = mirage_block.matmul %xt, %wt {mirage.offsets = array<i64: 18944>} : tensor<16x64xf16>, tensor<64x48xf16>
      %acc = mirage_block.accumulate %p over loop sum {mirage.barrier, mirage.offsets = array<i64: 22016>} : tensor<16x48xf32>
      mirage_block.yield %acc {mirage.barrier} : tensor<16x48xf32>
    }
    mirage_kernel.yield %o : tensor<16x48xf16>
  } : tensor<16x48xf16>
  return %r : tensor<16x48xf16>
}
