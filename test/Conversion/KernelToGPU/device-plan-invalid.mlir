// Places in device memory are checked where code relies on them.
// RUN: mirage-opt %s --convert-mirage-kernel-to-gpu --split-input-file --verify-diagnostics

// expected-error @below {{expects a function with a plan of device memory; --mirage-plan-device-memory makes one ('mirage.workspace_bytes' is missing)}}
func.func @missing(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    %o = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%t: tensor<4x8xf32>):
      %y = mirage_block.exp %t : tensor<4x8xf32>
      mirage_block.yield %y : tensor<4x8xf32>
    }
    mirage_kernel.yield %o : tensor<4x8xf32>
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

func.func @no_places(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {mirage.workspace_bytes = 0 : i64} {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    // expected-error @below {{--mirage-plan-device-memory makes them ('mirage.workspace_offsets' is missing or of another length)}}
    %o = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%t: tensor<4x8xf32>):
      %y = mirage_block.exp %t : tensor<4x8xf32>
      mirage_block.yield %y : tensor<4x8xf32>
    }
    mirage_kernel.yield %o : tensor<4x8xf32>
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// expected-error @below {{expects a plan of device memory that holds: }}
func.func @beyond(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {mirage.workspace_bytes = 64 : i64} {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    %o = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) {mirage.workspace_offsets = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%t: tensor<4x8xf32>):
      %y = mirage_block.exp %t : tensor<4x8xf32>
      mirage_block.yield %y : tensor<4x8xf32>
    }
    %p = mirage_block.graph grid() threads(32) ins(%o imap()) outs(omap()) {mirage.workspace_offsets = array<i64: -1>} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%t: tensor<4x8xf32>):
      %y = mirage_block.exp %t : tensor<4x8xf32>
      mirage_block.yield %y : tensor<4x8xf32>
    }
    mirage_kernel.yield %p : tensor<4x8xf32>
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

func.func @parts_apart(%x: tensor<4x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {mirage.workspace_bytes = 512 : i64} {
  %r = mirage_kernel.graph ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    %o = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) {mirage.workspace_offsets = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%t: tensor<4x8xf32>):
      %y = mirage_block.exp %t : tensor<4x8xf32>
      mirage_block.yield %y : tensor<4x8xf32>
    }
    // expected-error @below {{expects the parts of a tensor in one place in device memory, got offsets 0 and 256}}
    %p = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) {mirage.workspace_offsets = array<i64: 256>} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%t: tensor<4x8xf32>):
      %y = mirage_block.neg %t : tensor<4x8xf32>
      mirage_block.yield %y : tensor<4x8xf32>
    }
    %c = mirage_kernel.concat %o, %p dims [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %q = mirage_block.graph grid() threads(32) ins(%c imap()) outs(omap()) {mirage.workspace_offsets = array<i64: -1>} : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    ^bb0(%t: tensor<8x8xf32>):
      %y = mirage_block.exp %t : tensor<8x8xf32>
      mirage_block.yield %y : tensor<8x8xf32>
    }
    mirage_kernel.yield %q : tensor<8x8xf32>
  } : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
