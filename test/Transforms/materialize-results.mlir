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

// What is returned lies as the function says: a view of it does not, and a
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
    // CHECK: %[[C1:.+]] = mirage_kernel.broadcast %[[V]]
    // CHECK: %[[C2:.+]] = mirage_kernel.broadcast %[[T]]
    // CHECK: mirage_kernel.yield %[[E]], %[[C1]], %[[C2]]
    %0 = mirage_kernel.exp %a : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %1 = mirage_kernel.neg %a : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %2 = mirage_kernel.reshape %1 : (tensor<4x6xf16>) -> tensor<24xf16>
    %3 = mirage_kernel.transpose %a dims [1, 0] : (tensor<4x6xf16>) -> tensor<6x4xf16>
    mirage_kernel.yield %0, %2, %3 : tensor<4x6xf16>, tensor<24xf16>, tensor<6x4xf16>
  } : tensor<4x6xf16>, tensor<24xf16>, tensor<6x4xf16>
  return %r#0, %r#1, %r#2 : tensor<4x6xf16>, tensor<24xf16>, tensor<6x4xf16>
}
