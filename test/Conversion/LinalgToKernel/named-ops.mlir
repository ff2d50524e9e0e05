// Ops that have a name, each in the spelling of its own; what is imported is what
// their indexing maps and bodies say.
// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Weights as [N, K], which the transpose of an argument is a view of.
// CHECK-LABEL: func.func @matmul_transpose_b(
// CHECK:       ^bb0(%[[X:.+]]: tensor<5x12xf16>, %[[W:.+]]: tensor<7x12xf16>):
// CHECK-NEXT:    %[[T:.+]] = mirage_kernel.transpose %[[W]] dims [1, 0] : (tensor<7x12xf16>) -> tensor<12x7xf16>
// CHECK-NEXT:    mirage_kernel.matmul %[[X]], %[[T]] : {{.+}} -> tensor<5x7xf32>
func.func @matmul_transpose_b(%x: tensor<5x12xf16>, %w: tensor<7x12xf16>) -> tensor<5x7xf32> {
  %init = arith.constant dense<0.0> : tensor<5x7xf32>
  %0 = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%x, %w : tensor<5x12xf16>, tensor<7x12xf16>) outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @matmul_transpose_a(
// CHECK:         mirage_kernel.transpose %{{.+}} dims [1, 0] : (tensor<12x5xf32>) -> tensor<5x12xf32>
// CHECK:         mirage_kernel.matmul
func.func @matmul_transpose_a(%x: tensor<12x5xf32>, %w: tensor<12x7xf32>) -> tensor<5x7xf32> {
  %init = arith.constant dense<0.0> : tensor<5x7xf32>
  %0 = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%x, %w : tensor<12x5xf32>, tensor<12x7xf32>) outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Keys as [keys, D].
// CHECK-LABEL: func.func @batch_matmul_transpose_b(
// CHECK:         %[[T:.+]] = mirage_kernel.transpose %{{.+}} dims [0, 2, 1] : (tensor<3x7x12xf32>) -> tensor<3x12x7xf32>
// CHECK-NEXT:    mirage_kernel.matmul %{{.+}}, %[[T]] : {{.+}} -> tensor<3x5x7xf32>
func.func @batch_matmul_transpose_b(%q: tensor<3x5x12xf32>, %k: tensor<3x7x12xf32>) -> tensor<3x5x7xf32> {
  %init = arith.constant dense<0.0> : tensor<3x5x7xf32>
  %0 = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%q, %k : tensor<3x5x12xf32>, tensor<3x7x12xf32>) outs(%init : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %0 : tensor<3x5x7xf32>
}

// CHECK-LABEL: func.func @batch_matvec(
// CHECK:         mirage_kernel.matmul %{{.+}}, %{{.+}} : (tensor<3x5x12xf32>, tensor<3x12x1xf32>) -> tensor<3x5x1xf32>
func.func @batch_matvec(%x: tensor<3x5x12xf32>, %v: tensor<3x12xf32>) -> tensor<3x5xf32> {
  %init = arith.constant dense<0.0> : tensor<3x5xf32>
  %0 = linalg.batch_matvec ins(%x, %v : tensor<3x5x12xf32>, tensor<3x12xf32>) outs(%init : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @batch_vecmat(
// CHECK:         mirage_kernel.matmul %{{.+}}, %{{.+}} : (tensor<3x1x12xf32>, tensor<3x12x7xf32>) -> tensor<3x1x7xf32>
func.func @batch_vecmat(%v: tensor<3x12xf32>, %w: tensor<3x12x7xf32>) -> tensor<3x7xf32> {
  %init = arith.constant dense<0.0> : tensor<3x7xf32>
  %0 = linalg.batch_vecmat ins(%v, %w : tensor<3x12xf32>, tensor<3x12x7xf32>) outs(%init : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// The batch is summed over, too.
// CHECK-LABEL: func.func @batch_reduce_matmul(
// CHECK:         mirage_kernel.matmul %{{.+}}, %{{.+}} : (tensor<5x36xf32>, tensor<36x7xf32>) -> tensor<5x7xf32>
func.func @batch_reduce_matmul(%x: tensor<3x5x12xf32>, %w: tensor<3x12x7xf32>) -> tensor<5x7xf32> {
  %init = arith.constant dense<0.0> : tensor<5x7xf32>
  %0 = linalg.batch_reduce_matmul ins(%x, %w : tensor<3x5x12xf32>, tensor<3x12x7xf32>) outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @elementwise(
// CHECK:         %[[E:.+]] = mirage_kernel.exp %{{.+}} : (tensor<6xf32>) -> tensor<6xf32>
// CHECK-NEXT:    mirage_kernel.mul %{{.+}}, %[[E]] : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
func.func @elementwise(%x: tensor<4x6xf32>, %y: tensor<6xf32>) -> tensor<4x6xf32> {
  %small = tensor.empty() : tensor<6xf32>
  %large = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%y : tensor<6xf32>) outs(%small : tensor<6xf32>) -> tensor<6xf32>
  %1 = linalg.elementwise kind=#linalg.elementwise_kind<mul>
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>]
      ins(%x, %0 : tensor<4x6xf32>, tensor<6xf32>) outs(%large : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// Those of one and of two operands.
// CHECK-LABEL: func.func @unary(
// CHECK:         %[[A:.+]] = mirage_kernel.abs
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.sqrt %[[A]]
// CHECK-NEXT:    %[[C:.+]] = mirage_kernel.tanh %[[B]]
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.square %[[C]]
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.erf %[[D]]
// CHECK-NEXT:    %[[F:.+]] = mirage_kernel.neg %[[E]]
// CHECK-NEXT:    mirage_kernel.yield %[[F]]
func.func @unary(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.abs ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.sqrt ins(%0 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = linalg.tanh ins(%1 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = linalg.square ins(%2 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = linalg.erf ins(%3 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %5 = linalg.negf ins(%4 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %5 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @binary(
// CHECK:         mirage_kernel.maximum
// CHECK:         mirage_kernel.minimum
// CHECK:         mirage_kernel.div
// CHECK:         mirage_kernel.reciprocal
func.func @binary(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.max ins(%x, %y : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.min ins(%0, %y : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = linalg.div ins(%1, %x : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = linalg.reciprocal ins(%2 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @softmax(
// CHECK:       ^bb0(%[[X:.+]]: tensor<4x6xf16>):
// CHECK-NEXT:    %[[M:.+]] = mirage_kernel.max %[[X]] dims [1]
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.sub %[[X]], %[[M]] : {{.+}} -> tensor<4x6xf32>
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.exp %[[D]]
// CHECK-NEXT:    %[[S:.+]] = mirage_kernel.sum %[[E]] dims [1]
// CHECK-NEXT:    %[[R:.+]] = mirage_kernel.div %[[E]], %[[S]] : {{.+}} -> tensor<4x6xf16>
// CHECK-NEXT:    mirage_kernel.yield %[[R]]
func.func @softmax(%x: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %e = tensor.empty() : tensor<4x6xf16>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x6xf16>) outs(%e : tensor<4x6xf16>) -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

// CHECK-LABEL: func.func @softmax_over_first(
// CHECK:         mirage_kernel.sum %{{.+}} dims [0] : (tensor<4x3x6xf32>) -> tensor<1x3x6xf32>
func.func @softmax_over_first(%x: tensor<4x3x6xf32>) -> tensor<4x3x6xf32> {
  %e = tensor.empty() : tensor<4x3x6xf32>
  %0 = linalg.softmax dimension(0) ins(%x : tensor<4x3x6xf32>) outs(%e : tensor<4x3x6xf32>) -> tensor<4x3x6xf32>
  return %0 : tensor<4x3x6xf32>
}

// CHECK-LABEL: func.func @reshaped(
// CHECK:         mirage_kernel.reshape %{{.+}} : (tensor<4x6xf32>) -> tensor<3x8xf32>
func.func @reshaped(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %shape = arith.constant dense<[3, 8]> : tensor<2xi64>
  %0 = tensor.reshape %x(%shape) : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
