// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: func.func @silu(
// CHECK:       ^bb0(%[[X:.+]]: tensor<4x6xf16>):
// CHECK-NEXT:    %[[N:.+]] = mirage_kernel.neg %[[X]] : (tensor<4x6xf16>) -> tensor<4x6xf32>
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.exp %[[N]]
// CHECK-NEXT:    %[[O:.+]] = mirage_kernel.offset %[[E]] by 1.000000e+00
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.div %[[X]], %[[O]] : (tensor<4x6xf16>, tensor<4x6xf32>) -> tensor<4x6xf16>
// CHECK-NEXT:    mirage_kernel.yield %[[D]]
func.func @silu(%x: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %e = tensor.empty() : tensor<4x6xf16>
  %one = arith.constant 1.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf16>) outs(%e : tensor<4x6xf16>) {
  ^bb0(%a: f16, %out: f16):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.negf %0 : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.divf %0, %3 : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<4x6xf16>
  return %r : tensor<4x6xf16>
}

// Each operator of two operands with a number on either side.
// CHECK-LABEL: func.func @numbers(
// CHECK:       ^bb0(%[[X:.+]]: tensor<4x6xf32>):
// CHECK-NEXT:    %[[A:.+]] = mirage_kernel.offset %[[X]] by 3.000000e+00
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.offset %[[A]] by -5.000000e-01
// CHECK-NEXT:    %[[N:.+]] = mirage_kernel.neg %[[B]]
// CHECK-NEXT:    %[[C:.+]] = mirage_kernel.offset %[[N]] by 3.000000e+00
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.scale %[[C]] by 5.000000e-01
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.unscale %[[D]] by 3.000000e+00
// CHECK-NEXT:    %[[F:.+]] = mirage_kernel.reciprocal %[[E]]
// CHECK-NEXT:    %[[R:.+]] = mirage_kernel.reciprocal %[[F]]
// CHECK-NEXT:    %[[G:.+]] = mirage_kernel.scale %[[R]] by 3.000000e+00
// CHECK-NEXT:    mirage_kernel.yield %[[G]]
func.func @numbers(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %folded = arith.addf %one, %two : f32
    %0 = arith.addf %folded, %a : f32
    %1 = arith.subf %0, %half : f32
    %2 = arith.subf %folded, %1 : f32
    %3 = arith.mulf %half, %2 : f32
    %4 = arith.divf %3, %folded : f32
    %5 = arith.divf %one, %4 : f32
    %6 = arith.divf %folded, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @bounds(
// CHECK:         %[[A:.+]] = mirage_kernel.relu
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.clamp %{{.+}} to 2.500000e-01, 0x7FF0000000000000
// CHECK-NEXT:    %[[C:.+]] = mirage_kernel.clamp %[[B]] to 0xFFF0000000000000, 7.500000e-01
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.maximum
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.minimum %[[D]], %{{.+}}
func.func @bounds(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %e = tensor.empty() : tensor<4x6xf32>
  %zero = arith.constant 0.0 : f32
  %lo = arith.constant 0.25 : f32
  %hi = arith.constant 0.75 : f32
  %r:3 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e, %e, %e : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32, %o1: f32, %o2: f32):
    %0 = arith.maximumf %a, %zero : f32
    %1 = arith.maximumf %lo, %a : f32
    %2 = arith.minimumf %1, %hi : f32
    %3 = arith.maxnumf %a, %b fastmath<nnan> : f32
    %4 = arith.minimumf %3, %b : f32
    linalg.yield %0, %2, %4 : f32, f32, f32
  } -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
  return %r#0, %r#1, %r#2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: func.func @functions(
// CHECK:         %[[A:.+]] = mirage_kernel.abs
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.offset %[[A]] by 1.000000e+00
// CHECK-NEXT:    %[[C:.+]] = mirage_kernel.log %[[B]]
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.rsqrt %[[B]]
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.add %[[C]], %[[D]]
// CHECK-NEXT:    %[[F:.+]] = mirage_kernel.sqrt %[[B]]
// CHECK-NEXT:    %[[G:.+]] = mirage_kernel.add %[[E]], %[[F]]
// CHECK-NEXT:    %[[H:.+]] = mirage_kernel.tanh
// CHECK-NEXT:    %[[I:.+]] = mirage_kernel.add %[[G]], %[[H]]
// CHECK-NEXT:    %[[J:.+]] = mirage_kernel.erf
// CHECK-NEXT:    %[[K:.+]] = mirage_kernel.add %[[I]], %[[J]]
// CHECK-NEXT:    %[[L:.+]] = mirage_kernel.exp2
// CHECK-NEXT:    mirage_kernel.add %[[K]], %[[L]]
func.func @functions(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %one = arith.constant 1.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.absf %a : f32
    %1 = arith.addf %0, %one : f32
    %2 = math.log %1 : f32
    %3 = math.rsqrt %1 : f32
    %4 = arith.addf %2, %3 : f32
    %5 = math.sqrt %1 : f32
    %6 = arith.addf %4, %5 : f32
    %7 = math.tanh %a : f32
    %8 = arith.addf %6, %7 : f32
    %9 = math.erf %a : f32
    %10 = arith.addf %8, %9 : f32
    %11 = math.exp2 %a : f32
    %12 = arith.addf %10, %11 : f32
    linalg.yield %12 : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @powers(
// CHECK:       ^bb0(%[[X:.+]]: tensor<4x6xf32>):
// CHECK-NEXT:    %[[A:.+]] = mirage_kernel.square %[[X]]
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.mul %[[A]], %[[X]]
// CHECK-NEXT:    %[[C:.+]] = mirage_kernel.sqrt %[[A]]
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.mul %[[B]], %[[C]]
// CHECK-NEXT:    mirage_kernel.yield %[[D]]
func.func @powers(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.powf %a, %two : f32
    %1 = math.powf %a, %three : f32
    %2 = math.powf %0, %half : f32
    %3 = arith.mulf %1, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// arith and math on whole tensors, with constants that are splats.
// CHECK-LABEL: func.func @on_tensors(
// CHECK:       ^bb0(%[[X:.+]]: tensor<4x6xf32>, %[[Y:.+]]: tensor<4x6xf32>):
// CHECK-NEXT:    %[[A:.+]] = mirage_kernel.add %[[X]], %[[Y]]
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.scale %[[A]] by 5.000000e-01
// CHECK-NEXT:    %[[C:.+]] = mirage_kernel.exp %[[B]]
// CHECK-NEXT:    mirage_kernel.yield %[[C]]
func.func @on_tensors(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %half = arith.constant dense<0.5> : tensor<4x6xf32>
  %0 = arith.addf %x, %y : tensor<4x6xf32>
  %1 = arith.mulf %half, %0 : tensor<4x6xf32>
  %2 = math.exp %1 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// Named elementwise ops are read by their bodies as well.
// CHECK-LABEL: func.func @named(
// CHECK:         %[[A:.+]] = mirage_kernel.sub
// CHECK-NEXT:    %[[B:.+]] = mirage_kernel.square %[[A]]
// CHECK-NEXT:    mirage_kernel.exp %[[B]]
func.func @named(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.sub ins(%x, %y : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.mul ins(%0, %0 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = linalg.map { math.exp } ins(%1 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>)
  return %2 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @transposed(
// CHECK:       ^bb0(%[[X:.+]]: tensor<4x6xf32>, %[[Y:.+]]: tensor<6x4xf32>):
// CHECK-NEXT:    %[[T:.+]] = mirage_kernel.transpose %[[Y]] dims [1, 0]
// CHECK-NEXT:    %[[A:.+]] = mirage_kernel.add %[[X]], %[[T]]
// CHECK-NEXT:    %[[R:.+]] = mirage_kernel.transpose %[[A]] dims [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
// CHECK-NEXT:    mirage_kernel.yield %[[R]]
func.func @transposed(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #tr, #tr], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x6xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// A body may read what its destination holds.
// CHECK-LABEL: func.func @reads_destination(
// CHECK:       mirage_kernel.mul
func.func @reads_destination(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%y : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.mulf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Rounding in between is kept: f32 to bf16, and back.
// CHECK-LABEL: func.func @rounded_twice(
// CHECK:         %[[A:.+]] = mirage_kernel.exp %{{.+}} : (tensor<4x6xf32>) -> tensor<4x6xbf16>
// CHECK-NEXT:    mirage_kernel.square %[[A]] : (tensor<4x6xbf16>) -> tensor<4x6xf32>
func.func @rounded_twice(%x: tensor<4x6xf32>) -> tensor<4x6xbf16> {
  %e = tensor.empty() : tensor<4x6xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %0 = math.exp %a : f32
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.mulf %2, %2 : f32
    %4 = arith.addf %3, %2 : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<4x6xbf16>
  return %r : tensor<4x6xbf16>
}
