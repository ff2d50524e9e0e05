// RUN: mirage-opt %s --mirage-print-abstract-expressions -o /dev/null 2>&1 | FileCheck %s
// RUN: mirage-opt %s --mirage-print-abstract-expressions=atoms=both -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: mirage-opt %s --mirage-print-abstract-expressions=atoms=written-out -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRITTEN

// CHECK-LABEL: graph of @gate, atoms as functions
// CHECK-NEXT:    0: input [a,b] = x0[a,b]
// CHECK-NEXT:    1: input [b,c] = x1[b,c]
// CHECK-NEXT:    2: silu [a,b] = silu(x0[a,b])
// CHECK-NEXT:    3: matmul [a,c] = sum[b'] silu(x0[a,b']) x1[b',c]
// CHECK-NEXT:    output 3
// CHECK-NOT:   graph of @gate

// BOTH-LABEL:  graph of @gate, atoms as functions
// BOTH:          3: matmul [a,c] = sum[b'] silu(x0[a,b']) x1[b',c]
// BOTH-LABEL:  graph of @gate, atoms as written-out
// BOTH:          3: matmul [a,c] = sum[b'] x0[a,b'] x1[b',c] / (1 + exp(-x0[a,b']))

// WRITTEN:     graph of @gate, atoms as written-out
// WRITTEN:       2: silu [a,b] = x0[a,b] / (1 + exp(-x0[a,b]))
func.func @gate(%x: tensor<8x64xf16>, %w: tensor<64x32xf16>, %e: tensor<8x32xf16>) -> tensor<8x32xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x64xf16>, tensor<64x32xf16>) outs(%e : tensor<8x32xf16>) {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>):
    %0 = mirage_kernel.silu %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    %1 = mirage_kernel.matmul %0, %b : (tensor<8x64xf16>, tensor<64x32xf16>) -> tensor<8x32xf16>
    mirage_kernel.yield %1 : tensor<8x32xf16>
  } : tensor<8x32xf16>
  return %r : tensor<8x32xf16>
}

// The example of docs/Expressions.md.
// CHECK-LABEL: graph of @norm_linear, atoms as functions
// CHECK-NEXT:    0: input [a,b] = x0[a,b]
// CHECK-NEXT:    1: input [b,c] = x1[b,c]
// CHECK-NEXT:    2: rms [a,1] = rms[b'](x0[a,b'])
// CHECK-NEXT:    3: div [a,b] = x0[a,b] / (rms[b'](x0[a,b']))
// CHECK-NEXT:    4: matmul [a,c] = sum[b''] x0[a,b''] x1[b'',c] / (rms[b'](x0[a,b']))
func.func @norm_linear(%x: tensor<8x64xf16>, %w: tensor<64x32xf16>, %e: tensor<8x32xf16>) -> tensor<8x32xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x64xf16>, tensor<64x32xf16>) outs(%e : tensor<8x32xf16>) {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>):
    %0 = mirage_kernel.rms %a dims [1] : (tensor<8x64xf16>) -> tensor<8x1xf16>
    %1 = mirage_kernel.div %a, %0 : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>
    %2 = mirage_kernel.matmul %1, %b : (tensor<8x64xf16>, tensor<64x32xf16>) -> tensor<8x32xf16>
    mirage_kernel.yield %2 : tensor<8x32xf16>
  } : tensor<8x32xf16>
  return %r : tensor<8x32xf16>
}

// A sum over a dimension of size 1 is its operand.
// CHECK-LABEL: graph of @size_one, atoms as functions
// CHECK:         exp [a,1] = exp(x0[a])
// CHECK:         sum [a,1] = exp(x0[a])
func.func @size_one(%x: tensor<8x1xf16>, %e: tensor<8x1xf16>) -> tensor<8x1xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<8x1xf16>) outs(%e : tensor<8x1xf16>) {
  ^bb0(%a: tensor<8x1xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x1xf16>) -> tensor<8x1xf16>
    %1 = mirage_kernel.sum %0 dims [1] : (tensor<8x1xf16>) -> tensor<8x1xf16>
    mirage_kernel.yield %1 : tensor<8x1xf16>
  } : tensor<8x1xf16>
  return %r : tensor<8x1xf16>
}

// A composed operator is what it stands for; a dimension of size 1 has no name.
// CHECK-LABEL: graph of @softmax, atoms as functions
// CHECK:         max [a,1] = max[b'](x0[a,b'])
// CHECK:         div [a,b] = exp(-max[b'](x0[a,b']) + x0[a,b]) / (sum[b''] exp(-max[b'](x0[a,b']) + x0[a,b'']))
func.func @softmax(%x: tensor<8x64xf16>, %e: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.softmax %a dims [1] : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// (x + y) to the power of 2^8: longer than what is multiplied out.
// CHECK-LABEL: graph of @large, atoms as functions
// CHECK:         mul [a] = (too large)
func.func @large(%x: tensor<64xf16>, %y: tensor<64xf16>, %e: tensor<64xf16>) -> tensor<64xf16> {
  %r = mirage_kernel.graph ins(%x, %y : tensor<64xf16>, tensor<64xf16>) outs(%e : tensor<64xf16>) {
  ^bb0(%a: tensor<64xf16>, %b: tensor<64xf16>):
    %0 = mirage_kernel.add %a, %b : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
    %1 = mirage_kernel.mul %0, %0 : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
    %2 = mirage_kernel.mul %1, %1 : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
    %3 = mirage_kernel.mul %2, %2 : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
    %4 = mirage_kernel.mul %3, %3 : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
    %5 = mirage_kernel.mul %4, %4 : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
    %6 = mirage_kernel.mul %5, %5 : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
    %7 = mirage_kernel.mul %6, %6 : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
    %8 = mirage_kernel.mul %7, %7 : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
    mirage_kernel.yield %8 : tensor<64xf16>
  } : tensor<64xf16>
  return %r : tensor<64xf16>
}
