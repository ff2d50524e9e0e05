// RUN: mirage-opt %s --mirage-print-abstract-expressions --split-input-file --verify-diagnostics -o /dev/null

// A reshape that splits a dimension has no names.
func.func @reshape(%x: tensor<64xf16>, %e: tensor<8x8xf16>) -> tensor<8x8xf16> {
  // expected-error @below {{has no abstract expressions: operation 0 (reshape)}}
  %r = mirage_kernel.graph ins(%x : tensor<64xf16>) outs(%e : tensor<8x8xf16>) {
  ^bb0(%a: tensor<64xf16>):
    %0 = mirage_kernel.reshape %a : (tensor<64xf16>) -> tensor<8x8xf16>
    mirage_kernel.yield %0 : tensor<8x8xf16>
  } : tensor<8x8xf16>
  return %r : tensor<8x8xf16>
}

// -----

// A constant is no operator of a program.
func.func @constant(%x: tensor<8xf16>, %e: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @below {{has no abstract expressions: operation 0 (constant): expects an operator with operands}}
  %r = mirage_kernel.graph outs(%e : tensor<8xf16>) {
    %0 = mirage_kernel.constant 2.0 : tensor<8xf16>
    mirage_kernel.yield %0 : tensor<8xf16>
  } : tensor<8xf16>
  return %r : tensor<8xf16>
}
