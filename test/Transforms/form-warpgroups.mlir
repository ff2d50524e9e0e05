// Four warps multiply together where their items have 64 rows and one right operand, which the
// copy engine has loaded.
// RUN: mirage-opt %s --mirage-give-rows-to-warps --convert-mirage-block-to-thread --mirage-hold-in-registers --mirage-schedule-block --mirage-plan-shared-memory -o %t.planned.mlir
// RUN: mirage-opt %t.planned.mlir --mirage-form-warpgroups -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %t.planned.mlir %t.mlir
// RUN: mirage-opt %t.planned.mlir --mirage-form-warpgroups=target=sm_90 | FileCheck %s --check-prefix=ALONE

// Of the first product four steps of sixteen become one. Left operands are held, in registers that
// are those of the instruction: one that the loop does not change, and what the first has left.
// CHECK-LABEL: func.func @attention(
// CHECK:         mirage_thread.graph items(x = 4) ins(
// CHECK:           mirage_thread.ldmatrix %{{.+}} : (tensor<16x64xf16>) -> tensor<16x64xf16, #{{.+}}>
// CHECK:         mirage_thread.graph items(x = 4) ins(
// CHECK:           %[[Q:.+]] = mirage_thread.load %{{.+}} : (tensor<16x64xf16>) -> tensor<16x64xf16, #{{.+}}>
// CHECK-NEXT:      mirage_thread.wgmma %[[Q]], %{{.+}} : (tensor<16x64xf16, #{{.+}}>, tensor<64x32xf16>) -> tensor<16x32xf32, #{{.+}}>
// CHECK:         mirage_thread.graph items(x = 4) ins(
// CHECK:           %[[P:.+]] = mirage_thread.load %{{.+}} : (tensor<16x32xf16>) -> tensor<16x32xf16, #{{.+}}>
// CHECK-NEXT:      mirage_thread.wgmma %[[P]], %{{.+}} : (tensor<16x32xf16, #{{.+}}>, tensor<32x64xf16>) -> tensor<16x64xf32, #{{.+}}>
// CHECK-NOT:     mirage_thread.mma
// ALONE-LABEL: func.func @attention(
// ALONE-COUNT-2: mirage_thread.mma
// ALONE-NOT:     mirage_thread.wgmma
func.func @attention(%q: tensor<64x64xf16>, %k: tensor<64x128xf16>, %v: tensor<128x64xf16>) -> tensor<64x64xf16> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<128x64xf16>) -> tensor<64x64xf16> {
  ^bb0(%qt: tensor<64x64xf16>, %kt: tensor<64x32xf16>, %vt: tensor<32x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x64xf16>, tensor<64x32xf16>
    %p = mirage_block.exp %s : tensor<64x32xf32>
    %h = mirage_block.cast %p : (tensor<64x32xf32>) -> tensor<64x32xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x32xf16>, tensor<32x64xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<64x64xf32>
    mirage_block.yield %n : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf16>
}

// Two warps are no warpgroup; rows of 80 are more than one and less than two. One stage is no
// ring: threads load the operands.
// CHECK-LABEL: func.func @two_warps(
// CHECK-NOT:     mirage_thread.wgmma
func.func @two_warps(%q: tensor<32x64xf16>, %k: tensor<64x128xf16>, %v: tensor<128x64xf16>) -> tensor<32x64xf16> {
  %o = mirage_block.graph grid() threads(64) loop(4) stages(2)
      ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<32x64xf16>, tensor<64x128xf16>, tensor<128x64xf16>) -> tensor<32x64xf16> {
  ^bb0(%qt: tensor<32x64xf16>, %kt: tensor<64x32xf16>, %vt: tensor<32x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<32x64xf16>, tensor<64x32xf16>
    %h = mirage_block.cast %s : (tensor<32x32xf32>) -> tensor<32x32xf16>
    %m = mirage_block.matmul %h, %vt : tensor<32x32xf16>, tensor<32x64xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<32x64xf32>
    mirage_block.yield %n : tensor<32x64xf32>
  }
  return %o : tensor<32x64xf16>
}

// CHECK-LABEL: func.func @rows(
// CHECK-NOT:     mirage_thread.wgmma
func.func @rows(%q: tensor<80x64xf16>, %k: tensor<64x128xf16>) -> tensor<80x32xf16> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%q imap() fmap(1), %k imap() fmap(0)) outs(omap())
      : (tensor<80x64xf16>, tensor<64x128xf16>) -> tensor<80x128xf16> {
  ^bb0(%qt: tensor<80x16xf16>, %kt: tensor<16x128xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<80x16xf16>, tensor<16x128xf16>
    %n = mirage_block.accumulate %s over loop sum : tensor<80x128xf32>
    mirage_block.yield %n : tensor<80x128xf32>
  }
  %t = mirage_kernel.slice %o offsets [0, 0] strides [1, 1] : (tensor<80x128xf16>) -> tensor<80x32xf16>
  return %t : tensor<80x32xf16>
}

// CHECK-LABEL: func.func @one_place(
// CHECK-NOT:     mirage_thread.wgmma
func.func @one_place(%q: tensor<64x64xf16>, %k: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<64x64xf16> {
  %o = mirage_block.graph grid() threads(128)
      ins(%q imap(), %k imap(), %v imap()) outs(omap())
      : (tensor<64x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<64x64xf16> {
  ^bb0(%qt: tensor<64x64xf16>, %kt: tensor<64x32xf16>, %vt: tensor<32x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x64xf16>, tensor<64x32xf16>
    %h = mirage_block.cast %s : (tensor<64x32xf32>) -> tensor<64x32xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x32xf16>, tensor<32x64xf16>
    mirage_block.yield %m : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf16>
}
