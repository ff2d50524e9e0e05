// What is said to bypass shared memory is such as can.
// RUN: mirage-opt %s --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --split-input-file --verify-diagnostics

#l = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]>
func.func @no_such_input(%x: tensor<4x1024xf16>) -> tensor<4x1024xf16> {
  %e = tensor.empty() : tensor<4x1024xf16>
  %r = mirage_kernel.graph ins(%x : tensor<4x1024xf16>) outs(%e : tensor<4x1024xf16>) {
  ^bb0(%a: tensor<4x1024xf16>):
    // expected-error @below {{expects numbers of its 1 inputs as 'mirage.bypassing_inputs', got array<i64: 1>}}
    %o = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 8192 : i64, mirage.bypassing_inputs = array<i64: 1>} : (tensor<4x1024xf16>) -> tensor<4x1024xf16> {
    ^bb0(%t: tensor<1x1024xf16>):
      %y = mirage_thread.graph items(x = 4) ins(%t imap(x -> 1)) outs(omap(x -> 1)) {mirage.barrier, mirage.offsets = array<i64: 4096>} : (tensor<1x1024xf16>) -> tensor<1x1024xf16> {
      ^bb0(%w: tensor<1x256xf16>):
        %f = mirage_thread.load %w : (tensor<1x256xf16>) -> tensor<1x256xf16, #l>
        %s = mirage_thread.store %f : (tensor<1x256xf16, #l>) -> tensor<1x256xf16>
        mirage_thread.yield %s : tensor<1x256xf16>
      }
      mirage_block.yield %y {mirage.barrier} : tensor<1x1024xf16>
    }
    mirage_kernel.yield %o : tensor<4x1024xf16>
  } : tensor<4x1024xf16>
  return %r : tensor<4x1024xf16>
}

// -----

#l = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]>
func.func @no_numbers(%x: tensor<4x1024xf16>) -> tensor<4x1024xf16> {
  %e = tensor.empty() : tensor<4x1024xf16>
  %r = mirage_kernel.graph ins(%x : tensor<4x1024xf16>) outs(%e : tensor<4x1024xf16>) {
  ^bb0(%a: tensor<4x1024xf16>):
    // expected-error @below {{expects an array of i64 as 'mirage.bypassing_inputs', got "all"}}
    %o = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 8192 : i64, mirage.bypassing_inputs = "all"} : (tensor<4x1024xf16>) -> tensor<4x1024xf16> {
    ^bb0(%t: tensor<1x1024xf16>):
      %y = mirage_thread.graph items(x = 4) ins(%t imap(x -> 1)) outs(omap(x -> 1)) {mirage.barrier, mirage.offsets = array<i64: 4096>} : (tensor<1x1024xf16>) -> tensor<1x1024xf16> {
      ^bb0(%w: tensor<1x256xf16>):
        %f = mirage_thread.load %w : (tensor<1x256xf16>) -> tensor<1x256xf16, #l>
        %s = mirage_thread.store %f : (tensor<1x256xf16, #l>) -> tensor<1x256xf16>
        mirage_thread.yield %s : tensor<1x256xf16>
      }
      mirage_block.yield %y {mirage.barrier} : tensor<1x1024xf16>
    }
    mirage_kernel.yield %o : tensor<4x1024xf16>
  } : tensor<4x1024xf16>
  return %r : tensor<4x1024xf16>
}

// -----

#l = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]>
func.func @read_by_no_warps(%x: tensor<4x1024xf16>) -> tensor<4x1024xf16> {
  %e = tensor.empty() : tensor<4x1024xf16>
  %r = mirage_kernel.graph ins(%x : tensor<4x1024xf16>) outs(%e : tensor<4x1024xf16>) {
  ^bb0(%a: tensor<4x1024xf16>):
    // expected-error @below {{expects, of input 0, which 'mirage.bypassing_inputs' names, steps of warps as readers, got 'mirage_block.exp'}}
    %o = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 8192 : i64, mirage.bypassing_inputs = array<i64: 0>} : (tensor<4x1024xf16>) -> tensor<4x1024xf16> {
    ^bb0(%t: tensor<1x1024xf16>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 0>} : tensor<1x1024xf16>
      mirage_block.yield %y {mirage.barrier} : tensor<1x1024xf32>
    }
    mirage_kernel.yield %o : tensor<4x1024xf16>
  } : tensor<4x1024xf16>
  return %r : tensor<4x1024xf16>
}

// -----

#l = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]>
func.func @tiles_beyond(%x: tensor<5x1024xf16>) -> tensor<5x1024xf16> {
  %e = tensor.empty() : tensor<5x1024xf16>
  %r = mirage_kernel.graph ins(%x : tensor<5x1024xf16>) outs(%e : tensor<5x1024xf16>) {
  ^bb0(%a: tensor<5x1024xf16>):
    // expected-error @below {{expects, of input 0, which 'mirage.bypassing_inputs' names, tiles that begin inside its tensor, with elements of its type}}
    %o = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 8192 : i64, mirage.bypassing_inputs = array<i64: 0>} : (tensor<5x1024xf16>) -> tensor<5x1024xf16> {
    ^bb0(%t: tensor<2x1024xf16>):
      %y = mirage_thread.graph items(x = 2, y = 4) ins(%t imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1)) {mirage.barrier, mirage.offsets = array<i64: 4096>} : (tensor<2x1024xf16>) -> tensor<2x1024xf16> {
      ^bb0(%w: tensor<1x256xf16>):
        %f = mirage_thread.load %w : (tensor<1x256xf16>) -> tensor<1x256xf16, #l>
        %s = mirage_thread.store %f : (tensor<1x256xf16, #l>) -> tensor<1x256xf16>
        mirage_thread.yield %s : tensor<1x256xf16>
      }
      mirage_block.yield %y {mirage.barrier} : tensor<2x1024xf16>
    }
    mirage_kernel.yield %o : tensor<5x1024xf16>
  } : tensor<5x1024xf16>
  return %r : tensor<5x1024xf16>
}

// -----

#l = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]>
func.func @output_beyond(%x: tensor<5x1024xf16>) -> tensor<5x1024xf16> {
  %e = tensor.empty() : tensor<5x1024xf16>
  %r = mirage_kernel.graph ins(%x : tensor<5x1024xf16>) outs(%e : tensor<5x1024xf16>) {
  ^bb0(%a: tensor<5x1024xf16>):
    %o = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 8192 : i64} : (tensor<5x1024xf16>) -> tensor<5x1024xf16> {
    ^bb0(%t: tensor<2x1024xf16>):
      // expected-error @below {{expects, where 'mirage.bypasses' is stated, tiles that begin inside the output}}
      %y = mirage_thread.graph items(x = 2, y = 4) ins(%t imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1)) {mirage.barrier, mirage.offsets = array<i64: 4096>, mirage.bypasses} : (tensor<2x1024xf16>) -> tensor<2x1024xf16> {
      ^bb0(%w: tensor<1x256xf16>):
        %f = mirage_thread.load %w : (tensor<1x256xf16>) -> tensor<1x256xf16, #l>
        %s = mirage_thread.store %f : (tensor<1x256xf16, #l>) -> tensor<1x256xf16>
        mirage_thread.yield %s : tensor<1x256xf16>
      }
      mirage_block.yield %y {mirage.barrier} : tensor<2x1024xf16>
    }
    mirage_kernel.yield %o : tensor<5x1024xf16>
  } : tensor<5x1024xf16>
  return %r : tensor<5x1024xf16>
}
