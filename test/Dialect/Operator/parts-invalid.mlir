// The constraints of slices, concats, causal masks and constants, by label.
// RUN: mirage-opt %s --split-input-file --verify-diagnostics

func.func @slice_c1(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects an offset and a stride for each of 2 dimensions, got 1 and 2}}
  %0 = mirage_kernel.slice %x offsets [0] strides [1, 1] : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @slice_c1_offset(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects offsets of at least 0, got -1}}
  %0 = mirage_kernel.slice %x offsets [0, -1] strides [1, 1] : (tensor<8x64xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @slice_c1_stride(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects strides of at least 1, got 0}}
  %0 = mirage_block.slice %x offsets [0, 0] strides [0, 1] : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @slice_c2(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of rank 2, got [64]}}
  %0 = mirage_kernel.slice %x offsets [3, 0] strides [1, 1] : (tensor<8x64xf16>) -> tensor<64xf16>
  return
}

// -----

func.func @slice_c3(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects elements among the 64 of the operand's dimension, got 31 from 4 on with stride 2}}
  %0 = mirage_kernel.slice %x offsets [0, 4] strides [1, 2] : (tensor<8x64xf16>) -> tensor<8x31xf16>
  return
}

// -----

func.func @slice_c4(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of its operand's element type, f16, got f32; a cast rounds}}
  %0 = mirage_block.slice %x offsets [0, 4] strides [1, 2] : (tensor<8x64xf16>) -> tensor<8x30xf32>
  return
}

// -----

func.func @concat_c1(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects one dimension to concatenate along, got 2}}
  %0 = mirage_kernel.concat %x, %x dims [0, 1] : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<16x128xf16>
  return
}

// -----

func.func @concat_c1_exists(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects dimensions in [0, 2), got 2}}
  %0 = mirage_block.concat %x, %x dims [2] : tensor<8x64xf16>, tensor<8x64xf16>
  return
}

// -----

func.func @concat_c2(%x: tensor<8x64xf16>, %y: tensor<7x64xf16>) {
  // expected-error @below {{expects operands that differ in dimension 1 alone, got [8, 64] and [7, 64]}}
  %0 = mirage_kernel.concat %x, %y dims [1] : (tensor<8x64xf16>, tensor<7x64xf16>) -> tensor<8x128xf16>
  return
}

// -----

func.func @concat_c2_none() {
  // expected-error @below {{expects at least 1 operands, got 0}}
  %0 = "mirage_kernel.concat"() {dims = array<i64: 0>} : () -> tensor<8x128xf16>
  return
}

// -----

func.func @concat_c3(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of shape [8, 128], got [16, 64]}}
  %0 = mirage_kernel.concat %x, %x dims [1] : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<16x64xf16>
  return
}

// -----

func.func @concat_c4(%x: tensor<8x64xf16>, %y: tensor<8x64xf32>) {
  // expected-error @below {{expects a result of its operand's element type, f32, got f16; a cast rounds}}
  %0 = mirage_block.concat %x, %y dims [1] : tensor<8x64xf16>, tensor<8x64xf32>
  return
}

// -----

func.func @causal_mask_c1(%x: tensor<64xf16>) {
  // expected-error @below {{expects rows and columns, got rank 1}}
  %0 = mirage_kernel.causal_mask %x offset 0 : (tensor<64xf16>) -> tensor<64xf16>
  return
}

// -----

func.func @causal_mask_c2(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects an offset of at most 2^40 to either side, got -1099511627777}}
  %0 = mirage_kernel.causal_mask %x offset -1099511627777 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @causal_mask_c3(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of shape [8, 64], got [64, 8]}}
  %0 = mirage_kernel.causal_mask %x offset 0 : (tensor<8x64xf16>) -> tensor<64x8xf16>
  return
}

// -----

func.func @causal_mask_c3_element(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a number that f8E4M3FN stores, got -inf}}
  %0 = mirage_kernel.causal_mask %x offset 0 : (tensor<8x64xf16>) -> tensor<8x64xf8E4M3FN>
  return
}

// -----

// It has infinities, but what is stored in it saturates.
func.func @causal_mask_c3_saturates(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a number that f8E5M2 stores, got -inf}}
  %0 = mirage_kernel.causal_mask %x offset 0 : (tensor<8x64xf16>) -> tensor<8x64xf8E5M2>
  return
}

// -----

func.func @causal_mask_c4(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects axes among x, y, z and loop, got "w"}}
  %0 = mirage_block.causal_mask %x offset 0 columns ["w"] : tensor<8x64xf16>
  return
}

// -----

func.func @causal_mask_c4_exists(%x: tensor<8x64xf16>) {
  %o = mirage_block.graph grid(x = 1) threads(128) ins(%x imap()) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x64xf16>):
    // expected-error @below {{expects the loop or one of the graph's 1 grid axes, got y}}
    %m = mirage_block.causal_mask %t offset 0 rows ["x"] columns ["y"] : tensor<8x64xf16>
    mirage_block.yield %m : tensor<8x64xf16>
  }
  return
}

// -----

func.func @causal_mask_c4_order(%x: tensor<8x64xf16>) {
  %o = mirage_block.graph grid(x = 1, y = 1) threads(128) ins(%x imap()) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x64xf16>):
    // expected-error @below {{expects axes in the order x, y, z, loop, got x after y}}
    %m = mirage_block.causal_mask %t offset 0 columns ["y", "x"] : tensor<8x64xf16>
    mirage_block.yield %m : tensor<8x64xf16>
  }
  return
}

// -----

func.func @causal_mask_c5(%x: tensor<8x64xf16>) {
  %o = mirage_block.graph grid() threads(128) loop(2) ins(%x imap() fmap(1)) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x32xf16> {
  ^bb0(%t: tensor<8x32xf16>):
    %s = mirage_block.accumulate %t over loop sum : tensor<8x32xf16>
    // expected-error @below {{expects a value of the loop to mask along it, got operand 0 from after it}}
    %m = mirage_block.causal_mask %s offset 0 columns ["loop"] : tensor<8x32xf32>
    mirage_block.yield %m : tensor<8x32xf32>
  }
  return
}

// -----

func.func @constant_c1() {
  // expected-error @below {{result #0 must be static tensor of rank 1 or more, with elements}}
  %0 = mirage_kernel.constant 1.0 : tensor<4x0xf16>
  return
}

// -----

func.func @constant_c2() {
  // expected-error @below {{expects a number that f8E4M3FN stores, got -inf}}
  %0 = mirage_kernel.constant 0xFFF0000000000000 : tensor<4x4xf8E4M3FN>
  return
}

// -----

func.func @constant_c2_nan() {
  // expected-error @below {{expects a number as value, got NaN}}
  %0 = mirage_block.constant 0x7FF8000000000000 : tensor<4x4xf16>
  return
}

// -----

func.func @causal_mask_c4_form(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects axes among x, y, z and loop, got 1 : i64}}
  %0 = mirage_block.causal_mask %x offset 0 rows [1] : tensor<8x64xf16>
  return
}

// -----

func.func @causal_mask_c4_nowhere(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects to stand in a mirage_block.graph, whose axes it names, got func.func around it}}
  %0 = mirage_block.causal_mask %x offset 0 rows ["x"] : tensor<8x64xf16>
  return
}

// -----

func.func @causal_mask_c4_positions(%x: tensor<8x8xf32>) {
  %o = mirage_block.graph grid(x = 1099511627776) threads(32) ins(%x imap()) outs(omap(x -> sum)) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%t: tensor<8x8xf32>):
    // expected-error @below {{expects tiles that make up at most 2^40 elements along a masked dimension, got more}}
    %m = mirage_block.causal_mask %t offset 0 columns ["x"] : tensor<8x8xf32>
    mirage_block.yield %m : tensor<8x8xf32>
  }
  return
}
