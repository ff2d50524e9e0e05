// Which ops can have which decisions, and of what type (lib/Dialect/Operator/PlanAttributes.cpp).
// RUN: mirage-opt %s --split-input-file --verify-diagnostics

func.func @held_of_false(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{'mirage_thread.graph' op expects a unit attribute as 'mirage.held', got false}}
    %y = mirage_thread.graph items(x = 4) ins(%t imap(x -> 0)) outs(omap(x -> 0)) {mirage.held = false} : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    ^bb0(%w: tensor<1x64xf32>):
      mirage_thread.yield %w : tensor<1x64xf32>
    }
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @held_by_nobody(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{'mirage_block.exp' op expects no 'mirage.held', which is of mirage_thread.graph and mirage_block.accumulate and mirage_block.mask and mirage_block.causal_mask}}
    %y = mirage_block.exp %t {mirage.held} : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @waits_late(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects no 'mirage.waits_late', which is of mirage_thread.graph}}
    %y = mirage_block.exp %t {mirage.waits_late} : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @starts_ahead(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects no 'mirage.starts_ahead', which is of mirage_thread.graph}}
    %y = mirage_block.exp %t {mirage.starts_ahead} : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @bypasses(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects no 'mirage.bypasses', which is of mirage_thread.graph}}
    %y = mirage_block.exp %t {mirage.bypasses} : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @running_scale(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects no 'mirage.running_scale', which is of mirage_block.accumulate}}
    %y = mirage_thread.graph items(x = 4) ins(%t imap(x -> 0)) outs(omap(x -> 0)) {mirage.running_scale} : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    ^bb0(%w: tensor<1x64xf32>):
      mirage_thread.yield %w : tensor<1x64xf32>
    }
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @step_of_a_graph(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{expects no 'mirage.step', which is of ops in the body of a mirage_block.graph}}
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) {mirage.step = 1 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    %y = mirage_block.exp %t : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @step_of_32_bits(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects an i64 as 'mirage.step', got 1 : i32}}
    %y = mirage_block.exp %t {mirage.step = 1 : i32} : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @padding_of_a_graph(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{expects no 'mirage.row_paddings', which is of ops in the body of a mirage_block.graph}}
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) {mirage.row_paddings = array<i64: 16>} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    %y = mirage_block.exp %t : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @offsets(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects an array of i64 as 'mirage.offsets', got array<i32: 0>}}
    %y = mirage_block.exp %t {mirage.offsets = array<i32: 0>} : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @loading_warps(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects no 'mirage.loading_warps', which is of mirage_block.graph}}
    %y = mirage_thread.graph items(x = 4) ins(%t imap(x -> 0)) outs(omap(x -> 0)) {mirage.loading_warps = 1 : i64} : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    ^bb0(%w: tensor<1x64xf32>):
      mirage_thread.yield %w : tensor<1x64xf32>
    }
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @reads_anew(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects no 'mirage.reads_anew', which is of mirage_thread.graph outside of a mirage_block.graph}}
    %y = mirage_thread.graph items(x = 4) ins(%t imap(x -> 0)) outs(omap(x -> 0)) {mirage.reads_anew} : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    ^bb0(%w: tensor<1x64xf32>):
      mirage_thread.yield %w : tensor<1x64xf32>
    }
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @launch_barrier(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{expects a string as 'mirage.launch_barrier', got 1 : i64}}
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) {mirage.launch_barrier = 1 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    %y = mirage_block.exp %t : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @swizzles(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects no 'mirage.input_swizzles', which is of mirage_block.graph and mirage_thread.graph outside of one}}
    %y = mirage_block.exp %t {mirage.input_swizzles = array<i64: 128>} : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @thread_swizzles(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects no 'mirage.thread_swizzles', which is of mirage_block.graph}}
    %y = mirage_block.exp %t {mirage.thread_swizzles = array<i64: 128>} : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

// What a step reads, its block graph says.
func.func @swizzles_of_step(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    // expected-error @below {{expects no 'mirage.input_swizzles', which is of mirage_block.graph and mirage_thread.graph outside of one}}
    %y = mirage_thread.graph items(x = 2) ins(%t imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_swizzles = array<i64: 128>} : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    ^bb0(%w: tensor<2x64xf32>):
      %0 = mirage_thread.load %w : (tensor<2x64xf32>) -> tensor<2x64xf32, #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]]>>
      %1 = mirage_thread.store %0 : (tensor<2x64xf32, #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]]>>) -> tensor<2x64xf32>
      mirage_thread.yield %1 : tensor<2x64xf32>
    }
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @workspace(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{expects no 'mirage.workspace_bytes', which is of func.func and mirage_kernel.graph}}
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) {mirage.workspace_bytes = 0 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    %y = mirage_block.exp %t : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

func.func @no_such_name(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{expects no 'mirage.helt', which is no attribute of Mirage}}
  %r = mirage_block.graph grid(x = 2) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) {mirage.helt} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<4x64xf32>):
    %y = mirage_block.exp %t : tensor<4x64xf32>
    mirage_block.yield %y : tensor<4x64xf32>
  }
  return %r : tensor<8x64xf32>
}
