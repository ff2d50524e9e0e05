// Programs whose tensors are not plain sets of names: what is searched is one kernel
// between views, equal to the program, and its code is right.
// RUN: rm -rf %t && mkdir %t
// RUN: mirage-opt %s --mirage-superoptimize -o %t/searched.mlir && FileCheck %s < %t/searched.mlir
// RUN: mirage-verify %s %t/searched.mlir
// RUN: mirage-opt %t/searched.mlir --mirage-compile="from=optimize artifact=%t/artifact ptxas=never" -o /dev/null
// RUN: for function in %t/artifact/*/; do mirage-run $function --check || exit 1; done

// Two heads of keys, each repeated for four heads of queries.
// CHECK-LABEL: func.func @repeated_heads(
// CHECK:         mirage.certificate
// CHECK:         mirage_kernel.reshape {{.*}} : (tensor<8x1x64xf16>) -> tensor<2x4x1x64xf16>
// CHECK:         mirage_block.graph
// CHECK-NOT:     mirage_kernel.broadcast
// CHECK:         mirage_kernel.reshape {{.*}} : (tensor<2x4x1x64xf16>) -> tensor<8x1x64xf16>
func.func @repeated_heads(%q: tensor<8x1x64xf16> {mirage.name = "q"}, %k: tensor<2x160x64xf16> {mirage.name = "k"}, %v: tensor<2x160x64xf16> {mirage.name = "v"}) -> tensor<8x1x64xf16> {
  %e = tensor.empty() : tensor<8x1x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<8x1x64xf16>, tensor<2x160x64xf16>, tensor<2x160x64xf16>) outs(%e : tensor<8x1x64xf16>) {
  ^bb0(%a: tensor<8x1x64xf16>, %b: tensor<2x160x64xf16>, %c: tensor<2x160x64xf16>):
    %0 = mirage_kernel.reshape %b : (tensor<2x160x64xf16>) -> tensor<2x1x160x64xf16>
    %1 = mirage_kernel.broadcast %0 : (tensor<2x1x160x64xf16>) -> tensor<2x4x160x64xf16>
    %2 = mirage_kernel.reshape %1 : (tensor<2x4x160x64xf16>) -> tensor<8x160x64xf16>
    %3 = mirage_kernel.transpose %2 dims [0, 2, 1] : (tensor<8x160x64xf16>) -> tensor<8x64x160xf16>
    %4 = mirage_kernel.matmul %a, %3 : (tensor<8x1x64xf16>, tensor<8x64x160xf16>) -> tensor<8x1x160xf32>
    %5 = mirage_kernel.scale %4 by 0.125 : (tensor<8x1x160xf32>) -> tensor<8x1x160xf32>
    %6 = mirage_kernel.softmax %5 dims [2] : (tensor<8x1x160xf32>) -> tensor<8x1x160xf16>
    %7 = mirage_kernel.reshape %c : (tensor<2x160x64xf16>) -> tensor<2x1x160x64xf16>
    %8 = mirage_kernel.broadcast %7 : (tensor<2x1x160x64xf16>) -> tensor<2x4x160x64xf16>
    %9 = mirage_kernel.reshape %8 : (tensor<2x4x160x64xf16>) -> tensor<8x160x64xf16>
    %10 = mirage_kernel.matmul %6, %9 : (tensor<8x1x160xf16>, tensor<8x160x64xf16>) -> tensor<8x1x64xf16>
    mirage_kernel.yield %10 : tensor<8x1x64xf16>
  } : tensor<8x1x64xf16>
  return %r : tensor<8x1x64xf16>
}

// Heads out of the columns of a projection, and back into the rows of another.
// CHECK-LABEL: func.func @heads_in_columns(
// CHECK:         mirage.certificate
// CHECK:         mirage_block.graph
func.func @heads_in_columns(%x: tensor<32x128xf16> {mirage.name = "x"}, %w: tensor<128x64xf16> {mirage.name = "w"}, %k: tensor<4x16x48xf16> {mirage.name = "k"}) -> tensor<32x192xf16> {
  %e = tensor.empty() : tensor<32x192xf16>
  %r = mirage_kernel.graph ins(%x, %w, %k : tensor<32x128xf16>, tensor<128x64xf16>, tensor<4x16x48xf16>) outs(%e : tensor<32x192xf16>) {
  ^bb0(%a: tensor<32x128xf16>, %b: tensor<128x64xf16>, %c: tensor<4x16x48xf16>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<32x128xf16>, tensor<128x64xf16>) -> tensor<32x64xf16>
    %1 = mirage_kernel.reshape %0 : (tensor<32x64xf16>) -> tensor<32x4x16xf16>
    %2 = mirage_kernel.transpose %1 dims [1, 0, 2] : (tensor<32x4x16xf16>) -> tensor<4x32x16xf16>
    %3 = mirage_kernel.matmul %2, %c : (tensor<4x32x16xf16>, tensor<4x16x48xf16>) -> tensor<4x32x48xf32>
    %4 = mirage_kernel.silu %3 : (tensor<4x32x48xf32>) -> tensor<4x32x48xf16>
    %5 = mirage_kernel.transpose %4 dims [1, 0, 2] : (tensor<4x32x48xf16>) -> tensor<32x4x48xf16>
    %6 = mirage_kernel.reshape %5 : (tensor<32x4x48xf16>) -> tensor<32x192xf16>
    mirage_kernel.yield %6 : tensor<32x192xf16>
  } : tensor<32x192xf16>
  return %r : tensor<32x192xf16>
}

// Rows meet rows of the same tensor, which one kernel reads twice.
// CHECK-LABEL: func.func @rows_by_rows(
// CHECK:         mirage.certificate
// CHECK:         mirage_block.graph {{.*}} ins(%[[X:[a-z0-9]+]] {{.*}}, %[[X]] {{.*}})
func.func @rows_by_rows(%x: tensor<96x64xf16> {mirage.name = "x"}) -> tensor<96x96xf16> {
  %e = tensor.empty() : tensor<96x96xf16>
  %r = mirage_kernel.graph ins(%x : tensor<96x64xf16>) outs(%e : tensor<96x96xf16>) {
  ^bb0(%a: tensor<96x64xf16>):
    %0 = mirage_kernel.transpose %a dims [1, 0] : (tensor<96x64xf16>) -> tensor<64x96xf16>
    %1 = mirage_kernel.matmul %a, %0 : (tensor<96x64xf16>, tensor<64x96xf16>) -> tensor<96x96xf32>
    %2 = mirage_kernel.exp %1 : (tensor<96x96xf32>) -> tensor<96x96xf16>
    mirage_kernel.yield %2 : tensor<96x96xf16>
  } : tensor<96x96xf16>
  return %r : tensor<96x96xf16>
}

// Rows see themselves and what came before: tiles of scores are hidden by their place.
// CHECK-LABEL: func.func @causal_attention(
// CHECK:         mirage.certificate
// CHECK:         mirage_block.graph
// CHECK:         mirage_block.causal_mask
// CHECK-NOT:     mirage_kernel.causal_mask
func.func @causal_attention(%q: tensor<2x48x32xf16> {mirage.name = "q"}, %k: tensor<2x200x32xf16> {mirage.name = "k"}, %v: tensor<2x200x32xf16> {mirage.name = "v"}) -> tensor<2x48x32xf16> {
  %e = tensor.empty() : tensor<2x48x32xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : tensor<2x48x32xf16>, tensor<2x200x32xf16>, tensor<2x200x32xf16>) outs(%e : tensor<2x48x32xf16>) {
  ^bb0(%a: tensor<2x48x32xf16>, %b: tensor<2x200x32xf16>, %c: tensor<2x200x32xf16>):
    %0 = mirage_kernel.transpose %b dims [0, 2, 1] : (tensor<2x200x32xf16>) -> tensor<2x32x200xf16>
    %1 = mirage_kernel.matmul %a, %0 : (tensor<2x48x32xf16>, tensor<2x32x200xf16>) -> tensor<2x48x200xf32>
    %2 = mirage_kernel.causal_mask %1 offset 152 : (tensor<2x48x200xf32>) -> tensor<2x48x200xf32>
    %3 = mirage_kernel.softmax %2 dims [2] : (tensor<2x48x200xf32>) -> tensor<2x48x200xf16>
    %4 = mirage_kernel.matmul %3, %c : (tensor<2x48x200xf16>, tensor<2x200x32xf16>) -> tensor<2x48x32xf16>
    mirage_kernel.yield %4 : tensor<2x48x32xf16>
  } : tensor<2x48x32xf16>
  return %r : tensor<2x48x32xf16>
}

// Gate and what it is multiplied with are halves of one product.
// CHECK-LABEL: func.func @halves_of_a_product(
// CHECK:         mirage.certificate
// CHECK:         mirage_kernel.slice
// CHECK:         mirage_kernel.slice
// CHECK:         mirage_block.graph
func.func @halves_of_a_product(%x: tensor<8x256xf16> {mirage.name = "x"}, %w: tensor<256x256xf16> {mirage.name = "w"}) -> tensor<8x128xf16> {
  %e = tensor.empty() : tensor<8x128xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x256xf16>, tensor<256x256xf16>) outs(%e : tensor<8x128xf16>) {
  ^bb0(%a: tensor<8x256xf16>, %b: tensor<256x256xf16>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<8x256xf16>, tensor<256x256xf16>) -> tensor<8x256xf32>
    %1 = mirage_kernel.slice %0 offsets [0, 0] strides [1, 1] : (tensor<8x256xf32>) -> tensor<8x128xf32>
    %2 = mirage_kernel.slice %0 offsets [0, 128] strides [1, 1] : (tensor<8x256xf32>) -> tensor<8x128xf32>
    %3 = mirage_kernel.silu %1 : (tensor<8x128xf32>) -> tensor<8x128xf32>
    %4 = mirage_kernel.mul %3, %2 : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xf16>
    mirage_kernel.yield %4 : tensor<8x128xf16>
  } : tensor<8x128xf16>
  return %r : tensor<8x128xf16>
}

// What is put side by side is contracted: a sum of two products.
// CHECK-LABEL: func.func @contracted_concat(
// CHECK:         mirage.certificate
// CHECK:         mirage_block.graph
// CHECK-NOT:     mirage_kernel.concat
func.func @contracted_concat(%x: tensor<16x96xf16> {mirage.name = "x"}, %y: tensor<16x32xf16> {mirage.name = "y"}, %w: tensor<128x64xf16> {mirage.name = "w"}) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %y, %w : tensor<16x96xf16>, tensor<16x32xf16>, tensor<128x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x96xf16>, %b: tensor<16x32xf16>, %c: tensor<128x64xf16>):
    %0 = mirage_kernel.concat %a, %b dims [1] : (tensor<16x96xf16>, tensor<16x32xf16>) -> tensor<16x128xf16>
    %1 = mirage_kernel.matmul %0, %c : (tensor<16x128xf16>, tensor<128x64xf16>) -> tensor<16x64xf32>
    %2 = mirage_kernel.exp %1 : (tensor<16x64xf32>) -> tensor<16x64xf16>
    mirage_kernel.yield %2 : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// A bound from below is a number within the kernel, and padding is written beside it.
// CHECK-LABEL: func.func @bounded_and_padded(
// CHECK:         mirage.certificate
// CHECK:         mirage_block.graph
// CHECK:         mirage_block.constant 5.000000e-01
// CHECK:         mirage_kernel.concat
func.func @bounded_and_padded(%x: tensor<16x96xf16> {mirage.name = "x"}, %w: tensor<96x48xf16> {mirage.name = "w"}) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x96xf16>, tensor<96x48xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x96xf16>, %b: tensor<96x48xf16>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<16x96xf16>, tensor<96x48xf16>) -> tensor<16x48xf32>
    %1 = mirage_kernel.constant 0.5 : tensor<1x1xf32>
    %2 = mirage_kernel.maximum %0, %1 : (tensor<16x48xf32>, tensor<1x1xf32>) -> tensor<16x48xf16>
    %3 = mirage_kernel.constant 0.0 : tensor<16x16xf16>
    %4 = mirage_kernel.concat %2, %3 dims [1] : (tensor<16x48xf16>, tensor<16x16xf16>) -> tensor<16x64xf16>
    mirage_kernel.yield %4 : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// Mean and variance are functions to the search, and one kernel normalizes and multiplies. The
// program stores the normalized rows in 16 bits, so that the kernel may round them too.
// CHECK-LABEL: func.func @layer_norm_linear(
// CHECK:         mirage.certificate
// CHECK:         mirage_block.graph
// CHECK-NOT:     mirage_block.graph
// CHECK:         mirage_block.div
// CHECK:         mirage_block.cast
// CHECK-NOT:     mirage_block.graph
// CHECK:         mirage_block.matmul
// CHECK-NOT:     mirage_block.graph
// CHECK:         mirage_kernel.yield
func.func @layer_norm_linear(%x: tensor<16x256xf16> {mirage.name = "x"}, %w: tensor<256x128xf16> {mirage.name = "w"}) -> tensor<16x128xf16> {
  %e = tensor.empty() : tensor<16x128xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x256xf16>, tensor<256x128xf16>) outs(%e : tensor<16x128xf16>) {
  ^bb0(%a: tensor<16x256xf16>, %b: tensor<256x128xf16>):
    %0 = mirage_kernel.layer_norm %a dims [1] epsilon 0.00001 : (tensor<16x256xf16>) -> tensor<16x256xf16>
    %1 = mirage_kernel.matmul %0, %b : (tensor<16x256xf16>, tensor<256x128xf16>) -> tensor<16x128xf16>
    mirage_kernel.yield %1 : tensor<16x128xf16>
  } : tensor<16x128xf16>
  return %r : tensor<16x128xf16>
}
