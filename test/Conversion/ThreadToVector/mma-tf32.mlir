// Operands of f32 are rounded to tf32, once for all instructions that take them: 16 elements of a
// lane of the left fragment and 8 of the right one, for 2 x 2 x 2 instructions. The numbers on the
// emulator; what overhangs (15 rows of 32, 44 columns of 48) is not there.
// RUN: mirage-opt %s --mirage-record-program --mirage-compile="from=optimize to=lower" | FileCheck %s
// RUN: mirage-opt %s --mirage-record-program --mirage-compile="from=optimize ptxas=never artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check | FileCheck %s --check-prefix=RIGHT
// RUN: FileCheck %s --check-prefix=PTX < %t/kernels.ptx

// CHECK-COUNT-24: nvvm.convert.float.to.tf32 %{{.+}} {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK-NOT: nvvm.convert.float.to.tf32
// CHECK-COUNT-8: nvvm.mma.sync {{.+}}multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>
// CHECK-NOT: nvvm.mma.sync

// RIGHT: output output0: right: relative error {{[0-9.e-]+}}, {{.*}} at most 0.002 is right

// PTX: cvt.rna.tf32.f32
// PTX: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#d = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

func.func @tf32(%x: tensor<15x64xf32>, %y: tensor<64x44xf32>) -> tensor<15x44xf32> {
  %e = tensor.empty() : tensor<15x44xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<15x64xf32>, tensor<64x44xf32>) outs(%e : tensor<15x44xf32>)
      attributes {mirage_kernel.f32_products = "tf32"} {
  ^bb0(%u: tensor<15x64xf32>, %v: tensor<64x44xf32>):
    %p = mirage_block.graph grid() threads(64) ins(%u imap(), %v imap()) outs(omap())
        : (tensor<15x64xf32>, tensor<64x44xf32>) -> tensor<15x44xf32> {
    ^bb0(%ut: tensor<15x64xf32>, %vt: tensor<64x44xf32>):
      %k8 = mirage_thread.graph items(x = 3) steps(4) ins(%ut imap() fmap(1), %vt imap(x -> 1) fmap(0)) outs(omap(x -> 1))
          : (tensor<15x64xf32>, tensor<64x44xf32>) -> tensor<15x44xf32> {
      ^bb0(%aw: tensor<32x16xf32>, %bw: tensor<16x16xf32>):
        %af = mirage_thread.load %aw : (tensor<32x16xf32>) -> tensor<32x16xf32, #a>
        %bf = mirage_thread.load %bw : (tensor<16x16xf32>) -> tensor<16x16xf32, #b>
        %0 = mirage_thread.mma %af, %bf shape [16, 8, 8] : (tensor<32x16xf32, #a>, tensor<16x16xf32, #b>) -> tensor<32x16xf32, #d>
        %1 = mirage_thread.accumulate %0 over loop sum : (tensor<32x16xf32, #d>) -> tensor<32x16xf32, #d>
        %2 = mirage_thread.store %1 : (tensor<32x16xf32, #d>) -> tensor<32x16xf32>
        mirage_thread.yield %2 : tensor<32x16xf32>
      }
      mirage_block.yield %k8 : tensor<15x44xf32>
    }
    mirage_kernel.yield %p : tensor<15x44xf32>
  } : tensor<15x44xf32>
  return %r : tensor<15x44xf32>
}
