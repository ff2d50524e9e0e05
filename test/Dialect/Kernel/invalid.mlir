// RUN: mirage-opt %s --split-input-file --verify-diagnostics

func.func @graph_c1(%x: tensor<8x64xf16>, %e: tensor<8x64xf16>) {
  // expected-error @below {{expects region arguments of the inputs' types, ('tensor<8x64xf16>'), got ('tensor<8x32xf16>')}}
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x32xf16>):
    %0 = mirage_kernel.broadcast %a : (tensor<8x32xf16>) -> tensor<8x32xf16>
    mirage_kernel.yield %0 : tensor<8x32xf16>
  } : tensor<8x64xf16>
  return
}

// -----

func.func @graph_c2(%x: tensor<8x64xf16>, %e: tensor<8x64xf16>) {
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf32>
    // expected-error @below {{expects values of the results' types, ('tensor<8x64xf16>'), got ('tensor<8x64xf32>')}}
    mirage_kernel.yield %0 : tensor<8x64xf32>
  } : tensor<8x64xf16>
  return
}

// -----

func.func @graph_c2_no_output(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects at least one result, got none}}
  "mirage_kernel.graph"(%x) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<8x64xf16>):
    "mirage_kernel.yield"() : () -> ()
  }) : (tensor<8x64xf16>) -> ()
  return
}

// -----

func.func @reduction_c2(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of shape [8, 1], got [8, 2]}}
  %0 = mirage_kernel.sum %x dims [1] : (tensor<8x64xf16>) -> tensor<8x2xf16>
  return
}

// -----

func.func @rank_zero(%x: tensor<f16>) {
  // expected-error @below {{operand #0 must be static tensor of rank 1 or more}}
  %0 = mirage_kernel.exp %x : (tensor<f16>) -> tensor<f16>
  return
}

// -----

func.func @size_zero(%x: tensor<8x0xf16>) {
  // expected-error @below {{operand #0 must be static tensor of rank 1 or more, with elements}}
  %0 = mirage_kernel.exp %x : (tensor<8x0xf16>) -> tensor<8x0xf16>
  return
}

// -----

func.func @f64(%x: tensor<8x4xf64>) {
  // expected-error @below {{of f16, bf16, f32, f8E4M3FN or f8E5M2, but got 'tensor<8x4xf64>'}}
  %0 = mirage_kernel.exp %x : (tensor<8x4xf64>) -> tensor<8x4xf64>
  return
}

// -----

func.func @transpose_c1(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects a permutation of 2 dimensions, got [0, 0]}}
  %0 = mirage_kernel.transpose %x dims [0, 0] : (tensor<8x4xf16>) -> tensor<8x8xf16>
  return
}

// -----

func.func @reshape_c1(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects as many elements as the operand, 32, got 33}}
  %0 = mirage_kernel.reshape %x : (tensor<8x4xf16>) -> tensor<33xf16>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<8x4xf16>) {
  // expected-error @below {{expects a result that [8, 4] broadcasts to, got [8, 8]}}
  %0 = mirage_kernel.broadcast %x : (tensor<8x4xf16>) -> tensor<8x8xf16>
  return
}

// -----

func.func @reshape_c2(%x: tensor<8x16xf16>) {
  // expected-error @below {{expects a result of its operand's element type, f16, got f32; a cast rounds}}
  %0 = mirage_kernel.reshape %x : (tensor<8x16xf16>) -> tensor<128xf32>
  return
}

// -----

func.func @graph_c3(%x: tensor<8x16xf32>, %e: tensor<8x16xf32>) {
  %r = mirage_kernel.graph ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: tensor<8x16xf32>):
    // expected-error @below {{expects to stand elsewhere: a kernel graph holds operators of mirage_kernel and block graphs}}
    %o = mirage_block.exp %a : tensor<8x16xf32>
    mirage_kernel.yield %o : tensor<8x16xf32>
  } : tensor<8x16xf32>
  return
}

// -----

func.func @graph_c3_nested(%x: tensor<8x16xf32>, %e: tensor<8x16xf32>) {
  %r = mirage_kernel.graph ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: tensor<8x16xf32>):
    // expected-error @below {{expects to stand elsewhere: a kernel graph holds operators of mirage_kernel and block graphs}}
    %o = mirage_kernel.graph ins(%a : tensor<8x16xf32>) outs(%a : tensor<8x16xf32>) {
    ^bb0(%b: tensor<8x16xf32>):
      mirage_kernel.yield %b : tensor<8x16xf32>
    } : tensor<8x16xf32>
    mirage_kernel.yield %o : tensor<8x16xf32>
  } : tensor<8x16xf32>
  return
}

// -----

func.func @graph_c2_none(%x: tensor<4xf32>) {
  // expected-error @below {{expects at least one result, got none}}
  mirage_kernel.graph ins(%x : tensor<4xf32>) outs() {
  ^bb0(%a: tensor<4xf32>):
    mirage_kernel.yield
  }
  return
}

// -----

func.func @graph_c2_terminator(%x: tensor<4xf32>) {
  // expected-error @below {{expects a region that ends with mirage_kernel.yield}}
  %r = mirage_kernel.graph ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    llvm.unreachable
  } : tensor<4xf32>
  return
}

// -----

func.func @too_large(%x: tensor<8x64xf16>) {
  // expected-error @below {{result #0 must be static tensor of rank 1 or more, with elements, at most 2^40, of f16}}
  %0 = mirage_kernel.repeat %x : (tensor<8x64xf16>) -> tensor<8x4398046511104xf16>
  return
}
