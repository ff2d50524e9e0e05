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
  // expected-error @below {{expects operands of one 16-bit type or of 8-bit floats, got 'f16' and 'bf16'}}
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

#acc = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
func.func @wgmma_c1(%a: tensor<64x32xf16>, %b: tensor<64x16xf16>) {
  // expected-error @below {{expects dim(lhs, 1) = dim(rhs, 0), got 32 and 64}}
  %d = mirage_thread.wgmma %a, %b : (tensor<64x32xf16>, tensor<64x16xf16>) -> tensor<64x16xf32, #acc>
  return
}

// -----

#acc = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
func.func @wgmma_c2(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>) {
  // expected-error @below {{expects operands of one 16-bit type or of 8-bit floats, got 'f32' and 'f32'}}
  %d = mirage_thread.wgmma %a, %b : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32, #acc>
  return
}

// -----

#acc = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]]>
func.func @wgmma_c3(%a: tensor<32x32xf16>, %b: tensor<32x16xf16>) {
  // expected-error @below {{expects a result of 64 rows and 8 to 256 columns, a power of two, got [32, 16]}}
  %d = mirage_thread.wgmma %a, %b : (tensor<32x32xf16>, tensor<32x16xf16>) -> tensor<32x16xf32, #acc>
  return
}

// -----

#acc = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
func.func @wgmma_c3_rows(%a: tensor<64x8xf16>, %b: tensor<8x16xf16>) {
  // expected-error @below {{expects rows of lhs of a multiple of 32 bytes, got 16}}
  %d = mirage_thread.wgmma %a, %b : (tensor<64x8xf16>, tensor<8x16xf16>) -> tensor<64x16xf32, #acc>
  return
}

// -----

#acc = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
func.func @wgmma_c4(%a: tensor<64x64xf16>, %b: tensor<64x16xf16, #acc>) {
  // expected-error @below {{expects a window, without a layout}}
  %d = mirage_thread.wgmma %a, %b : (tensor<64x64xf16>, tensor<64x16xf16, #acc>) -> tensor<64x16xf32, #acc>
  return
}

// -----

#acc = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#lhs = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [16, 0]]>
func.func @wgmma_c4_lhs(%a: tensor<64x16xf16, #lhs>, %b: tensor<16x16xf16>) {
  // expected-error @below {{lhs: expects a fragment of whole 64x16 tiles, got one that the instruction has otherwise in warp bit 0}}
  %d = mirage_thread.wgmma %a, %b : (tensor<64x16xf16, #lhs>, tensor<16x16xf16>) -> tensor<64x16xf32, #acc>
  return
}

// -----

#warp = #mirage_thread.layout<register = [[0, 1], [0, 8], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @wgmma_c5(%a: tensor<64x16xf16>, %b: tensor<16x16xf16>) {
  // expected-error @below {{result: expects a fragment of whole 64x16 tiles, got 0 warp bits for 2}}
  %d = mirage_thread.wgmma %a, %b : (tensor<64x16xf16>, tensor<16x16xf16>) -> tensor<64x16xf32, #warp>
  return
}
