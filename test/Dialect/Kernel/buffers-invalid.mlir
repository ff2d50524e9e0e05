// RUN: mirage-opt %s --split-input-file --verify-diagnostics

func.func @graph_c1_buffers(%x: memref<8x64xf16>, %e: memref<8x64xf16>) {
  // expected-error @below {{expects region arguments of the inputs' types, ('tensor<8x64xf16>'), got ('tensor<8x64xf32>')}}
  mirage_kernel.graph ins(%x : memref<8x64xf16>) outs(%e : memref<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf32>):
    %0 = mirage_kernel.cast %a : (tensor<8x64xf32>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  }
  return
}

// -----

func.func @graph_c2_buffers(%x: memref<8x64xf16>, %e: memref<8x64xf16>) {
  mirage_kernel.graph ins(%x : memref<8x64xf16>) outs(%e : memref<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf32>
    // expected-error @below {{expects values of the results' types, ('tensor<8x64xf16>'), got ('tensor<8x64xf32>')}}
    mirage_kernel.yield %0 : tensor<8x64xf32>
  }
  return
}

// -----

func.func @graph_c4(%x: tensor<8x64xf16>, %e: memref<8x64xf16>) {
  // expected-error @below {{expects inputs and inits that are all tensors or all memrefs, got ('tensor<8x64xf16>', 'memref<8x64xf16>')}}
  mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : memref<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  }
  return
}

// -----

func.func @graph_c4_results(%x: memref<8x64xf16>, %e: memref<8x64xf16>) {
  // expected-error @below {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %r = mirage_kernel.graph ins(%x : memref<8x64xf16>) outs(%e : memref<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return
}

// -----

func.func @graph_c5_dynamic_stride(%x: memref<8x64xf16, strided<[?, 1]>>, %e: memref<8x64xf16>) {
  // expected-error @below {{operand 0: expects a memref whose strides and offset are static, got memref<8x64xf16, strided<[?, 1]>>}}
  mirage_kernel.graph ins(%x : memref<8x64xf16, strided<[?, 1]>>) outs(%e : memref<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  }
  return
}

// -----

func.func @graph_c5_dynamic_offset(%x: memref<8x64xf16>, %e: memref<8x64xf16, strided<[64, 1], offset: ?>>) {
  // expected-error @below {{operand 1: expects a memref whose strides and offset are static, got memref<8x64xf16, strided<[64, 1], offset: ?>>}}
  mirage_kernel.graph ins(%x : memref<8x64xf16>) outs(%e : memref<8x64xf16, strided<[64, 1], offset: ?>>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  }
  return
}

// -----

func.func @graph_c5_no_strides(%x: memref<8x64xf16, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>, %e: memref<8x64xf16>) {
  // expected-error @below {{operand 0: expects a memref that lies by strides, got}}
  mirage_kernel.graph ins(%x : memref<8x64xf16, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>) outs(%e : memref<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  }
  return
}

// -----

func.func @graph_c5_overlap(%x: memref<8x64xf16>, %e: memref<8x64xf16, strided<[32, 1]>>) {
  // expected-error @below {{operand 1: expects a stride of at least 64 along dimension 0 of what is written, so that no two elements share a place, got 32}}
  mirage_kernel.graph ins(%x : memref<8x64xf16>) outs(%e : memref<8x64xf16, strided<[32, 1]>>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  }
  return
}

// -----

func.func @graph_c5_space(%x: memref<8x64xf16, 3>, %e: memref<8x64xf16>) {
  // expected-error @below {{operand 0: expects a memref of the default memory space, got memref<8x64xf16, 3>}}
  mirage_kernel.graph ins(%x : memref<8x64xf16, 3>) outs(%e : memref<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  }
  return
}

// -----

func.func @graph_c6(%x: memref<8x64xf16>) {
  // expected-error @below {{expects a memref of its own to write to, got operand 0 again as operand 1}}
  mirage_kernel.graph ins(%x : memref<8x64xf16>) outs(%x : memref<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  }
  return
}

// -----

func.func @dynamic_shape(%x: memref<?x64xf16>, %e: memref<8x64xf16>) {
  // expected-error @below {{operand #0 must be variadic of static tensor of rank 1 or more}}
  "mirage_kernel.graph"(%x, %e) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<8x64xf16>):
    "mirage_kernel.yield"(%a) : (tensor<8x64xf16>) -> ()
  }) : (memref<?x64xf16>, memref<8x64xf16>) -> ()
  return
}

// -----

func.func @elements(%x: memref<8x64xindex>, %e: memref<8x64xf16>) {
  // expected-error @below {{operand #0 must be variadic of static tensor of rank 1 or more}}
  "mirage_kernel.graph"(%x, %e) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<8x64xf16>):
    "mirage_kernel.yield"(%a) : (tensor<8x64xf16>) -> ()
  }) : (memref<8x64xindex>, memref<8x64xf16>) -> ()
  return
}
