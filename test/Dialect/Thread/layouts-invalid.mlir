// What operators ask of the layouts of their fragments: each constraint once.
// RUN: mirage-opt %s --split-input-file --verify-diagnostics

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#d = #mirage_thread.layout<register = [[0, 4], [8, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>
func.func @unary_c2(%x: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects an operand and a result whose lanes hold the same elements, got layouts that differ in lane bit 0}}
  %y = mirage_thread.exp %x : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #d>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @unary_c2_window(%x: tensor<16x8xf32>) {
  // expected-error @below {{expects a fragment, with a #mirage_thread.layout, got 'tensor<16x8xf32>'}}
  %y = mirage_thread.exp %x : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#half = #mirage_thread.layout<register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>
func.func @binary_c3(%x: tensor<16x8xf32, #c>, %y: tensor<8x1xf32, #half>) {
  // expected-error @below {{expects shapes that broadcast, got [16, 8] and [8, 1]}}
  %z = mirage_thread.div %x, %y : (tensor<16x8xf32, #c>, tensor<8x1xf32, #half>) -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#row = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]]>
#other = #mirage_thread.layout<register = [[0, 2]], lane = [[0, 1], [0, 4], [0, 0], [0, 0], [0, 0]]>
func.func @binary_c3(%x: tensor<16x8xf32, #c>, %y: tensor<1x8xf32, #row>, %z: tensor<1x8xf32, #other>) {
  %0 = mirage_thread.div %x, %y : (tensor<16x8xf32, #c>, tensor<1x8xf32, #row>) -> tensor<16x8xf32, #c>
  // expected-error @below {{expects an operand and a result whose lanes hold the same elements, got layouts that differ in lane bit 0}}
  %1 = mirage_thread.div %x, %z : (tensor<16x8xf32, #c>, tensor<1x8xf32, #other>) -> tensor<16x8xf32, #c>
  return
}

// -----

// The lanes agree, but each would need its neighbour's other register.
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#e = #mirage_thread.layout<register = [[0, 3], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @unary_c2_registers(%x: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects an operand that a lane holds as it holds the result, got none for register 1}}
  %y = mirage_thread.exp %x : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #e>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#column = #mirage_thread.layout<register = [[0, 0], [8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>
func.func @reduction_c4(%x: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects a result that its lanes hold as they hold the operand, with size 1 along the reduced dimensions}}
  %y = mirage_thread.sum %x dims [1] : (tensor<16x8xf32, #c>) -> tensor<16x1xf32, #column>
  return
}

// -----

#twice = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
#column = #mirage_thread.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]]>
func.func @reduction_c4_twice(%x: tensor<4x8xf32, #twice>) {
  // expected-error @below {{expects a reduced fragment whose elements are held once, or by lanes with equal elements}}
  %y = mirage_thread.sum %x dims [1] : (tensor<4x8xf32, #twice>) -> tensor<4x1xf32, #column>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @matmul_c5(%a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>) {
  // expected-error @below {{expects fragments in which a lane holds all of k for its rows and columns}}
  %d = mirage_thread.matmul %a, %b : (tensor<16x16xf16, #a>, tensor<16x8xf16, #b>) -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#t = #mirage_thread.layout<register = [[0, 1], [0, 8]], lane = [[2, 0], [4, 0], [1, 0], [0, 2], [0, 4]]>
func.func @transpose_c4(%x: tensor<16x8xf32, #c>) {
  // expected-error @below {{got layouts that differ in lane bit 2}}
  %y = mirage_thread.transpose %x dims [1, 0] : (tensor<16x8xf32, #c>) -> tensor<8x16xf32, #t>
  return
}

// -----

#ct = #mirage_thread.layout<register = [[1, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
func.func @transpose_c4_window(%x: tensor<16x8xf32>) {
  // expected-error @below {{expects the transpose of a window to be an operand of mirage_thread.wgmma alone, got one of mirage_thread.load}}
  %y = mirage_thread.transpose %x dims [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %z = mirage_thread.load %y : (tensor<8x16xf32>) -> tensor<8x16xf32, #ct>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#flat = #mirage_thread.layout<register = [[64, 0], [32, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [1, 0]]>
func.func @reshape_c3(%x: tensor<16x8xf32, #c>) {
  // expected-error @below {{got layouts that differ in lane bit 4}}
  %y = mirage_thread.reshape %x : (tensor<16x8xf32, #c>) -> tensor<128x1xf32, #flat>
  return
}

// -----

#column = #mirage_thread.layout<register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>
#d = #mirage_thread.layout<register = [[0, 4], [4, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [8, 0]]>
func.func @broadcast_c3(%x: tensor<16x1xf32, #column>) {
  // expected-error @below {{got layouts that differ in lane bit 4}}
  %y = mirage_thread.broadcast %x : (tensor<16x1xf32, #column>) -> tensor<16x8xf32, #d>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @cast_c2(%x: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects a fragment, with a #mirage_thread.layout, got 'tensor<16x8xf16>'}}
  %y = mirage_thread.cast %x : (tensor<16x8xf32, #c>) -> tensor<16x8xf16>
  return
}

// -----

func.func @mask_c6(%x: tensor<16x8xf32>) {
  // expected-error @below {{expects a fragment, with a #mirage_thread.layout, got 'tensor<16x8xf32>'}}
  %y = mirage_thread.mask %x dims [1] axes [] extent 5 value 0.0 : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#acc = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
func.func @graph_c8_fragment(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-note @below {{in this graph}}
  %r = mirage_thread.graph items() ins(%x imap()) outs(omap()) : (tensor<64x16xf32>) -> tensor<64x16xf32> {
  ^bb0(%w: tensor<64x16xf32>):
    // expected-error @below {{expects a fragment of the 1 warps that share an item, got one of 4}}
    %f = mirage_thread.load %w : (tensor<64x16xf32>) -> tensor<64x16xf32, #acc>
    %s = mirage_thread.store %f : (tensor<64x16xf32, #acc>) -> tensor<64x16xf32>
    mirage_thread.yield %s : tensor<64x16xf32>
  }
  return %r : tensor<64x16xf32>
}

// -----

func.func @graph_c8(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-error @below {{expects items of 32 threads, a warp, or 128, a warpgroup, got 64}}
  %r = mirage_thread.graph items() threads(64) ins(%x imap()) outs(omap()) : (tensor<64x16xf32>) -> tensor<64x16xf32> {
  ^bb0(%w: tensor<64x16xf32>):
    mirage_thread.yield %w : tensor<64x16xf32>
  }
  return %r : tensor<64x16xf32>
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @graph_c7(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @below {{expects arguments and yielded values without a layout, got 'tensor<16x8xf32, #mirage_thread.layout<}}
  %r = mirage_thread.graph items() ins(%x imap()) outs(omap()) : (tensor<16x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%f: tensor<16x8xf32, #c>):
    %s = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    mirage_thread.yield %s : tensor<16x8xf32>
  }
  return %r : tensor<16x8xf32>
}

// -----

// expected-error @below {{expects at most 5 warp bits, got 6}}
func.func private @layout_c1_warps(tensor<32x1xf32, #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0]], warp = [[16, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]>>)

// -----

// expected-error @below {{expects shares dealt to 1 to 32 warps, got 0}}
func.func private @layout_c4(tensor<32x1xf32, #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], dealt = 1 to 0>>)

// -----

// expected-error @below {{expects no shares where each warp has the one of its number, got 4}}
func.func private @layout_c4_warps(tensor<128x1xf32, #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], dealt = 4 to 4>>)

// -----

// expected-error @below {{expects numbers of shares of which none is 1, and none but the first a power of two, got 3 x 4}}
func.func private @layout_c4_power(tensor<512x1xf32, #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [128, 0], [256, 0]], dealt = 3 x 4 to 4>>)

// -----

// expected-error @below {{expects numbers of shares of which none is 1, and none but the first a power of two, got 1 x 3}}
func.func private @layout_c4_one(tensor<128x1xf32, #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], dealt = 1 x 3 to 4>>)

// -----

// expected-error @below {{expects numbers of shares of which none is 1, and none but the first a power of two, got -3}}
func.func private @layout_c4_negative(tensor<128x1xf32, #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], dealt = -3 to 4>>)

// -----

// Each number has its own bits: 5 x 3 shares are of 8 x 4.
// expected-error @below {{expects shares whose numbers have 4 bits, got 5 x 3 shares}}
func.func private @layout_c4_numbers(tensor<512x1xf32, #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [128, 0], [256, 0]], dealt = 5 x 3 to 4>>)

// -----

// expected-error @below {{expects shares whose numbers have 1 bits, got 3 shares}}
func.func private @layout_c4_bits(tensor<64x1xf32, #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0]], dealt = 3 to 3>>)

// -----

// expected-error @below {{expects at most 1024 elements of a thread, got 2048}}
func.func private @layout_c3_shares(tensor<64x1xf32, #mirage_thread.layout<register = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 0]], dealt = 4 to 3>>)

// -----

// Fragments of items are a warp's, which has no shares of them.
#dealt = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], dealt = 1 to 3>
func.func @fragment_of_shares(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %r = mirage_thread.graph items() ins(%x imap()) outs(omap()) : (tensor<16x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%w: tensor<16x8xf32>):
    // expected-error @below {{expects a fragment of warps, which have no shares, got}}
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #dealt>
    %v = mirage_thread.store %f : (tensor<16x8xf32, #dealt>) -> tensor<16x8xf32>
    mirage_thread.yield %v : tensor<16x8xf32>
  }
  return %r : tensor<16x8xf32>
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @accumulate_c10(%x: tensor<16x8xf32>) -> tensor<16x1xf32> {
  %r = mirage_thread.graph items() ins(%x imap()) outs(omap()) : (tensor<16x8xf32>) -> tensor<16x1xf32> {
  ^bb0(%w: tensor<16x8xf32>):
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    // expected-error @below {{expects a result that its lanes hold as they hold the operand, with size 1 along the reduced dimensions}}
    %a = mirage_thread.accumulate %f over loop sum dims [1] : (tensor<16x8xf32, #c>) -> tensor<16x1xf32, #mirage_thread.layout<register = [[0, 0], [8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>>
    %s = mirage_thread.store %a : (tensor<16x1xf32, #mirage_thread.layout<register = [[0, 0], [8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>>) -> tensor<16x1xf32>
    mirage_thread.yield %s : tensor<16x1xf32>
  }
  return %r : tensor<16x1xf32>
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @mask_c3_nowhere(%x: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects to stand in a mirage_thread.graph, whose axes it names, got func.func around it}}
  %m = mirage_thread.mask %x dims [0] axes ["y"] extent 3 value 0.0 : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
  return
}
