// RUN: mirage-opt %s --split-input-file --verify-diagnostics

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @mma_c1(%a: tensor<16x8xf16, #c>, %b: tensor<16x8xf16, #b>) {
  // expected-error @below {{expects dim(lhs, 1) = dim(rhs, 0), got 8 and 16}}
  %d = mirage_thread.mma %a, %b shape [16, 8, 16] : (tensor<16x8xf16, #c>, tensor<16x8xf16, #b>) -> tensor<16x8xf32, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @mma_c2(%a: tensor<16x16xf16, #a>, %b: tensor<16x8xbf16, #b>) {
  // expected-error @below {{expects operands of one 16-bit type, of 8-bit floats or of f32, got 'f16' and 'bf16'}}
  %d = mirage_thread.mma %a, %b shape [16, 8, 16] : (tensor<16x16xf16, #a>, tensor<16x8xbf16, #b>) -> tensor<16x8xf32, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @mma_c2_result(%a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>) {
  // expected-error @below {{expects a result of f32, got 'f16'}}
  %d = mirage_thread.mma %a, %b shape [16, 8, 16] : (tensor<16x16xf16, #a>, tensor<16x8xf16, #b>) -> tensor<16x8xf16, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @mma_c3(%a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>) {
  // expected-error @below {{expects the shape of an instruction for 16 bits: [16, 8, 8] or [16, 8, 16], got [16, 16, 16]}}
  %d = mirage_thread.mma %a, %b shape [16, 16, 16] : (tensor<16x16xf16, #a>, tensor<16x8xf16, #b>) -> tensor<16x8xf32, #c>
  return
}

// -----

// An f32 operand goes with no other.
#a = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
func.func @mma_c2_f32(%a: tensor<16x8xf32, #a>, %b: tensor<8x8xf16, #b>) {
  // expected-error @below {{expects operands of one 16-bit type, of 8-bit floats or of f32, got 'f32' and 'f16'}}
  %d = mirage_thread.mma %a, %b shape [16, 8, 8] : (tensor<16x8xf32, #a>, tensor<8x8xf16, #b>) -> tensor<16x8xf32, #a>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @mma_c3_f32(%a: tensor<16x16xf32, #a>, %b: tensor<16x8xf32, #b>) {
  // expected-error @below {{expects the shape of an instruction for 32 bits: [16, 8, 8], got [16, 8, 16]}}
  %d = mirage_thread.mma %a, %b shape [16, 8, 16] : (tensor<16x16xf32, #a>, tensor<16x8xf32, #b>) -> tensor<16x8xf32, #c>
  return
}

// -----

// The columns of PTX's own order, t and t + 4, are in one lane.
#a = #mirage_thread.layout<register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @mma_c4_tf32(%a: tensor<16x8xf32, #a>, %b: tensor<8x8xf32, #b>) {
  // expected-error @below {{lhs: expects a fragment of whole 16x8 tiles, got one that the instruction has otherwise in lane bit 0}}
  %d = mirage_thread.mma %a, %b shape [16, 8, 8] : (tensor<16x8xf32, #a>, tensor<8x8xf32, #b>) -> tensor<16x8xf32, #c>
  return
}

// -----

// A fragment for 8-bit elements would have two more per register.
#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @mma_c4(%a: tensor<16x16xf8E4M3FN, #a>, %b: tensor<16x8xf8E5M2, #b>) {
  // expected-error @below {{lhs: expects a fragment of whole 16x32 tiles, got one of 16x16 or in a batch}}
  %d = mirage_thread.mma %a, %b shape [16, 8, 32] : (tensor<16x16xf8E4M3FN, #a>, tensor<16x8xf8E5M2, #b>) -> tensor<16x8xf32, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#wrong = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @mma_c4_lanes(%a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #wrong>) {
  // expected-error @below {{rhs: expects a fragment of whole 16x8 tiles, got one that the instruction has otherwise in lane bit 0}}
  %d = mirage_thread.mma %a, %b shape [16, 8, 16] : (tensor<16x16xf16, #a>, tensor<16x8xf16, #wrong>) -> tensor<16x8xf32, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c1(%a: tensor<16x32xf16, #a>, %b: tensor<64x16xf16>) {
  // expected-error @below {{expects dim(lhs, 1) = dim(rhs, 0), got 32 and 64}}
  %d = mirage_thread.wgmma %a, %b : (tensor<16x32xf16, #a>, tensor<64x16xf16>) -> tensor<16x16xf32, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c2(%a: tensor<16x16xf16, #a>, %b: tensor<16x16xbf16>) {
  // expected-error @below {{expects operands of one 16-bit type, of 8-bit floats or of f32, got 'f16' and 'bf16'}}
  %d = mirage_thread.wgmma %a, %b : (tensor<16x16xf16, #a>, tensor<16x16xbf16>) -> tensor<16x16xf32, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c2_bits(%a: tensor<16x16xf8E4M3FN, #a>, %b: tensor<16x16xf8E4M3FN>) {
  // expected-error @below {{expects operands of a 16-bit type, got 'f8E4M3FN'}}
  %d = mirage_thread.wgmma %a, %b : (tensor<16x16xf8E4M3FN, #a>, tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c3(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xf16>) {
  // expected-error @below {{expects a result of 16 rows and 8 to 256 columns, a power of two, got [32, 16]}}
  %d = mirage_thread.wgmma %a, %b : (tensor<32x16xf16, #a>, tensor<16x16xf16>) -> tensor<32x16xf32, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c3_rows(%a: tensor<16x8xf16, #a>, %b: tensor<8x16xf16>) {
  // expected-error @below {{expects rows of lhs of a multiple of 16, got 8}}
  %d = mirage_thread.wgmma %a, %b : (tensor<16x8xf16, #a>, tensor<8x16xf16>) -> tensor<16x16xf32, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c4(%a: tensor<16x16xf16, #a>, %b: tensor<16x16xf16, #a>) {
  // expected-error @below {{expects a window, without a layout}}
  %d = mirage_thread.wgmma %a, %b : (tensor<16x16xf16, #a>, tensor<16x16xf16, #a>) -> tensor<16x16xf32, #c>
  return
}

// -----

#other = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [2, 0], [1, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c4_lhs(%a: tensor<16x16xf16, #other>, %b: tensor<16x16xf16>) {
  // expected-error @below {{lhs: expects a fragment of whole 16x16 tiles, got one that the instruction has otherwise in lane bit 2}}
  %d = mirage_thread.wgmma %a, %b : (tensor<16x16xf16, #other>, tensor<16x16xf16>) -> tensor<16x16xf32, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 0, 1], [0, 8, 0], [0, 0, 8]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]]>
func.func @wgmma_c4_transpose(%a: tensor<1x16x16xf16>, %b: tensor<16x16x1xf16>) {
  %t = mirage_thread.transpose %b dims [2, 0, 1] : (tensor<16x16x1xf16>) -> tensor<1x16x16xf16>
  // expected-error @below {{expects the last two dimensions of rhs to change places, got dims [2, 0, 1]}}
  %d = mirage_thread.wgmma %a, %t : (tensor<1x16x16xf16>, tensor<1x16x16xf16>) -> tensor<1x16x16xf32, #c>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#other = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [4, 0], [2, 0]]>
func.func @wgmma_c5(%a: tensor<16x16xf16, #a>, %b: tensor<16x16xf16>) {
  // expected-error @below {{result: expects a fragment of whole 16x8 tiles, got one that the instruction has otherwise in lane bit 3}}
  %d = mirage_thread.wgmma %a, %b : (tensor<16x16xf16, #a>, tensor<16x16xf16>) -> tensor<16x16xf32, #other>
  return
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c6(%x: tensor<32x16xf16>, %y: tensor<16x16xf16>) -> tensor<32x16xf32> {
  %r = mirage_thread.graph items(x = 2) ins(%x imap(x -> 0), %y imap()) outs(omap(x -> 0))
      : (tensor<32x16xf16>, tensor<16x16xf16>) -> tensor<32x16xf32> {
  ^bb0(%s: tensor<16x16xf16>, %t: tensor<16x16xf16>):
    %a = mirage_thread.ldmatrix %s : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    // expected-error @below {{expects a last axis of a multiple of 4 items, got items(2)}}
    %d = mirage_thread.wgmma %a, %t : (tensor<16x16xf16, #a>, tensor<16x16xf16>) -> tensor<16x16xf32, #c>
    %w = mirage_thread.store %d : (tensor<16x16xf32, #c>) -> tensor<16x16xf32>
    mirage_thread.yield %w : tensor<16x16xf32>
  }
  return %r : tensor<32x16xf32>
}

// -----

#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c6_window(%x: tensor<64x16xf16>, %y: tensor<16x64xf16>) -> tensor<64x64xf32> {
  %r = mirage_thread.graph items(x = 4, y = 4) ins(%x imap(x -> 0), %y imap(y -> 1)) outs(omap(x -> 0, y -> 1))
      : (tensor<64x16xf16>, tensor<16x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%s: tensor<16x16xf16>, %t: tensor<16x16xf16>):
    %a = mirage_thread.ldmatrix %s : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    // expected-error @below {{expects the same window of rhs along the last axis, got one that moves along dimension 1}}
    %d = mirage_thread.wgmma %a, %t : (tensor<16x16xf16, #a>, tensor<16x16xf16>) -> tensor<16x16xf32, #c>
    %w = mirage_thread.store %d : (tensor<16x16xf32, #c>) -> tensor<16x16xf32>
    mirage_thread.yield %w : tensor<16x16xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c6_lhs(%x: tensor<16x64xf16>, %y: tensor<16x16xf16>) -> tensor<64x16xf32> {
  %r = mirage_thread.graph items(x = 4) ins(%x imap(x -> 1), %y imap()) outs(omap(x -> 0))
      : (tensor<16x64xf16>, tensor<16x16xf16>) -> tensor<64x16xf32> {
  ^bb0(%s: tensor<16x16xf16>, %t: tensor<16x16xf16>):
    // expected-error @below {{expects windows of lhs that follow each other along dimension 0 with the last axis, which no loop cuts as well, got dimension 1}}
    %d = mirage_thread.wgmma %s, %t : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf32, #c>
    %w = mirage_thread.store %d : (tensor<16x16xf32, #c>) -> tensor<16x16xf32>
    mirage_thread.yield %w : tensor<16x16xf32>
  }
  return %r : tensor<64x16xf32>
}

// -----

// A loop cuts the rows that warps must have side by side.
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c6_lhs_in_a_loop(%x: tensor<128x16xf16>, %y: tensor<16x16xf16>) -> tensor<64x16xf32> {
  %r = mirage_thread.graph items(x = 4) steps(2) ins(%x imap(x -> 0) fmap(0), %y imap() fmap()) outs(omap(x -> 0))
      : (tensor<128x16xf16>, tensor<16x16xf16>) -> tensor<64x16xf32> {
  ^bb0(%s: tensor<16x16xf16>, %t: tensor<16x16xf16>):
    // expected-error @below {{expects windows of lhs that follow each other along dimension 0 with the last axis, which no loop cuts as well, got dimension 0}}
    %d = mirage_thread.wgmma %s, %t : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf32, #c>
    %a = mirage_thread.accumulate %d over loop sum : (tensor<16x16xf32, #c>) -> tensor<16x16xf32, #c>
    %w = mirage_thread.store %a : (tensor<16x16xf32, #c>) -> tensor<16x16xf32>
    mirage_thread.yield %w : tensor<16x16xf32>
  }
  return %r : tensor<64x16xf32>
}

// -----

// The graph itself is told of what is missing.
#c = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_without_maps(%x: tensor<64x16xf16>, %y: tensor<16x16xf16>) -> tensor<64x16xf32> {
  // expected-error @below {{expects an imap and an fmap for each of 2 operands, got 0 and 0}}
  %r = "mirage_thread.graph"(%x, %y) <{grid = array<i64: 4>, imaps = [], omaps = [array<i64: 0>], fmaps = array<i64>, loop = 1 : i64, operandSegmentSizes = array<i32: 2, 0>}> ({
  ^bb0(%s: tensor<16x16xf16>, %t: tensor<16x16xf16>):
    %d = mirage_thread.wgmma %s, %t : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf32, #c>
    %w = mirage_thread.store %d : (tensor<16x16xf32, #c>) -> tensor<16x16xf32>
    mirage_thread.yield %w : tensor<16x16xf32>
  }) : (tensor<64x16xf16>, tensor<16x16xf16>) -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// -----

func.func @await_c1(%x: tensor<64x16xf32>) {
  // expected-error @below {{expects tensors of f32 with layouts, got 'tensor<64x16xf32>'}}
  %0 = mirage_thread.await %x pending 0 : tensor<64x16xf32>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @await_c1_element(%x: tensor<16x8xf16, #c>) {
  // expected-error @below {{expects tensors of f32 with layouts, got 'tensor<16x8xf16,}}
  %0 = mirage_thread.await %x pending 0 : tensor<16x8xf16, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @await_c2(%x: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects 0 or more items pending, got -1}}
  %0 = mirage_thread.await %x pending -1 : tensor<16x8xf32, #c>
  return
}
