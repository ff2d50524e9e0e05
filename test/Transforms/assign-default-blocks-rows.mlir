// RUN: mirage-opt %s --mirage-assign-default-blocks | FileCheck %s
// RUN: mirage-opt %s --mirage-assign-default-blocks -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED: @chain: equal
// JUDGED: @rows_told_apart: equal
// JUDGED: @planes_told_apart: equal
// JUDGED: @rows_of_sectors: equal
// JUDGED: @columns: equal
// JUDGED: @parts: equal
// RUN: mirage-opt %s --mirage-compile="from=optimize ptxas=never artifact=%t" -o /dev/null
// RUN: for name in chain rows_told_apart columns parts; do %python %S/../Pipelines/Inputs/check-sectors.py mirage-run %t/$name; done | FileCheck %s --check-prefix=RAN
// RAN:           right, 1 kernels, coalesced
// RAN-COUNT-3: right

// Rows that end inside sectors are one dimension, of both kernels: the second one takes what the
// first has left as that lies.
// CHECK-LABEL: func.func @chain(
// CHECK: ^bb0(%[[X:.*]]: tensor<16x1001xf16>, %[[S:.*]]: tensor<1x1xf32>):
// CHECK: %[[F:.*]] = mirage_kernel.reshape %[[X]] : (tensor<16x1001xf16>) -> tensor<16016xf16>
// CHECK: %[[E:.*]] = mirage_block.graph grid(x = 4) {{.*}} ins(%[[F]] imap(x -> 0)) outs(omap(x -> 0)) : (tensor<16016xf16>) -> tensor<16016xf32>
// CHECK: mirage_kernel.reshape %[[S]] : (tensor<1x1xf32>) -> tensor<1xf32>
// CHECK: %[[Y:.*]] = mirage_block.graph grid(x = 4) {{.*}} ins(%[[E]] imap(x -> 0), %{{.*}} imap()) {{.*}} -> tensor<16016xf16>
// CHECK: %[[R:.*]] = mirage_kernel.reshape %[[Y]] : (tensor<16016xf16>) -> tensor<16x1001xf16>
// CHECK: mirage_kernel.yield %[[R]]
func.func @chain(%x: tensor<16x1001xf16>, %s: tensor<1x1xf32>) -> tensor<16x1001xf16> {
  %e = tensor.empty() : tensor<16x1001xf16>
  %r = mirage_kernel.graph ins(%x, %s : tensor<16x1001xf16>, tensor<1x1xf32>) outs(%e : tensor<16x1001xf16>) {
  ^bb0(%a: tensor<16x1001xf16>, %b: tensor<1x1xf32>):
    %0 = mirage_kernel.exp %a : (tensor<16x1001xf16>) -> tensor<16x1001xf32>
    %1 = mirage_kernel.mul %0, %b : (tensor<16x1001xf32>, tensor<1x1xf32>) -> tensor<16x1001xf16>
    mirage_kernel.yield %1 : tensor<16x1001xf16>
  } : tensor<16x1001xf16>
  return %r : tensor<16x1001xf16>
}

// An operand is the same for all rows.
// CHECK-LABEL: func.func @rows_told_apart(
// CHECK-NOT: mirage_kernel.reshape
func.func @rows_told_apart(%x: tensor<16x1001xf16>, %w: tensor<1x1001xf16>) -> tensor<16x1001xf16> {
  %e = tensor.empty() : tensor<16x1001xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x1001xf16>, tensor<1x1001xf16>) outs(%e : tensor<16x1001xf16>) {
  ^bb0(%a: tensor<16x1001xf16>, %b: tensor<1x1001xf16>):
    %0 = mirage_kernel.add %a, %b : (tensor<16x1001xf16>, tensor<1x1001xf16>) -> tensor<16x1001xf16>
    mirage_kernel.yield %0 : tensor<16x1001xf16>
  } : tensor<16x1001xf16>
  return %r : tensor<16x1001xf16>
}

// Or for all planes: of a plane as one row, tiles would cut parts.
// CHECK-LABEL: func.func @planes_told_apart(
// CHECK-NOT: mirage_kernel.reshape
func.func @planes_told_apart(%x: tensor<171x25x7xf16>, %w: tensor<1x25x7xf16>) -> tensor<171x25x7xf16> {
  %e = tensor.empty() : tensor<171x25x7xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<171x25x7xf16>, tensor<1x25x7xf16>) outs(%e : tensor<171x25x7xf16>) {
  ^bb0(%a: tensor<171x25x7xf16>, %b: tensor<1x25x7xf16>):
    %0 = mirage_kernel.add %a, %b : (tensor<171x25x7xf16>, tensor<1x25x7xf16>) -> tensor<171x25x7xf16>
    mirage_kernel.yield %0 : tensor<171x25x7xf16>
  } : tensor<171x25x7xf16>
  return %r : tensor<171x25x7xf16>
}

// Tiles that cut such rows have whole sectors.
// CHECK-LABEL: func.func @rows_of_sectors(
// CHECK-NOT: mirage_kernel.reshape
func.func @rows_of_sectors(%x: tensor<16x1024xf16>) -> tensor<16x1024xf16> {
  %e = tensor.empty() : tensor<16x1024xf16>
  %r = mirage_kernel.graph ins(%x : tensor<16x1024xf16>) outs(%e : tensor<16x1024xf16>) {
  ^bb0(%a: tensor<16x1024xf16>):
    %0 = mirage_kernel.exp %a : (tensor<16x1024xf16>) -> tensor<16x1024xf16>
    mirage_kernel.yield %0 : tensor<16x1024xf16>
  } : tensor<16x1024xf16>
  return %r : tensor<16x1024xf16>
}

// Elements that do not lie one after the other have no other shape.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: mirage_kernel.reshape
func.func @columns(%x: tensor<35x33xf16>) -> tensor<33x35xf16> {
  %e = tensor.empty() : tensor<33x35xf16>
  %r = mirage_kernel.graph ins(%x : tensor<35x33xf16>) outs(%e : tensor<33x35xf16>) {
  ^bb0(%a: tensor<35x33xf16>):
    %t = mirage_kernel.transpose %a dims [1, 0] : (tensor<35x33xf16>) -> tensor<33x35xf16>
    %0 = mirage_kernel.exp %t : (tensor<33x35xf16>) -> tensor<33x35xf16>
    mirage_kernel.yield %0 : tensor<33x35xf16>
  } : tensor<33x35xf16>
  return %r : tensor<33x35xf16>
}

// Nor have those that are written into the midst of another tensor.
// CHECK-LABEL: func.func @parts(
// CHECK-NOT: mirage_kernel.reshape
func.func @parts(%x: tensor<8x33xf16>, %y: tensor<8x35xf16>) -> tensor<8x68xf16> {
  %e = tensor.empty() : tensor<8x68xf16>
  %r = mirage_kernel.graph ins(%x, %y : tensor<8x33xf16>, tensor<8x35xf16>) outs(%e : tensor<8x68xf16>) {
  ^bb0(%a: tensor<8x33xf16>, %b: tensor<8x35xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x33xf16>) -> tensor<8x33xf16>
    %1 = mirage_kernel.tanh %b : (tensor<8x35xf16>) -> tensor<8x35xf16>
    %2 = mirage_kernel.concat %0, %1 dims [1] : (tensor<8x33xf16>, tensor<8x35xf16>) -> tensor<8x68xf16>
    mirage_kernel.yield %2 : tensor<8x68xf16>
  } : tensor<8x68xf16>
  return %r : tensor<8x68xf16>
}
