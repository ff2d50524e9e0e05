// Products by tensor cores in tf32, where the kernel graph lets them. What is computed is no
// other to a judge.
// RUN: mirage-opt %s --convert-mirage-block-to-thread --mlir-print-local-scope | FileCheck %s
// RUN: mirage-opt %s --convert-mirage-block-to-thread -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-COUNT-5: equal

// Nothing divides: 50 = 3 * 16 + 2. An item is cut as in f16, with two instructions along k.
// CHECK-LABEL: func.func @of_f32(
// CHECK: mirage_thread.graph items(x = 2) steps(4) ins(%{{.+}} imap() fmap(1), %{{.+}} imap(x -> 1) fmap(0)) outs(omap(x -> 1)) : (tensor<7x50xf32>, tensor<50x13xf32>) -> tensor<7x13xf32>
// CHECK: %[[A:.+]] = mirage_thread.load {{.+}} -> tensor<16x16xf32, #mirage_thread.layout<register = {{\[}}[0, 1], [8, 0], [0, 8]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
// CHECK: %[[B:.+]] = mirage_thread.load {{.+}} -> tensor<16x8xf32, #mirage_thread.layout<register = {{\[}}[1, 0], [8, 0]], lane = {{\[}}[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>>
// CHECK-NEXT: %[[P:.+]] = mirage_thread.mma %[[A]], %[[B]] shape [16, 8, 8]
// CHECK-NEXT: mirage_thread.accumulate %[[P]] over loop sum :
func.func @of_f32(%a: tensor<7x50xf32>, %b: tensor<50x13xf32>) -> tensor<7x13xf32> {
  %e = tensor.empty() : tensor<7x13xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<7x50xf32>, tensor<50x13xf32>) outs(%e : tensor<7x13xf32>)
      attributes {mirage_kernel.f32_products = "tf32"} {
  ^bb0(%x: tensor<7x50xf32>, %y: tensor<50x13xf32>):
    %o = mirage_block.graph grid() threads(64) ins(%x imap(), %y imap()) outs(omap())
        : (tensor<7x50xf32>, tensor<50x13xf32>) -> tensor<7x13xf32> {
    ^bb0(%xt: tensor<7x50xf32>, %yt: tensor<50x13xf32>):
      %0 = mirage_block.matmul %xt, %yt : tensor<7x50xf32>, tensor<50x13xf32>
      mirage_block.yield %0 : tensor<7x13xf32>
    }
    mirage_kernel.yield %o : tensor<7x13xf32>
  } : tensor<7x13xf32>
  return %r : tensor<7x13xf32>
}

// A narrow operand beside f32 comes by ldmatrix, where it may, and is extended: it is a part of
// tf32.
// CHECK-LABEL: func.func @of_f32_and_f16(
// CHECK: %[[A:.+]] = mirage_thread.load {{.+}} -> tensor<16x16xf32,
// CHECK: %[[B:.+]] = mirage_thread.ldmatrix {{.+}} -> tensor<16x8xf16,
// CHECK: %[[E:.+]] = mirage_thread.cast %[[B]] : ({{.+}}) -> tensor<16x8xf32,
// CHECK: mirage_thread.mma %[[A]], %[[E]] shape [16, 8, 8]
func.func @of_f32_and_f16(%a: tensor<16x32xf32>, %b: tensor<32x16xf16>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<16x32xf32>, tensor<32x16xf16>) outs(%e : tensor<16x16xf32>)
      attributes {mirage_kernel.f32_products = "tf32"} {
  ^bb0(%x: tensor<16x32xf32>, %y: tensor<32x16xf16>):
    %o = mirage_block.graph grid() threads(64) ins(%x imap(), %y imap()) outs(omap())
        : (tensor<16x32xf32>, tensor<32x16xf16>) -> tensor<16x16xf32> {
    ^bb0(%xt: tensor<16x32xf32>, %yt: tensor<32x16xf16>):
      %0 = mirage_block.matmul %xt, %yt : tensor<16x32xf32>, tensor<32x16xf16>
      mirage_block.yield %0 : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// Neither type holds the other's numbers, and tf32 holds both.
// CHECK-LABEL: func.func @of_f16_and_bf16(
// CHECK-COUNT-2: mirage_thread.cast {{.+}} -> tensor<{{.+}}xf32,
// CHECK: mirage_thread.mma {{.+}} shape [16, 8, 8]
func.func @of_f16_and_bf16(%a: tensor<16x32xf16>, %b: tensor<32x16xbf16>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<16x32xf16>, tensor<32x16xbf16>) outs(%e : tensor<16x16xf32>)
      attributes {mirage_kernel.f32_products = "tf32"} {
  ^bb0(%x: tensor<16x32xf16>, %y: tensor<32x16xbf16>):
    %o = mirage_block.graph grid() threads(64) ins(%x imap(), %y imap()) outs(omap())
        : (tensor<16x32xf16>, tensor<32x16xbf16>) -> tensor<16x16xf32> {
    ^bb0(%xt: tensor<16x32xf16>, %yt: tensor<32x16xbf16>):
      %0 = mirage_block.matmul %xt, %yt : tensor<16x32xf16>, tensor<32x16xbf16>
      mirage_block.yield %0 : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// Products of 16 bits stay what they are.
// CHECK-LABEL: func.func @of_f16(
// CHECK: mirage_thread.mma {{.+}} shape [16, 8, 16] : (tensor<16x16xf16,
func.func @of_f16(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<16x32xf16>, tensor<32x16xf16>) outs(%e : tensor<16x16xf32>)
      attributes {mirage_kernel.f32_products = "tf32"} {
  ^bb0(%x: tensor<16x32xf16>, %y: tensor<32x16xf16>):
    %o = mirage_block.graph grid() threads(64) ins(%x imap(), %y imap()) outs(omap())
        : (tensor<16x32xf16>, tensor<32x16xf16>) -> tensor<16x16xf32> {
    ^bb0(%xt: tensor<16x32xf16>, %yt: tensor<32x16xf16>):
      %0 = mirage_block.matmul %xt, %yt : tensor<16x32xf16>, tensor<32x16xf16>
      mirage_block.yield %0 : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// As it says nothing, each lane multiplies by itself.
// CHECK-LABEL: func.func @exact(
// CHECK-NOT: mirage_thread.mma
// CHECK: mirage_thread.matmul
func.func @exact(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<16x32xf32>, tensor<32x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%x: tensor<16x32xf32>, %y: tensor<32x16xf32>):
    %o = mirage_block.graph grid() threads(64) ins(%x imap(), %y imap()) outs(omap())
        : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%xt: tensor<16x32xf32>, %yt: tensor<32x16xf32>):
      %0 = mirage_block.matmul %xt, %yt : tensor<16x32xf32>, tensor<32x16xf32>
      mirage_block.yield %0 : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
