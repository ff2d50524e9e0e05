// Parts of a concat lie where it lies, from the first that is written on.
// RUN: mirage-opt %s --split-input-file --verify-diagnostics --mirage-plan-device-memory | FileCheck %s

// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    attributes {mirage.workspace_bytes = 512 : i64}
// CHECK:         mirage_block.graph {{.*}}mirage.workspace_offsets = array<i64: 0>
// CHECK:         mirage_block.graph {{.*}}mirage.workspace_offsets = array<i64: 0>
// CHECK:         mirage_block.graph {{.*}}mirage.workspace_offsets = array<i64: -1>
func.func @parts(%x: tensor<4x16xf32>) -> tensor<4x32xf32> {
  %e = tensor.empty() : tensor<4x32xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: tensor<4x16xf32>):
    %0 = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<4x16xf32>) -> tensor<4x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %y = mirage_block.exp %t : tensor<4x16xf32>
      mirage_block.yield %y : tensor<4x16xf32>
    }
    %1 = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<4x16xf32>) -> tensor<4x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %y = mirage_block.neg %t : tensor<4x16xf32>
      mirage_block.yield %y : tensor<4x16xf32>
    }
    %2 = mirage_kernel.concat %0, %1 dims [1] : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x32xf32>
    %3 = mirage_block.graph grid() threads(32) ins(%2 imap()) outs(omap()) : (tensor<4x32xf32>) -> tensor<4x32xf32> {
    ^bb0(%t: tensor<4x32xf32>):
      %y = mirage_block.neg %t : tensor<4x32xf32>
      mirage_block.yield %y : tensor<4x32xf32>
    }
    mirage_kernel.yield %3 : tensor<4x32xf32>
  } : tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}

// -----

func.func @part_of_nobody(%x: tensor<4x16xf32>, %e: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %r = mirage_kernel.graph ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: tensor<4x16xf32>):
    // expected-error @below {{expects parts that kernels write for nothing else, as elements of the result's type (--mirage-materialize-views)}}
    %2 = mirage_kernel.concat %a, %a dims [1] : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x32xf32>
    mirage_kernel.yield %2 : tensor<4x32xf32>
  } : tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}

// -----

func.func @rounds(%x: tensor<4x16xf32>, %e: tensor<4x3xf16>) -> tensor<4x3xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x3xf16>) {
  ^bb0(%a: tensor<4x16xf32>):
    // expected-error @below {{expects a view that rounds nothing (--mirage-materialize-views)}}
    %0 = mirage_kernel.slice %a offsets [0, 1] strides [1, 2] : (tensor<4x16xf32>) -> tensor<4x3xf16>
    mirage_kernel.yield %0 : tensor<4x3xf16>
  } : tensor<4x3xf16>
  return %r : tensor<4x3xf16>
}

// -----

func.func @lies_apart(%x: tensor<4x16xf32>, %e: tensor<12xf32>) -> tensor<12xf32> {
  %r = mirage_kernel.graph ins(%x : tensor<4x16xf32>) outs(%e : tensor<12xf32>) {
  ^bb0(%a: tensor<4x16xf32>):
    %0 = mirage_kernel.slice %a offsets [0, 1] strides [1, 2] : (tensor<4x16xf32>) -> tensor<4x3xf32>
    // expected-error @below {{expects a tensor whose elements lie one after the other (--mirage-materialize-views)}}
    %1 = mirage_kernel.reshape %0 : (tensor<4x3xf32>) -> tensor<12xf32>
    mirage_kernel.yield %1 : tensor<12xf32>
  } : tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

func.func @returns_a_view(%x: tensor<4x16xf32>, %e: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %r = mirage_kernel.graph ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%a: tensor<4x16xf32>):
    %0 = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<4x16xf32>) -> tensor<4x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %y = mirage_block.exp %t : tensor<4x16xf32>
      mirage_block.yield %y : tensor<4x16xf32>
    }
    %1 = mirage_kernel.slice %0 offsets [0, 1] strides [1, 2] : (tensor<4x16xf32>) -> tensor<4x3xf32>
    mirage_kernel.yield %1 : tensor<4x3xf32>
  } : tensor<4x3xf32>
  // expected-error @below {{expects each result to be written by a kernel of its own (--mirage-materialize-results), result 0 is not}}
  return %r : tensor<4x3xf32>
}

// -----

func.func @laid_out_otherwise(%x: tensor<4x16xf32>)
    -> (tensor<64xf32>, tensor<4x16xf32> {mirage_kernel.strides = array<i64: 20, 1>}) {
  %e = tensor.empty() : tensor<4x16xf32>
  %f = tensor.empty() : tensor<64xf32>
  %r:2 = mirage_kernel.graph ins(%x : tensor<4x16xf32>) outs(%f, %e : tensor<64xf32>, tensor<4x16xf32>) {
  ^bb0(%a: tensor<4x16xf32>):
    %0 = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<4x16xf32>) -> tensor<4x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %y = mirage_block.exp %t : tensor<4x16xf32>
      mirage_block.yield %y : tensor<4x16xf32>
    }
    // expected-error @below {{expects a tensor whose elements lie one after the other (--mirage-materialize-views)}}
    %1 = mirage_kernel.reshape %0 : (tensor<4x16xf32>) -> tensor<64xf32>
    mirage_kernel.yield %1, %0 : tensor<64xf32>, tensor<4x16xf32>
  } : tensor<64xf32>, tensor<4x16xf32>
  return %r#0, %r#1 : tensor<64xf32>, tensor<4x16xf32>
}
