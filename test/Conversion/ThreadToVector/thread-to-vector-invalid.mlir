// RUN: mirage-opt %s --convert-mirage-thread-to-vector --split-input-file --verify-diagnostics

#l = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>
func.func @tensors(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  // expected-error @below {{expects tiles that are memrefs of static shape, or tensors with a layout, got 'tensor<1x64xf32>'}}
  %y = mirage_thread.graph items() ins(%x imap()) outs(omap()) : (tensor<1x64xf32>) -> tensor<1x64xf32> {
  ^bb0(%fw: tensor<1x64xf32>):
    %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #l>
    %sf = mirage_thread.store %f : (tensor<1x64xf32, #l>) -> tensor<1x64xf32>
    mirage_thread.yield %sf : tensor<1x64xf32>
  }
  return %y : tensor<1x64xf32>
}

// -----

func.func @not_stored(%x: memref<1x64xf32, 3>) {
  mirage_thread.graph items() ins(%x imap()) outs(%x omap()) : (memref<1x64xf32, 3>, memref<1x64xf32, 3>) -> () {
  ^bb0(%f: tensor<1x64xf32>):
    // expected-error @below {{expects windows that a store has written}}
    mirage_thread.yield %f : tensor<1x64xf32>
  }
  return
}

// -----

#l = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>
#m = #mirage_thread.layout<register = [[0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
func.func @lanes_differ(%x: memref<1x64xf32, 3>) {
  mirage_thread.graph items() ins(%x imap()) outs(%x omap()) : (memref<1x64xf32, 3>, memref<1x64xf32, 3>) -> () {
  ^bb0(%fw: tensor<1x64xf32>):
    %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #l>
    // expected-error @below {{expects an operand and a result whose lanes hold the same elements, got layouts that differ in lane bit 0}}
    %0 = mirage_thread.exp %f : (tensor<1x64xf32, #l>) -> tensor<1x64xf32, #m>
    %s0 = mirage_thread.store %0 : (tensor<1x64xf32, #m>) -> tensor<1x64xf32>
    mirage_thread.yield %s0 : tensor<1x64xf32>
  }
  return
}

// -----

#l = #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
func.func @summed(%x: memref<1x64xf32, 3>, %y: memref<1x32xf32, 3>) {
  // expected-error @below {{expects outputs that no axis of the items adds up}}
  mirage_thread.graph items(x = 2) ins(%x imap(x -> 1)) outs(%y omap(x -> sum)) : (memref<1x64xf32, 3>, memref<1x32xf32, 3>) -> () {
  ^bb0(%fw: tensor<1x32xf32>):
    %f = mirage_thread.load %fw : (tensor<1x32xf32>) -> tensor<1x32xf32, #l>
    %sf = mirage_thread.store %f : (tensor<1x32xf32, #l>) -> tensor<1x32xf32>
    mirage_thread.yield %sf : tensor<1x32xf32>
  }
  return
}

// -----

#l = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>
func.func @half_a_warp(%x: memref<1x64xf32, 3>) attributes {known_block_size = array<i32: 16, 1, 1>} {
  // expected-error @below {{expects a block of at least 32 threads, a warp, got 16}}
  mirage_thread.graph items() ins(%x imap()) outs(%x omap()) : (memref<1x64xf32, 3>, memref<1x64xf32, 3>) -> () {
  ^bb0(%fw: tensor<1x64xf32>):
    %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #l>
    %sf = mirage_thread.store %f : (tensor<1x64xf32, #l>) -> tensor<1x64xf32>
    mirage_thread.yield %sf : tensor<1x64xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#held = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8]]>
func.func @held_by_other_warps(%y: memref<16x16xf32, 3>, %x: tensor<16x16xf32, #held>) attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{expects tiles that the block's 4 warps hold, got layouts of 2}}
  mirage_thread.graph items(x = 2) ins(%x imap(x -> 1)) outs(%y omap(x -> 1)) : (tensor<16x16xf32, #held>, memref<16x16xf32, 3>) -> () {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#held = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8]]>
func.func @held_in_three_items(%y: memref<16x24xf32, 3>, %x: tensor<16x16xf32, #held>) {
  // expected-error @below {{expects items whose extents are powers of two, where tiles are held, got 3}}
  mirage_thread.graph items(x = 3) ins(%x imap(x -> 1)) outs(%y omap(x -> 1)) : (tensor<16x16xf32, #held>, memref<16x24xf32, 3>) -> () {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#dealt = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8]], dealt = 2 to 3>
func.func @dealt_to_other_warps(%y: memref<16x16xf32, 3>, %x: tensor<16x16xf32, #dealt>) attributes {known_block_size = array<i32: 160, 1, 1>} {
  // expected-error @below {{expects tiles that the block's 5 warps hold, got layouts of 3}}
  mirage_thread.graph items(x = 2) ins(%x imap(x -> 1)) outs(%y omap(x -> 1)) : (tensor<16x16xf32, #dealt>, memref<16x16xf32, 3>) -> () {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#dealt = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8]], dealt = 2 to 3>
func.func @other_items(%y: memref<32x16xf32, 3>, %x: tensor<16x16xf32, #dealt>) attributes {known_block_size = array<i32: 96, 1, 1>} {
  // expected-error @below {{expects items that are the shares of tiles in registers, got 4 items and 2 shares}}
  mirage_thread.graph items(x = 2, y = 2) ins(%x imap(x -> 1)) outs(%y omap(x -> 1, y -> 0)) : (tensor<16x16xf32, #dealt>, memref<32x16xf32, 3>) -> () {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#dealt = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [0, 16], [0, 32], [16, 0]], dealt = 12 to 4>
func.func @other_extents(%y: memref<32x64xf32, 3>, %x: tensor<32x64xf32, #dealt>) attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{expects items that are the shares of tiles in registers, got 16 items and 12 shares}}
  mirage_thread.graph items(x = 2, y = 8) ins(%x imap(x -> 0, y -> 1)) outs(%y omap(x -> 0, y -> 1)) : (tensor<32x64xf32, #dealt>, memref<32x64xf32, 3>) -> () {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#three = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [0, 16]], dealt = 3 to 3>
#four = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [0, 16]], dealt = 4 to 3>
func.func @other_shares(%x: tensor<16x32xf32, #three>) -> tensor<16x32xf32, #four> attributes {known_block_size = array<i32: 96, 1, 1>} {
  // expected-error @below {{expects tiles in registers that come to warps alike, got}}
  %r = mirage_thread.graph items(x = 4) ins(%x imap(x -> 1)) outs(omap(x -> 1)) : (tensor<16x32xf32, #three>) -> tensor<16x32xf32, #four> {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return %r : tensor<16x32xf32, #four>
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#held = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8]]>
func.func @held_elsewhere(%y: memref<32x8xf32, 3>, %x: tensor<16x16xf32, #held>) {
  // expected-error @below {{expects windows that its warps hold of operand 0, got}}
  mirage_thread.graph items(x = 2) ins(%x imap()) outs(%y omap(x -> 0)) : (tensor<16x16xf32, #held>, memref<32x8xf32, 3>) -> () {
  ^bb0(%w: tensor<16x16xf32>):
    %f = mirage_thread.load %w : (tensor<16x16xf32>) -> tensor<16x16xf32, #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
    %s = mirage_thread.accumulate %f over loop sum dims [1] : (tensor<16x16xf32, #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>) -> tensor<16x1xf32, #mirage_thread.layout<register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>>
    %b = mirage_thread.broadcast %s : (tensor<16x1xf32, #mirage_thread.layout<register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>>) -> tensor<16x8xf32, #c>
    %v = mirage_thread.store %b : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#held = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8]]>
func.func @left_elsewhere(%x: memref<32x8xf32, 3>) -> tensor<16x16xf32, #held> {
  // expected-error @below {{expects a result with the layout in which its items leave it, 'tensor<16x16xf32, #mirage_thread.layout<register = [[0, 1], [4, 0], [8, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[0, 0]]>>', got}}
  %r = mirage_thread.graph items() ins(%x imap()) outs(omap()) : (memref<32x8xf32, 3>) -> tensor<16x16xf32, #held> {
  ^bb0(%w: tensor<32x8xf32>):
    %f = mirage_thread.load %w : (tensor<32x8xf32>) -> tensor<32x8xf32, #mirage_thread.layout<register = [[0, 1], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
    %s = mirage_thread.reshape %f : (tensor<32x8xf32, #mirage_thread.layout<register = [[0, 1], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>) -> tensor<16x16xf32, #mirage_thread.layout<register = [[0, 1], [4, 0], [8, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]]>>
    %v = mirage_thread.store %s : (tensor<16x16xf32, #mirage_thread.layout<register = [[0, 1], [4, 0], [8, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]]>>) -> tensor<16x16xf32>
    mirage_thread.yield %v : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32, #held>
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_of_rows(%x: memref<64x16xf16, 3>, %y: memref<16x32xf16, 3>, %z: memref<64x32xf32, 3>) {
  mirage_thread.graph items(x = 4) ins(%x imap(x -> 0), %y imap()) outs(%z omap(x -> 0)) : (memref<64x16xf16, 3>, memref<16x32xf16, 3>, memref<64x32xf32, 3>) -> () {
  ^bb0(%v: tensor<16x16xf16>, %w: tensor<16x32xf16>):
    %f = mirage_thread.ldmatrix %v : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    // expected-error @below {{expects a window of a tile that is swizzled, as the copy engine loads it, as rhs ('mirage.input_swizzles')}}
    %d = mirage_thread.wgmma %f, %w : (tensor<16x16xf16, #a>, tensor<16x32xf16>) -> tensor<16x32xf32, #c>
    %s = mirage_thread.store %d : (tensor<16x32xf32, #c>) -> tensor<16x32xf32>
    mirage_thread.yield %s : tensor<16x32xf32>
  }
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @swizzle_that_rows_of_192_bytes_have_not(%x: memref<64x96xf16, 3>, %z: memref<64x96xf16, 3>) {
  // expected-error @below {{expects tiles whose rows have the swizzle that is stated, got 128 bytes of 'memref<64x96xf16, 3>' in 'mirage.thread_swizzles'}}
  mirage_thread.graph items(x = 4, y = 6) ins(%x imap(x -> 0, y -> 1)) outs(%z omap(x -> 0, y -> 1)) {mirage.thread_swizzles = array<i64: 128>} : (memref<64x96xf16, 3>, memref<64x96xf16, 3>) -> () {
  ^bb0(%v: tensor<16x16xf16>):
    %f = mirage_thread.ldmatrix %v : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    %s = mirage_thread.store %f : (tensor<16x16xf16, #a>) -> tensor<16x16xf16>
    mirage_thread.yield %s : tensor<16x16xf16>
  }
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @two_swizzles(%x: memref<64x64xf16, 3>, %z: memref<64x64xf16, 3>) {
  // expected-error @below {{expects one swizzle of input 0, got one in 'mirage.input_swizzles' and one in 'mirage.thread_swizzles'}}
  mirage_thread.graph items(x = 4, y = 4) ins(%x imap(x -> 0, y -> 1)) outs(%z omap(x -> 0, y -> 1)) {mirage.input_swizzles = array<i64: 128>, mirage.thread_swizzles = array<i64: 128>} : (memref<64x64xf16, 3>, memref<64x64xf16, 3>) -> () {
  ^bb0(%v: tensor<16x16xf16>):
    %f = mirage_thread.ldmatrix %v : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    %s = mirage_thread.store %f : (tensor<16x16xf16, #a>) -> tensor<16x16xf16>
    mirage_thread.yield %s : tensor<16x16xf16>
  }
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @boxes_of_a_panel_and_a_half(%x: memref<64x96xf16, 3>, %z: memref<64x96xf16, 3>) {
  // expected-error @below {{expects tiles whose rows have the swizzle that is stated, got 64 bytes of 'memref<64x96xf16, 3>' in 'mirage.input_swizzles'}}
  mirage_thread.graph items(x = 4, y = 6) ins(%x imap(x -> 0, y -> 1)) outs(%z omap(x -> 0, y -> 1)) {mirage.input_swizzles = array<i64: 64>} : (memref<64x96xf16, 3>, memref<64x96xf16, 3>) -> () {
  ^bb0(%v: tensor<16x16xf16>):
    %f = mirage_thread.ldmatrix %v : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    %s = mirage_thread.store %f : (tensor<16x16xf16, #a>) -> tensor<16x16xf16>
    mirage_thread.yield %s : tensor<16x16xf16>
  }
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_of_what_threads_swizzled(%x: memref<64x16xf16, 3>, %y: memref<16x32xf16, 3>, %z: memref<64x32xf32, 3>) {
  mirage_thread.graph items(x = 4) ins(%x imap(x -> 0), %y imap()) outs(%z omap(x -> 0)) {mirage.thread_swizzles = array<i64: 0, 64>} : (memref<64x16xf16, 3>, memref<16x32xf16, 3>, memref<64x32xf32, 3>) -> () {
  ^bb0(%v: tensor<16x16xf16>, %w: tensor<16x32xf16>):
    %f = mirage_thread.ldmatrix %v : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    // expected-error @below {{expects a window of a tile that is swizzled, as the copy engine loads it, as rhs ('mirage.input_swizzles')}}
    %d = mirage_thread.wgmma %f, %w : (tensor<16x16xf16, #a>, tensor<16x32xf16>) -> tensor<16x32xf32, #c>
    %s = mirage_thread.store %d : (tensor<16x32xf32, #c>) -> tensor<16x32xf32>
    mirage_thread.yield %s : tensor<16x32xf32>
  }
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_of_half_a_panel(%x: memref<64x16xf16, 3>, %y: memref<16x64xf16, 3>, %z: memref<64x64xf32, 3>) {
  mirage_thread.graph items(x = 2, y = 4) ins(%x imap(y -> 0), %y imap(x -> 1)) outs(%z omap(x -> 1, y -> 0)) {mirage.input_swizzles = array<i64: 0, 128>} : (memref<64x16xf16, 3>, memref<16x64xf16, 3>, memref<64x64xf32, 3>) -> () {
  ^bb0(%v: tensor<16x16xf16>, %w: tensor<16x32xf16>):
    %f = mirage_thread.ldmatrix %v : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    // expected-error @below {{expects windows that keep to panels of 64 columns as rhs, got 32}}
    %d = mirage_thread.wgmma %f, %w : (tensor<16x16xf16, #a>, tensor<16x32xf16>) -> tensor<16x32xf32, #c>
    %s = mirage_thread.store %d : (tensor<16x32xf32, #c>) -> tensor<16x32xf32>
    mirage_thread.yield %s : tensor<16x32xf32>
  }
  return
}

// -----

// 48 columns of k from 48 on begin in one panel of 64 and end in the next.
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_across_panels(%x: memref<64x192xf16, 3>, %y: memref<192x32xf16, 3>, %z: memref<64x32xf32, 3>) {
  mirage_thread.graph items(x = 4) steps(4) ins(%x imap(x -> 0) fmap(1), %y imap() fmap(0)) outs(%z omap(x -> 0)) {mirage.input_swizzles = array<i64: 128, 64>} : (memref<64x192xf16, 3>, memref<192x32xf16, 3>, memref<64x32xf32, 3>) -> () {
  ^bb0(%v: tensor<16x48xf16>, %w: tensor<48x32xf16>):
    // expected-error @below {{expects windows that keep to panels of 64 columns as lhs, got 48}}
    %d = mirage_thread.wgmma %v, %w : (tensor<16x48xf16>, tensor<48x32xf16>) -> tensor<16x32xf32, #c>
    %a = mirage_thread.accumulate %d over loop sum : (tensor<16x32xf32, #c>) -> tensor<16x32xf32, #c>
    %s = mirage_thread.store %a : (tensor<16x32xf32, #c>) -> tensor<16x32xf32>
    mirage_thread.yield %s : tensor<16x32xf32>
  }
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_beyond_a_tile(%x: memref<64x24xf16, 3>, %y: memref<32x32xf16, 3>, %z: memref<64x32xf32, 3>) {
  mirage_thread.graph items(x = 4) steps(2) ins(%x imap(x -> 0) fmap(1), %y imap() fmap(0)) outs(%z omap(x -> 0)) {mirage.input_swizzles = array<i64: 64, 64>} : (memref<64x24xf16, 3>, memref<32x32xf16, 3>, memref<64x32xf32, 3>) -> () {
  ^bb0(%v: tensor<16x16xf16>, %w: tensor<16x32xf16>):
    // expected-error @below {{expects a tile of whole windows as lhs, got 'memref<64x24xf16, 3>' of 'tensor<16x16xf16>'}}
    %d = mirage_thread.wgmma %v, %w : (tensor<16x16xf16>, tensor<16x32xf16>) -> tensor<16x32xf32, #c>
    %a = mirage_thread.accumulate %d over loop sum : (tensor<16x32xf32, #c>) -> tensor<16x32xf32, #c>
    %s = mirage_thread.store %a : (tensor<16x32xf32, #c>) -> tensor<16x32xf32>
    mirage_thread.yield %s : tensor<16x32xf32>
  }
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
gpu.module @kernels {
  gpu.func @wgmma_of_three_warps(%x: memref<64x16xf16, 3>, %y: memref<16x32xf16, 3>, %z: memref<64x32xf32, 3>) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    mirage_thread.graph items(x = 4) ins(%x imap(x -> 0), %y imap()) outs(%z omap(x -> 0)) {mirage.input_swizzles = array<i64: 0, 64>} : (memref<64x16xf16, 3>, memref<16x32xf16, 3>, memref<64x32xf32, 3>) -> () {
    ^bb0(%v: tensor<16x16xf16>, %w: tensor<16x32xf16>):
      %f = mirage_thread.ldmatrix %v : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
      // expected-error @below {{expects a block of whole warpgroups, got 96 threads}}
      %d = mirage_thread.wgmma %f, %w : (tensor<16x16xf16, #a>, tensor<16x32xf16>) -> tensor<16x32xf32, #c>
      %s = mirage_thread.store %d : (tensor<16x32xf32, #c>) -> tensor<16x32xf32>
      mirage_thread.yield %s : tensor<16x32xf32>
    }
    gpu.return
  }
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @in_flight_to_memory(%x: memref<64x16xf16, 3>, %y: memref<16x32xf16, 3>, %z: memref<64x32xf32, 3>) {
  // expected-error @below {{expects, where 'mirage.in_flight' is stated, one step whose only result is a product of four warps, held in f32 as it is}}
  mirage_thread.graph items(x = 4) ins(%x imap(x -> 0), %y imap()) outs(%z omap(x -> 0)) {mirage.in_flight, mirage.input_swizzles = array<i64: 0, 64>} : (memref<64x16xf16, 3>, memref<16x32xf16, 3>, memref<64x32xf32, 3>) -> () {
  ^bb0(%v: tensor<16x16xf16>, %w: tensor<16x32xf16>):
    %f = mirage_thread.ldmatrix %v : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    %d = mirage_thread.wgmma %f, %w : (tensor<16x16xf16, #a>, tensor<16x32xf16>) -> tensor<16x32xf32, #c>
    %e = mirage_thread.accumulate %d over loop sum : (tensor<16x32xf32, #c>) -> tensor<16x32xf32, #c>
    %s = mirage_thread.store %e : (tensor<16x32xf32, #c>) -> tensor<16x32xf32>
    mirage_thread.yield %s : tensor<16x32xf32>
  }
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#held = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
func.func @in_flight_with_more(%x: memref<64x16xf16, 3>, %y: memref<16x32xf16, 3>) {
  // expected-error @below {{expects, where 'mirage.in_flight' is stated, one step whose only result is a product of four warps, held in f32 as it is}}
  %r = mirage_thread.graph items(x = 4) ins(%x imap(x -> 0), %y imap()) outs(omap(x -> 0)) {mirage.in_flight, mirage.input_swizzles = array<i64: 0, 64>} : (memref<64x16xf16, 3>, memref<16x32xf16, 3>) -> tensor<64x32xf32, #held> {
  ^bb0(%v: tensor<16x16xf16>, %w: tensor<16x32xf16>):
    %f = mirage_thread.ldmatrix %v : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    %d = mirage_thread.wgmma %f, %w : (tensor<16x16xf16, #a>, tensor<16x32xf16>) -> tensor<16x32xf32, #c>
    %e = mirage_thread.accumulate %d over loop sum : (tensor<16x32xf32, #c>) -> tensor<16x32xf32, #c>
    %p = mirage_thread.exp %e : (tensor<16x32xf32, #c>) -> tensor<16x32xf32, #c>
    %s = mirage_thread.store %p : (tensor<16x32xf32, #c>) -> tensor<16x32xf32>
    mirage_thread.yield %s : tensor<16x32xf32>
  }
  return
}
