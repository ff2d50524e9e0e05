// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --split-input-file --verify-diagnostics

func.func @left_outside(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %e = tensor.empty() : tensor<4x8xf16>
  // expected-error @below {{expects nothing but kernel graphs in a function that is compiled, got 'arith.addf'}}
  %y = arith.addf %x, %x : tensor<4x8xf16>
  %r = mirage_kernel.graph ins(%y : tensor<4x8xf16>) outs(%e : tensor<4x8xf16>) {
  ^bb0(%a: tensor<4x8xf16>):
    %0 = mirage_kernel.exp %a : (tensor<4x8xf16>) -> tensor<4x8xf16>
    mirage_kernel.yield %0 : tensor<4x8xf16>
  } : tensor<4x8xf16>
  return %r : tensor<4x8xf16>
}

// -----

func.func @operator(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %e = tensor.empty() : tensor<4x8xf16>
  %r = mirage_kernel.graph ins(%x : tensor<4x8xf16>) outs(%e : tensor<4x8xf16>) {
  ^bb0(%a: tensor<4x8xf16>):
    // expected-error @below {{expects a block graph in place of each operator (--mirage-assign-default-blocks), got 'mirage_kernel.exp'}}
    %0 = mirage_kernel.exp %a : (tensor<4x8xf16>) -> tensor<4x8xf16>
    mirage_kernel.yield %0 : tensor<4x8xf16>
  } : tensor<4x8xf16>
  return %r : tensor<4x8xf16>
}

// -----

func.func @unplanned(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%a: tensor<64x64xf16>):
    // expected-error @below {{expects a block graph with a plan; --mirage-plan-shared-memory makes one}}
    %o = mirage_block.graph grid(x = 8) threads(128) loop(1)
        ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<64x64xf16>) -> tensor<64x64xf16> {
    ^bb0(%xt: tensor<8x64xf16>):
      %y = mirage_block.exp %xt : tensor<8x64xf16>
      mirage_block.yield %y : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<64x64xf16>
  } : tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}
