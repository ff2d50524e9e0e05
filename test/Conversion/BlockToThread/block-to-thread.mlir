// RUN: mirage-opt %s --convert-mirage-block-to-thread --mlir-print-local-scope --split-input-file | FileCheck %s

// Lanes lie along the last dimension first; a dimension of size 1 stretches: its
// fragment has size 1 and lanes with zero images.
// CHECK-LABEL: func.func @elementwise(
// CHECK: %[[X:.+]] = mirage_thread.graph items(x = 4) ins(%{{.+}} imap(x -> 0), %{{.+}} imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
// CHECK-NEXT: ^bb0(%[[V:.+]]: tensor<2x32xf32>, %[[W:.+]]: tensor<2x1xf32>):
// CHECK-NEXT: %[[A:.+]] = mirage_thread.load %[[V]] : (tensor<2x32xf32>) -> tensor<2x32xf32, #mirage_thread.layout<register = {{\[}}[0, 1]], lane = {{\[}}[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]]>>
// CHECK-NEXT: %[[B:.+]] = mirage_thread.load %[[W]] : (tensor<2x1xf32>) -> tensor<2x1xf32, #mirage_thread.layout<register = [], lane = {{\[}}[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]]>>
// CHECK-NEXT: %[[D:.+]] = mirage_thread.div %[[A]], %[[B]]
// CHECK-NEXT: %[[S:.+]] = mirage_thread.store %[[D]] :
// CHECK-NEXT: mirage_thread.yield %[[S]] : tensor<2x32xf32>
// CHECK: mirage_block.yield %[[X]]
func.func @elementwise(%a: tensor<8x32xf32>, %b: tensor<8x1xf32>) -> tensor<8x32xf32> {
  %o = mirage_block.graph grid() threads(128) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32> {
  ^bb0(%x: tensor<8x32xf32>, %y: tensor<8x1xf32>):
    %0 = mirage_block.div %x, %y : tensor<8x32xf32>, tensor<8x1xf32>
    mirage_block.yield %0 : tensor<8x32xf32>
  }
  return %o : tensor<8x32xf32>
}

// -----

// Nothing divides: 50 = 3 * 16 + 2.
// CHECK-LABEL: func.func @matmul_mma(
// CHECK: mirage_thread.graph items(x = 2) steps(4) ins(%{{.+}} imap() fmap(1), %{{.+}} imap(x -> 1) fmap(0)) outs(omap(x -> 1)) : (tensor<7x50xbf16>, tensor<50x13xbf16>) -> tensor<7x13xf32>
// CHECK: %[[A:.+]] = mirage_thread.load {{.+}} -> tensor<16x16xbf16, #mirage_thread.layout<register = {{\[}}[0, 1], [8, 0], [0, 8]], {{.+}}>>
// CHECK: %[[B:.+]] = mirage_thread.load {{.+}} -> tensor<16x8xbf16,
// CHECK-NEXT: %[[P:.+]] = mirage_thread.mma %[[A]], %[[B]] shape [16, 8, 16]
// CHECK-NEXT: mirage_thread.accumulate %[[P]] over loop sum :
func.func @matmul_mma(%a: tensor<7x50xbf16>, %b: tensor<50x13xbf16>) -> tensor<7x13xf32> {
  %o = mirage_block.graph grid() threads(64) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<7x50xbf16>, tensor<50x13xbf16>) -> tensor<7x13xf32> {
  ^bb0(%x: tensor<7x50xbf16>, %y: tensor<50x13xbf16>):
    %0 = mirage_block.matmul %x, %y : tensor<7x50xbf16>, tensor<50x13xbf16>
    mirage_block.yield %0 : tensor<7x13xf32>
  }
  return %o : tensor<7x13xf32>
}

// -----

// An f32 operand beside a narrow one is not rounded: the narrow one is extended.
// CHECK-LABEL: func.func @matmul_mixed(
// CHECK: %[[A:.+]] = mirage_thread.load {{.+}} -> tensor<{{.+}}xbf16,
// CHECK-NEXT: %[[E:.+]] = mirage_thread.cast %[[A]] : ({{.+}}) -> tensor<{{.+}}xf32,
// CHECK-NEXT: %[[B:.+]] = mirage_thread.load {{.+}} -> tensor<{{.+}}xf32,
// CHECK-NEXT: mirage_thread.matmul %[[E]], %[[B]]
func.func @matmul_mixed(%a: tensor<7x50xbf16>, %b: tensor<50x13xf32>) -> tensor<7x13xf32> {
  %o = mirage_block.graph grid() threads(64) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<7x50xbf16>, tensor<50x13xf32>) -> tensor<7x13xf32> {
  ^bb0(%x: tensor<7x50xbf16>, %y: tensor<50x13xf32>):
    %0 = mirage_block.matmul %x, %y : tensor<7x50xbf16>, tensor<50x13xf32>
    mirage_block.yield %0 : tensor<7x13xf32>
  }
  return %o : tensor<7x13xf32>
}

// -----

// Both operands f32: exact. Lanes hold all of k.
// CHECK-LABEL: func.func @matmul_exact(
// CHECK: mirage_thread.load {{.+}} -> tensor<1x4x4xf32, #mirage_thread.layout<register = {{\[}}[0, 0, 1], [0, 0, 2]], lane = {{\[}}[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 2, 0]]>>
// CHECK: mirage_thread.load {{.+}} -> tensor<4x8xf32, #mirage_thread.layout<register = {{\[}}[1, 0], [2, 0]], lane = {{\[}}[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]]>>
// CHECK-NOT: mirage_thread.cast
// CHECK: mirage_thread.matmul
func.func @matmul_exact(%a: tensor<2x7x50xf32>, %b: tensor<50x13xf32>) -> tensor<2x7x13xf32> {
  %o = mirage_block.graph grid() threads(64) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<2x7x50xf32>, tensor<50x13xf32>) -> tensor<2x7x13xf32> {
  ^bb0(%x: tensor<2x7x50xf32>, %y: tensor<50x13xf32>):
    %0 = mirage_block.matmul %x, %y : tensor<2x7x50xf32>, tensor<50x13xf32>
    mirage_block.yield %0 : tensor<2x7x13xf32>
  }
  return %o : tensor<2x7x13xf32>
}

// -----

// Zeros beyond the tile do not change a sum of squares, but a maximum. Without a loop rows lie
// as elementwise steps have them, here whole.
// CHECK-LABEL: func.func @reductions(
// CHECK: mirage_thread.graph items(x = 7) ins
// CHECK-NOT: mirage_thread.mask
// CHECK: mirage_thread.accumulate %{{.+}} over loop rms dims [1] count 50
// CHECK: mirage_thread.graph
// CHECK: %[[M:.+]] = mirage_thread.mask %{{.+}} dims [1] axes ["loop"] extent 50 value 0xFFF0000000000000
// CHECK: mirage_thread.accumulate %[[M]] over loop max dims [1] :
func.func @reductions(%a: tensor<7x50xf16>) -> (tensor<7x1xf32>, tensor<7x1xf32>) {
  %o:2 = mirage_block.graph grid() threads(64) ins(%a imap()) outs(omap(), omap())
      : (tensor<7x50xf16>) -> (tensor<7x1xf32>, tensor<7x1xf32>) {
  ^bb0(%x: tensor<7x50xf16>):
    %0 = mirage_block.rms %x dims [1] : tensor<7x50xf16>
    %1 = mirage_block.max %x dims [1] : tensor<7x50xf16>
    mirage_block.yield %0, %1 : tensor<7x1xf32>, tensor<7x1xf32>
  }
  return %o#0, %o#1 : tensor<7x1xf32>, tensor<7x1xf32>
}

// -----

// One dimension at a time; only the last step averages.
// CHECK-LABEL: func.func @two_dimensions(
// CHECK: mirage_thread.accumulate %{{.+}} over loop rms dims [2] count 1
// CHECK: mirage_thread.accumulate %{{.+}} over loop rms dims [0] count 100
func.func @two_dimensions(%a: tensor<2x7x50xf32>) -> tensor<1x7x1xf32> {
  %o = mirage_block.graph grid() threads(64) ins(%a imap()) outs(omap())
      : (tensor<2x7x50xf32>) -> tensor<1x7x1xf32> {
  ^bb0(%x: tensor<2x7x50xf32>):
    %0 = mirage_block.rms %x dims [0, 2] : tensor<2x7x50xf32>
    mirage_block.yield %0 : tensor<1x7x1xf32>
  }
  return %o : tensor<1x7x1xf32>
}

// -----

// The operand's maps and layout are the result's with dimensions exchanged.
// CHECK-LABEL: func.func @transposed(
// CHECK: mirage_thread.graph items(x = 4) ins(%{{.+}} imap(x -> 1)) outs(omap(x -> 0)) : (tensor<7x13xf32>) -> tensor<13x7xf32>
// CHECK-NEXT: ^bb0(%{{.+}}: tensor<8x4xf32>):
// CHECK-NEXT: mirage_thread.load {{.+}} -> tensor<8x4xf32, #mirage_thread.layout<register = [], lane = {{\[}}[1, 0], [2, 0], [4, 0], [0, 1], [0, 2]]>>
// CHECK-NEXT: mirage_thread.transpose %{{.+}} dims [1, 0] : ({{.+}}) -> tensor<4x8xf32, #mirage_thread.layout<register = [], lane = {{\[}}[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>>
func.func @transposed(%a: tensor<7x13xf32>) -> tensor<13x7xf32> {
  %o = mirage_block.graph grid() threads(64) ins(%a imap()) outs(omap())
      : (tensor<7x13xf32>) -> tensor<13x7xf32> {
  ^bb0(%x: tensor<7x13xf32>):
    %0 = mirage_block.transpose %x dims [1, 0] : tensor<7x13xf32>
    mirage_block.yield %0 : tensor<13x7xf32>
  }
  return %o : tensor<13x7xf32>
}

// -----

// The loop, the block's coordinates and other views are not a thread's business.
// CHECK-LABEL: func.func @left(
// CHECK: mirage_thread.exp
// CHECK: mirage_block.mask
// CHECK: mirage_block.accumulate
// CHECK: mirage_block.reshape
func.func @left(%a: tensor<5x100xf16>) -> tensor<1x5xf32> {
  %o = mirage_block.graph grid() threads(32) loop(4) ins(%a imap() fmap(1)) outs(omap())
      : (tensor<5x100xf16>) -> tensor<1x5xf32> {
  ^bb0(%t: tensor<5x32xf16>):
    %e = mirage_block.exp %t : tensor<5x32xf16>
    %m = mirage_block.mask %e dims [1] axes ["loop"] extent 100 value 0.0 : tensor<5x32xf32>
    %s = mirage_block.accumulate %m over loop sum dims [1] : tensor<5x32xf32>
    %r = mirage_block.reshape %s : (tensor<5x1xf32>) -> tensor<1x5xf32>
    mirage_block.yield %r : tensor<1x5xf32>
  }
  return %o : tensor<1x5xf32>
}

// -----

// Rows of 64 elements are aligned: ldmatrix reads them for the tensor cores.
// CHECK-LABEL: func.func @matmul_aligned(
// CHECK: %[[A:.+]] = mirage_thread.ldmatrix {{.+}} -> tensor<16x16xf16,
// CHECK: %[[B:.+]] = mirage_thread.ldmatrix {{.+}} -> tensor<16x8xf16,
// CHECK: mirage_thread.mma %[[A]], %[[B]] shape [16, 8, 16]
func.func @matmul_aligned(%a: tensor<8x64xf16>, %b: tensor<64x24xf16>) -> tensor<8x24xf32> {
  %o = mirage_block.graph grid() threads(128) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<8x64xf16>, tensor<64x24xf16>) -> tensor<8x24xf32> {
  ^bb0(%x: tensor<8x64xf16>, %y: tensor<64x24xf16>):
    %0 = mirage_block.matmul %x, %y : tensor<8x64xf16>, tensor<64x24xf16>
    mirage_block.yield %0 : tensor<8x24xf32>
  }
  return %o : tensor<8x24xf32>
}

// -----

// Tiles cut along more dimensions than a thread graph has axes stay as they are; of
// a reduction over two dimensions, none or both.
// CHECK-LABEL: func.func @four_cuts(
// CHECK: mirage_block.matmul
// CHECK: mirage_block.sum %{{.+}} dims [2, 4]
// CHECK: mirage_block.exp
func.func @four_cuts(%a: tensor<3x3x64x40xf16>, %b: tensor<3x3x3x33x33xf32>)
    -> (tensor<3x3x40x40xf32>, tensor<3x3x1x33x1xf32>, tensor<3x3x3x33x33xf32>) {
  %o:3 = mirage_block.graph grid() threads(32) ins(%a imap(), %b imap()) outs(omap(), omap(), omap())
      : (tensor<3x3x64x40xf16>, tensor<3x3x3x33x33xf32>)
     -> (tensor<3x3x40x40xf32>, tensor<3x3x1x33x1xf32>, tensor<3x3x3x33x33xf32>) {
  ^bb0(%x: tensor<3x3x64x40xf16>, %y: tensor<3x3x3x33x33xf32>):
    %t = mirage_block.transpose %x dims [0, 1, 3, 2] : tensor<3x3x64x40xf16>
    %0 = mirage_block.matmul %t, %x : tensor<3x3x40x64xf16>, tensor<3x3x64x40xf16>
    %1 = mirage_block.sum %y dims [2, 4] : tensor<3x3x3x33x33xf32>
    %2 = mirage_block.exp %y : tensor<3x3x3x33x33xf32>
    mirage_block.yield %0, %1, %2 : tensor<3x3x40x40xf32>, tensor<3x3x1x33x1xf32>, tensor<3x3x3x33x33xf32>
  }
  return %o#0, %o#1, %o#2 : tensor<3x3x40x40xf32>, tensor<3x3x1x33x1xf32>, tensor<3x3x3x33x33xf32>
}
