// Whole programs, at sizes that nothing divides: what is imported, and that it
// computes what upstream's own lowering does. The first four are examples/ at
// other sizes.
// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

#map = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i, j)>
#per_row = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func.func @rmsnorm_linear(
// CHECK:       ^bb0(%[[X:.+]]: tensor<7x100xf16>, %[[W:.+]]: tensor<100x13xf16>):
// CHECK-NEXT:    %[[S:.+]] = mirage_kernel.square %[[X]] : (tensor<7x100xf16>) -> tensor<7x100xf32>
// CHECK-NEXT:    %[[M:.+]] = mirage_kernel.mean %[[S]] dims [1] : (tensor<7x100xf32>) -> tensor<7x1xf32>
// CHECK-NEXT:    %[[R:.+]] = mirage_kernel.sqrt %[[M]] : (tensor<7x1xf32>) -> tensor<7x1xf16>
// CHECK-NEXT:    %[[N:.+]] = mirage_kernel.div %[[X]], %[[R]] : (tensor<7x100xf16>, tensor<7x1xf16>) -> tensor<7x100xf16>
// CHECK-NEXT:    %[[P:.+]] = mirage_kernel.matmul %[[N]], %[[W]] : (tensor<7x100xf16>, tensor<100x13xf16>) -> tensor<7x13xf16>
// CHECK-NEXT:    mirage_kernel.yield %[[P]]
// CHECK-NEXT:  } : tensor<7x13xf16>
// CHECK-NEXT:  return
func.func @rmsnorm_linear(%x: tensor<7x100xf16>, %w: tensor<100x13xf16>)
    -> tensor<7x13xf16> {
  %zero = arith.constant 0.0 : f32

  // The sum of squares of each row.
  %e0 = tensor.empty() : tensor<7x1xf32>
  %init0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<7x1xf32>) -> tensor<7x1xf32>
  %squares = linalg.generic {
         indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
       ins(%x : tensor<7x100xf16>) outs(%init0 : tensor<7x1xf32>) {
  ^bb0(%in: f16, %sum: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<7x1xf32>

  // Its root mean square.
  %e1 = tensor.empty() : tensor<7x1xf16>
  %rms = linalg.generic {
         indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
       ins(%squares : tensor<7x1xf32>) outs(%e1 : tensor<7x1xf16>) {
  ^bb0(%in: f32, %out: f16):
    %size = arith.constant 100.0 : f32
    %0 = arith.divf %in, %size : f32
    %1 = math.sqrt %0 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<7x1xf16>

  %e2 = tensor.empty() : tensor<7x100xf16>
  %normalized = linalg.generic {
         indexing_maps = [#row, #per_row, #row], iterator_types = ["parallel", "parallel"]}
       ins(%x, %rms : tensor<7x100xf16>, tensor<7x1xf16>) outs(%e2 : tensor<7x100xf16>) {
  ^bb0(%in: f16, %norm: f16, %out: f16):
    %0 = arith.divf %in, %norm : f16
    linalg.yield %0 : f16
  } -> tensor<7x100xf16>

  %e3 = tensor.empty() : tensor<7x13xf32>
  %init3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<7x13xf32>) -> tensor<7x13xf32>
  %linear = linalg.matmul ins(%normalized, %w : tensor<7x100xf16>, tensor<100x13xf16>)
                          outs(%init3 : tensor<7x13xf32>) -> tensor<7x13xf32>
  %result = arith.truncf %linear : tensor<7x13xf32> to tensor<7x13xf16>
  return %result : tensor<7x13xf16>
}

// CHECK-LABEL: func.func @gated_mlp(
// CHECK:       ^bb0(%[[X:.+]]: tensor<7x100xf16>, %[[W1:.+]]: tensor<100x13xf16>, %[[W2:.+]]: tensor<100x13xf16>):
// CHECK-NEXT:    %[[G:.+]] = mirage_kernel.matmul %[[X]], %[[W1]] : {{.+}} -> tensor<7x13xf32>
// CHECK-NEXT:    %[[U:.+]] = mirage_kernel.matmul %[[X]], %[[W2]] : {{.+}} -> tensor<7x13xf32>
// CHECK-NEXT:    %[[N:.+]] = mirage_kernel.neg %[[G]]
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.exp %[[N]]
// CHECK-NEXT:    %[[O:.+]] = mirage_kernel.offset %[[E]] by 1.000000e+00
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.div %[[G]], %[[O]]
// CHECK-NEXT:    %[[R:.+]] = mirage_kernel.mul %[[D]], %[[U]] : {{.+}} -> tensor<7x13xf16>
// CHECK-NEXT:    mirage_kernel.yield %[[R]]
func.func @gated_mlp(%x: tensor<7x100xf16>, %w1: tensor<100x13xf16>,
                     %w2: tensor<100x13xf16>) -> tensor<7x13xf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<7x13xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<7x13xf32>) -> tensor<7x13xf32>
  %gate = linalg.matmul ins(%x, %w1 : tensor<7x100xf16>, tensor<100x13xf16>)
                        outs(%init : tensor<7x13xf32>) -> tensor<7x13xf32>
  %up = linalg.matmul ins(%x, %w2 : tensor<7x100xf16>, tensor<100x13xf16>)
                      outs(%init : tensor<7x13xf32>) -> tensor<7x13xf32>
  %e1 = tensor.empty() : tensor<7x13xf16>
  %result = linalg.generic {
         indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
       ins(%gate, %up : tensor<7x13xf32>, tensor<7x13xf32>) outs(%e1 : tensor<7x13xf16>) {
  ^bb0(%g: f32, %u: f32, %out: f16):
    %0 = arith.negf %g : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %g, %2 : f32
    %4 = arith.mulf %3, %u : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<7x13xf16>
  return %result : tensor<7x13xf16>
}

// CHECK-LABEL: func.func @softmax(
// CHECK:       ^bb0(%[[X:.+]]: tensor<7x100xf16>):
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.exp %[[X]] : (tensor<7x100xf16>) -> tensor<7x100xf32>
// CHECK-NEXT:    %[[S:.+]] = mirage_kernel.sum %[[E]] dims [1]
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.div %[[E]], %[[S]] : {{.+}} -> tensor<7x100xf16>
// CHECK-NEXT:    mirage_kernel.yield %[[D]]
func.func @softmax(%x: tensor<7x100xf16>) -> tensor<7x100xf16> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<7x100xf32>
  %exp = linalg.generic {
         indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
       ins(%x : tensor<7x100xf16>) outs(%e0 : tensor<7x100xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<7x100xf32>

  %e1 = tensor.empty() : tensor<7x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<7x1xf32>) -> tensor<7x1xf32>
  %sums = linalg.generic {
         indexing_maps = [#row, #per_row], iterator_types = ["parallel", "reduction"]}
       ins(%exp : tensor<7x100xf32>) outs(%init : tensor<7x1xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %0 = arith.addf %sum, %in : f32
    linalg.yield %0 : f32
  } -> tensor<7x1xf32>

  %e2 = tensor.empty() : tensor<7x100xf16>
  %result = linalg.generic {
         indexing_maps = [#row, #per_row, #row], iterator_types = ["parallel", "parallel"]}
       ins(%exp, %sums : tensor<7x100xf32>, tensor<7x1xf32>)
       outs(%e2 : tensor<7x100xf16>) {
  ^bb0(%in: f32, %sum: f32, %out: f16):
    %0 = arith.divf %in, %sum : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<7x100xf16>
  return %result : tensor<7x100xf16>
}

// CHECK-LABEL: func.func @exp_matmul(
// CHECK:         %[[P:.+]] = mirage_kernel.matmul %{{.+}}, %{{.+}} : {{.+}} -> tensor<7x13xf32>
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.exp %[[P]] : (tensor<7x13xf32>) -> tensor<7x13xf16>
// CHECK-NEXT:    mirage_kernel.yield %[[E]]
func.func @exp_matmul(%x: tensor<7x100xf16>, %w: tensor<100x13xf16>)
    -> tensor<7x13xf16> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<7x13xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<7x13xf32>) -> tensor<7x13xf32>
  %p = linalg.matmul ins(%x, %w : tensor<7x100xf16>, tensor<100x13xf16>)
                     outs(%init : tensor<7x13xf32>) -> tensor<7x13xf32>
  %e1 = tensor.empty() : tensor<7x13xf16>
  %r = linalg.generic {
         indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
         iterator_types = ["parallel", "parallel"]}
       ins(%p : tensor<7x13xf32>) outs(%e1 : tensor<7x13xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = math.exp %in : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<7x13xf16>
  return %r : tensor<7x13xf16>
}

// Attention over two heads: scores scaled by 1/sqrt(64), keys as they are kept,
// [keys, D], softmax with the row's maximum subtracted.
#qk = affine_map<(h, i, j) -> (h, i, j)>
#qk_row = affine_map<(h, i, j) -> (h, i)>

// CHECK-LABEL: func.func @attention(
// CHECK:       ^bb0(%[[Q:.+]]: tensor<2x5x64xf16>, %[[K:.+]]: tensor<2x9x64xf16>, %[[V:.+]]: tensor<2x9x64xf16>):
// CHECK:         %[[T:.+]] = mirage_kernel.transpose %[[K]] dims [0, 2, 1]
// CHECK:         %[[P:.+]] = mirage_kernel.matmul %[[Q]], %[[T]]
// CHECK:         %[[S:.+]] = mirage_kernel.scale %[[P]] by 1.250000e-01
// CHECK:         %[[M:.+]] = mirage_kernel.max %[[S]] dims [2] : (tensor<2x5x9xf32>) -> tensor<2x5x1xf32>
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.sub %[[S]], %[[M]]
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.exp %[[D]]
// CHECK-NEXT:    %[[N:.+]] = mirage_kernel.sum %[[E]] dims [2]
// CHECK-NEXT:    %[[A:.+]] = mirage_kernel.div %[[E]], %[[N]] : {{.+}} -> tensor<2x5x9xf16>
// CHECK-NEXT:    %[[O:.+]] = mirage_kernel.matmul %[[A]], %[[V]] : {{.+}} -> tensor<2x5x64xf16>
// CHECK-NEXT:    mirage_kernel.yield %[[O]]
func.func @attention(%q: tensor<2x5x64xf16>, %k: tensor<2x9x64xf16>, %v: tensor<2x9x64xf16>) -> tensor<2x5x64xf16> {
  %zeros = arith.constant dense<0.0> : tensor<2x5x9xf32>
  %p = linalg.batch_matmul indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
    ins(%q, %k : tensor<2x5x64xf16>, tensor<2x9x64xf16>) outs(%zeros : tensor<2x5x9xf32>) -> tensor<2x5x9xf32>
  %factor = arith.constant dense<0.125> : tensor<2x5x9xf32>
  %s = arith.mulf %p, %factor : tensor<2x5x9xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<2x5xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<2x5x9xf32>) outs(%lowest : tensor<2x5xf32>) dimensions = [2]
  %e = tensor.empty() : tensor<2x5x9xf32>
  %x = linalg.generic {indexing_maps = [#qk, #qk_row, #qk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<2x5x9xf32>, tensor<2x5xf32>) outs(%e : tensor<2x5x9xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x5x9xf32>
  %zero_rows = arith.constant dense<0.0> : tensor<2x5xf32>
  %n = linalg.reduce { arith.addf } ins(%x : tensor<2x5x9xf32>) outs(%zero_rows : tensor<2x5xf32>) dimensions = [2]
  %e1 = tensor.empty() : tensor<2x5x9xf16>
  %w = linalg.generic {indexing_maps = [#qk, #qk_row, #qk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %n : tensor<2x5x9xf32>, tensor<2x5xf32>) outs(%e1 : tensor<2x5x9xf16>) {
  ^bb0(%a: f32, %b: f32, %out: f16):
    %0 = arith.divf %a, %b : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<2x5x9xf16>
  %zeros_out = arith.constant dense<0.0> : tensor<2x5x64xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<2x5x9xf16>, tensor<2x9x64xf16>) outs(%zeros_out : tensor<2x5x64xf32>) -> tensor<2x5x64xf32>
  %r = arith.truncf %o : tensor<2x5x64xf32> to tensor<2x5x64xf16>
  return %r : tensor<2x5x64xf16>
}

// LayerNorm with weight and bias, as front ends spell it: both means by a
// multiplication with 1/100, which no float is exactly.
// CHECK-LABEL: func.func @layer_norm(
// CHECK:       ^bb0(%[[X:.+]]: tensor<7x100xf32>, %[[WEIGHT:.+]]: tensor<100xf32>, %[[BIAS:.+]]: tensor<100xf32>):
// CHECK-NEXT:    %[[M:.+]] = mirage_kernel.mean %[[X]] dims [1]
// CHECK-NEXT:    %[[D:.+]] = mirage_kernel.sub %[[X]], %[[M]]
// CHECK-NEXT:    %[[S:.+]] = mirage_kernel.square %[[D]]
// CHECK-NEXT:    %[[V:.+]] = mirage_kernel.mean %[[S]] dims [1]
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.offset %[[V]] by 9.9999997473787516E-6
// CHECK-NEXT:    %[[R:.+]] = mirage_kernel.rsqrt %[[E]]
// CHECK-NEXT:    %[[N:.+]] = mirage_kernel.mul %[[D]], %[[R]]
// CHECK-NEXT:    %[[W:.+]] = mirage_kernel.mul %[[N]], %[[WEIGHT]]
// CHECK-NEXT:    mirage_kernel.add %[[W]], %[[BIAS]]
func.func @layer_norm(%x: tensor<7x100xf32>, %weight: tensor<100xf32>, %bias: tensor<100xf32>) -> tensor<7x100xf32> {
  %zeros = arith.constant dense<0.0> : tensor<7xf32>
  %inverse = arith.constant 0.01 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<7x100xf32>) outs(%zeros : tensor<7xf32>) dimensions = [1]
  %squares = linalg.generic {indexing_maps = [#map, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<7x100xf32>, tensor<7xf32>) outs(%zeros : tensor<7xf32>) {
  ^bb0(%a: f32, %s: f32, %acc: f32):
    %0 = arith.mulf %s, %inverse : f32
    %1 = arith.subf %a, %0 : f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %2, %acc : f32
    linalg.yield %3 : f32
  } -> tensor<7xf32>
  %e = tensor.empty() : tensor<7x100xf32>
  %r = linalg.generic {indexing_maps = [#map, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares, %weight, %bias : tensor<7x100xf32>, tensor<7xf32>, tensor<7xf32>, tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<7x100xf32>) {
  ^bb0(%a: f32, %s: f32, %q: f32, %g: f32, %b: f32, %out: f32):
    %0 = arith.mulf %s, %inverse : f32
    %1 = arith.subf %a, %0 : f32
    %2 = arith.mulf %q, %inverse : f32
    %3 = arith.addf %2, %epsilon : f32
    %4 = math.rsqrt %3 : f32
    %5 = arith.mulf %1, %4 : f32
    %6 = arith.mulf %5, %g : f32
    %7 = arith.addf %6, %b : f32
    linalg.yield %7 : f32
  } -> tensor<7x100xf32>
  return %r : tensor<7x100xf32>
}
