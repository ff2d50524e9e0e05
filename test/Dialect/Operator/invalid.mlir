// The constraints of the operators that all levels share, by family and label. (Those of
// transposes, reshapes and broadcasts at the kernel level: test/Dialect/Kernel.)
// RUN: mirage-opt %s --split-input-file --verify-diagnostics

func.func @unary_c1(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of shape [8, 64], got [64, 8]}}
  %0 = mirage_kernel.exp %x : (tensor<8x64xf16>) -> tensor<64x8xf16>
  return
}

// -----

func.func @binary_c1(%x: tensor<8x64xf16>, %y: tensor<8x32xf16>) {
  // expected-error @below {{expects shapes that broadcast, got [8, 64] and [8, 32]}}
  %0 = mirage_kernel.add %x, %y : (tensor<8x64xf16>, tensor<8x32xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @binary_c1_in_block(%x: tensor<8x64xf16>, %y: tensor<8x32xf16>) {
  // expected-error @below {{expects shapes that broadcast, got [8, 64] and [8, 32]}}
  %0 = mirage_block.add %x, %y : tensor<8x64xf16>, tensor<8x32xf16>
  return
}

// -----

func.func @binary_c2(%x: tensor<8x64xf16>, %y: tensor<8x1xf16>) {
  // expected-error @below {{expects a result of shape [8, 64], got [8, 1]}}
  %0 = mirage_kernel.mul %x, %y : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x1xf16>
  return
}

// -----

func.func @reduction_c1_none(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects at least one reduced dimension, got none}}
  %0 = mirage_kernel.sum %x dims [] : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @reduction_c1_exists(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects dimensions in [0, 2), got 2}}
  %0 = mirage_kernel.max %x dims [2] : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @reduction_c1_ascends(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects ascending dimensions, got [1, 0]}}
  %0 = mirage_kernel.mean %x dims [1, 0] : (tensor<8x64xf16>) -> tensor<1x1xf16>
  return
}

// -----

func.func @reduction_c2(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of shape [8, 1], got [1, 64]}}
  %0 = mirage_kernel.rms %x dims [1] : (tensor<8x64xf16>) -> tensor<1x64xf16>
  return
}

// -----

func.func @reduction_c3(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a count of at least 0, got -1}}
  %0 = mirage_kernel.mean %x dims [1] count -1 : (tensor<8x64xf16>) -> tensor<8x1xf16>
  return
}

// -----

func.func @matmul_c1(%a: tensor<64xf16>, %b: tensor<64x32xf16>) {
  // expected-error @below {{expects operands of rank 2 or more, got ranks 1 and 2}}
  %0 = mirage_kernel.matmul %a, %b : (tensor<64xf16>, tensor<64x32xf16>) -> tensor<32xf16>
  return
}

// -----

func.func @matmul_c2(%a: tensor<64x32xf16>, %b: tensor<16x128xf16>) {
  // expected-error @below {{expects dim(lhs, 1) = dim(rhs, 0), got 32 and 16}}
  %0 = mirage_block.matmul %a, %b : tensor<64x32xf16>, tensor<16x128xf16>
  return
}

// -----

func.func @matmul_c3(%a: tensor<3x64x32xf16>, %b: tensor<2x32x128xf16>) {
  // expected-error @below {{expects batch dimensions that broadcast, got [3, 64, 32] and [2, 32, 128]}}
  %0 = mirage_kernel.matmul %a, %b : (tensor<3x64x32xf16>, tensor<2x32x128xf16>) -> tensor<3x64x128xf16>
  return
}

// -----

func.func @matmul_c4(%a: tensor<64x32xf16>, %b: tensor<32x128xf16>) {
  // expected-error @below {{expects a result of shape [64, 128], got [128, 64]}}
  %0 = mirage_kernel.matmul %a, %b : (tensor<64x32xf16>, tensor<32x128xf16>) -> tensor<128x64xf16>
  return
}

// -----

func.func @transpose_c2(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects a result of shape [4, 8], got [8, 4]}}
  %0 = mirage_kernel.transpose %x dims [1, 0] : (tensor<8x4xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @transpose_c3(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects a result of its operand's element type, f16, got f32; a cast rounds}}
  %0 = mirage_thread.transpose %x dims [1, 0] : (tensor<8x4xf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @reshape_c1_in_block(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects as many elements as the operand, 32, got 33}}
  %0 = mirage_block.reshape %x : (tensor<8x4xf16>) -> tensor<33xf16>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<8x1xf16>) {
  // expected-error @below {{expects a result of its operand's element type, f16, got f32; a cast rounds}}
  %0 = mirage_block.broadcast %x : (tensor<8x1xf16>) -> tensor<8x4xf32>
  return
}

// -----

func.func @cast_c1(%x: tensor<8x1xf16>) {
  // expected-error @below {{expects a result of shape [8, 1], got [8, 4]}}
  %0 = mirage_block.cast %x : (tensor<8x1xf16>) -> tensor<8x4xf32>
  return
}

// -----

func.func @mask_c1(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects one masked dimension, got 2}}
  %0 = mirage_block.mask %x dims [0, 1] axes ["x"] extent 100 value 0.0 : tensor<8x64xf16>
  return
}

// -----

func.func @mask_c1_exists(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects dimensions in [0, 2), got 2}}
  %0 = mirage_block.mask %x dims [2] axes ["x"] extent 100 value 0.0 : tensor<8x64xf16>
  return
}

// -----

func.func @mask_c2(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects an extent of at least 1, got 0}}
  %0 = mirage_block.mask %x dims [1] axes ["x"] extent 0 value 0.0 : tensor<8x64xf16>
  return
}

// -----

func.func @mask_c3(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects axes among x, y, z and loop, got "w"}}
  %0 = mirage_block.mask %x dims [1] axes ["w"] extent 100 value 0.0 : tensor<8x64xf16>
  return
}

// -----

func.func @mask_c3_exists(%x: tensor<8x64xf16>) {
  %o = mirage_block.graph grid(x = 1) threads(128) ins(%x imap()) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x64xf16>):
    // expected-error @below {{expects the loop or one of the graph's 1 grid axes, got y}}
    %m = mirage_block.mask %t dims [1] axes ["y"] extent 100 value 0.0 : tensor<8x64xf16>
    mirage_block.yield %m : tensor<8x64xf16>
  }
  return
}

// -----

func.func @mask_c3_order(%x: tensor<8x64xf16>) {
  %o = mirage_block.graph grid(x = 1, y = 1) threads(128) ins(%x imap()) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x64xf16>):
    // expected-error @below {{expects axes in the order x, y, z, loop, got x after y}}
    %m = mirage_block.mask %t dims [1] axes ["y", "x"] extent 100 value 0.0 : tensor<8x64xf16>
    mirage_block.yield %m : tensor<8x64xf16>
  }
  return
}

// -----

func.func @mask_c4(%x: tensor<8x64xf16>) {
  %o = mirage_block.graph grid() threads(128) loop(2) ins(%x imap() fmap(1)) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x32xf32> {
  ^bb0(%t: tensor<8x32xf16>):
    %s = mirage_block.accumulate %t over loop sum : tensor<8x32xf16>
    // expected-error @below {{expects a value of the loop to mask along it, got operand 0 from after it}}
    %m = mirage_block.mask %s dims [1] axes ["loop"] extent 50 value 0.0 : tensor<8x32xf32>
    mirage_block.yield %m : tensor<8x32xf32>
  }
  return
}

// -----

func.func @mask_c5(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects a result of its operand's element type, f16, got f32; a cast rounds}}
  %0 = mirage_thread.mask %x dims [1] axes ["x"] extent 3 value 0.0 : (tensor<8x4xf16>) -> tensor<8x4xf32>
  return
}

// -----

func.func @accumulate_c1(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects ascending dimensions, got [1, 1]}}
  %0 = mirage_block.accumulate %x over loop sum dims [1, 1] : tensor<8x64xf16>
  return
}

// -----

func.func @accumulate_c2(%x: tensor<8x64xf16>) {
  %o = mirage_block.graph grid(x = 1) threads(128) ins(%x imap()) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x64xf16>):
    // expected-error @below {{expects the loop or one of the graph's 1 grid axes, got z}}
    %m = mirage_block.accumulate %t over z sum : tensor<8x64xf16>
    mirage_block.yield %m : tensor<8x64xf32>
  }
  return
}

// -----

func.func @accumulate_c3(%x: tensor<8x64xf16>) {
  %o = mirage_block.graph grid() threads(128) loop(2) ins(%x imap() fmap(1)) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x32xf32> {
  ^bb0(%t: tensor<8x32xf16>):
    %s = mirage_block.accumulate %t over loop sum : tensor<8x32xf16>
    // expected-error @below {{expects a value of the loop to accumulate over it, got operand 0 from after it}}
    %m = mirage_block.accumulate %s over loop sum : tensor<8x32xf32>
    mirage_block.yield %m : tensor<8x32xf32>
  }
  return
}

// -----

func.func @accumulate_c4(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects a result of shape [8, 1], got [8, 4]}}
  %0 = mirage_thread.accumulate %x over loop sum dims [1] : (tensor<8x4xf16>) -> tensor<8x4xf32>
  return
}

// -----

func.func @accumulate_c5(%x: tensor<8x64xf16>) {
  %o = mirage_block.graph grid(x = 4) threads(128) loop(2) ins(%x imap() fmap(1)) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x32xf32> {
  ^bb0(%t: tensor<8x32xf16>):
    // expected-error @below {{expects no value of the loop to accumulate over x, got operand 0 of the loop}}
    %m = mirage_block.accumulate %t over x sum : tensor<8x32xf16>
    mirage_block.yield %m : tensor<8x32xf32>
  }
  return
}

// -----

func.func @accumulate_c6(%x: tensor<8x64xf16>, %s: tensor<8x1xf32>) {
  // expected-error @below {{expects a sum where parts are rescaled, got max}}
  %0 = mirage_block.accumulate %x over loop max rescale by %s : tensor<8x64xf16>, tensor<8x1xf32>
  return
}

// -----

func.func @accumulate_c7(%x: tensor<8x64xf16>, %s: tensor<8x64xf32>) {
  // expected-error @below {{expects a rescaling value that broadcasts to the result's shape [8, 1], got [8, 64]}}
  %0 = mirage_block.accumulate %x over loop sum dims [1] rescale by %s : tensor<8x64xf16>, tensor<8x64xf32>
  return
}

// -----

func.func @accumulate_c7_in_threads(%x: tensor<8x4xf16>, %s: tensor<4xf32>) {
  // expected-error @below {{expects a rescaling value that broadcasts to the result's shape [8, 1], got [4]}}
  %0 = mirage_thread.accumulate %x over loop sum dims [1] rescale by %s : (tensor<8x4xf16>, tensor<4xf32>) -> tensor<8x1xf32>
  return
}

// -----

func.func @kernel_yield_c1(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects parent op 'mirage_kernel.graph'}}
  mirage_kernel.yield %x : tensor<8x4xf16>
}

// -----

func.func @block_yield_c1(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects parent op 'mirage_block.graph'}}
  mirage_block.yield %x : tensor<8x4xf16>
}

// -----

func.func @thread_yield_c1(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects parent op 'mirage_thread.graph'}}
  mirage_thread.yield %x : tensor<8x4xf16>
}

// -----

func.func @scale_c2(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects a number as factor, got NaN}}
  %0 = mirage_kernel.scale %x by 0x7FF8000000000000 : (tensor<8x4xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @offset_c2(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects a number as offset, got NaN}}
  %0 = mirage_block.offset %x by 0x7FF8000000000000 : tensor<8x4xf16>
  return
}

// -----

func.func @clamp_c2(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects the lower bound, lo, to be at most the upper one, hi, got 2 and 1}}
  %0 = mirage_kernel.clamp %x to 2.0, 1.0 : (tensor<8x4xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @clamp_c2_nan(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects a number as hi, got NaN}}
  %0 = mirage_kernel.clamp %x to 2.0, 0x7FF8000000000000 : (tensor<8x4xf16>) -> tensor<8x4xf16>
  return
}

// -----

func.func @reduction_c3_sum(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a count of what mean or rms average, got one of sum}}
  %0 = mirage_kernel.sum %x dims [1] count 7 : (tensor<8x64xf16>) -> tensor<8x1xf16>
  return
}

// -----

func.func @accumulate_c8_max(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a count of what mean or rms average, got one of max}}
  %0 = mirage_block.accumulate %x over loop max count 7 : tensor<8x64xf16>
  return
}

// -----

func.func @accumulate_c8_variance(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a count of what mean or rms average, got one of variance}}
  %0 = mirage_block.accumulate %x over loop variance count 7 : tensor<8x64xf16>
  return
}

// -----

func.func @accumulate_c9(%x: tensor<8x64xf16>) {
  %o = mirage_block.graph grid(x = 2) threads(32) ins(%x imap(x -> 1)) outs(omap()) : (tensor<8x64xf16>) -> tensor<8x1xf16> {
  ^bb0(%t: tensor<8x32xf16>):
    // expected-error @below {{expects the loop to accumulate a variance over, got x}}
    %v = mirage_block.accumulate %t over x variance dims [1] : tensor<8x32xf16>
    mirage_block.yield %v : tensor<8x1xf32>
  }
  return
}

// -----

func.func @accumulate_c9_in_threads(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects a block to accumulate a variance, got the thread level}}
  %0 = mirage_thread.accumulate %x over loop variance dims [1] : (tensor<8x4xf16>) -> tensor<8x1xf32>
  return
}

// -----

func.func @accumulate_c6_variance(%x: tensor<8x64xf16>, %s: tensor<8x1xf32>) {
  // expected-error @below {{expects a sum where parts are rescaled, got variance}}
  %0 = mirage_block.accumulate %x over loop variance rescale by %s : tensor<8x64xf16>, tensor<8x1xf32>
  return
}

// -----

func.func @accumulate_c8(%x: tensor<1099511627776xf32>) {
  %o = mirage_block.graph grid(x = 1099511627776) threads(32) ins(%x imap()) outs(omap()) : (tensor<1099511627776xf32>) -> tensor<1xf32> {
  ^bb0(%t: tensor<1099511627776xf32>):
    // expected-error @below {{expects at most 2^40 elements to join into one, got more}}
    %e = mirage_block.accumulate %t over x mean dims [0] : tensor<1099511627776xf32>
    mirage_block.yield %e : tensor<1xf32>
  }
  return
}

// -----

func.func @accumulate_c2_nowhere(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects to stand in a mirage_block.graph, whose axes it names, got func.func around it}}
  %0 = mirage_block.accumulate %x over loop sum : tensor<8x64xf16>
  return
}

// -----

func.func @mask_c3_nowhere(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects to stand in a mirage_block.graph, whose axes it names, got func.func around it}}
  %0 = mirage_block.mask %x dims [1] axes ["x"] extent 3 value 1.0 : tensor<8x64xf16>
  return
}

// -----

func.func @mask_c3_form(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects axes among x, y, z and loop, got 1 : i64}}
  %0 = mirage_block.mask %x dims [1] axes [1] extent 100 value 0.0 : tensor<8x64xf16>
  return
}

// -----

func.func @mask_c3_positions(%x: tensor<8xf32>) {
  %o = mirage_block.graph grid(x = 1099511627776) threads(32) ins(%x imap()) outs(omap(x -> sum)) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%t: tensor<8xf32>):
    // expected-error @below {{expects tiles that make up at most 2^40 elements along a masked dimension, got more}}
    %m = mirage_block.mask %t dims [0] axes ["x"] extent 100 value 0.0 : tensor<8xf32>
    mirage_block.yield %m : tensor<8xf32>
  }
  return
}

// -----

func.func @mask_c2_nan(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a number as value, got NaN}}
  %0 = mirage_block.mask %x dims [1] axes [] extent 3 value 0x7FF8000000000000 : tensor<8x64xf16>
  return
}

// -----

func.func @mask_c2_infinity(%x: tensor<8x64xf8E4M3FN>) {
  // expected-error @below {{expects a number that f8E4M3FN stores, got -inf}}
  %0 = mirage_block.mask %x dims [1] axes [] extent 3 value 0xFFF0000000000000 : tensor<8x64xf8E4M3FN>
  return
}
