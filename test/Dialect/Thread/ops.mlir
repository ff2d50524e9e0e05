// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

// CHECK-LABEL: func.func @matmul(
func.func @matmul(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>) -> tensor<8x32xf32> {
  // CHECK: mirage_thread.graph items(x = 1, y = 4) steps(4)
  // CHECK-SAME: ins(%{{.+}} imap(x -> 0) fmap(1), %{{.+}} imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
  %p = mirage_thread.graph items(x = 1, y = 4) steps(4)
      ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
      : (tensor<8x64xf16>, tensor<64x32xf16>) -> tensor<8x32xf32> {
  ^bb0(%af: tensor<16x16xf16, #a>, %bf: tensor<16x8xf16, #b>):
    // CHECK: mirage_thread.matmul %{{.+}}, %{{.+}} : (tensor<16x16xf16, #{{.+}}>, tensor<16x8xf16, #{{.+}}>) -> tensor<16x8xf32, #{{.+}}>
    %0 = mirage_thread.matmul %af, %bf : (tensor<16x16xf16, #a>, tensor<16x8xf16, #b>) -> tensor<16x8xf32, #c>
    %1 = mirage_thread.accumulate %0 over loop sum : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
    mirage_thread.yield %1 : tensor<16x8xf32, #c>
  }
  return %p : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @on_memrefs(
func.func @on_memrefs(%x: memref<8x64xf32, 3>, %y: memref<8x64xf32, 3>) {
  // CHECK: outs(%{{.+}} omap(x -> 0)) : (memref<8x64xf32, 3>, memref<8x64xf32, 3>) -> ()
  mirage_thread.graph items(x = 8) ins(%x imap(x -> 0)) outs(%y omap(x -> 0))
      : (memref<8x64xf32, 3>, memref<8x64xf32, 3>) -> () {
  ^bb0(%f: tensor<1x64xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>>):
    %e = mirage_thread.exp %f : (tensor<1x64xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>>)
      -> tensor<1x64xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>>
    mirage_thread.yield %e : tensor<1x64xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>>
  }
  return
}
