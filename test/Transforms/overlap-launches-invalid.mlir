// RUN: mirage-opt %s --mirage-plan-device-memory --split-input-file --verify-diagnostics

func.func @first(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    // expected-error @below {{expects 'mirage.dependent_launch' of the first kernel of a launch that follows another one, got it of kernel 0 of launch 0}}
    %q = mirage_block.graph grid(x = 2) threads(64) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.dependent_launch} : (tensor<8x64xf16>) -> tensor<8x64xf16> {
    ^bb0(%t: tensor<4x64xf16>):
      %u = mirage_block.exp %t : tensor<4x64xf16>
      mirage_block.yield %u : tensor<4x64xf32>
    }
    mirage_kernel.yield %q : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// -----

func.func @number(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %q = mirage_block.graph grid(x = 2) threads(64) ins(%a imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf16>) -> tensor<8x64xf16> {
    ^bb0(%t: tensor<4x64xf16>):
      %u = mirage_block.exp %t : tensor<4x64xf16>
      mirage_block.yield %u : tensor<4x64xf32>
    }
    // expected-error @below {{expects a unit attribute as 'mirage.dependent_launch', got 1 : i64}}
    %s = mirage_block.graph grid(x = 2) threads(64) ins(%q imap(x -> 0)) outs(omap(x -> 0)) {mirage.dependent_launch = 1} : (tensor<8x64xf16>) -> tensor<8x64xf16> {
    ^bb0(%t: tensor<4x64xf16>):
      %u = mirage_block.exp %t : tensor<4x64xf16>
      mirage_block.yield %u : tensor<4x64xf32>
    }
    mirage_kernel.yield %s : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// -----

func.func @last_admits(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %q = mirage_block.graph grid(x = 2) threads(64) ins(%a imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf16>) -> tensor<8x64xf16> {
    ^bb0(%t: tensor<4x64xf16>):
      %u = mirage_block.exp %t : tensor<4x64xf16>
      mirage_block.yield %u : tensor<4x64xf32>
    }
    // expected-error @below {{expects 'mirage.admits_next_launch' of the first kernel of a launch that one with 'mirage.dependent_launch' follows, got it of kernel 0 of launch 1}}
    %s = mirage_block.graph grid(x = 2) threads(64) ins(%q imap(x -> 0)) outs(omap(x -> 0)) {mirage.dependent_launch, mirage.admits_next_launch} : (tensor<8x64xf16>) -> tensor<8x64xf16> {
    ^bb0(%t: tensor<4x64xf16>):
      %u = mirage_block.exp %t : tensor<4x64xf16>
      mirage_block.yield %u : tensor<4x64xf32>
    }
    mirage_kernel.yield %s : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// -----

func.func @next_waits_for_the_end(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    // expected-error @below {{expects 'mirage.admits_next_launch' of the first kernel of a launch that one with 'mirage.dependent_launch' follows, got it of kernel 0 of launch 0}}
    %q = mirage_block.graph grid(x = 2) threads(64) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.admits_next_launch} : (tensor<8x64xf16>) -> tensor<8x64xf16> {
    ^bb0(%t: tensor<4x64xf16>):
      %u = mirage_block.exp %t : tensor<4x64xf16>
      mirage_block.yield %u : tensor<4x64xf32>
    }
    %s = mirage_block.graph grid(x = 2) threads(64) ins(%q imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf16>) -> tensor<8x64xf16> {
    ^bb0(%t: tensor<4x64xf16>):
      %u = mirage_block.exp %t : tensor<4x64xf16>
      mirage_block.yield %u : tensor<4x64xf32>
    }
    mirage_kernel.yield %s : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}
