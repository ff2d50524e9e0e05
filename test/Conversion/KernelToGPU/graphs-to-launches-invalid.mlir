// RUN: mirage-opt %s --convert-mirage-graphs-to-launches --split-input-file --verify-diagnostics

func.func @on_tensors(%x: tensor<8x64xf16>, %e: tensor<8x64xf16>) -> tensor<8x64xf16> {
  // expected-error @below {{expects a kernel graph on memrefs; --one-shot-bufferize makes one}}
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// -----

// An operator that has no block graph has no kernel.
func.func @no_block(%x: memref<8x64xf16>, %e: memref<8x64xf16>) {
  mirage_kernel.graph ins(%x : memref<8x64xf16>) outs(%e : memref<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    // expected-error @below {{expects a block graph in place of each operator (--mirage-assign-default-blocks), got 'mirage_kernel.exp'}}
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  }
  return
}

// -----

func.func @no_plan(%x: memref<8x16xf32>, %e: memref<8x16xf32>) {
  // expected-error @below {{expects a kernel graph with a plan of device memory; --mirage-plan-device-memory makes one ('mirage.workspace_bytes' is missing)}}
  mirage_kernel.graph ins(%x : memref<8x16xf32>) outs(%e : memref<8x16xf32>) {
  ^bb0(%a: tensor<8x16xf32>):
    %0 = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
    ^bb0(%t: tensor<8x16xf32>):
      %y = mirage_block.exp %t : tensor<8x16xf32>
      mirage_block.yield %y : tensor<8x16xf32>
    }
    mirage_kernel.yield %0 : tensor<8x16xf32>
  }
  return
}

// -----

// Its init would be written by nobody.
func.func @not_written(%x: memref<8x16xf32>, %e: memref<8x16xf32>) {
  mirage_kernel.graph ins(%x : memref<8x16xf32>) outs(%e : memref<8x16xf32>) {
  ^bb0(%a: tensor<8x16xf32>):
    // expected-error @below {{expects each result to be written by a kernel of its own (--mirage-materialize-results), result 0 is not}}
    mirage_kernel.yield %a : tensor<8x16xf32>
  }
  return
}

// -----

// A plan that puts a result elsewhere than where the init lies.
func.func @other_place(%x: memref<8x16xf32>, %e: memref<8x16xf32, strided<[32, 1]>>) {
  mirage_kernel.graph ins(%x : memref<8x16xf32>) outs(%e : memref<8x16xf32, strided<[32, 1]>>) attributes {mirage.workspace_bytes = 0 : i64} {
  ^bb0(%a: tensor<8x16xf32>):
    %0 = mirage_block.graph grid() threads(32) ins(%a imap()) outs(omap()) : (tensor<8x16xf32>) -> tensor<16x8xf32> {
    ^bb0(%t: tensor<8x16xf32>):
      %y = mirage_block.reshape %t : (tensor<8x16xf32>) -> tensor<16x8xf32>
      mirage_block.yield %y : tensor<16x8xf32>
    }
    %1 = mirage_kernel.reshape %0 : (tensor<16x8xf32>) -> tensor<8x16xf32>
    // expected-error @below {{expects each result to be written by a kernel of its own}}
    mirage_kernel.yield %1 : tensor<8x16xf32>
  }
  return
}

// -----

module attributes {gpu.container_module} {
  gpu.module @device {
    func.func @on_device(%x: memref<8x16xf32>, %e: memref<8x16xf32>) {
      // expected-error @below {{expects a kernel graph on the host, got one in a gpu.module}}
      mirage_kernel.graph ins(%x : memref<8x16xf32>) outs(%e : memref<8x16xf32>) {
      ^bb0(%a: tensor<8x16xf32>):
        %0 = mirage_kernel.exp %a : (tensor<8x16xf32>) -> tensor<8x16xf32>
        mirage_kernel.yield %0 : tensor<8x16xf32>
      }
      return
    }
  }
}

// -----

%e = memref.alloc() : memref<8x16xf32>
// expected-error @below {{expects a kernel graph in a function}}
mirage_kernel.graph outs(%e : memref<8x16xf32>) {
  %0 = mirage_kernel.constant 1.0 : tensor<8x16xf32>
  mirage_kernel.yield %0 : tensor<8x16xf32>
}
