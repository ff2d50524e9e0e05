// Masks: what indices alone say is hidden.
// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s --implicit-check-not=linalg. --implicit-check-not=arith.
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Either way round, strictly or not: j <= i, and all that is left of four equal masks is one.
// CHECK-LABEL: func.func @spelled_four_ways(
// CHECK:         %[[A:.+]] = mirage_kernel.causal_mask %{{.+}} offset 0 : (tensor<5x7xf32>)
// CHECK-NEXT:    mirage_kernel.yield %[[A]]
func.func @spelled_four_ways(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.cmpi sge, %i, %j : index
    %2 = arith.select %1, %a, %lowest : f32
    %3 = arith.cmpi sgt, %j, %i : index
    %4 = arith.select %3, %lowest, %2 : f32
    %5 = arith.cmpi slt, %i, %j : index
    %6 = arith.select %5, %lowest, %4 : f32
    %7 = arith.cmpi ule, %j, %i : index
    %8 = arith.select %7, %6, %lowest : f32
    linalg.yield %8 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// j <= i + 2 - 1, in i32, of a middle part of a larger mask.
// CHECK-LABEL: func.func @slice_of_mask(
// CHECK:         mirage_kernel.causal_mask %{{.+}} offset 1
func.func @slice_of_mask(%x: tensor<2x5x7xf32>) -> tensor<2x5x7xf32> {
  %wide = tensor.empty() : tensor<1x16x16xf32>
  %e = tensor.empty() : tensor<2x5x7xf32>
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %0 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%wide : tensor<1x16x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %1 = arith.subi %j32, %i32 : i32
    %c0 = arith.constant 0 : i32
    %2 = arith.cmpi sle, %1, %c0 : i32
    %3 = arith.select %2, %zero, %lowest : f32
    linalg.yield %3 : f32
  } -> tensor<1x16x16xf32>
  %s = tensor.extract_slice %0[0, 3, 2] [1, 5, 7] [1, 1, 1] : tensor<1x16x16xf32> to tensor<5x7xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : tensor<2x5x7xf32>, tensor<5x7xf32>) outs(%e : tensor<2x5x7xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %1 = arith.addf %a, %m : f32
    linalg.yield %1 : f32
  } -> tensor<2x5x7xf32>
  return %4 : tensor<2x5x7xf32>
}

// tril(ones) == 0, then masked_fill: a float that is compared, a condition that is turned.
// CHECK-LABEL: func.func @masked_fill(
// CHECK:         mirage_kernel.causal_mask %{{.+}} offset 0
func.func @masked_fill(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %b = tensor.empty() : tensor<5x7xi1>
  %c1 = arith.constant 1 : i64
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ones : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %next = arith.addi %i64, %c1 : i64
    %1 = arith.cmpi slt, %j64, %next : i64
    %2 = arith.select %1, %a, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x7xf32>) outs(%b : tensor<5x7xi1>) {
  ^bb0(%a: f32, %out: i1):
    %4 = arith.cmpf ueq, %a, %zero : f32
    linalg.yield %4 : i1
  } -> tensor<5x7xi1>
  %5 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%3, %x : tensor<5x7xi1>, tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%c: i1, %a: f32, %out: f32):
    %6 = arith.select %c, %lowest, %a : f32
    linalg.yield %6 : f32
  } -> tensor<5x7xf32>
  return %5 : tensor<5x7xf32>
}

// What is kept is above the diagonal: rows and columns change places.
// CHECK-LABEL: func.func @upper(
// CHECK:         %[[T:.+]] = mirage_kernel.transpose %{{.+}} dims [1, 0] : (tensor<5x7xf32>) -> tensor<7x5xf32>
// CHECK-NEXT:    %[[M:.+]] = mirage_kernel.causal_mask %[[T]] offset 2 : (tensor<7x5xf32>)
// CHECK-NEXT:    mirage_kernel.transpose %[[M]] dims [1, 0]
func.func @upper(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %c2 = arith.constant 2 : index
  %lowest = arith.constant 0xFF800000 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.addi %j, %c2 : index
    %2 = arith.cmpi uge, %1, %i : index
    %3 = arith.select %2, %a, %lowest : f32
    linalg.yield %3 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// The first four columns of each row; and the rows from the third on, of one number.
// CHECK-LABEL: func.func @by_length(
// CHECK:         %[[X:.+]] = mirage_kernel.reshape %{{.+}} : (tensor<5x7xf32>) -> tensor<5x1x7xf32>
// CHECK-NEXT:    mirage_kernel.causal_mask %[[X]] offset 3 : (tensor<5x1x7xf32>)
// CHECK:         mirage_kernel.causal_mask %{{.+}} offset -2 : (tensor<7x5x1xf32>)
func.func @by_length(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %lowest = arith.constant 0xFF800000 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.cmpi ule, %j, %c3 : index
    %2 = arith.select %1, %a, %lowest : f32
    %3 = arith.cmpi ult, %i, %c2 : index
    %4 = arith.select %3, %lowest, %2 : f32
    linalg.yield %4 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// A row of numbers that all rows have, each masked in its own way.
// CHECK-LABEL: func.func @stretched(
// CHECK:         %[[B:.+]] = mirage_kernel.broadcast %{{.+}} : ({{.+}}) -> tensor<5x7xf32>
// CHECK:         mirage_kernel.causal_mask %[[B]] offset 0 : (tensor<5x7xf32>)
func.func @stretched(%x: tensor<7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %0 = linalg.generic {indexing_maps = [#column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.cmpi ule, %j, %i : index
    %2 = arith.select %1, %a, %lowest : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// Ops of arith on tensors, and the exponential that the mask is for.
// CHECK-LABEL: func.func @on_tensors(
// CHECK:         %[[M:.+]] = mirage_kernel.causal_mask %{{.+}} offset 0
// CHECK-NEXT:    mirage_kernel.exp %[[M]]
func.func @on_tensors(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5xi64>
  %f = tensor.empty() : tensor<7xi64>
  %wide = tensor.empty() : tensor<5x7xi64>
  %lowest = arith.constant dense<0xFF800000> : tensor<5x7xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<5xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %i64 = arith.index_cast %i : index to i64
    linalg.yield %i64 : i64
  } -> tensor<5xi64>
  %columns = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%f : tensor<7xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %i64 = arith.index_cast %i : index to i64
    linalg.yield %i64 : i64
  } -> tensor<7xi64>
  %r1 = tensor.expand_shape %rows [[0, 1]] output_shape [5, 1] : tensor<5xi64> into tensor<5x1xi64>
  %c1 = tensor.expand_shape %columns [[0, 1]] output_shape [1, 7] : tensor<7xi64> into tensor<1x7xi64>
  %r2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%r1 : tensor<5x1xi64>) outs(%wide : tensor<5x7xi64>) {
  ^bb0(%in: i64, %out: i64):
    linalg.yield %in : i64
  } -> tensor<5x7xi64>
  %c2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%c1 : tensor<1x7xi64>) outs(%wide : tensor<5x7xi64>) {
  ^bb0(%in: i64, %out: i64):
    linalg.yield %in : i64
  } -> tensor<5x7xi64>
  %0 = arith.cmpi sgt, %c2, %r2 : tensor<5x7xi64>
  %1 = arith.select %0, %lowest, %x : tensor<5x7xi1>, tensor<5x7xf32>
  %2 = math.exp %1 : tensor<5x7xf32>
  return %2 : tensor<5x7xf32>
}

// The lowest finite number stands for minus infinity; and a mask that is an argument is a
// tensor like any other.
// CHECK-LABEL: func.func @finite(
// CHECK:         mirage_kernel.add
// CHECK:         %[[M:.+]] = mirage_kernel.causal_mask %{{.+}} offset 0
// CHECK-NEXT:    mirage_kernel.exp %[[M]]
func.func @finite(%x: tensor<5x7xf32>, %mask: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %lowest = arith.constant -3.40282347E+38 : f32
  %0 = arith.addf %x, %mask : tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %2 = arith.cmpi ule, %j, %i : index
    %3 = arith.select %2, %a, %lowest : f32
    %4 = math.exp %3 : f32
    linalg.yield %4 : f32
  } -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// tril, as torch-mlir writes it: what is hidden is 0, as 0 = exp(-inf) makes it.
// CHECK-LABEL: func.func @lower_triangle(
// CHECK-SAME:    %[[X:.+]]: tensor<5x7xf32>
// CHECK:         %[[Z:.+]] = mirage_kernel.constant 0.000000e+00 : tensor<5x7xf32>
// CHECK-NEXT:    %[[M:.+]] = mirage_kernel.causal_mask %[[Z]] offset 1
// CHECK-NEXT:    %[[E:.+]] = mirage_kernel.exp %[[M]]
// CHECK-NEXT:    mirage_kernel.mul %{{.+}}, %[[E]]
func.func @lower_triangle(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : i64
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %next = arith.addi %i64, %c1 : i64
    %1 = arith.cmpi sle, %j64, %next : i64
    %2 = arith.select %1, %a, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// A triangle of ones that scores are multiplied by, as in linear attention.
// CHECK-LABEL: func.func @times_triangle(
// CHECK:         mirage_kernel.causal_mask %{{.+}} offset 0 : (tensor<5x7xf32>)
// CHECK:         mirage_kernel.mul
func.func @times_triangle(%x: tensor<2x5x7xf32>) -> tensor<2x5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %large = tensor.empty() : tensor<2x5x7xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x7xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.cmpi uge, %i, %j : index
    %2 = arith.select %1, %one, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<5x7xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %0 : tensor<2x5x7xf32>, tensor<5x7xf32>) outs(%large : tensor<2x5x7xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %1 = arith.mulf %a, %m : f32
    linalg.yield %1 : f32
  } -> tensor<2x5x7xf32>
  return %3 : tensor<2x5x7xf32>
}

// The lowest number of its type stands for minus infinity, which is said; any other one is a number.
// RUN: sed 's/0xFF800000 : f32/-3.40282347E+38 : f32/' %s > %t.lowest.mlir
// RUN: mirage-opt %t.lowest.mlir --convert-linalg-to-mirage-kernel -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOWEST
// LOWEST: remark: reads -3.40e+38, the lowest number of its type, as minus infinity; a softmax of a row that is hidden whole is NaN then, and no mean
