// RUN: mirage-opt %s --mirage-assign-default-blocks=library-kernels=always | FileCheck %s --check-prefixes=CHECK,ALWAYS
// RUN: mirage-opt %s --mirage-assign-default-blocks | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: mirage-opt %s --mirage-assign-default-blocks=library-kernels=never | FileCheck %s --check-prefix=NEVER
// RUN: not mirage-opt %s --mirage-assign-default-blocks=library-kernels=some 2>&1 | FileCheck %s --check-prefix=CHOICE
// CHOICE: assign-default-blocks-library.mlir:{{[0-9]+}}:1: error: expects library-kernels auto, never or always, got 'some'

// NEVER-NOT: library_matmul
// NEVER: mirage_block.graph

// The kernel is there, whoever runs it.
// CHECK-LABEL: func.func @large(
// CHECK: mirage_block.graph
// CHECK-SAME: outs({{.*}}) {mirage_block.library_matmul = {accumulate = f32, batch = 1 : i64, k = 4096 : i64, lhs = {argument = 0 : i64, batch_stride = 0 : i64, leading_dimension = 4096 : i64, offset = 0 : i64, transposed = false}, m = 4096 : i64, n = 4096 : i64, operands = f16, result = {argument = 2 : i64, batch_stride = 0 : i64, leading_dimension = 4096 : i64, offset = 0 : i64, transposed = false}, result_type = f16, rhs = {argument = 1 : i64, {{.*}}transposed = false}}}
// CHECK: mirage_block.matmul
func.func @large(%x: tensor<4096x4096xf16>, %w: tensor<4096x4096xf16>, %e: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%e : tensor<4096x4096xf16>) {
  ^bb0(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
    mirage_kernel.yield %0 : tensor<4096x4096xf16>
  } : tensor<4096x4096xf16>
  return %r : tensor<4096x4096xf16>
}

// Where the library gains little, our kernel is left to itself.
// CHECK-LABEL: func.func @small(
// AUTO-NOT: library_matmul
// ALWAYS: library_matmul
// CHECK: mirage_block.matmul
func.func @small(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>, %e: tensor<16x64xf16>) -> tensor<16x64xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x64xf16>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16>
    mirage_kernel.yield %0 : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// Views of weights and heads: [tokens, heads, width] as heads of queries and keys,
// and a result that is a part of another tensor.
// CHECK-LABEL: func.func @views(
// ALWAYS: library_matmul = {accumulate = f32, batch = 2 : i64, k = 64 : i64, lhs = {argument = 0 : i64, batch_stride = 64 : i64, leading_dimension = 128 : i64, offset = 0 : i64, transposed = false}, m = 128 : i64, n = 256 : i64, operands = bf16, result = {argument = 2 : i64, batch_stride = 49152 : i64, leading_dimension = 384 : i64, offset = 128 : i64, transposed = false}, result_type = f32, rhs = {argument = 1 : i64, batch_stride = 64 : i64, leading_dimension = 128 : i64, offset = 0 : i64, transposed = true}}
func.func @views(%q: tensor<128x2x64xbf16>, %k: tensor<256x2x64xbf16>, %m: tensor<2x128x128xf32>, %e: tensor<2x128x384xf32>) -> tensor<2x128x384xf32> {
  %r = mirage_kernel.graph ins(%q, %k, %m : tensor<128x2x64xbf16>, tensor<256x2x64xbf16>, tensor<2x128x128xf32>) outs(%e : tensor<2x128x384xf32>) {
  ^bb0(%a: tensor<128x2x64xbf16>, %b: tensor<256x2x64xbf16>, %c: tensor<2x128x128xf32>):
    %0 = mirage_kernel.transpose %a dims [1, 0, 2] : (tensor<128x2x64xbf16>) -> tensor<2x128x64xbf16>
    %1 = mirage_kernel.transpose %b dims [1, 2, 0] : (tensor<256x2x64xbf16>) -> tensor<2x64x256xbf16>
    %2 = mirage_kernel.matmul %0, %1 : (tensor<2x128x64xbf16>, tensor<2x64x256xbf16>) -> tensor<2x128x256xf32>
    %3 = mirage_kernel.square %c : (tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
    %4 = mirage_kernel.concat %3, %2 dims [2] : (tensor<2x128x128xf32>, tensor<2x128x256xf32>) -> tensor<2x128x384xf32>
    mirage_kernel.yield %4 : tensor<2x128x384xf32>
  } : tensor<2x128x384xf32>
  return %r : tensor<2x128x384xf32>
}

// Batches that are to lie between rows are two dimensions of no common stride: a library writes them
// side by side, and a copy brings them there.
// CHECK-LABEL: func.func @copied(
// CHECK: %[[PRODUCT:.*]] = mirage_block.graph
// CHECK-SAME: library_matmul = {accumulate = f32, batch = 64 : i64, {{.*}} result = {argument = 2 : i64, batch_stride = 262144 : i64, leading_dimension = 512 : i64, offset = 0 : i64, transposed = false}
// CHECK: %[[COPY:.*]] = mirage_block.graph {{.*}}ins(%[[PRODUCT]]
// CHECK: mirage_block.broadcast
// CHECK: mirage_kernel.transpose %[[COPY]]
func.func @copied(%x: tensor<4x16x512x1024xf16>, %w: tensor<4x16x1024x512xf16>, %e: tensor<4x512x16x512xf16>) -> tensor<4x512x16x512xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<4x16x512x1024xf16>, tensor<4x16x1024x512xf16>) outs(%e : tensor<4x512x16x512xf16>) {
  ^bb0(%a: tensor<4x16x512x1024xf16>, %b: tensor<4x16x1024x512xf16>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<4x16x512x1024xf16>, tensor<4x16x1024x512xf16>) -> tensor<4x16x512x512xf16>
    %1 = mirage_kernel.transpose %0 dims [0, 2, 1, 3] : (tensor<4x16x512x512xf16>) -> tensor<4x512x16x512xf16>
    mirage_kernel.yield %1 : tensor<4x512x16x512xf16>
  } : tensor<4x512x16x512xf16>
  return %r : tensor<4x512x16x512xf16>
}

// Nothing that would round differently, and nothing that is no one call.
// CHECK-LABEL: func.func @refused(
// CHECK-NOT: library_matmul
func.func @refused(%x: tensor<2048x2048xf8E4M3FN>, %w: tensor<2048x2048xf16>, %v: tensor<2x3x512x512xbf16>, %u: tensor<3x512x512xbf16>,
                   %s: tensor<4096x512xbf16>, %e: tensor<2048x2048xf16>, %f: tensor<2048x2048xbf16>, %g: tensor<2x3x512x512xbf16>, %h: tensor<2048x512xbf16>)
    -> (tensor<2048x2048xf16>, tensor<2048x2048xbf16>, tensor<2x3x512x512xbf16>, tensor<2048x512xbf16>) {
  %r:4 = mirage_kernel.graph ins(%x, %w, %v, %u, %s : tensor<2048x2048xf8E4M3FN>, tensor<2048x2048xf16>, tensor<2x3x512x512xbf16>, tensor<3x512x512xbf16>, tensor<4096x512xbf16>)
      outs(%e, %f, %g, %h : tensor<2048x2048xf16>, tensor<2048x2048xbf16>, tensor<2x3x512x512xbf16>, tensor<2048x512xbf16>) {
  ^bb0(%a: tensor<2048x2048xf8E4M3FN>, %b: tensor<2048x2048xf16>, %c: tensor<2x3x512x512xbf16>, %d: tensor<3x512x512xbf16>, %t: tensor<4096x512xbf16>):
    // 8-bit floats, of which tensor cores keep fewer bits.
    %0 = mirage_kernel.matmul %a, %b : (tensor<2048x2048xf8E4M3FN>, tensor<2048x2048xf16>) -> tensor<2048x2048xf16>
    // A result that the library cannot store.
    %1 = mirage_kernel.matmul %b, %b : (tensor<2048x2048xf16>, tensor<2048x2048xf16>) -> tensor<2048x2048xbf16>
    // Two distances from one product to the next.
    %2 = mirage_kernel.matmul %c, %d : (tensor<2x3x512x512xbf16>, tensor<3x512x512xbf16>) -> tensor<2x3x512x512xbf16>
    // Rows and columns with gaps.
    %3 = mirage_kernel.slice %t offsets [0, 0] strides [2, 2] : (tensor<4096x512xbf16>) -> tensor<2048x256xbf16>
    %4 = mirage_kernel.slice %t offsets [0, 0] strides [1, 1] : (tensor<4096x512xbf16>) -> tensor<256x512xbf16>
    %5 = mirage_kernel.matmul %3, %4 : (tensor<2048x256xbf16>, tensor<256x512xbf16>) -> tensor<2048x512xbf16>
    mirage_kernel.yield %0, %1, %2, %5 : tensor<2048x2048xf16>, tensor<2048x2048xbf16>, tensor<2x3x512x512xbf16>, tensor<2048x512xbf16>
  } : tensor<2048x2048xf16>, tensor<2048x2048xbf16>, tensor<2x3x512x512xbf16>, tensor<2048x512xbf16>
  return %r#0, %r#1, %r#2, %r#3 : tensor<2048x2048xf16>, tensor<2048x2048xbf16>, tensor<2x3x512x512xbf16>, tensor<2048x512xbf16>
}

// The library rounds to tf32 where the graph lets it.
// CHECK-LABEL: func.func @rounded(
// ALWAYS: mirage_block.library_matmul = {accumulate = f32, batch = 1 : i64, f32_products = "tf32", k = 64 : i64
func.func @rounded(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %e: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>)
      attributes {mirage_kernel.f32_products = "tf32"} {
  ^bb0(%a: tensor<16x64xf32>, %b: tensor<64x64xf32>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
    mirage_kernel.yield %0 : tensor<16x64xf32>
  } : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// CHECK-LABEL: func.func @unrounded(
// ALWAYS: mirage_block.library_matmul = {accumulate = f32, batch = 1 : i64, k = 64 : i64
func.func @unrounded(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %e: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: tensor<16x64xf32>, %b: tensor<64x64xf32>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
    mirage_kernel.yield %0 : tensor<16x64xf32>
  } : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
