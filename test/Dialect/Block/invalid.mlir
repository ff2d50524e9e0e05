// RUN: mirage-opt %s --split-input-file --verify-diagnostics

func.func @matmul_c2(%a: tensor<64x32xf16>, %b: tensor<16x128xf16>) {
  // expected-error @below {{expects dim(lhs, 1) = dim(rhs, 0), got 32 and 16}}
  %c = mirage_block.matmul %a, %b : tensor<64x32xf16>, tensor<16x128xf16>
  return
}

// -----

func.func @matmul_c1(%a: tensor<64xf16>, %b: tensor<64x128xf16>) {
  // expected-error @below {{expects operands of rank 2 or more, got ranks 1 and 2}}
  %c = mirage_block.matmul %a, %b : tensor<64xf16>, tensor<64x128xf16>
  return
}

// -----

func.func @matmul_c3(%a: tensor<2x4x8xf16>, %b: tensor<3x8x4xf16>) {
  // expected-error @below {{expects batch dimensions that broadcast, got [2, 4, 8] and [3, 8, 4]}}
  %c = mirage_block.matmul %a, %b : tensor<2x4x8xf16>, tensor<3x8x4xf16>
  return
}

// -----

func.func @binary_c1(%a: tensor<64x32xf16>, %b: tensor<64x31xf16>) {
  // expected-error @below {{expects shapes that broadcast, got [64, 32] and [64, 31]}}
  %c = mirage_block.add %a, %b : tensor<64x32xf16>, tensor<64x31xf16>
  return
}

// -----

func.func @reduction_c1(%a: tensor<64x32xf16>) {
  // expected-error @below {{expects dimensions in [0, 2), got 2}}
  %c = mirage_block.sum %a dims [2] : tensor<64x32xf16>
  return
}

// -----

func.func @reduction_c1_none(%a: tensor<64x32xf16>) {
  // expected-error @below {{expects at least one reduced dimension, got none}}
  %c = mirage_block.sum %a dims [] : tensor<64x32xf16>
  return
}

// -----

func.func @integer_tile(%a: tensor<64x32xi32>) {
  // expected-error @below {{expects elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got tensor<64x32xi32>}}
  %c = mirage_block.exp %a : tensor<64x32xi32>
  return
}

// -----

func.func @dynamic_tile(%a: tensor<?x32xf16>) {
  // expected-error @below {{expects a static shape, got tensor<?x32xf16>}}
  %c = mirage_block.exp %a : tensor<?x32xf16>
  return
}

// -----

func.func @mask_c3_axes(%a: tensor<8x32xf16>) {
  // expected-error @below {{expects axes among x, y, z and loop, got "w"}}
  %c = mirage_block.mask %a dims [1] axes ["w"] extent 20 value 0.0 : tensor<8x32xf16>
  return
}

// -----

func.func @graph_c1_threads(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{expects 32 to 1024 threads in multiples of 32, got 100}}
  %o = mirage_block.graph grid() threads(100) ins(%x imap()) outs(omap())
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x64xf16>):
    %e = mirage_block.exp %t : tensor<8x64xf16>
    mirage_block.yield %e : tensor<8x64xf32>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c2_cover(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{operand 0: expects tiles that cover dimension 1 of size 64, got tiles that cover 60}}
  %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 1))
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x15xf16>):
    %e = mirage_block.exp %t : tensor<8x15xf16>
    mirage_block.yield %e : tensor<8x15xf32>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c2_result(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{result 0: expects tiles that cover dimension 1 of size 64, got tiles that cover 16}}
  %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 1)) outs(omap())
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x16xf16>):
    %e = mirage_block.exp %t : tensor<8x16xf16>
    mirage_block.yield %e : tensor<8x16xf32>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c3_phases(%x: tensor<8x64xf16>) -> tensor<8x16xf16> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<8x64xf16>) -> tensor<8x16xf16> {
  ^bb0(%t: tensor<8x16xf16>):
    %s = mirage_block.accumulate %t over loop sum : tensor<8x16xf16>
    // expected-error @below {{expects operands of one phase, got operand 1 of the loop and operand 0 from after it}}
    %e = mirage_block.add %s, %t : tensor<8x16xf32>, tensor<8x16xf16>
    mirage_block.yield %e : tensor<8x16xf32>
  }
  return %o : tensor<8x16xf16>
}

// -----

func.func @graph_c3_yield(%x: tensor<8x64xf16>) -> tensor<8x16xf16> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<8x64xf16>) -> tensor<8x16xf16> {
  ^bb0(%t: tensor<8x16xf16>):
    %e = mirage_block.exp %t : tensor<8x16xf16>
    // expected-error @below {{expects values from after the loop, got operand 0 of the loop}}
    mirage_block.yield %e : tensor<8x16xf32>
  }
  return %o : tensor<8x16xf16>
}

// -----

func.func @graph_c5_axis(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{expects an axis of the grid, which has 1, got y}}
  %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(y -> 1)) outs(omap(x -> 1))
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x16xf16>):
    mirage_block.yield %t : tensor<8x16xf16>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c5_cuts(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{operand 0: expects an axis to cut a dimension in [0, 2) or none, got 2}}
  %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 2)) outs(omap(x -> 1))
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x64xf16>):
    mirage_block.yield %t : tensor<8x64xf16>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c4_element(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{operand 0: expects a tile of f16, got f32}}
  %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 1))
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_block.yield %t : tensor<8x16xf32>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c4_no_result(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects at least one result, got none}}
  mirage_block.graph grid() threads(128) ins(%x imap()) outs() : (tensor<8x64xf16>) -> () {
  ^bb0(%t: tensor<8x64xf16>):
    "mirage_block.yield"() : () -> ()
  }
  return
}

// -----

func.func @graph_c3_accumulate_twice(%x: tensor<8x64xf32>) -> tensor<8x1xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<8x64xf32>) -> tensor<8x1xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    %s = mirage_block.accumulate %t over loop sum dims [1] : tensor<8x16xf32>
    // expected-error @below {{expects a value of the loop to accumulate over it, got operand 0 from after it}}
    %u = mirage_block.accumulate %s over loop sum : tensor<8x1xf32>
    mirage_block.yield %u : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}

// -----

func.func @graph_c3_accumulate_invariant(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap()) outs(omap())
      : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x64xf32>):
    // expected-error @below {{expects a value of the loop to accumulate over it, got operand 0 that the loop does not change}}
    %u = mirage_block.accumulate %t over loop sum : tensor<8x64xf32>
    mirage_block.yield %u : tensor<8x64xf32>
  }
  return %o : tensor<8x64xf32>
}

// -----

func.func @graph_c3_mask_loop(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap()) outs(omap())
      : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    %s = mirage_block.mask %t dims [1] axes ["loop"] extent 20 value 0.0 : tensor<8x16xf32>
    // expected-error @below {{expects values from after the loop, got operand 0 of the loop}}
    mirage_block.yield %s : tensor<8x16xf32>
  }
  return %o : tensor<8x16xf32>
}

// -----

func.func @mask_c3_exists(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 1))
      : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    // expected-error @below {{expects the loop or one of the graph's 1 grid axes, got y}}
    %s = mirage_block.mask %t dims [1] axes ["y"] extent 60 value 0.0 : tensor<8x16xf32>
    mirage_block.yield %s : tensor<8x16xf32>
  }
  return %o : tensor<8x64xf32>
}

// -----

func.func @reshape_c2(%x: tensor<8x16xf16>) {
  // expected-error @below {{expects a result of its operand's element type, f16, got f32; a cast rounds}}
  %s = mirage_block.reshape %x : (tensor<8x16xf16>) -> tensor<128xf32>
  return
}

// -----

func.func @graph_c6_nested(%x: tensor<8x16xf32>) {
  %o = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    // expected-error @below {{expects to stand elsewhere: a block graph holds operators of mirage_block and thread graphs}}
    %p = mirage_block.graph grid() threads(128) ins(%t imap()) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
    ^bb0(%u: tensor<8x16xf32>):
      mirage_block.yield %u : tensor<8x16xf32>
    }
    mirage_block.yield %p : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c6_other_level(%x: tensor<8x16xf32>) {
  %o = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    // expected-error @below {{expects to stand elsewhere: a block graph holds operators of mirage_block and thread graphs}}
    %p = mirage_kernel.exp %t : (tensor<8x16xf32>) -> tensor<8x16xf32>
    mirage_block.yield %p : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c6_foreign(%x: tensor<8x16xf32>, %f: f32) {
  %o = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    // expected-error @below {{expects to stand elsewhere: a block graph holds operators of mirage_block and thread graphs}}
    vector.print punctuation <newline>
    mirage_block.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c6_terminator(%x: tensor<8x16xf32>) {
  %o = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    // expected-error @below {{expects mirage_block.yield to end the graph}}
    llvm.unreachable
  }
  return
}

// -----

func.func @graph_memref(%x: tensor<8x16xf32>, %m: memref<8x16xf32>) {
  // expected-error @below {{expected 'omap'}}
  mirage_block.graph grid() threads(128) ins(%x imap()) outs(%m omap()) : (tensor<8x16xf32>, memref<8x16xf32>) -> () {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_block.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c5_form(%x: tensor<8x16xf32>) {
  // expected-error @below {{expects maps that are arrays of i64, got 1 : i64}}
  %o = "mirage_block.graph"(%x) <{grid = array<i64: 1>, threads = 128 : i64, loop = 1 : i64, imaps = [1 : i64], fmaps = array<i64: -1>, omaps = [array<i64: -1>]}> ({
  ^bb0(%t: tensor<8x16xf32>):
    mirage_block.yield %t : tensor<8x16xf32>
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @graph_c1_threads_range(%x: tensor<8x64xf32>) {
  // expected-error @below {{expects 32 to 1024 threads in multiples of 32, got 4294967424}}
  %o = mirage_block.graph grid() threads(4294967424) ins(%x imap()) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x64xf32>):
    mirage_block.yield %t : tensor<8x64xf32>
  }
  return
}

// -----

func.func @graph_c5_range(%x: tensor<8x64xf32>) {
  // expected-error @below {{expects dimensions in maps, got 4294967297}}
  %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 4294967297)) outs(omap(x -> 1)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_block.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c1_blocks(%x: tensor<8x64xf32>) {
  // expected-error @below {{expects a grid of at most 2^40 blocks, got more}}
  %o = mirage_block.graph grid(x = 4611686018427387904, y = 4) threads(128) ins(%x imap()) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x64xf32>):
    mirage_block.yield %t : tensor<8x64xf32>
  }
  return
}

// -----

func.func @graph_c5_axis_twice(%x: tensor<8x64xf32>) {
  // expected-error @below {{expects each axis once, got x twice}}
  %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 0, x -> 1)) outs(omap(x -> 1)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_block.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c1_loop_zero(%x: tensor<8x64xf32>) {
  // expected-error @below {{expects a loop of 1 to 2^40 iterations, got 0}}
  %o = mirage_block.graph grid() threads(128) loop(0) ins(%x imap()) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x64xf32>):
    mirage_block.yield %t : tensor<8x64xf32>
  }
  return
}

// -----

func.func @graph_c5_axes(%x: tensor<8x4xf32>) {
  // expected-error @below {{operand 0: expects a map for each of 1 grid axes, got 2}}
  %o = "mirage_block.graph"(%x) <{grid = array<i64: 1>, threads = 128 : i64, loop = 1 : i64, imaps = [array<i64: -1, 0>], fmaps = array<i64: -1>, omaps = [array<i64: -1>]}> ({
  ^bb0(%t: tensor<8x4xf32>):
    mirage_block.yield %t : tensor<8x4xf32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @graph_c4_yields_more(%x: tensor<8x4xf32>) {
  // expected-error @below {{expects a tile for each of 1 results, got 2}}
  %o = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%t: tensor<8x4xf32>):
    mirage_block.yield %t, %t : tensor<8x4xf32>, tensor<8x4xf32>
  }
  return
}

// -----

func.func @graph_c7_divides(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{expects a cluster that divides the 4 blocks along x, got 3}}
  %o = mirage_block.graph grid(x = 4) cluster(x = 3) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 1))
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x16xf16>):
    mirage_block.yield %t : tensor<8x16xf16>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c7_none(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{expects a cluster that divides the 4 blocks along x, got 0}}
  %o = mirage_block.graph grid(x = 4) cluster(x = 0) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 1))
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x16xf16>):
    mirage_block.yield %t : tensor<8x16xf16>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c7_too_large(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{expects a cluster of at most 16 blocks, got 32}}
  %o = mirage_block.graph grid(x = 4, y = 32) cluster(x = 2, y = 16) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 1))
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x16xf16>):
    mirage_block.yield %t : tensor<8x16xf16>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c7_axis(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{expects an axis of the grid, which has 1, got y}}
  %o = mirage_block.graph grid(x = 4) cluster(y = 2) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 1))
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x16xf16>):
    mirage_block.yield %t : tensor<8x16xf16>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c7_axis_twice(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{expects each axis once, got x twice}}
  %o = mirage_block.graph grid(x = 4) cluster(x = 2, x = 2) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 1))
      : (tensor<8x64xf16>) -> tensor<8x64xf16> {
  ^bb0(%t: tensor<8x16xf16>):
    mirage_block.yield %t : tensor<8x16xf16>
  }
  return %o : tensor<8x64xf16>
}

// -----

func.func @graph_c7_axes(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{expects a cluster with an extent for each of 1 grid axes, got 2}}
  %o = "mirage_block.graph"(%x) <{grid = array<i64: 4>, cluster = array<i64: 2, 1>, threads = 128 : i64, loop = 1 : i64, imaps = [array<i64: 1>], fmaps = array<i64: -1>, omaps = [array<i64: 1>]}> ({
  ^bb0(%t: tensor<8x16xf16>):
    mirage_block.yield %t : tensor<8x16xf16>
  }) : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return %o : tensor<8x64xf16>
}

// -----

// What blocks join of what the loop has left does not go back into it.
func.func @graph_c3_after_the_grid(%x: tensor<8x64xf16>, %y: tensor<8x1xf16>) -> tensor<8x1xf32> {
  %o = mirage_block.graph grid(x = 4) threads(128) loop(4) ins(%x imap() fmap(1), %y imap()) outs(omap())
      : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x1xf32> {
  ^bb0(%t: tensor<8x16xf16>, %u: tensor<8x1xf16>):
    %l = mirage_block.accumulate %t over loop sum dims [1] : tensor<8x16xf16>
    %s = mirage_block.accumulate %l over x sum : tensor<8x1xf32>
    // expected-error @below {{expects operands of one phase, got operand 0 of the loop and operand 1 from after it; an accumulate over the loop leads from one to the other}}
    %d = mirage_block.div %t, %s : tensor<8x16xf16>, tensor<8x1xf32>
    %a = mirage_block.accumulate %d over loop sum dims [1] : tensor<8x16xf32>
    mirage_block.yield %a : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}

// -----

func.func @graph_c1_axes(%x: tensor<8x4xf32>) {
  // expected-error @below {{expects a grid of at most 3 axes, got 4}}
  %o = "mirage_block.graph"(%x) <{grid = array<i64: 1, 1, 1, 1>, threads = 128 : i64, loop = 1 : i64, imaps = [array<i64: -1, -1, -1, -1>], fmaps = array<i64: -1>, omaps = [array<i64: -1, -1, -1, -1>]}> ({
  ^bb0(%t: tensor<8x4xf32>):
    mirage_block.yield %t : tensor<8x4xf32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @graph_c1_extent(%x: tensor<8x64xf32>) {
  // expected-error @below {{expects grid extents of at least 1, got 0}}
  %o = mirage_block.graph grid(x = 0) threads(128) ins(%x imap()) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x64xf32>):
    mirage_block.yield %t : tensor<8x64xf32>
  }
  return
}

// -----

func.func @graph_c1_order(%x: tensor<8x64xf32>) {
  // expected-error @below {{expects the axes x, y and z in this order, got y}}
  %o = mirage_block.graph grid(y = 2) threads(128) ins(%x imap()) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x64xf32>):
    mirage_block.yield %t : tensor<8x64xf32>
  }
  return
}

// -----

func.func @graph_c4_rank(%x: tensor<8x64xf32>) {
  // expected-error @below {{operand 0: expects a tile of rank 2, got 1}}
  %o = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) : (tensor<8x64xf32>) -> tensor<64xf32> {
  ^bb0(%t: tensor<64xf32>):
    mirage_block.yield %t : tensor<64xf32>
  }
  return
}

// -----

func.func @graph_c4_rank_of_result(%x: tensor<64xf32>) {
  // expected-error @below {{result 0: expects a tile of rank 2, got 1}}
  %o = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) : (tensor<64xf32>) -> tensor<1x64xf32> {
  ^bb0(%t: tensor<64xf32>):
    mirage_block.yield %t : tensor<64xf32>
  }
  return
}

// -----

func.func @graph_c5_joins(%x: tensor<8x64xf32>) {
  // expected-error @below {{result 0: expects an axis to join a dimension in [0, 2), to be summed, or neither, got 2}}
  %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 2)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_block.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c5_name(%x: tensor<8x64xf32>) {
  // expected-error @below {{expects a grid axis x, y or z, got loop}}
  %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(loop -> 1)) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x16xf32>):
    mirage_block.yield %t : tensor<8x16xf32>
  }
  return
}

// -----

func.func @graph_c5_no_imap(%x: tensor<8x4xf32>) {
  // expected-error @below {{expects an imap and an fmap for each of 1 operands, got 0 and 1}}
  %o = "mirage_block.graph"(%x) <{grid = array<i64: 1>, threads = 128 : i64, loop = 1 : i64, imaps = [], fmaps = array<i64: -1>, omaps = [array<i64: -1>]}> ({
  ^bb0(%t: tensor<8x4xf32>):
    mirage_block.yield %t : tensor<8x4xf32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @graph_c5_no_omap(%x: tensor<8x4xf32>) {
  // expected-error @below {{expects an omap for each of 1 results, got 0}}
  %o = "mirage_block.graph"(%x) <{grid = array<i64: 1>, threads = 128 : i64, loop = 1 : i64, imaps = [array<i64: -1>], fmaps = array<i64: -1>, omaps = []}> ({
  ^bb0(%t: tensor<8x4xf32>):
    mirage_block.yield %t : tensor<8x4xf32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

// Which of the two blocks would write?
func.func @graph_c8(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{result 0: expects a dimension to join along x, or a sum, since what is yielded differs along it, got neither}}
  %o = mirage_block.graph grid(x = 2) threads(32) ins(%x imap(x -> 0)) outs(omap()) : (tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<4xf32>):
    %e = mirage_block.exp %t : tensor<4xf32>
    mirage_block.yield %e : tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

// -----

// A block's place is in what a mask hides.
func.func @graph_c8_mask(%x: tensor<8x4xf32>) {
  // expected-error @below {{result 0: expects a dimension to join along y, or a sum}}
  %o = mirage_block.graph grid(x = 2, y = 2) threads(32) ins(%x imap()) outs(omap()) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%t: tensor<8x4xf32>):
    %m = mirage_block.mask %t dims [1] axes ["x", "y"] extent 9 value 0.0 : tensor<8x4xf32>
    %s = mirage_block.accumulate %m over x sum : tensor<8x4xf32>
    mirage_block.yield %s : tensor<8x4xf32>
  }
  return
}

// -----

func.func @graph_c8_causal_mask(%x: tensor<8x4xf32>) {
  // expected-error @below {{result 0: expects a dimension to join along x, or a sum}}
  %o = mirage_block.graph grid(x = 2) threads(32) ins(%x imap()) outs(omap()) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%t: tensor<8x4xf32>):
    %m = mirage_block.causal_mask %t offset 0 columns ["x"] : tensor<8x4xf32>
    mirage_block.yield %m : tensor<8x4xf32>
  }
  return
}

// -----

// One block along x has nothing to differ from, and those along y know the sum.
func.func @same_in_all_blocks(%x: tensor<8x4xf32>) {
  %o = mirage_block.graph grid(x = 1, y = 2) threads(32) ins(%x imap(x -> 0, y -> 1)) outs(omap()) : (tensor<8x4xf32>) -> tensor<8x2xf32> {
  ^bb0(%t: tensor<8x2xf32>):
    %s = mirage_block.accumulate %t over y sum : tensor<8x2xf32>
    mirage_block.yield %s : tensor<8x2xf32>
  }
  return
}

// -----

func.func @graph_c9(%x: tensor<8x4xf32>) {
  // expected-error @below {{expects arguments and yielded values without a layout, got 'tensor<8x4xf32, "columns">'}}
  %o = mirage_block.graph grid() threads(32) ins(%x imap()) outs(omap()) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%t: tensor<8x4xf32, "columns">):
    %m = mirage_block.exp %t : tensor<8x4xf32, "columns">
    mirage_block.yield %m : tensor<8x4xf32>
  }
  return
}

// -----

func.func @graph_c10_none(%x: tensor<8x64xf16>) -> tensor<8x1xf32> {
  // expected-error @below {{expects 1 to 16 stages, got 0}}
  %o = mirage_block.graph grid() threads(128) loop(4) stages(0) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<8x64xf16>) -> tensor<8x1xf32> {
  ^bb0(%t: tensor<8x16xf16>):
    %s = mirage_block.accumulate %t over loop sum dims [1] : tensor<8x16xf16>
    mirage_block.yield %s : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}

// -----

func.func @graph_c10_too_many(%x: tensor<8x64xf16>) -> tensor<8x1xf32> {
  // expected-error @below {{expects 1 to 16 stages, got 17}}
  %o = mirage_block.graph grid() threads(128) loop(32) stages(17) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<8x64xf16>) -> tensor<8x1xf32> {
  ^bb0(%t: tensor<8x2xf16>):
    %s = mirage_block.accumulate %t over loop sum dims [1] : tensor<8x2xf16>
    mirage_block.yield %s : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}

// -----

func.func @graph_c10_more_than_iterations(%x: tensor<8x64xf16>) -> tensor<8x1xf32> {
  // expected-error @below {{expects no more stages than the loop's iterations, 4, got 5}}
  %o = mirage_block.graph grid() threads(128) loop(4) stages(5) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<8x64xf16>) -> tensor<8x1xf32> {
  ^bb0(%t: tensor<8x16xf16>):
    %s = mirage_block.accumulate %t over loop sum dims [1] : tensor<8x16xf16>
    mirage_block.yield %s : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}
