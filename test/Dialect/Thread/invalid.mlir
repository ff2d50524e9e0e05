// RUN: mirage-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expects 5 lane bits, got 1}}
func.func private @layout_c1(tensor<2x2xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[1, 0]]>>)

// -----

// expected-error @below {{expects 2 coordinates in each entry of the layout, got 1}}
func.func private @layout_c1_rank(tensor<32x1xf32, #mirage_thread.layout<register = [], lane = [[1], [2], [4], [8], [16]]>>)

// -----

// expected-error @below {{expects a layout that holds all 64 elements of the fragment, got one that holds 32}}
func.func private @layout_c2(tensor<1x64xf32, #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>>)

// -----

// expected-error @below {{expects a fragment with sizes that are powers of two, got [3, 32]}}
func.func private @layout_c2_size(tensor<3x32xf32, #mirage_thread.layout<register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>>)

// -----

// expected-error @below {{expects coordinates within the fragment [1, 32], got [0, 32]}}
func.func private @layout_range(tensor<1x32xf32, #mirage_thread.layout<register = [[0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>>)

// -----

func.func @graph_element(%x: memref<8x16xi32>) {
  // expected-error @below {{expects memrefs of static shape and rank 1 or more, with elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got 'memref<8x16xi32>'}}
  mirage_thread.graph items(x = 1) ins(%x imap()) outs(%x omap()) : (memref<8x16xi32>, memref<8x16xi32>) -> () {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_thread.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_foreign(%x: memref<8x16xf32>, %y: memref<8x16xf32>) {
  mirage_thread.graph items(x = 1) ins(%x imap()) outs(%y omap()) : (memref<8x16xf32>, memref<8x16xf32>) -> () {
  ^bb0(%t: tensor<8x16xf32>):
    // expected-error @below {{expects to stand elsewhere: a thread graph holds operators of mirage_thread}}
    %s = arith.negf %t : tensor<8x16xf32>
    mirage_thread.yield %s : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_some_memrefs(%x: memref<8x16xf32>, %y: memref<8x16xf32>) {
  // expected-error @below {{expects a memref to write to for each of 2 outputs or for none, got 1}}
  mirage_thread.graph items(x = 1) ins(%x imap()) outs(omap(), %y omap()) : (memref<8x16xf32>, memref<8x16xf32>) -> () {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_thread.yield %t, %t : tensor<8x16xf32>, tensor<8x16xf32>
  }
  return
}
