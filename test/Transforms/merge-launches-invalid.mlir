// RUN: mirage-opt %s --mirage-merge-launches --split-input-file --verify-diagnostics
// RUN: not mirage-opt %s --mirage-merge-launches=target=sm_70 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: expects one of the targets sm_80, {{.*}}, got 'sm_70'

func.func @unplanned(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects a block graph with a plan of shared memory; --mirage-plan-shared-memory makes one ('mirage.shared_bytes' is missing)}}
    %p = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    %o = mirage_block.graph grid(x = 1) threads(32) loop(8) ins(%p imap() fmap(0)) outs(omap()) {mirage.shared_bytes = 256 : i64}
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

func.func @more_registers_than_there_are(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects 0 to 255 as 'mirage.row_registers', got 256}}
    %o = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.row_registers = 256 : i64, mirage.shared_bytes = 256 : i64}
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

func.func @negative(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects 0 to 232448 as 'mirage.shared_bytes', got -1024 for sm_90a}}
    %o = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0)) {mirage.shared_bytes = -1024 : i64}
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    mirage_kernel.yield %o : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}
