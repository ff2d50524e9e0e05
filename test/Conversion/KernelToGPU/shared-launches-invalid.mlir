// Whether kernels can share a launch is seen from their graphs, whoever says so.
// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --split-input-file --verify-diagnostics

func.func @no_name(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    // expected-error @below {{expects a string as 'mirage.launch_barrier', got 7 : i64}}
    %o = mirage_block.graph grid(x = 1) threads(32) loop(8) ins(%p imap() fmap(0)) outs(omap()) {mirage.launch_barrier = 7}
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

func.func @own_launch(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    // expected-error @below {{expects "last_arrival" or "cluster" as 'mirage.launch_barrier', got "launch"}}
    %o = mirage_block.graph grid(x = 1) threads(32) loop(8) ins(%p imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "launch"}
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

func.func @threads(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 8) threads(64) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    // expected-error @below {{expects as many threads as the kernel whose launch it shares, 64, got 32}}
    %o = mirage_block.graph grid(x = 1) threads(32) loop(8) ins(%p imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "last_arrival"}
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

func.func @no_cluster(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    // expected-error @below {{expects a kernel before it whose clusters are the 8 blocks along x}}
    %o = mirage_block.graph grid(x = 1) threads(32) loop(8) ins(%p imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "cluster"}
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

func.func @other_cluster(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 8) cluster(x = 4) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    // expected-error @below {{expects a kernel before it whose clusters are the 8 blocks along x}}
    %o = mirage_block.graph grid(x = 1) threads(32) loop(8) ins(%p imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "cluster"}
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

func.func @other_grid(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    // expected-error @below {{expects a kernel that joins blocks of the kernel before it along one grid axis in order to share its launch}}
    %o = mirage_block.graph grid(x = 2) threads(32) loop(8) ins(%p imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "last_arrival"}
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

// The first kernel has none before it.
func.func @first(%x: tensor<8x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    // expected-error @below {{expects a kernel that joins blocks of the kernel before it}}
    %o = mirage_block.graph grid() threads(32) loop(8) ins(%a imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "last_arrival"}
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

// A block of the second kernel reads what blocks with other coordinates along x wrote.
func.func @crossed(%x: tensor<4x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: tensor<4x64xf32>):
    %p = mirage_block.graph grid(x = 4, y = 4) threads(32) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    ^bb0(%t: tensor<1x16xf32>):
      %m = mirage_block.exp %t : tensor<1x16xf32>
      mirage_block.yield %m : tensor<1x16xf32>
    }
    // expected-error @below {{expects a kernel that joins blocks of the kernel before it}}
    %o = mirage_block.graph grid(x = 4, y = 1) threads(32) loop(4) ins(%p imap(x -> 1) fmap(0)) outs(omap(x -> 1)) {mirage.launch_barrier = "last_arrival"}
        : (tensor<4x64xf32>) -> tensor<1x64xf32> {
    ^bb0(%t: tensor<1x16xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<1x16xf32>
      mirage_block.yield %m : tensor<1x16xf32>
    }
    mirage_kernel.yield %o : tensor<1x64xf32>
  } : tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

// -----

// Here both along one dimension, in another order.
func.func @both(%x: tensor<8x64xf32>) -> tensor<4x64xf32> {
  %e = tensor.empty() : tensor<4x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 4, y = 2) threads(32) ins(%a imap(x -> 0, y -> 0)) outs(omap(x -> 0, y -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    // expected-error @below {{expects a kernel that joins blocks of the kernel before it}}
    %o = mirage_block.graph grid(x = 4, y = 1) threads(32) loop(2) ins(%p imap(x -> 0) fmap(0)) outs(omap(x -> 0)) {mirage.launch_barrier = "last_arrival"}
        : (tensor<8x64xf32>) -> tensor<4x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    mirage_kernel.yield %o : tensor<4x64xf32>
  } : tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// -----

// A view of what the first kernel wrote has its elements elsewhere.
func.func @view(%x: tensor<8x64xf32>) -> tensor<1x32xf32> {
  %e = tensor.empty() : tensor<1x32xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<1x32xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 8) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<1x64xf32>):
      %m = mirage_block.exp %t : tensor<1x64xf32>
      mirage_block.yield %m : tensor<1x64xf32>
    }
    %v = mirage_kernel.reshape %p : (tensor<8x64xf32>) -> tensor<16x32xf32>
    // expected-error @below {{expects a kernel that joins blocks of the kernel before it}}
    %o = mirage_block.graph grid(x = 1) threads(32) loop(16) ins(%v imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "last_arrival"}
        : (tensor<16x32xf32>) -> tensor<1x32xf32> {
    ^bb0(%t: tensor<1x32xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<1x32xf32>
      mirage_block.yield %m : tensor<1x32xf32>
    }
    mirage_kernel.yield %o : tensor<1x32xf32>
  } : tensor<1x32xf32>
  return %r : tensor<1x32xf32>
}

// -----

func.func @cluster_then_grid(%x: tensor<8x64xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 2, y = 4) cluster(y = 4) threads(32) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %m = mirage_block.exp %t : tensor<4x16xf32>
      mirage_block.yield %m : tensor<4x16xf32>
    }
    %q = mirage_block.graph grid(x = 2, y = 1) threads(32) loop(4) ins(%p imap(x -> 0) fmap(1)) outs(omap(x -> 0)) {mirage.launch_barrier = "cluster"}
        : (tensor<8x64xf32>) -> tensor<8x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<4x16xf32>
      mirage_block.yield %m : tensor<4x16xf32>
    }
    // expected-error @below {{expects no barrier of clusters where more than two kernels share a launch}}
    %o = mirage_block.graph grid(x = 1, y = 1) threads(32) loop(2) ins(%q imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "last_arrival"}
        : (tensor<8x16xf32>) -> tensor<4x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<4x16xf32>
      mirage_block.yield %m : tensor<4x16xf32>
    }
    mirage_kernel.yield %o : tensor<4x16xf32>
  } : tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

func.func @grid_then_cluster(%x: tensor<8x64xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = mirage_block.graph grid(x = 2, y = 4) threads(32) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %m = mirage_block.exp %t : tensor<4x16xf32>
      mirage_block.yield %m : tensor<4x16xf32>
    }
    %q = mirage_block.graph grid(x = 2, y = 1) cluster(x = 2) threads(32) loop(4) ins(%p imap(x -> 0) fmap(1)) outs(omap(x -> 0)) {mirage.launch_barrier = "last_arrival"}
        : (tensor<8x64xf32>) -> tensor<8x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<4x16xf32>
      mirage_block.yield %m : tensor<4x16xf32>
    }
    // expected-error @below {{expects no barrier of clusters where more than two kernels share a launch}}
    %o = mirage_block.graph grid(x = 1, y = 1) threads(32) loop(2) ins(%q imap() fmap(0)) outs(omap()) {mirage.launch_barrier = "cluster"}
        : (tensor<8x16xf32>) -> tensor<4x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<4x16xf32>
      mirage_block.yield %m : tensor<4x16xf32>
    }
    mirage_kernel.yield %o : tensor<4x16xf32>
  } : tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

// All blocks have a part in what comes then.
func.func @all_go_on(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %e = tensor.empty() : tensor<4x64xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%a: tensor<4x64xf32>):
    %p = mirage_block.graph grid(x = 4) threads(32) ins(%a imap(x -> 1)) outs(omap(x -> 1))
        : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %m = mirage_block.exp %t : tensor<4x16xf32>
      mirage_block.yield %m : tensor<4x16xf32>
    }
    // expected-error @below {{expects one block to go on of those that are joined, got all 4 blocks along x}}
    %o = mirage_block.graph grid(x = 4) threads(32) ins(%p imap(x -> 1)) outs(omap(x -> 1)) {mirage.launch_barrier = "last_arrival"}
        : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %m = mirage_block.exp %t : tensor<4x16xf32>
      mirage_block.yield %m : tensor<4x16xf32>
    }
    mirage_kernel.yield %o : tensor<4x64xf32>
  } : tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// -----

func.func @cross(%x: tensor<8x8x64xf32>) -> (tensor<1x64xf32>, tensor<8x64xf32>) {
  %e = tensor.empty() : tensor<8x64xf32>
  %e2 = tensor.empty() : tensor<1x64xf32>
  %r:2 = mirage_kernel.graph ins(%x : tensor<8x8x64xf32>) outs(%e2, %e : tensor<1x64xf32>, tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x8x64xf32>):
    %p = mirage_block.graph grid(x = 8, y = 8, z = 2) threads(32) ins(%a imap(x -> 0, y -> 1, z -> 2)) outs(omap(x -> 0, y -> 1, z -> 2))
        : (tensor<8x8x64xf32>) -> tensor<8x8x64xf32> {
    ^bb0(%t: tensor<1x1x32xf32>):
      %m = mirage_block.exp %t : tensor<1x1x32xf32>
      mirage_block.yield %m : tensor<1x1x32xf32>
    }
    %q = mirage_block.graph grid(x = 8, y = 1, z = 2) threads(32) loop(8) ins(%p imap(x -> 0, z -> 2) fmap(1)) outs(omap(x -> 0, z -> 2)) {mirage.launch_barrier = "last_arrival"}
        : (tensor<8x8x64xf32>) -> tensor<8x1x64xf32> {
    ^bb0(%t: tensor<1x1x32xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<1x1x32xf32>
      mirage_block.yield %m : tensor<1x1x32xf32>
    }
    // expected-error @below {{expects a kernel that reads of its launch what the kernel before it wrote, got one that reads what others before that did}}
    %o:2 = mirage_block.graph grid(x = 1, y = 1, z = 2) threads(32) loop(8) ins(%q imap(z -> 2) fmap(0), %p imap(z -> 1) fmap(0)) outs(omap(z -> 1), omap(z -> 0)) {mirage.launch_barrier = "last_arrival"}
        : (tensor<8x1x64xf32>, tensor<8x8x64xf32>) -> (tensor<1x64xf32>, tensor<8x64xf32>) {
    ^bb0(%t: tensor<1x1x32xf32>, %u: tensor<1x4x64xf32>):
      %m = mirage_block.accumulate %t over loop sum : tensor<1x1x32xf32>
      %n = mirage_block.accumulate %u over loop sum : tensor<1x4x64xf32>
      %mm = mirage_block.reshape %m : (tensor<1x1x32xf32>) -> tensor<1x32xf32>
      %nn = mirage_block.reshape %n : (tensor<1x4x64xf32>) -> tensor<4x64xf32>
      mirage_block.yield %mm, %nn : tensor<1x32xf32>, tensor<4x64xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<1x64xf32>, tensor<8x64xf32>
  } : tensor<1x64xf32>, tensor<8x64xf32>
  return %r#0, %r#1 : tensor<1x64xf32>, tensor<8x64xf32>
}
