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
  ^bb0(%afw: tensor<16x16xf16>, %bfw: tensor<16x8xf16>):
    %af = mirage_thread.ldmatrix %afw : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    %bf = mirage_thread.ldmatrix %bfw : (tensor<16x8xf16>) -> tensor<16x8xf16, #b>
    // CHECK: mirage_thread.mma %{{.+}}, %{{.+}} shape [16, 8, 16] : (tensor<16x16xf16, #{{.+}}>, tensor<16x8xf16, #{{.+}}>) -> tensor<16x8xf32, #{{.+}}>
    %0 = mirage_thread.mma %af, %bf shape [16, 8, 16] : (tensor<16x16xf16, #a>, tensor<16x8xf16, #b>) -> tensor<16x8xf32, #c>
    %1 = mirage_thread.accumulate %0 over loop sum : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
    %s1 = mirage_thread.store %1 : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %s1 : tensor<16x8xf32>
  }
  return %p : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @on_memrefs(
func.func @on_memrefs(%x: memref<8x64xf32, 3>, %y: memref<8x64xf32, 3>) {
  // CHECK: outs(%{{.+}} omap(x -> 0)) : (memref<8x64xf32, 3>, memref<8x64xf32, 3>) -> ()
  mirage_thread.graph items(x = 8) ins(%x imap(x -> 0)) outs(%y omap(x -> 0))
      : (memref<8x64xf32, 3>, memref<8x64xf32, 3>) -> () {
  ^bb0(%fw: tensor<1x64xf32>):
    %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>>
    %e = mirage_thread.exp %f : (tensor<1x64xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>>)
      -> tensor<1x64xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>>
    %se = mirage_thread.store %e : (tensor<1x64xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>>) -> tensor<1x64xf32>
    mirage_thread.yield %se : tensor<1x64xf32>
  }
  return
}

#a2 = #mirage_thread.layout<register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

// CHECK-LABEL: func.func @movement(
func.func @movement(%w: tensor<16x16xf16>) -> tensor<16x16xf16> {
  // CHECK: mirage_thread.ldmatrix %{{.+}} : (tensor<16x16xf16>) -> tensor<16x16xf16, #{{.+}}>
  %f = mirage_thread.ldmatrix %w : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
  // CHECK: mirage_thread.convert_layout %{{.+}} : (tensor<16x16xf16, #{{.+}}>) -> tensor<16x16xf16, #{{.+}}>
  %g = mirage_thread.convert_layout %f : (tensor<16x16xf16, #a>) -> tensor<16x16xf16, #a2>
  // CHECK: mirage_thread.shuffle %{{.+}} xor [4, 2] : (tensor<16x16xf16, #{{.+}}>) -> tensor<16x16xf16, #{{.+}}>
  %h = mirage_thread.shuffle %g xor [4, 2] : (tensor<16x16xf16, #a2>) -> tensor<16x16xf16, #a2>
  // CHECK: mirage_thread.store %{{.+}} : (tensor<16x16xf16, #{{.+}}>) -> tensor<16x16xf16>
  %v = mirage_thread.store %h : (tensor<16x16xf16, #a2>) -> tensor<16x16xf16>
  // CHECK: mirage_thread.cp_async %{{.+}} bytes 8 : (tensor<16x16xf16>) -> tensor<16x16xf16>
  %c = mirage_thread.cp_async %v bytes 8 : (tensor<16x16xf16>) -> tensor<16x16xf16>
  // CHECK: mirage_thread.tma_load %{{.+}} swizzle 32 : (tensor<16x16xf16>) -> tensor<16x16xf16>
  %t = mirage_thread.tma_load %c swizzle 32 : (tensor<16x16xf16>) -> tensor<16x16xf16>
  // CHECK: mirage_thread.tma_store %{{.+}} : (tensor<16x16xf16>) -> tensor<16x16xf16>
  %s = mirage_thread.tma_store %t : (tensor<16x16xf16>) -> tensor<16x16xf16>
  return %s : tensor<16x16xf16>
}

// CHECK-LABEL: func.func @warpgroup(
func.func @warpgroup(%x: tensor<128x16xf16>, %y: tensor<16x8xf16>) -> tensor<128x8xf32> {
  %r = mirage_thread.graph items(x = 8) ins(%x imap(x -> 0), %y imap()) outs(omap(x -> 0))
      : (tensor<128x16xf16>, tensor<16x8xf16>) -> tensor<128x8xf32> {
  ^bb0(%s: tensor<16x16xf16>, %t: tensor<16x8xf16>):
    %a = mirage_thread.ldmatrix %s : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    // CHECK: mirage_thread.wgmma %{{.+}}, %{{.+}} : (tensor<16x16xf16, #{{.+}}>, tensor<16x8xf16>) -> tensor<16x8xf32, #{{.+}}>
    %d = mirage_thread.wgmma %a, %t : (tensor<16x16xf16, #a>, tensor<16x8xf16>) -> tensor<16x8xf32, #c>
    %w = mirage_thread.store %d : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %w : tensor<16x8xf32>
  }
  return %r : tensor<128x8xf32>
}

// Operands in place: rows of 16 for each item, and a right operand that lies as [n, k].
// CHECK-LABEL: func.func @in_place(
func.func @in_place(%x: tensor<128x16xf16>, %y: tensor<8x16xf16>) -> tensor<128x8xf32> {
  %r = mirage_thread.graph items(x = 8) ins(%x imap(x -> 0), %y imap()) outs(omap(x -> 0))
      : (tensor<128x16xf16>, tensor<8x16xf16>) -> tensor<128x8xf32> {
  ^bb0(%s: tensor<16x16xf16>, %t: tensor<8x16xf16>):
    // CHECK: mirage_thread.transpose %{{.+}} dims [1, 0] : (tensor<8x16xf16>) -> tensor<16x8xf16>
    %u = mirage_thread.transpose %t dims [1, 0] : (tensor<8x16xf16>) -> tensor<16x8xf16>
    // CHECK: mirage_thread.wgmma %{{.+}}, %{{.+}} : (tensor<16x16xf16>, tensor<16x8xf16>) -> tensor<16x8xf32, #{{.+}}>
    %d = mirage_thread.wgmma %s, %u : (tensor<16x16xf16>, tensor<16x8xf16>) -> tensor<16x8xf32, #c>
    %w = mirage_thread.store %d : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %w : tensor<16x8xf32>
  }
  return %r : tensor<128x8xf32>
}

// CHECK-LABEL: func.func @vanish(
func.func @vanish(%x: tensor<16x8xf32, #c>, %y: tensor<16x8xf32, #c>) {
  // CHECK: mirage_thread.vanish %{{.+}}, %{{.+}} : (tensor<16x8xf32, #{{.+}}>, tensor<16x8xf32, #{{.+}}>) -> tensor<16x8xf32, #{{.+}}>
  %0 = mirage_thread.vanish %x, %y : (tensor<16x8xf32, #c>, tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
  return
}

// CHECK-LABEL: func.func @clip(
func.func @clip(%tile: memref<16x64xf16>, %m: index, %n: index) {
  // CHECK: mirage_thread.clip %{{.+}} dims [0, 1] to [%{{.+}}, %{{.+}}] multiples [1, 8] : memref<16x64xf16>
  %0 = mirage_thread.clip %tile dims [0, 1] to [%m, %n] multiples [1, 8] : memref<16x64xf16>
  return
}

// CHECK-LABEL: func.func @await(
func.func @await(%x: tensor<16x8xf32, #c>, %y: tensor<16x8xf32, #c>) {
  // CHECK: %{{.+}}:2 = mirage_thread.await %{{.+}}, %{{.+}} pending 1 : tensor<16x8xf32, #{{.+}}>, tensor<16x8xf32, #{{.+}}>
  %0:2 = mirage_thread.await %x, %y pending 1 : tensor<16x8xf32, #c>, tensor<16x8xf32, #c>
  // CHECK: mirage_thread.await pending 2{{$}}
  mirage_thread.await pending 2
  return
}
