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

// -----

func.func @cluster(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%a: tensor<64x64xf16>):
    // expected-error @below {{expects no cluster but before a kernel that joins its blocks in the same launch; --mirage-merge-launches drops others}}
    %o = mirage_block.graph grid(x = 8) cluster(x = 4) threads(128)
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

// -----

func.func @join(%x: tensor<64x64xf16>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<64x64xf16>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<64x64xf16>):
    %o = mirage_block.graph grid(x = 8) threads(128)
        ins(%a imap(x -> 0)) outs(omap())
        : (tensor<64x64xf16>) -> tensor<8x64xf32> {
    ^bb0(%xt: tensor<8x64xf16>):
      // expected-error @below {{expects an accumulation over the loop, got one over x; --mirage-split-grid-joins makes two kernels of it}}
      %y = mirage_block.accumulate %xt over x sum : tensor<8x64xf16>
      mirage_block.yield %y : tensor<8x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

func.func @rescaled(%x: tensor<8x64xf16>, %m: tensor<8x8xf16>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %r = mirage_kernel.graph ins(%x, %m : tensor<8x64xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x8xf16>):
    %o = mirage_block.graph grid() threads(128) loop(8)
        ins(%a imap() fmap(1), %b imap() fmap(1)) outs(omap())
        : (tensor<8x64xf16>, tensor<8x8xf16>) -> tensor<8x8xf32> {
    ^bb0(%at: tensor<8x8xf16>, %bt: tensor<8x1xf16>):
      // expected-error @below {{expects a running maximum behind a sum that is rescaled; --mirage-keep-running-maxima makes one}}
      %y = mirage_block.accumulate %at over loop sum rescale by %bt : tensor<8x8xf16>, tensor<8x1xf16>
      mirage_block.yield %y : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<8x8xf32>
  } : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
