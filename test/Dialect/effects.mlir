// What is computed twice is computed once, and what nobody reads not at all, at every
// level; what writes to memory stays, however often it does so.
// RUN: mirage-opt %s --cse | FileCheck %s --check-prefixes=CHECK,CSE
// RUN: mirage-opt %s --canonicalize | FileCheck %s --check-prefixes=CHECK,DCE

#row = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>

// CHECK-LABEL: func.func @kernel(
// CSE-NEXT: %[[R:.+]] = mirage_kernel.graph
// CSE-NEXT: ^bb0
// CSE-NEXT: mirage_kernel.exp
// CSE-NEXT: mirage_kernel.yield
// CSE-NEXT: }
// CSE-NEXT: return %[[R]], %[[R]]
// DCE-COUNT-2: mirage_kernel.graph
// DCE: return
func.func @kernel(%x: tensor<8x64xf16>, %e: tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>) {
  %0 = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %s = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %s : tensor<8x64xf16>
  } : tensor<8x64xf16>
  %1 = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %s = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %s : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %0, %1 : tensor<8x64xf16>, tensor<8x64xf16>
}

// Norms and parts as well.
// CHECK-LABEL: func.func @kernel_composed(
// CHECK-NOT: layer_norm
// CSE-COUNT-1: mirage_kernel.softmax
// CSE-COUNT-1: mirage_kernel.slice
// CSE-COUNT-1: mirage_kernel.constant
// CSE-NOT: {{softmax|slice|constant}}
// DCE-COUNT-2: mirage_kernel.softmax
// CHECK: return
func.func @kernel_composed(%x: tensor<8x64xf16>)
    -> (tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x3xf16>, tensor<8x3xf16>, tensor<3xf32>, tensor<3xf32>) {
  %0 = mirage_kernel.softmax %x dims [1] : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %1 = mirage_kernel.softmax %x dims [1] : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %2 = mirage_kernel.slice %x offsets [0, 5] strides [1, 2] : (tensor<8x64xf16>) -> tensor<8x3xf16>
  %3 = mirage_kernel.slice %x offsets [0, 5] strides [1, 2] : (tensor<8x64xf16>) -> tensor<8x3xf16>
  %4 = mirage_kernel.constant 0.5 : tensor<3xf32>
  %5 = mirage_kernel.constant 0.5 : tensor<3xf32>
  %6 = mirage_kernel.layer_norm %x dims [1] epsilon 0.0 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x3xf16>, tensor<8x3xf16>, tensor<3xf32>, tensor<3xf32>
}

// Another element type is another value.
// CHECK-LABEL: func.func @kernel_types(
// CSE-COUNT-2: mirage_kernel.exp
// CHECK: return
func.func @kernel_types(%x: tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<8x64xf32>) {
  %0 = mirage_kernel.exp %x : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %1 = mirage_kernel.exp %x : (tensor<8x64xf16>) -> tensor<8x64xf32>
  return %0, %1 : tensor<8x64xf16>, tensor<8x64xf32>
}

// CHECK-LABEL: func.func @block(
// CSE-NEXT: %[[B:.+]] = mirage_block.graph
// CSE-NEXT: ^bb0
// CSE-NEXT: mirage_block.square
// CSE-NEXT: %[[M:.+]] = mirage_block.accumulate
// CSE-NEXT: mirage_block.add %[[M]], %[[M]]
// CSE-NEXT: mirage_block.yield
// CSE-NEXT: }
// CSE-NEXT: return %[[B]], %[[B]]
func.func @block(%x: tensor<8x64xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>) {
  %0 = mirage_block.graph grid() threads(128) loop(2) ins(%x imap() fmap(1)) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x1xf32> {
  ^bb0(%t: tensor<8x32xf32>):
    %s = mirage_block.square %t : tensor<8x32xf32>
    %z = mirage_block.square %t : tensor<8x32xf32>
    %m = mirage_block.accumulate %s over loop sum dims [1] : tensor<8x32xf32>
    %n = mirage_block.accumulate %z over loop sum dims [1] : tensor<8x32xf32>
    %o = mirage_block.add %m, %n : tensor<8x1xf32>, tensor<8x1xf32>
    mirage_block.yield %o : tensor<8x1xf32>
  }
  %1 = mirage_block.graph grid() threads(128) loop(2) ins(%x imap() fmap(1)) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x1xf32> {
  ^bb0(%t: tensor<8x32xf32>):
    %s = mirage_block.square %t : tensor<8x32xf32>
    %z = mirage_block.square %t : tensor<8x32xf32>
    %m = mirage_block.accumulate %s over loop sum dims [1] : tensor<8x32xf32>
    %n = mirage_block.accumulate %z over loop sum dims [1] : tensor<8x32xf32>
    %o = mirage_block.add %m, %n : tensor<8x1xf32>, tensor<8x1xf32>
    mirage_block.yield %o : tensor<8x1xf32>
  }
  return %0, %1 : tensor<8x1xf32>, tensor<8x1xf32>
}

// A step of one schedule is not a step of another.
// CHECK-LABEL: func.func @block_schedules(
// CSE-COUNT-2: mirage_block.graph
// CHECK: return
func.func @block_schedules(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %0 = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) {mirage.shared_bytes = 128 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x64xf32>):
    mirage_block.yield %t : tensor<8x64xf32>
  }
  %1 = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) {mirage.shared_bytes = 256 : i64} : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x64xf32>):
    mirage_block.yield %t : tensor<8x64xf32>
  }
  return %0, %1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// CHECK-LABEL: func.func @thread(
// CSE-NEXT: %[[T:.+]] = mirage_thread.graph
// CSE-NEXT: ^bb0
// CSE-NEXT: %[[F:.+]] = mirage_thread.load
// CSE-NEXT: %[[E:.+]] = mirage_thread.exp %[[F]]
// CSE-NEXT: mirage_thread.add %[[E]], %[[E]]
// CSE-NEXT: mirage_thread.store
// CSE-NEXT: mirage_thread.yield
// CSE-NEXT: }
// CSE-NEXT: return %[[T]], %[[T]]
func.func @thread(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %0 = mirage_thread.graph items(x = 8) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%fw: tensor<1x64xf32>):
    %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #row>
    %e = mirage_thread.exp %f : (tensor<1x64xf32, #row>) -> tensor<1x64xf32, #row>
    %g = mirage_thread.exp %f : (tensor<1x64xf32, #row>) -> tensor<1x64xf32, #row>
    %s = mirage_thread.add %e, %g : (tensor<1x64xf32, #row>, tensor<1x64xf32, #row>) -> tensor<1x64xf32, #row>
    %ss = mirage_thread.store %s : (tensor<1x64xf32, #row>) -> tensor<1x64xf32>
    mirage_thread.yield %ss : tensor<1x64xf32>
  }
  %1 = mirage_thread.graph items(x = 8) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%fw: tensor<1x64xf32>):
    %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #row>
    %e = mirage_thread.exp %f : (tensor<1x64xf32, #row>) -> tensor<1x64xf32, #row>
    %g = mirage_thread.exp %f : (tensor<1x64xf32, #row>) -> tensor<1x64xf32, #row>
    %s = mirage_thread.add %e, %g : (tensor<1x64xf32, #row>, tensor<1x64xf32, #row>) -> tensor<1x64xf32, #row>
    %ss = mirage_thread.store %s : (tensor<1x64xf32, #row>) -> tensor<1x64xf32>
    mirage_thread.yield %ss : tensor<1x64xf32>
  }
  return %0, %1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// CHECK-LABEL: func.func @thread_on_memory(
// CHECK-COUNT-2: mirage_thread.graph
// CHECK: return
func.func @thread_on_memory(%x: memref<8x64xf32, 3>, %y: memref<8x64xf32, 3>) {
  mirage_thread.graph items(x = 8) ins(%x imap(x -> 0)) outs(%y omap(x -> 0)) : (memref<8x64xf32, 3>, memref<8x64xf32, 3>) -> () {
  ^bb0(%fw: tensor<1x64xf32>):
    %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #row>
    %sf = mirage_thread.store %f : (tensor<1x64xf32, #row>) -> tensor<1x64xf32>
    mirage_thread.yield %sf : tensor<1x64xf32>
  }
  mirage_thread.graph items(x = 8) ins(%x imap(x -> 0)) outs(%y omap(x -> 0)) : (memref<8x64xf32, 3>, memref<8x64xf32, 3>) -> () {
  ^bb0(%fw: tensor<1x64xf32>):
    %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #row>
    %sf = mirage_thread.store %f : (tensor<1x64xf32, #row>) -> tensor<1x64xf32>
    mirage_thread.yield %sf : tensor<1x64xf32>
  }
  return
}

// CHECK-LABEL: func.func @unused(
// DCE-NEXT: return %{{.*}} : tensor<8x64xf32>
func.func @unused(%x: tensor<8x64xf32>, %e: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %k = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    mirage_kernel.yield %a : tensor<8x64xf32>
  } : tensor<8x64xf32>
  %s = mirage_kernel.sum %x dims [1] : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %b = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%t: tensor<8x64xf32>):
    mirage_block.yield %t : tensor<8x64xf32>
  }
  %t = mirage_thread.graph items(x = 8) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%fw: tensor<1x64xf32>):
    %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #row>
    %sf = mirage_thread.store %f : (tensor<1x64xf32, #row>) -> tensor<1x64xf32>
    mirage_thread.yield %sf : tensor<1x64xf32>
  }
  return %x : tensor<8x64xf32>
}

// CHECK-LABEL: func.func @unused_inside(
// DCE: mirage_kernel.graph
// DCE-NEXT: ^bb0
// DCE-NEXT: mirage_block.graph
// DCE-NEXT: ^bb0
// DCE-NEXT: mirage_thread.graph
// DCE-NEXT: ^bb0
// DCE-NEXT: mirage_thread.load
// DCE-NEXT: mirage_thread.store
// DCE-NEXT: mirage_thread.yield
func.func @unused_inside(%x: tensor<8x64xf32>, %e: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %k = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %b = mirage_block.graph grid() threads(128) ins(%a imap()) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %1 = mirage_block.max %t dims [1] : tensor<8x64xf32>
      %u = mirage_thread.graph items(x = 8) ins(%t imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
      ^bb0(%fw: tensor<1x64xf32>):
        %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #row>
        %2 = mirage_thread.exp %f : (tensor<1x64xf32, #row>) -> tensor<1x64xf32, #row>
        %sf = mirage_thread.store %f : (tensor<1x64xf32, #row>) -> tensor<1x64xf32>
        mirage_thread.yield %sf : tensor<1x64xf32>
      }
      mirage_block.yield %u : tensor<8x64xf32>
    }
    mirage_kernel.yield %b : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %k : tensor<8x64xf32>
}
