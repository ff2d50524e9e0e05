// RUN: mirage-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expects 5 lane bits, got 1}}
func.func private @layout_c1(tensor<2x2xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[1, 0]]>>)

// -----

// expected-error @below {{expects 2 coordinates in each entry of the layout, got 1}}
func.func private @layout_c1_rank(tensor<32x1xf32, #mirage_thread.layout<register = [], lane = [[1], [2], [4], [8], [16]]>>)

// -----

// expected-error @below {{expects a layout that holds all elements of the fragment, which 6 bits tell apart, got one of 5 bits}}
func.func private @layout_c2(tensor<1x64xf32, #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>>)

// -----

// expected-error @below {{expects a layout that holds all 64 elements of the fragment, got one that holds 32}}
func.func private @layout_c2_rank(tensor<1x64xf32, #mirage_thread.layout<register = [[0, 3]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>>)

// -----

// expected-error @below {{expects a fragment with sizes that are powers of two, got [3, 32]}}
func.func private @layout_c2_size(tensor<3x32xf32, #mirage_thread.layout<register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>>)

// -----

// expected-error @below {{expects coordinates within the fragment [1, 32], got [0, 32]}}
func.func private @layout_c1_range(tensor<1x32xf32, #mirage_thread.layout<register = [[0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>>)

// -----

func.func @graph_c10(%x: memref<8x16xi32>) {
  // expected-error @below {{expects memrefs of static shape and rank 1 or more, with elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got 'memref<8x16xi32>'}}
  mirage_thread.graph items(x = 1) ins(%x imap()) outs(%x omap()) : (memref<8x16xi32>, memref<8x16xi32>) -> () {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_thread.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c6(%x: memref<8x16xf32>, %y: memref<8x16xf32>) {
  mirage_thread.graph items(x = 1) ins(%x imap()) outs(%y omap()) : (memref<8x16xf32>, memref<8x16xf32>) -> () {
  ^bb0(%t: tensor<8x16xf32>):
    // expected-error @below {{expects to stand elsewhere: a thread graph holds operators of mirage_thread}}
    %s = arith.negf %t : tensor<8x16xf32>
    mirage_thread.yield %s : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c5_some_memrefs(%x: memref<8x16xf32>, %y: memref<8x16xf32>) {
  // expected-error @below {{expects a memref to write to for each of 2 outputs or for none, got 1}}
  mirage_thread.graph items(x = 1) ins(%x imap()) outs(omap(), %y omap()) : (memref<8x16xf32>, memref<8x16xf32>) -> () {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_thread.yield %t, %t : tensor<8x16xf32>, tensor<8x16xf32>
  }
  return
}

// -----

// More bits than a word, and more than there are entries for.
// expected-error @below {{expects a layout that holds all elements of the fragment, which 80 bits tell apart, got one of 6 bits}}
func.func private @layout_c2_bits(tensor<1099511627776x1099511627776xf32, #mirage_thread.layout<register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>>)

// -----

// expected-error @below {{expects at most 10 register bits, got 11}}
func.func private @layout_c3(tensor<4x8xf32, #mirage_thread.layout<register = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]>>)

// -----

func.func @graph_c1(%x: tensor<8x16xf32>) {
  // expected-error @below {{expects grid extents of at least 1, got 0}}
  %r = mirage_thread.graph items(x = 0) ins(%x imap()) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_thread.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c2(%x: tensor<8x16xf32>) {
  // expected-error @below {{operand 0: expects tiles that cover dimension 1 of size 16, got tiles that cover 8}}
  %r = mirage_thread.graph items(x = 1) ins(%x imap(x -> 1)) outs(omap(x -> 1)) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x8xf32>):
    mirage_thread.yield %t : tensor<8x8xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @graph_c3(%x: tensor<16x16xf32>) {
  %r = mirage_thread.graph items() steps(2) ins(%x imap() fmap(1)) outs(omap()) : (tensor<16x16xf32>) -> tensor<16x8xf32> {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %a = mirage_thread.accumulate %f over loop sum : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
    // expected-error @below {{expects operands of one phase, got operand 0 of the loop and operand 1 from after it}}
    %d = mirage_thread.div %f, %a : (tensor<16x8xf32, #c>, tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
    %s = mirage_thread.store %d : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %s : tensor<16x8xf32>
  }
  return
}

// -----

func.func @graph_c4(%x: tensor<8x16xf32>) {
  // expected-error @below {{operand 0: expects a tile of f32, got f16}}
  %r = mirage_thread.graph items() ins(%x imap()) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x16xf16>):
    mirage_thread.yield %t : tensor<8x16xf16>
  }
  return
}

// -----

func.func @graph_c5(%x: tensor<8x16xf32>) {
  // expected-error @below {{operand 0: expects an axis to cut a dimension in [0, 2) or none, got 2}}
  %r = mirage_thread.graph items(x = 1) ins(%x imap(x -> 2)) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_thread.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c9(%x: memref<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @below {{expects tensors, or memrefs and tensors with a layout throughout, got 'memref<8x16xf32>' and results 'tensor<8x16xf32>'}}
  %r = mirage_thread.graph items(x = 1) ins(%x imap()) outs(omap()) : (memref<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_thread.yield %t : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}

// -----

func.func @graph_c9_mixed(%x: tensor<8x16xf32>, %y: memref<8x16xf32>) {
  // expected-error @below {{expects tensors, or memrefs and tensors with a layout throughout, got 'tensor<8x16xf32>', 'memref<8x16xf32>' and results }}
  mirage_thread.graph items(x = 1) ins(%x imap()) outs(%y omap()) : (tensor<8x16xf32>, memref<8x16xf32>) -> () {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_thread.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c9_both(%x: memref<8x16xf32>, %y: memref<8x16xf32>) {
  // expected-error @below {{expects results or memrefs to write to, got both}}
  %r = mirage_thread.graph items(x = 1) ins(%x imap()) outs(%y omap()) : (memref<8x16xf32>, memref<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_thread.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c10_shape(%x: memref<?x16xf32>, %y: memref<8x16xf32>) {
  // expected-error @below {{expects memrefs of static shape and rank 1 or more, with elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got 'memref<?x16xf32>'}}
  mirage_thread.graph items(x = 1) ins(%x imap()) outs(%y omap()) : (memref<?x16xf32>, memref<8x16xf32>) -> () {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_thread.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c11(%x: tensor<8x16xf32>) {
  // expected-error @below {{result 0: expects a dimension to join along x, or a sum, since what is yielded differs along it, got neither}}
  %r = mirage_thread.graph items(x = 2) ins(%x imap(x -> 1)) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x8xf32> {
  ^bb0(%t: tensor<8x8xf32>):
    mirage_thread.yield %t : tensor<8x8xf32>
  }
  return
}

// -----

// Registers hold whole fragments: windows may leave out what is behind a tile's edge, and no more.
#row = #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#held = #mirage_thread.layout<register = [[0, 1], [0, 2], [8,0],[16,0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
func.func @reads_a_quarter_of_what_is_held(%x: memref<32x16xf32, 3>, %y: memref<8x16xf32, 3>) attributes {known_block_size = array<i32: 32, 1, 1>} {
  %h = mirage_thread.graph items(x = 4) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (memref<32x16xf32, 3>) -> tensor<32x16xf32, #held> {
  ^bb0(%w: tensor<8x16xf32>):
    %f = mirage_thread.load %w : (tensor<8x16xf32>) -> tensor<8x16xf32, #row>
    %v = mirage_thread.store %f : (tensor<8x16xf32, #row>) -> tensor<8x16xf32>
    mirage_thread.yield %v : tensor<8x16xf32>
  }
  // expected-error @below {{operand 0: expects tiles that cover dimension 0 of size 32, got tiles that cover 8}}
  mirage_thread.graph items(x = 1) ins(%h imap()) outs(%y omap(x -> 0)) : (tensor<32x16xf32, #held>, memref<8x16xf32, 3>) -> () {
  ^bb0(%w: tensor<8x16xf32>):
    %f = mirage_thread.load %w : (tensor<8x16xf32>) -> tensor<8x16xf32, #row>
    %v = mirage_thread.store %f : (tensor<8x16xf32, #row>) -> tensor<8x16xf32>
    mirage_thread.yield %v : tensor<8x16xf32>
  }
  return
}
