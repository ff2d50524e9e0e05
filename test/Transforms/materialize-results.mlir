// RUN: mirage-opt %s --mirage-materialize-results | FileCheck %s

// CHECK-LABEL: func.func @copies(
func.func @copies(%x: tensor<4x6xf16>, %e: tensor<4x6xf16>, %f: tensor<24xf16>)
    -> (tensor<4x6xf16>, tensor<4x6xf16>, tensor<24xf16>) {
  %r:3 = mirage_kernel.graph ins(%x : tensor<4x6xf16>)
      outs(%e, %e, %f : tensor<4x6xf16>, tensor<4x6xf16>, tensor<24xf16>) {
  // CHECK: ^bb0(%[[A:.+]]: tensor<4x6xf16>):
  ^bb0(%a: tensor<4x6xf16>):
    // CHECK: %[[E:.+]] = mirage_kernel.exp
    // CHECK: %[[V:.+]] = mirage_kernel.reshape %[[E]]
    // CHECK: %[[C0:.+]] = mirage_kernel.broadcast %[[A]] : (tensor<4x6xf16>) -> tensor<4x6xf16>
    // CHECK: %[[C2:.+]] = mirage_kernel.broadcast %[[V]] : (tensor<24xf16>) -> tensor<24xf16>
    // CHECK: mirage_kernel.yield %[[C0]], %[[E]], %[[C2]]
    %0 = mirage_kernel.exp %a : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %1 = mirage_kernel.reshape %0 : (tensor<4x6xf16>) -> tensor<24xf16>
    mirage_kernel.yield %a, %0, %1 : tensor<4x6xf16>, tensor<4x6xf16>, tensor<24xf16>
  } : tensor<4x6xf16>, tensor<4x6xf16>, tensor<24xf16>
  return %r#0, %r#1, %r#2 : tensor<4x6xf16>, tensor<4x6xf16>, tensor<24xf16>
}

// What a function returns though it is its argument, or for the second time, is
// copied by a graph of its own.
// CHECK-LABEL: func.func @returned(
// CHECK-SAME:    %[[X:.+]]: tensor<4x6xf16>
func.func @returned(%x: tensor<4x6xf16>) -> (tensor<4x6xf16>, tensor<4x6xf16>, tensor<4x6xf16>) {
  // CHECK: %[[R:.+]] = mirage_kernel.graph
  %e = tensor.empty() : tensor<4x6xf16>
  %r = mirage_kernel.graph ins(%x : tensor<4x6xf16>) outs(%e : tensor<4x6xf16>) {
  ^bb0(%a: tensor<4x6xf16>):
    %0 = mirage_kernel.exp %a : (tensor<4x6xf16>) -> tensor<4x6xf16>
    mirage_kernel.yield %0 : tensor<4x6xf16>
  } : tensor<4x6xf16>
  // CHECK: %[[C0:.+]] = mirage_kernel.graph ins(%[[X]] :
  // CHECK:   mirage_kernel.broadcast %{{.+}} : (tensor<4x6xf16>) -> tensor<4x6xf16>
  // CHECK: %[[C2:.+]] = mirage_kernel.graph ins(%[[R]] :
  // CHECK: return %[[C0]], %[[R]], %[[C2]]
  return %x, %r, %r : tensor<4x6xf16>, tensor<4x6xf16>, tensor<4x6xf16>
}

// Somebody else's function stays as it is.
// CHECK-LABEL: func.func @foreign(
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    return
func.func @foreign(%x: tensor<4x6xf16>) -> (tensor<4x6xf16>, tensor<4x6xf16>) {
  %y = arith.addf %x, %x : tensor<4x6xf16>
  return %y, %y : tensor<4x6xf16>, tensor<4x6xf16>
}

// What is returned lies as the function says, and so does what it is a view of; a
// transpose of an argument is nothing that a kernel writes.
// CHECK-LABEL: func.func @strides(
func.func @strides(%x: tensor<4x6xf16>, %e: tensor<4x6xf16>, %f: tensor<24xf16>, %g: tensor<6x4xf16>)
    -> (tensor<4x6xf16> {mirage_kernel.strides = array<i64: 8, 1>}, tensor<24xf16> {mirage_kernel.strides = array<i64: 2>},
        tensor<6x4xf16>) {
  %r:3 = mirage_kernel.graph ins(%x : tensor<4x6xf16>)
      outs(%e, %f, %g : tensor<4x6xf16>, tensor<24xf16>, tensor<6x4xf16>) {
  ^bb0(%a: tensor<4x6xf16>):
    // CHECK: %[[E:.+]] = mirage_kernel.exp
    // CHECK: %[[N:.+]] = mirage_kernel.neg
    // CHECK: %[[V:.+]] = mirage_kernel.reshape %[[N]]
    // CHECK: %[[T:.+]] = mirage_kernel.transpose
    // CHECK: %[[C2:.+]] = mirage_kernel.broadcast %[[T]]
    // CHECK: mirage_kernel.yield %[[E]], %[[V]], %[[C2]]
    %0 = mirage_kernel.exp %a : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %1 = mirage_kernel.neg %a : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %2 = mirage_kernel.reshape %1 : (tensor<4x6xf16>) -> tensor<24xf16>
    %3 = mirage_kernel.transpose %a dims [1, 0] : (tensor<4x6xf16>) -> tensor<6x4xf16>
    mirage_kernel.yield %0, %2, %3 : tensor<4x6xf16>, tensor<24xf16>, tensor<6x4xf16>
  } : tensor<4x6xf16>, tensor<24xf16>, tensor<6x4xf16>
  return %r#0, %r#1, %r#2 : tensor<4x6xf16>, tensor<24xf16>, tensor<6x4xf16>
}

// A view that two results are, which lie in two ways: the one that it lies like is what the kernel writes, whichever
// comes first, and the other one is a copy.
// CHECK-LABEL: func.func @strided_first(
func.func @strided_first(%x: tensor<4x3xf16>, %e: tensor<2x6xf16>)
    -> (tensor<2x6xf16> {mirage_kernel.strides = array<i64: 1, 2>}, tensor<2x6xf16>) {
  %r:2 = mirage_kernel.graph ins(%x : tensor<4x3xf16>) outs(%e, %e : tensor<2x6xf16>, tensor<2x6xf16>) {
  ^bb0(%a: tensor<4x3xf16>):
    // CHECK: %[[V:.+]] = mirage_kernel.reshape
    // CHECK: %[[C:.+]] = mirage_kernel.broadcast %[[V]]
    // CHECK: mirage_kernel.yield %[[C]], %[[V]]
    %0 = mirage_kernel.exp %a : (tensor<4x3xf16>) -> tensor<4x3xf16>
    %1 = mirage_kernel.reshape %0 : (tensor<4x3xf16>) -> tensor<2x6xf16>
    mirage_kernel.yield %1, %1 : tensor<2x6xf16>, tensor<2x6xf16>
  } : tensor<2x6xf16>, tensor<2x6xf16>
  return %r#0, %r#1 : tensor<2x6xf16>, tensor<2x6xf16>
}

// CHECK-LABEL: func.func @strided_last(
func.func @strided_last(%x: tensor<4x3xf16>, %e: tensor<2x6xf16>)
    -> (tensor<2x6xf16>, tensor<2x6xf16> {mirage_kernel.strides = array<i64: 1, 2>}) {
  %r:2 = mirage_kernel.graph ins(%x : tensor<4x3xf16>) outs(%e, %e : tensor<2x6xf16>, tensor<2x6xf16>) {
  ^bb0(%a: tensor<4x3xf16>):
    // CHECK: %[[V:.+]] = mirage_kernel.reshape
    // CHECK: %[[C:.+]] = mirage_kernel.broadcast %[[V]]
    // CHECK: mirage_kernel.yield %[[V]], %[[C]]
    %0 = mirage_kernel.exp %a : (tensor<4x3xf16>) -> tensor<4x3xf16>
    %1 = mirage_kernel.reshape %0 : (tensor<4x3xf16>) -> tensor<2x6xf16>
    mirage_kernel.yield %1, %1 : tensor<2x6xf16>, tensor<2x6xf16>
  } : tensor<2x6xf16>, tensor<2x6xf16>
  return %r#0, %r#1 : tensor<2x6xf16>, tensor<2x6xf16>
}

// What a kernel writes is a result, and so is a view of it that comes first: the view lies where the kernel's result is
// to lie, which it would not any more if that were the copy.
// CHECK-LABEL: func.func @view_before_its_root(
func.func @view_before_its_root(%x: tensor<4x3xf16>, %e: tensor<3x4xf16>, %f: tensor<4x3xf16>)
    -> (tensor<3x4xf16>, tensor<4x3xf16> {mirage_kernel.strides = array<i64: 1, 4>}) {
  %r:2 = mirage_kernel.graph ins(%x : tensor<4x3xf16>) outs(%e, %f : tensor<3x4xf16>, tensor<4x3xf16>) {
  ^bb0(%a: tensor<4x3xf16>):
    // CHECK: %[[E:.+]] = mirage_kernel.exp
    // CHECK: %[[V:.+]] = mirage_kernel.transpose %[[E]]
    // CHECK: %[[C:.+]] = mirage_kernel.broadcast %[[V]]
    // CHECK: mirage_kernel.yield %[[C]], %[[E]]
    %0 = mirage_kernel.exp %a : (tensor<4x3xf16>) -> tensor<4x3xf16>
    %1 = mirage_kernel.transpose %0 dims [1, 0] : (tensor<4x3xf16>) -> tensor<3x4xf16>
    mirage_kernel.yield %1, %0 : tensor<3x4xf16>, tensor<4x3xf16>
  } : tensor<3x4xf16>, tensor<4x3xf16>
  return %r#0, %r#1 : tensor<3x4xf16>, tensor<4x3xf16>
}

// One graph hands out what a kernel writes, and the next one a view of it.
// CHECK-LABEL: func.func @view_of_a_result(
func.func @view_of_a_result(%x: tensor<4x3xf16>, %e: tensor<4x3xf16>, %f: tensor<12xf16>) -> (tensor<4x3xf16>, tensor<12xf16>) {
  // CHECK: mirage_kernel.graph
  // CHECK:   mirage_kernel.yield %{{.+}} : tensor<4x3xf16>
  %r = mirage_kernel.graph ins(%x : tensor<4x3xf16>) outs(%e : tensor<4x3xf16>) {
  ^bb0(%a: tensor<4x3xf16>):
    %0 = mirage_kernel.exp %a : (tensor<4x3xf16>) -> tensor<4x3xf16>
    mirage_kernel.yield %0 : tensor<4x3xf16>
  } : tensor<4x3xf16>
  // CHECK: mirage_kernel.graph
  // CHECK:   %[[V:.+]] = mirage_kernel.reshape
  // CHECK:   mirage_kernel.broadcast %[[V]]
  %s = mirage_kernel.graph ins(%r : tensor<4x3xf16>) outs(%f : tensor<12xf16>) {
  ^bb0(%a: tensor<4x3xf16>):
    %0 = mirage_kernel.reshape %a : (tensor<4x3xf16>) -> tensor<12xf16>
    mirage_kernel.yield %0 : tensor<12xf16>
  } : tensor<12xf16>
  return %r, %s : tensor<4x3xf16>, tensor<12xf16>
}

// A kernel writes its result so that what alone is a view of all of it lies as it is to, if rows stay
// rows; not what others read, a part, or columns.
// CHECK-LABEL: func.func @transposed(
func.func @transposed(%x: tensor<4x6x8xf16>, %e: tensor<6x32xf16>, %f: tensor<6x4x8xf16>, %g: tensor<6x2x8xf16>, %h: tensor<4x8x6xf16>)
    -> (tensor<6x32xf16>, tensor<6x4x8xf16>, tensor<6x2x8xf16>, tensor<4x8x6xf16>) {
  %r:4 = mirage_kernel.graph ins(%x : tensor<4x6x8xf16>)
      outs(%e, %f, %g, %h : tensor<6x32xf16>, tensor<6x4x8xf16>, tensor<6x2x8xf16>, tensor<4x8x6xf16>) {
  ^bb0(%a: tensor<4x6x8xf16>):
    // CHECK: %[[E:.+]] = mirage_kernel.exp
    // CHECK-NEXT: %[[T:.+]] = mirage_kernel.transpose %[[E]]
    // CHECK-NEXT: %[[V:.+]] = mirage_kernel.reshape %[[T]]
    %0 = mirage_kernel.exp %a : (tensor<4x6x8xf16>) -> tensor<4x6x8xf16>
    %1 = mirage_kernel.transpose %0 dims [1, 0, 2] : (tensor<4x6x8xf16>) -> tensor<6x4x8xf16>
    %2 = mirage_kernel.reshape %1 : (tensor<6x4x8xf16>) -> tensor<6x32xf16>
    // CHECK: mirage_kernel.silu
    // CHECK-NEXT: %[[U:.+]] = mirage_kernel.transpose
    %3 = mirage_kernel.silu %a : (tensor<4x6x8xf16>) -> tensor<4x6x8xf16>
    %4 = mirage_kernel.transpose %3 dims [1, 0, 2] : (tensor<4x6x8xf16>) -> tensor<6x4x8xf16>
    %5 = mirage_kernel.slice %3 offsets [0, 0, 0] strides [1, 1, 1] : (tensor<4x6x8xf16>) -> tensor<2x6x8xf16>
    %6 = mirage_kernel.transpose %5 dims [1, 0, 2] : (tensor<2x6x8xf16>) -> tensor<6x2x8xf16>
    // CHECK: %[[N:.+]] = mirage_kernel.neg
    // CHECK-NEXT: %[[W:.+]] = mirage_kernel.transpose %[[N]]
    %7 = mirage_kernel.neg %a : (tensor<4x6x8xf16>) -> tensor<4x6x8xf16>
    %8 = mirage_kernel.transpose %7 dims [0, 2, 1] : (tensor<4x6x8xf16>) -> tensor<4x8x6xf16>
    // CHECK: %[[C1:.+]] = mirage_kernel.broadcast %[[U]]
    // CHECK: %[[C2:.+]] = mirage_kernel.broadcast
    // CHECK: %[[C3:.+]] = mirage_kernel.broadcast %[[W]]
    // CHECK: mirage_kernel.yield %[[V]], %[[C1]], %[[C2]], %[[C3]] :
    mirage_kernel.yield %2, %4, %6, %8 : tensor<6x32xf16>, tensor<6x4x8xf16>, tensor<6x2x8xf16>, tensor<4x8x6xf16>
  } : tensor<6x32xf16>, tensor<6x4x8xf16>, tensor<6x2x8xf16>, tensor<4x8x6xf16>
  return %r#0, %r#1, %r#2, %r#3 : tensor<6x32xf16>, tensor<6x4x8xf16>, tensor<6x2x8xf16>, tensor<4x8x6xf16>
}
