// Every shape of mma, with fragments of several instructions along each dimension: the
// numbers on the emulator, for a chip that converts 8-bit floats and one that does not. What
// overhangs (15 rows of 32, 44 columns of 48) is not there.
// RUN: mirage-opt %s --mirage-record-program --mirage-compile="from=optimize target=sm_90a artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t/kernels.ptx
// RUN: mirage-opt %s --mirage-record-program --mirage-compile="from=optimize target=sm_80 artifact=%t.80" -o /dev/null
// RUN: mirage-run %t.80 --device=emulator --check --seed=2 | FileCheck %s

// CHECK: output output0: right
// CHECK: output output1: right
// CHECK: output output2: right

// PTX: mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32
// PTX: cvt.rn.f16x2.e4m3x2
// PTX: cvt.rn.f16x2.e5m2x2
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32

#a8 = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b8 = #mirage_thread.layout<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#a16 = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b16 = #mirage_thread.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#a32 = #mirage_thread.layout<register = [[0, 1], [0, 2], [8, 0], [0, 16], [0, 32], [16, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#b32 = #mirage_thread.layout<register = [[1, 0], [2, 0], [16, 0], [0, 8], [32, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]]>
#d = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

func.func @shapes(%x: tensor<15x64xbf16>, %y: tensor<64x44xbf16>, %u: tensor<15x128xf8E4M3FN>, %v: tensor<128x44xf8E5M2>)
    -> (tensor<15x44xf32>, tensor<15x44xf32>, tensor<15x44xf32>) {
  %e = tensor.empty() : tensor<15x44xf32>
  %r:3 = mirage_kernel.graph ins(%x, %y, %u, %v : tensor<15x64xbf16>, tensor<64x44xbf16>, tensor<15x128xf8E4M3FN>, tensor<128x44xf8E5M2>)
      outs(%e, %e, %e : tensor<15x44xf32>, tensor<15x44xf32>, tensor<15x44xf32>) {
  ^bb0(%a: tensor<15x64xbf16>, %b: tensor<64x44xbf16>, %c: tensor<15x128xf8E4M3FN>, %d: tensor<128x44xf8E5M2>):
    %p, %q, %s = mirage_block.graph grid() threads(64) ins(%a imap(), %b imap(), %c imap(), %d imap()) outs(omap(), omap(), omap())
        : (tensor<15x64xbf16>, tensor<64x44xbf16>, tensor<15x128xf8E4M3FN>, tensor<128x44xf8E5M2>)
        -> (tensor<15x44xf32>, tensor<15x44xf32>, tensor<15x44xf32>) {
    ^bb0(%at: tensor<15x64xbf16>, %bt: tensor<64x44xbf16>, %ct: tensor<15x128xf8E4M3FN>, %dt: tensor<128x44xf8E5M2>):
      %k8 = mirage_thread.graph items(x = 3) steps(4) ins(%at imap() fmap(1), %bt imap(x -> 1) fmap(0)) outs(omap(x -> 1))
          : (tensor<15x64xbf16>, tensor<64x44xbf16>) -> tensor<15x44xf32> {
      ^bb0(%aw: tensor<32x16xbf16>, %bw: tensor<16x16xbf16>):
        %af = mirage_thread.load %aw : (tensor<32x16xbf16>) -> tensor<32x16xbf16, #a8>
        %bf = mirage_thread.load %bw : (tensor<16x16xbf16>) -> tensor<16x16xbf16, #b8>
        %0 = mirage_thread.mma %af, %bf shape [16, 8, 8] : (tensor<32x16xbf16, #a8>, tensor<16x16xbf16, #b8>) -> tensor<32x16xf32, #d>
        %1 = mirage_thread.accumulate %0 over loop sum : (tensor<32x16xf32, #d>) -> tensor<32x16xf32, #d>
        %2 = mirage_thread.store %1 : (tensor<32x16xf32, #d>) -> tensor<32x16xf32>
        mirage_thread.yield %2 : tensor<32x16xf32>
      }
      %k16 = mirage_thread.graph items(x = 3) steps(4) ins(%at imap() fmap(1), %bt imap(x -> 1) fmap(0)) outs(omap(x -> 1))
          : (tensor<15x64xbf16>, tensor<64x44xbf16>) -> tensor<15x44xf32> {
      ^bb0(%aw: tensor<32x16xbf16>, %bw: tensor<16x16xbf16>):
        %af = mirage_thread.load %aw : (tensor<32x16xbf16>) -> tensor<32x16xbf16, #a16>
        %bf = mirage_thread.load %bw : (tensor<16x16xbf16>) -> tensor<16x16xbf16, #b16>
        %0 = mirage_thread.mma %af, %bf shape [16, 8, 16] : (tensor<32x16xbf16, #a16>, tensor<16x16xbf16, #b16>) -> tensor<32x16xf32, #d>
        %1 = mirage_thread.accumulate %0 over loop sum : (tensor<32x16xf32, #d>) -> tensor<32x16xf32, #d>
        %2 = mirage_thread.store %1 : (tensor<32x16xf32, #d>) -> tensor<32x16xf32>
        mirage_thread.yield %2 : tensor<32x16xf32>
      }
      %k32 = mirage_thread.graph items(x = 3) steps(2) ins(%ct imap() fmap(1), %dt imap(x -> 1) fmap(0)) outs(omap(x -> 1))
          : (tensor<15x128xf8E4M3FN>, tensor<128x44xf8E5M2>) -> tensor<15x44xf32> {
      ^bb0(%aw: tensor<32x64xf8E4M3FN>, %bw: tensor<64x16xf8E5M2>):
        %af = mirage_thread.load %aw : (tensor<32x64xf8E4M3FN>) -> tensor<32x64xf8E4M3FN, #a32>
        %bf = mirage_thread.load %bw : (tensor<64x16xf8E5M2>) -> tensor<64x16xf8E5M2, #b32>
        %0 = mirage_thread.mma %af, %bf shape [16, 8, 32] : (tensor<32x64xf8E4M3FN, #a32>, tensor<64x16xf8E5M2, #b32>) -> tensor<32x16xf32, #d>
        %1 = mirage_thread.accumulate %0 over loop sum : (tensor<32x16xf32, #d>) -> tensor<32x16xf32, #d>
        %2 = mirage_thread.store %1 : (tensor<32x16xf32, #d>) -> tensor<32x16xf32>
        mirage_thread.yield %2 : tensor<32x16xf32>
      }
      mirage_block.yield %k8, %k16, %k32 : tensor<15x44xf32>, tensor<15x44xf32>, tensor<15x44xf32>
    }
    mirage_kernel.yield %p, %q, %s : tensor<15x44xf32>, tensor<15x44xf32>, tensor<15x44xf32>
  } : tensor<15x44xf32>, tensor<15x44xf32>, tensor<15x44xf32>
  return %r#0, %r#1, %r#2 : tensor<15x44xf32>, tensor<15x44xf32>, tensor<15x44xf32>
}
