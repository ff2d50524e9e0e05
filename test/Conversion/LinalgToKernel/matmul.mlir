// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>

// The cast of the result is what it is stored as.
// CHECK-LABEL: func.func @named(
// CHECK-SAME:    %[[X:.+]]: tensor<5x12xf16>, %[[W:.+]]: tensor<12x7xf16>)
// CHECK:       %[[E:.+]] = tensor.empty() : tensor<5x7xf16>
// CHECK:       mirage_kernel.graph ins(%[[X]], %[[W]] : {{.+}}) outs(%[[E]] : tensor<5x7xf16>)
// CHECK-NEXT:  ^bb0(%[[A:.+]]: tensor<5x12xf16>, %[[B:.+]]: tensor<12x7xf16>):
// CHECK-NEXT:    %[[P:.+]] = mirage_kernel.matmul %[[A]], %[[B]] : (tensor<5x12xf16>, tensor<12x7xf16>) -> tensor<5x7xf16>
// CHECK-NEXT:    mirage_kernel.yield %[[P]]
// CHECK-NOT:   linalg
func.func @named(%x: tensor<5x12xf16>, %w: tensor<12x7xf16>) -> tensor<5x7xf16> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<5x7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<5x7xf32>) -> tensor<5x7xf32>
  %p = linalg.matmul ins(%x, %w : tensor<5x12xf16>, tensor<12x7xf16>) outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = arith.truncf %p : tensor<5x7xf32> to tensor<5x7xf16>
  return %r : tensor<5x7xf16>
}

// CHECK-LABEL: func.func @onto_tensor(
// CHECK:       %[[P:.+]] = mirage_kernel.matmul
// CHECK-NEXT:  mirage_kernel.add %[[P]], %{{.+}}
func.func @onto_tensor(%x: tensor<5x12xf32>, %w: tensor<12x7xf32>, %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<5x12xf32>, tensor<12x7xf32>) outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %p : tensor<5x7xf32>
}

// A fill of something else than 0 counts.
// CHECK-LABEL: func.func @onto_constant(
// CHECK:       %[[P:.+]] = mirage_kernel.matmul
// CHECK-NEXT:  mirage_kernel.offset %[[P]] by 5.000000e-01
func.func @onto_constant(%x: tensor<5x12xf32>, %w: tensor<12x7xf32>) -> tensor<5x7xf32> {
  %half = arith.constant 0.5 : f32
  %e0 = tensor.empty() : tensor<5x7xf32>
  %init = linalg.fill ins(%half : f32) outs(%e0 : tensor<5x7xf32>) -> tensor<5x7xf32>
  %p = linalg.matmul ins(%x, %w : tensor<5x12xf32>, tensor<12x7xf32>) outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %p : tensor<5x7xf32>
}

// Weights as linear layers keep them, [N, K].
// CHECK-LABEL: func.func @transposed_weights(
// CHECK:       %[[T:.+]] = mirage_kernel.transpose %{{.+}} dims [1, 0] : (tensor<7x12xf16>) -> tensor<12x7xf16>
// CHECK-NEXT:  mirage_kernel.matmul %{{.+}}, %[[T]] : (tensor<5x12xf16>, tensor<12x7xf16>) -> tensor<5x7xf32>
func.func @transposed_weights(%x: tensor<5x12xf16>, %w: tensor<7x12xf16>) -> tensor<5x7xf32> {
  %init = arith.constant dense<0.0> : tensor<5x7xf32>
  %p = linalg.matmul indexing_maps = [#mk, #nk, #mn]
    ins(%x, %w : tensor<5x12xf16>, tensor<7x12xf16>) outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %p : tensor<5x7xf32>
}

// The factor whose loop comes first in the result is the left one.
// CHECK-LABEL: func.func @transposed_result(
// CHECK:       ^bb0(%[[X:.+]]: tensor<5x12xf32>, %[[W:.+]]: tensor<12x7xf32>):
// CHECK-DAG:   %[[WT:.+]] = mirage_kernel.transpose %[[W]]
// CHECK-DAG:   %[[XT:.+]] = mirage_kernel.transpose %[[X]]
// CHECK:       mirage_kernel.matmul %[[WT]], %[[XT]] : {{.+}} -> tensor<7x5xf32>
func.func @transposed_result(%x: tensor<5x12xf32>, %w: tensor<12x7xf32>) -> tensor<7x5xf32> {
  %init = arith.constant dense<0.0> : tensor<7x5xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #nm], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x12xf32>, tensor<12x7xf32>) outs(%init : tensor<7x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %b, %a : f32
    %1 = arith.addf %0, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<7x5xf32>
  return %p : tensor<7x5xf32>
}

// CHECK-LABEL: func.func @batch(
// CHECK:       mirage_kernel.matmul %{{.+}}, %{{.+}} : (tensor<3x5x12xf16>, tensor<3x12x7xf16>) -> tensor<3x5x7xf32>
func.func @batch(%x: tensor<3x5x12xf16>, %w: tensor<3x12x7xf16>) -> tensor<3x5x7xf32> {
  %init = arith.constant dense<0.0> : tensor<3x5x7xf32>
  %p = linalg.batch_matmul ins(%x, %w : tensor<3x5x12xf16>, tensor<3x12x7xf16>) outs(%init : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %p : tensor<3x5x7xf32>
}

// One weight matrix for the whole batch is not copied.
// CHECK-LABEL: func.func @batch_broadcast(
// CHECK-NOT:   reshape
// CHECK:       mirage_kernel.matmul %{{.+}}, %{{.+}} : (tensor<3x5x12xf32>, tensor<12x7xf32>) -> tensor<3x5x7xf32>
func.func @batch_broadcast(%x: tensor<3x5x12xf32>, %w: tensor<12x7xf32>) -> tensor<3x5x7xf32> {
  %init = arith.constant dense<0.0> : tensor<3x5x7xf32>
  %p = linalg.contract
    indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%x, %w : tensor<3x5x12xf32>, tensor<12x7xf32>) outs(%init : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %p : tensor<3x5x7xf32>
}

// Two contracted loops are one.
// CHECK-LABEL: func.func @two_sums(
// CHECK-DAG:   %[[X:.+]] = mirage_kernel.reshape %{{.+}} : (tensor<5x3x4xf32>) -> tensor<5x12xf32>
// CHECK-DAG:   %[[W:.+]] = mirage_kernel.reshape %{{.+}} : (tensor<3x4x7xf32>) -> tensor<12x7xf32>
// CHECK:       mirage_kernel.matmul %[[X]], %[[W]]
func.func @two_sums(%x: tensor<5x3x4xf32>, %w: tensor<3x4x7xf32>) -> tensor<5x7xf32> {
  %init = arith.constant dense<0.0> : tensor<5x7xf32>
  %p = linalg.contract
    indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>, affine_map<(m, n, k, l) -> (m, n)>]
    ins(%x, %w : tensor<5x3x4xf32>, tensor<3x4x7xf32>) outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %p : tensor<5x7xf32>
}

// Tiles of tiles: two free loops on either side.
// CHECK-LABEL: func.func @mmt4d(
// CHECK:       mirage_kernel.matmul
func.func @mmt4d(%x: tensor<2x3x4x5xf32>, %w: tensor<6x3x7x5xf32>) -> tensor<2x6x4x7xf32> {
  %init = arith.constant dense<0.0> : tensor<2x6x4x7xf32>
  %p = linalg.mmt4d ins(%x, %w : tensor<2x3x4x5xf32>, tensor<6x3x7x5xf32>) outs(%init : tensor<2x6x4x7xf32>) -> tensor<2x6x4x7xf32>
  return %p : tensor<2x6x4x7xf32>
}

// CHECK-LABEL: func.func @matvec(
// CHECK:       mirage_kernel.matmul %{{.+}}, %{{.+}} : (tensor<5x12xf32>, tensor<12x1xf32>) -> tensor<5x1xf32>
func.func @matvec(%x: tensor<5x12xf32>, %v: tensor<12xf32>) -> tensor<5xf32> {
  %init = arith.constant dense<0.0> : tensor<5xf32>
  %p = linalg.matvec ins(%x, %v : tensor<5x12xf32>, tensor<12xf32>) outs(%init : tensor<5xf32>) -> tensor<5xf32>
  return %p : tensor<5xf32>
}

// CHECK-LABEL: func.func @vecmat(
// CHECK:       mirage_kernel.matmul %{{.+}}, %{{.+}} : (tensor<1x12xf32>, tensor<12x7xf32>) -> tensor<1x7xf32>
func.func @vecmat(%v: tensor<12xf32>, %w: tensor<12x7xf32>) -> tensor<7xf32> {
  %init = arith.constant dense<0.0> : tensor<7xf32>
  %p = linalg.vecmat ins(%v, %w : tensor<12xf32>, tensor<12x7xf32>) outs(%init : tensor<7xf32>) -> tensor<7xf32>
  return %p : tensor<7xf32>
}

// Both factors vary with the same loops: a product and a sum, no matmul.
// CHECK-LABEL: func.func @row_dots(
// CHECK:       %[[P:.+]] = mirage_kernel.mul %{{.+}}, %{{.+}} : {{.+}} -> tensor<5x12xf32>
// CHECK-NEXT:  mirage_kernel.sum %[[P]] dims [1]
func.func @row_dots(%x: tensor<5x12xf32>, %y: tensor<5x12xf32>) -> tensor<5x1xf32> {
  %init = arith.constant dense<0.0> : tensor<5x1xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : tensor<5x12xf32>, tensor<5x12xf32>) outs(%init : tensor<5x1xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x1xf32>
  return %p : tensor<5x1xf32>
}

// Factors that the body computes first.
// CHECK-LABEL: func.func @computed_factors(
// CHECK-DAG:   %[[E:.+]] = mirage_kernel.exp %{{.+}} : (tensor<5x12xf32>)
// CHECK-DAG:   %[[S:.+]] = mirage_kernel.scale %{{.+}} by 2.000000e+00 : (tensor<12x7xf32>)
// CHECK:       mirage_kernel.matmul %[[E]], %[[S]]
func.func @computed_factors(%x: tensor<5x12xf32>, %w: tensor<12x7xf32>) -> tensor<5x7xf32> {
  %init = arith.constant dense<0.0> : tensor<5x7xf32>
  %two = arith.constant 2.0 : f32
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x12xf32>, tensor<12x7xf32>) outs(%init : tensor<5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %e = math.exp %a : f32
    %s = arith.mulf %b, %two : f32
    %0 = arith.mulf %e, %s : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x7xf32>
  return %p : tensor<5x7xf32>
}

// Factors of two types meet in f32; widened f16 factors need no cast.
// CHECK-LABEL: func.func @factor_types(
// CHECK-DAG:   %[[X:.+]] = mirage_kernel.cast %{{.+}} : (tensor<5x12xf16>) -> tensor<5x12xf32>
// CHECK-DAG:   mirage_kernel.matmul %[[X]], %{{.+}} : (tensor<5x12xf32>, tensor<12x7xf32>)
// CHECK-DAG:   mirage_kernel.matmul %{{.+}}, %{{.+}} : (tensor<5x12xf16>, tensor<12x7xf16>) -> tensor<5x7xf32>
func.func @factor_types(%x: tensor<5x12xf16>, %w: tensor<12x7xf32>, %v: tensor<12x7xf16>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %init = arith.constant dense<0.0> : tensor<5x7xf32>
  %xw = arith.extf %x : tensor<5x12xf16> to tensor<5x12xf32>
  %vw = arith.extf %v : tensor<12x7xf16> to tensor<12x7xf32>
  %p = linalg.matmul ins(%xw, %w : tensor<5x12xf32>, tensor<12x7xf32>) outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  %q = linalg.matmul ins(%xw, %vw : tensor<5x12xf32>, tensor<12x7xf32>) outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %p, %q : tensor<5x7xf32>, tensor<5x7xf32>
}

// The maps of a matmul, but not its body.
// CHECK-LABEL: func.func @sums_of_sums(
// CHECK-NOT:   matmul
// CHECK:       %[[S:.+]] = mirage_kernel.add
// CHECK-NEXT:  mirage_kernel.sum %[[S]] dims [2]
func.func @sums_of_sums(%x: tensor<5x12xf32>, %w: tensor<12x7xf32>) -> tensor<5x7xf32> {
  %init = arith.constant dense<0.0> : tensor<5x7xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x12xf32>, tensor<12x7xf32>) outs(%init : tensor<5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x7xf32>
  return %p : tensor<5x7xf32>
}

// One element everywhere.
// CHECK-LABEL: func.func @one_element(
// CHECK:       mirage_kernel.matmul
func.func @one_element(%x: tensor<1x1xf32>, %w: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %init = arith.constant dense<0.0> : tensor<1x1xf32>
  %p = linalg.matmul ins(%x, %w : tensor<1x1xf32>, tensor<1x1xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %p : tensor<1x1xf32>
}
