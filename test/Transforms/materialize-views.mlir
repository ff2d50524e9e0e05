// RUN: mirage-opt %s --mirage-materialize-views -o %t
// RUN: FileCheck %s < %t
// RUN: mirage-verify %s %t

// CHECK-LABEL: func.func @slices(
func.func @slices(%x: tensor<8x6xf32>, %e: tensor<4x3xf16>, %f: tensor<12xf32>) -> (tensor<4x3xf16>, tensor<12xf32>) {
  %r:2 = mirage_kernel.graph ins(%x : tensor<8x6xf32>) outs(%e, %f : tensor<4x3xf16>, tensor<12xf32>) {
  ^bb0(%a: tensor<8x6xf32>):
    // What rounds is no view.
    // CHECK: %[[S:.+]] = mirage_kernel.slice %{{.+}} : (tensor<8x6xf32>) -> tensor<4x3xf32>
    // CHECK: %[[R:.+]] = mirage_kernel.broadcast %[[S]] : (tensor<4x3xf32>) -> tensor<4x3xf16>
    %0 = mirage_kernel.slice %a offsets [1, 0] strides [2, 2] : (tensor<8x6xf32>) -> tensor<4x3xf16>
    // Elements that lie apart have no other shape.
    // CHECK: %[[S:.+]] = mirage_kernel.slice %{{.+}} : (tensor<8x6xf32>) -> tensor<4x3xf32>
    // CHECK: %[[C:.+]] = mirage_kernel.broadcast %[[S]] : (tensor<4x3xf32>) -> tensor<4x3xf32>
    // CHECK: mirage_kernel.reshape %[[C]]
    %1 = mirage_kernel.slice %a offsets [0, 1] strides [2, 2] : (tensor<8x6xf32>) -> tensor<4x3xf32>
    %2 = mirage_kernel.reshape %1 : (tensor<4x3xf32>) -> tensor<12xf32>
    mirage_kernel.yield %0, %2 : tensor<4x3xf16>, tensor<12xf32>
  } : tensor<4x3xf16>, tensor<12xf32>
  return %r#0, %r#1 : tensor<4x3xf16>, tensor<12xf32>
}

// A kernel writes a part where it belongs if that is all that it writes it for.
// CHECK-LABEL: func.func @concats(
func.func @concats(%x: tensor<8x6xf16>, %e: tensor<40x6xf16>) -> tensor<40x6xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<8x6xf16>) outs(%e : tensor<40x6xf16>) {
  ^bb0(%a: tensor<8x6xf16>):
    // CHECK: ^bb0(%[[A:.+]]: tensor<8x6xf16>):
    // CHECK: %[[EXP:.+]] = mirage_kernel.exp
    // CHECK: %[[NEG:.+]] = mirage_kernel.neg
    // CHECK: %[[ABS:.+]] = mirage_kernel.abs
    %0 = mirage_kernel.exp %a : (tensor<8x6xf16>) -> tensor<8x6xf16>
    %1 = mirage_kernel.neg %a : (tensor<8x6xf16>) -> tensor<8x6xf32>
    %2 = mirage_kernel.abs %a : (tensor<8x6xf16>) -> tensor<8x6xf16>
    // CHECK: %[[C0:.+]] = mirage_kernel.broadcast %[[A]]
    // CHECK: %[[C1:.+]] = mirage_kernel.broadcast %[[NEG]] : (tensor<8x6xf32>) -> tensor<8x6xf16>
    // CHECK: %[[C2:.+]] = mirage_kernel.broadcast %[[ABS]]
    // CHECK: mirage_kernel.concat %[[C0]], %[[EXP]], %[[C1]], %[[C2]], %{{.+}} dims [0]
    %3 = mirage_kernel.concat %a, %0, %1, %2, %2 dims [0]
        : (tensor<8x6xf16>, tensor<8x6xf16>, tensor<8x6xf32>, tensor<8x6xf16>, tensor<8x6xf16>) -> tensor<40x6xf16>
    mirage_kernel.yield %3 : tensor<40x6xf16>
  } : tensor<40x6xf16>
  return %r : tensor<40x6xf16>
}

// A transpose is a view, of an argument or of what a kernel has written, and so is
// a reshape of it where strides can say it.
// CHECK-LABEL: func.func @transposes(
func.func @transposes(%x: tensor<8x6x4xf16>, %e: tensor<24x8xf16>, %f: tensor<48x4xf32>)
    -> (tensor<24x8xf16>, tensor<48x4xf32>) {
  %r:2 = mirage_kernel.graph ins(%x : tensor<8x6x4xf16>) outs(%e, %f : tensor<24x8xf16>, tensor<48x4xf32>) {
  ^bb0(%a: tensor<8x6x4xf16>):
    // CHECK-NOT: broadcast
    // CHECK: %[[R:.+]] = mirage_kernel.reshape %{{.+}} : (tensor<6x4x8xf16>) -> tensor<24x8xf16>
    // CHECK-NEXT: mirage_kernel.exp %[[R]]
    %0 = mirage_kernel.transpose %a dims [1, 2, 0] : (tensor<8x6x4xf16>) -> tensor<6x4x8xf16>
    %1 = mirage_kernel.reshape %0 : (tensor<6x4x8xf16>) -> tensor<24x8xf16>
    %2 = mirage_kernel.exp %1 : (tensor<24x8xf16>) -> tensor<24x8xf16>
    // CHECK: %[[T:.+]] = mirage_kernel.transpose %{{.+}} dims [1, 0, 2]
    // CHECK-NEXT: %[[C:.+]] = mirage_kernel.broadcast %[[T]] : (tensor<6x8x4xf16>) -> tensor<6x8x4xf16>
    // CHECK-NEXT: mirage_kernel.reshape %[[C]]
    %3 = mirage_kernel.transpose %a dims [1, 0, 2] : (tensor<8x6x4xf16>) -> tensor<6x8x4xf16>
    %4 = mirage_kernel.reshape %3 : (tensor<6x8x4xf16>) -> tensor<48x4xf16>
    %5 = mirage_kernel.exp %4 : (tensor<48x4xf16>) -> tensor<48x4xf32>
    mirage_kernel.yield %2, %5 : tensor<24x8xf16>, tensor<48x4xf32>
  } : tensor<24x8xf16>, tensor<48x4xf32>
  return %r#0, %r#1 : tensor<24x8xf16>, tensor<48x4xf32>
}

// Rows with gaps between them have no other shape; columns one behind the other do.
// CHECK-LABEL: func.func @strides(
func.func @strides(%x: tensor<8x6xf16> {mirage_kernel.strides = array<i64: 10, 1>},
                   %y: tensor<2x3x4xf16> {mirage_kernel.strides = array<i64: 4, 8, 1>},
                   %e: tensor<48xf16>, %f: tensor<6x4xf16>, %g: tensor<2x12xf16>)
    -> (tensor<48xf16>, tensor<6x4xf16>, tensor<2x12xf16>) {
  %r:3 = mirage_kernel.graph ins(%x, %y : tensor<8x6xf16>, tensor<2x3x4xf16>)
      outs(%e, %f, %g : tensor<48xf16>, tensor<6x4xf16>, tensor<2x12xf16>) {
  ^bb0(%a: tensor<8x6xf16>, %b: tensor<2x3x4xf16>):
    // CHECK: ^bb0(%[[A:.+]]: tensor<8x6xf16>, %[[B:.+]]: tensor<2x3x4xf16>):
    // CHECK: %[[C:.+]] = mirage_kernel.broadcast %[[A]]
    // CHECK: mirage_kernel.reshape %[[C]]
    %0 = mirage_kernel.reshape %a : (tensor<8x6xf16>) -> tensor<48xf16>
    %1 = mirage_kernel.exp %0 : (tensor<48xf16>) -> tensor<48xf16>
    // CHECK: %[[T:.+]] = mirage_kernel.transpose %[[B]]
    // CHECK: mirage_kernel.reshape %[[T]]
    %2 = mirage_kernel.transpose %b dims [1, 0, 2] : (tensor<2x3x4xf16>) -> tensor<3x2x4xf16>
    %3 = mirage_kernel.reshape %2 : (tensor<3x2x4xf16>) -> tensor<6x4xf16>
    %4 = mirage_kernel.exp %3 : (tensor<6x4xf16>) -> tensor<6x4xf16>
    // CHECK: %[[C:.+]] = mirage_kernel.broadcast %[[B]]
    // CHECK: mirage_kernel.reshape %[[C]]
    %5 = mirage_kernel.reshape %b : (tensor<2x3x4xf16>) -> tensor<2x12xf16>
    %6 = mirage_kernel.exp %5 : (tensor<2x12xf16>) -> tensor<2x12xf16>
    mirage_kernel.yield %1, %4, %6 : tensor<48xf16>, tensor<6x4xf16>, tensor<2x12xf16>
  } : tensor<48xf16>, tensor<6x4xf16>, tensor<2x12xf16>
  return %r#0, %r#1, %r#2 : tensor<48xf16>, tensor<6x4xf16>, tensor<2x12xf16>
}
