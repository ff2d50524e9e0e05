// What the first kernel of a launch states of it, and no other kernel can.
// RUN: mirage-opt %s --mirage-plan-device-memory --split-input-file --verify-diagnostics

func.func @residents_zero(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects 1 to 32 as 'mirage.resident_blocks', got 0}}
    %o = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.resident_blocks = 0 : i64}
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @residents_many(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects 1 to 32 as 'mirage.resident_blocks', got 33}}
    %o = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.resident_blocks = 33 : i64}
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @residents_text(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects an i64 as 'mirage.resident_blocks', got "two"}}
    %o = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.resident_blocks = "two"}
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @residents_of_the_second(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    // expected-error @below {{expects no 'mirage.resident_blocks' of a kernel that shares the launch of another one}}
    %o = mirage_block.graph grid(x = 1) threads(32) loop(8) ins(%p imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "last_arrival", mirage.resident_blocks = 1 : i64}
        : (tensor<8x64xf32>) -> tensor<1x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x64xf32>
  } : tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

// -----

func.func @order_of_the_second(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    // expected-error @below {{expects no 'mirage.grid_order' of a kernel that shares the launch of another one}}
    %o = mirage_block.graph grid(x = 1) threads(32) loop(8) ins(%p imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "last_arrival", mirage.grid_order = array<i64: 0>}
        : (tensor<8x64xf32>) -> tensor<1x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x64xf32>
  } : tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}
