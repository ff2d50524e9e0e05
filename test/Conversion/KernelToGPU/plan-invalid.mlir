// Plans and element types are checked where code relies on them.
// RUN: mirage-opt %s --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --split-input-file --verify-diagnostics

func.func @no_offsets(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{makes one ('mirage.offsets' is missing at 'mirage_block.exp' or of another length)}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @shared(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects a plan of shared memory that holds: tiles 0 and 1 are live together and share bytes}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 1024>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @beyond(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects a plan of shared memory that holds: expects tile 1 aligned to 128 below 4096, got offset 4096}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 4096>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @unaligned_rows(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects rows of tiles that can lie as stated: 8 bytes behind the rows of tensor<8x64xf32> are no multiple of 16 up to 65536}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.input_row_paddings = array<i64: 8>, mirage.shared_bytes = 8192 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 4096>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @negative_rows(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects rows of tiles that can lie as stated: -16 bytes behind the rows of tensor<8x64xf32> are no multiple of 16 up to 65536}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.input_row_paddings = array<i64: -16>, mirage.shared_bytes = 8192 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 4096>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @endless_rows(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects rows of tiles that can lie as stated: 1152921504606846976 bytes behind the rows of tensor<8x64xf32> are no multiple of 16 up to 65536}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.input_row_paddings = array<i64: 1152921504606846976>, mirage.shared_bytes = 8192 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 4096>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @rows_of_nothing(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects rows of tiles that can lie as stated: 'mirage.input_row_paddings' is missing at 'mirage_block.graph' or of another length}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.input_row_paddings = array<i64>, mirage.shared_bytes = 8192 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 4096>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @longer_rows(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects a plan of shared memory that holds: tiles 0 and 1 are live together and share bytes}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.input_row_paddings = array<i64: 16>, mirage.shared_bytes = 8192 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @lost_rows(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects rows of tiles that can lie as stated: tensor<8x64xf32> has bytes between rows that tensor<64x8xf32> does not keep}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.input_row_paddings = array<i64: 16>, mirage.shared_bytes = 8192 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %v = mirage_block.reshape %t {mirage.offsets = array<i64: 0>} : (tensor<8x64xf32>) -> tensor<64x8xf32>
      %w = mirage_block.exp %v {mirage.barrier, mirage.offsets = array<i64: 4096>} : tensor<64x8xf32>
      %y = mirage_block.reshape %w {mirage.offsets = array<i64: 4096>} : (tensor<64x8xf32>) -> tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @boxes_of_what_is_read_otherwise(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x64xf16>):
    // expected-error @below {{expects rows of tiles that can lie as stated: input 0 has 'mirage.input_swizzles', but no boxes that the copy engine could load, or no reader that is ldmatrix or wgmma, or one that is no step of warps}}
    %o = mirage_block.graph grid() threads(128) loop(2) stages(2) ins(%a imap(), %b imap()) outs(omap()) {mirage.input_offsets = array<i64: 0, -1>, mirage.input_swizzles = array<i64: 128, 0>, mirage.shared_bytes = 40960 : i64} : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%t: tensor<16x64xf16>, %u: tensor<64x64xf16>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 24576>} : tensor<16x64xf16>
      mirage_block.yield %y {mirage.barrier} : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// -----

func.func @boxes_that_nothing_reads(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x64xf16>):
    // expected-error @below {{expects rows of tiles that can lie as stated: input 1, which has no tile in shared memory, has 'mirage.input_swizzles'}}
    %o = mirage_block.graph grid() threads(128) loop(2) stages(2) ins(%a imap(), %b imap() fmap(0)) outs(omap()) {mirage.input_offsets = array<i64: 0, -1>, mirage.input_swizzles = array<i64: 0, 128>, mirage.shared_bytes = 40960 : i64} : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%t: tensor<16x64xf16>, %u: tensor<32x64xf16>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 24576>} : tensor<16x64xf16>
      mirage_block.yield %y {mirage.barrier} : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// -----

func.func @thread_swizzle_that_nothing_reads(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x64xf16>):
    // expected-error @below {{expects rows of tiles that can lie as stated: input 1, which has no tile in shared memory, has 'mirage.thread_swizzles'}}
    %o = mirage_block.graph grid() threads(128) loop(2) stages(2) ins(%a imap(), %b imap() fmap(0)) outs(omap()) {mirage.input_offsets = array<i64: 0, -1>, mirage.thread_swizzles = array<i64: 0, 128>, mirage.shared_bytes = 40960 : i64} : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%t: tensor<16x64xf16>, %u: tensor<32x64xf16>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 24576>} : tensor<16x64xf16>
      mirage_block.yield %y {mirage.barrier} : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// -----

func.func @thread_swizzle_of_what_is_read_otherwise(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x64xf16>):
    // expected-error @below {{expects rows of tiles that can lie as stated: input 0 has 'mirage.thread_swizzles', but rows that have no swizzle, or a reader that is wgmma, or no step of warps}}
    %o = mirage_block.graph grid() threads(128) loop(2) stages(2) ins(%a imap(), %b imap()) outs(omap()) {mirage.input_offsets = array<i64: 0, -1>, mirage.thread_swizzles = array<i64: 128, 0>, mirage.shared_bytes = 40960 : i64} : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%t: tensor<16x64xf16>, %u: tensor<64x64xf16>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 24576>} : tensor<16x64xf16>
      mirage_block.yield %y {mirage.barrier} : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// -----

func.func @swizzle_by_both(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x64xf16>):
    // expected-error @below {{expects rows of tiles that can lie as stated: input 0 has both 'mirage.input_swizzles' and 'mirage.thread_swizzles'}}
    %o = mirage_block.graph grid() threads(128) loop(2) stages(2) ins(%a imap(), %b imap()) outs(omap()) {mirage.input_offsets = array<i64: 0, -1>, mirage.input_swizzles = array<i64: 128, 0>, mirage.thread_swizzles = array<i64: 128, 0>, mirage.shared_bytes = 40960 : i64} : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%t: tensor<16x64xf16>, %u: tensor<64x64xf16>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 24576>} : tensor<16x64xf16>
      mirage_block.yield %y {mirage.barrier} : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// -----

func.func @negative_swizzle(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x64xf16>):
    // expected-error @below {{expects rows of tiles that can lie as stated: input 0 has 'mirage.input_swizzles', but no boxes that the copy engine could load, or no reader that is ldmatrix or wgmma, or one that is no step of warps}}
    %o = mirage_block.graph grid() threads(128) loop(2) stages(2) ins(%a imap(), %b imap()) outs(omap()) {mirage.input_offsets = array<i64: 0, -1>, mirage.input_swizzles = array<i64: -1, 0>, mirage.shared_bytes = 40960 : i64} : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%t: tensor<16x64xf16>, %u: tensor<64x64xf16>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 24576>} : tensor<16x64xf16>
      mirage_block.yield %y {mirage.barrier} : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// -----

func.func @swizzles_of_nothing(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x64xf16>):
    // expected-error @below {{expects rows of tiles that can lie as stated: 'mirage.input_swizzles' is missing at 'mirage_block.graph' or of another length}}
    %o = mirage_block.graph grid() threads(128) loop(2) stages(2) ins(%a imap(), %b imap()) outs(omap()) {mirage.input_offsets = array<i64: 0, -1>, mirage.input_swizzles = array<i64>, mirage.shared_bytes = 40960 : i64} : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16> {
    ^bb0(%t: tensor<16x64xf16>, %u: tensor<64x64xf16>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 24576>} : tensor<16x64xf16>
      mirage_block.yield %y {mirage.barrier} : tensor<16x64xf32>
    }
    mirage_kernel.yield %o : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}

// -----

func.func @order_of_other_axes(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects each of 2 grid axes once in 'mirage.grid_order', got array<i64: 1, 1>}}
    %o = mirage_block.graph grid(x = 2, y = 2) threads(128) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1)) {mirage.grid_order = array<i64: 1, 1>, mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 1024 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<4x32xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 512>} : tensor<4x32xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<4x32xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @places_that_are_none(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects a loop whose rings are all boxed and that needs no other barrier, where 'mirage.hands_back_places' is stated}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.hands_back_places = 1 : i64, mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @loading_warps_without_rings(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects warps that hand places back ('mirage.hands_back_places') where 'mirage.loading_warps' is stated}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.loading_warps = 1 : i64, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @half_a_loading_warp(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects an i64 as 'mirage.loading_warps', got 5.000000e-01 : f32}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.loading_warps = 0.5 : f32, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @three_shares(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects two numbers of registers as 'mirage.register_shares', got 3}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.loading_warps = 4 : i64, mirage.register_shares = array<i64: 40, 40, 40>, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @shares_without_warps(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects 1 or more warps as 'mirage.loading_warps', got 0}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.register_shares = array<i64: 40, 232>, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @more_than_a_block_has(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects 0 to 232448 as 'mirage.shared_bytes', got 400000 for sm_90a}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 400000 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @unsigned_bytes(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects an i64 as 'mirage.shared_bytes', got 4096 : ui32}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 4096 : ui32} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @bytes_of_128_bits(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects an i64 as 'mirage.shared_bytes', got 4096 : i128}}
    %o = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.shared_bytes = 4096 : i128} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<8x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @blocks_of_no_loading_warps(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects warps that load ('mirage.loading_warps') where 'mirage.persistent_blocks' is stated}}
    %o = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.persistent_blocks = 2 : i64, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<2x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<2x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<2x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @no_blocks(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects 1 to the 4 blocks of the grid as 'mirage.persistent_blocks', got 0}}
    %o = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.loading_warps = 4 : i64, mirage.persistent_blocks = 0 : i64, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<2x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<2x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<2x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @more_blocks(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects 1 to the 4 blocks of the grid as 'mirage.persistent_blocks', got 5}}
    %o = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.loading_warps = 4 : i64, mirage.persistent_blocks = 5 : i64, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<2x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<2x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<2x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @blocks_of_i32(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects an i64 as 'mirage.persistent_blocks', got 2 : i32}}
    %o = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.loading_warps = 4 : i64, mirage.persistent_blocks = 2 : i32, mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<2x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<2x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<2x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @blocks_of_one_launch(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects no 'mirage.persistent_blocks' of a kernel that shares its launch with another one}}
    %p = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.input_offsets = array<i64: 0>, mirage.loading_warps = 4 : i64, mirage.persistent_blocks = 4 : i64, mirage.shared_bytes = 512 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %y = mirage_block.exp %t {mirage.barrier, mirage.offsets = array<i64: 256>} : tensor<1x64xf32>
      mirage_block.yield %y {mirage.barrier} : tensor<1x64xf32>
    }
    %o = mirage_block.graph grid(x = 1) threads(32) ins(%p imap()) outs(omap()) {mirage.input_offsets = array<i64: 0>, mirage.launch_barrier = "last_arrival", mirage.shared_bytes = 4096 : i64} : (tensor<8x64xf32>) -> tensor<1x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %s = mirage_block.sum %t dims [0] {mirage.barrier, mirage.offsets = array<i64: 2048>} : tensor<8x64xf32>
      mirage_block.yield %s {mirage.barrier} : tensor<1x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x64xf32>
  } : tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}
