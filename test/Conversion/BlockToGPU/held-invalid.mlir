// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --split-input-file --verify-diagnostics

func.func @stored(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: tensor<16x16xf32>):
    %o = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%t: tensor<16x16xf32>):
      // expected-error @below {{expects, where 'mirage.held' is stated, users that read it where it is held, got 'mirage_block.yield'}}
      %y = mirage_thread.graph items(x = 2) ins(%t imap(x -> 1)) outs(omap(x -> 1)) {mirage.held} : (tensor<16x16xf32>) -> tensor<16x16xf32> {
      ^bb0(%w: tensor<16x8xf32>):
        %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
        %v = mirage_thread.store %f : (tensor<16x8xf32, #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>) -> tensor<16x8xf32>
        mirage_thread.yield %v : tensor<16x8xf32>
      }
      mirage_block.yield %y : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

func.func @no_warps(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: tensor<16x16xf32>):
    %o = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%t: tensor<16x16xf32>):
      // expected-error @below {{expects no 'mirage.held', which is of mirage_thread.graph and mirage_block.accumulate and mirage_block.mask and mirage_block.causal_mask}}
      %y = mirage_block.exp %t {mirage.held} : tensor<16x16xf32>
      %z = mirage_block.neg %y : tensor<16x16xf32>
      mirage_block.yield %z : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

// The sum lies in shared memory while it grows.
func.func @not_carried(%x: tensor<16x64xf32>) -> tensor<16x1xf32> {
  %e = tensor.empty() : tensor<16x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x1xf32>) {
  ^bb0(%a: tensor<16x64xf32>):
    %o = mirage_block.graph grid() threads(32) loop(4) ins(%a imap() fmap(1)) outs(omap()) : (tensor<16x64xf32>) -> tensor<16x1xf32> {
    ^bb0(%t: tensor<16x16xf32>):
      %y = mirage_block.sum %t dims [1] : tensor<16x16xf32>
      // expected-error @below {{expects, where 'mirage.held' is stated, a result of items that warps hold as a linear layout, or an accumulation or a mask of one that is held}}
      %s = mirage_block.accumulate %y over loop sum {mirage.held} : tensor<16x1xf32>
      %z = mirage_block.sqrt %s : tensor<16x1xf32>
      mirage_block.yield %z : tensor<16x1xf32>
    }
    mirage_kernel.yield %o : tensor<16x1xf32>
  } : tensor<16x1xf32>
  return %r : tensor<16x1xf32>
}

// -----

// A sum of rows does not grow where their elements are held.
func.func @sum_of_rows(%x: tensor<16x64xf32>) -> tensor<16x1xf32> {
  %e = tensor.empty() : tensor<16x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x1xf32>) {
  ^bb0(%a: tensor<16x64xf32>):
    %o = mirage_block.graph grid() threads(32) loop(4) ins(%a imap() fmap(1)) outs(omap()) : (tensor<16x64xf32>) -> tensor<16x1xf32> {
    ^bb0(%t: tensor<16x16xf32>):
      // expected-error @below {{expects, where 'mirage.held' is stated, users that read it where it is held, got 'mirage_block.accumulate'}}
      %y = mirage_thread.graph items(x = 2) ins(%t imap(x -> 1)) outs(omap(x -> 1)) {mirage.held} : (tensor<16x16xf32>) -> tensor<16x16xf32> {
      ^bb0(%w: tensor<16x8xf32>):
        %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
        %v = mirage_thread.store %f : (tensor<16x8xf32, #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>) -> tensor<16x8xf32>
        mirage_thread.yield %v : tensor<16x8xf32>
      }
      %s = mirage_block.accumulate %y over loop sum dims [1] : tensor<16x16xf32>
      mirage_block.yield %s : tensor<16x1xf32>
    }
    mirage_kernel.yield %o : tensor<16x1xf32>
  } : tensor<16x1xf32>
  return %r : tensor<16x1xf32>
}

// -----

// Beyond nine columns registers hold exp 0, and a sum of sixteen wants zeros.
func.func @beyond_the_edge(%x: tensor<8x9xf32>) -> tensor<8x1xf32> {
  %e = tensor.empty() : tensor<8x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x9xf32>) outs(%e : tensor<8x1xf32>) {
  ^bb0(%a: tensor<8x9xf32>):
    %o = mirage_block.graph grid() threads(64) ins(%a imap()) outs(omap()) : (tensor<8x9xf32>) -> tensor<8x1xf32> {
    ^bb0(%t: tensor<8x9xf32>):
      // expected-error @below {{expects, where 'mirage.held' is stated, users that read it where it is held, got 'mirage_thread.graph'}}
      %p = mirage_thread.graph items(x = 4) ins(%t imap(x -> 0)) outs(omap(x -> 0)) {mirage.held} : (tensor<8x9xf32>) -> tensor<8x9xf32> {
      ^bb0(%w: tensor<2x16xf32>):
        %f = mirage_thread.load %w : (tensor<2x16xf32>) -> tensor<2x16xf32, #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]]>>
        %g = mirage_thread.exp %f : (tensor<2x16xf32, #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]]>>) -> tensor<2x16xf32, #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]]>>
        %v = mirage_thread.store %g : (tensor<2x16xf32, #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]]>>) -> tensor<2x16xf32>
        mirage_thread.yield %v : tensor<2x16xf32>
      }
      %q = mirage_thread.graph items(x = 4) ins(%p imap(x -> 0) fmap(1)) outs(omap(x -> 0)) : (tensor<8x9xf32>) -> tensor<8x1xf32> {
      ^bb0(%w: tensor<2x16xf32>):
        %f = mirage_thread.load %w : (tensor<2x16xf32>) -> tensor<2x16xf32, #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]]>>
        %s = mirage_thread.accumulate %f over loop sum dims [1] : (tensor<2x16xf32, #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]]>>) -> tensor<2x1xf32, #mirage_thread.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]]>>
        %v = mirage_thread.store %s : (tensor<2x1xf32, #mirage_thread.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 0]]>>) -> tensor<2x1xf32>
        mirage_thread.yield %v : tensor<2x1xf32>
      }
      mirage_block.yield %q : tensor<8x1xf32>
    }
    mirage_kernel.yield %o : tensor<8x1xf32>
  } : tensor<8x1xf32>
  return %r : tensor<8x1xf32>
}

// -----

// Of what is held each reads its own rows; but the fourth of three items along y would be
// the first of the next along x, in another operand and in the result.
func.func @rounded_up(%x: tensor<16x8xf32>, %y: tensor<48x8xf32>) -> tensor<48x8xf32> {
  %e = tensor.empty() : tensor<48x8xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<16x8xf32>, tensor<48x8xf32>) outs(%e : tensor<48x8xf32>) {
  ^bb0(%a: tensor<16x8xf32>, %b: tensor<48x8xf32>):
    %o = mirage_block.graph grid() threads(64) ins(%a imap(), %b imap()) outs(omap()) : (tensor<16x8xf32>, tensor<48x8xf32>) -> tensor<48x8xf32> {
    ^bb0(%t: tensor<16x8xf32>, %u: tensor<48x8xf32>):
      // expected-error @below {{expects, where 'mirage.held' is stated, users that read it where it is held, got 'mirage_thread.graph'}}
      %p = mirage_thread.graph items(x = 2, y = 3) ins(%t imap(x -> 0)) outs(omap(x -> 0)) {mirage.held} : (tensor<16x8xf32>) -> tensor<16x8xf32> {
      ^bb0(%w: tensor<8x8xf32>):
        %f = mirage_thread.load %w : (tensor<8x8xf32>) -> tensor<8x8xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
        %v = mirage_thread.store %f : (tensor<8x8xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>) -> tensor<8x8xf32>
        mirage_thread.yield %v : tensor<8x8xf32>
      }
      %q = mirage_thread.graph items(x = 2, y = 3) ins(%p imap(x -> 0), %u imap(x -> 0, y -> 0)) outs(omap(x -> 0, y -> 0)) : (tensor<16x8xf32>, tensor<48x8xf32>) -> tensor<48x8xf32> {
      ^bb0(%w: tensor<8x8xf32>, %z: tensor<8x8xf32>):
        %f = mirage_thread.load %w : (tensor<8x8xf32>) -> tensor<8x8xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
        %g = mirage_thread.load %z : (tensor<8x8xf32>) -> tensor<8x8xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
        %h = mirage_thread.add %f, %g : (tensor<8x8xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>, tensor<8x8xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>) -> tensor<8x8xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
        %v = mirage_thread.store %h : (tensor<8x8xf32, #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>) -> tensor<8x8xf32>
        mirage_thread.yield %v : tensor<8x8xf32>
      }
      mirage_block.yield %q : tensor<48x8xf32>
    }
    mirage_kernel.yield %o : tensor<48x8xf32>
  } : tensor<48x8xf32>
  return %r : tensor<48x8xf32>
}

// -----

// What is masked lies in shared memory.
func.func @mask_of_a_tile(%x: tensor<16x60xf32>) -> tensor<16x1xf32> {
  %e = tensor.empty() : tensor<16x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<16x60xf32>) outs(%e : tensor<16x1xf32>) {
  ^bb0(%a: tensor<16x60xf32>):
    %o = mirage_block.graph grid() threads(32) loop(4) ins(%a imap() fmap(1)) outs(omap()) : (tensor<16x60xf32>) -> tensor<16x1xf32> {
    ^bb0(%t: tensor<16x16xf32>):
      // expected-error @below {{expects, where 'mirage.held' is stated, a result of items that warps hold as a linear layout, or an accumulation or a mask of one that is held}}
      %m = mirage_block.mask %t dims [1] axes ["loop"] extent 60 value 1.0 {mirage.held} : tensor<16x16xf32>
      %s = mirage_block.accumulate %m over loop sum dims [1] : tensor<16x16xf32>
      mirage_block.yield %s : tensor<16x1xf32>
    }
    mirage_kernel.yield %o : tensor<16x1xf32>
  } : tensor<16x1xf32>
  return %r : tensor<16x1xf32>
}

// -----

func.func @shares_of_nothing(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: tensor<16x16xf32>):
    %o = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%t: tensor<16x16xf32>):
      // expected-error @below {{expects, where 'mirage.held_shares' is stated, a result that warps hold ('mirage.held'), or an operand}}
      %y = mirage_thread.graph items(x = 2) ins(%t imap(x -> 1)) outs(omap(x -> 1)) {mirage.held_shares} : (tensor<16x16xf32>) -> tensor<16x16xf32> {
      ^bb0(%w: tensor<16x8xf32>):
        %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
        %v = mirage_thread.store %f : (tensor<16x8xf32, #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>) -> tensor<16x8xf32>
        mirage_thread.yield %v : tensor<16x8xf32>
      }
      mirage_block.yield %y : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

// Two of eight warps have a share each; the reader has its items as warps have numbers, where the
// others repeat those of the two.
#e = #mirage_thread.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]]>
func.func @shares_read_by_warps(%x: tensor<128xf32>) -> tensor<128xf32> {
  %e = tensor.empty() : tensor<128xf32>
  %r = mirage_kernel.graph ins(%x : tensor<128xf32>) outs(%e : tensor<128xf32>) {
  ^bb0(%a: tensor<128xf32>):
    %o = mirage_block.graph grid() threads(256) ins(%a imap()) outs(omap()) : (tensor<128xf32>) -> tensor<128xf32> {
    ^bb0(%t: tensor<128xf32>):
      // expected-error @below {{expects, where 'mirage.held' is stated, users that read it where it is held, got 'mirage_thread.graph'}}
      %y = mirage_thread.graph items(x = 2) ins(%t imap(x -> 0)) outs(omap(x -> 0)) {mirage.held, mirage.held_shares} : (tensor<128xf32>) -> tensor<128xf32> {
      ^bb0(%w: tensor<64xf32>):
        %f = mirage_thread.load %w : (tensor<64xf32>) -> tensor<64xf32, #e>
        %v = mirage_thread.store %f : (tensor<64xf32, #e>) -> tensor<64xf32>
        mirage_thread.yield %v : tensor<64xf32>
      }
      %z = mirage_thread.graph items(x = 2) ins(%y imap(x -> 0)) outs(omap(x -> 0)) : (tensor<128xf32>) -> tensor<128xf32> {
      ^bb0(%w: tensor<64xf32>):
        %f = mirage_thread.load %w : (tensor<64xf32>) -> tensor<64xf32, #e>
        %v = mirage_thread.store %f : (tensor<64xf32, #e>) -> tensor<64xf32>
        mirage_thread.yield %v : tensor<64xf32>
      }
      mirage_block.yield %z : tensor<128xf32>
    }
    mirage_kernel.yield %o : tensor<128xf32>
  } : tensor<128xf32>
  return %r : tensor<128xf32>
}
