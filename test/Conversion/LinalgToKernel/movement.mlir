// Parts of tensors, and tensors made of parts.
// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel | FileCheck %s
// RUN: mirage-import-check %s
// RUN: mirage-import-check --by-patterns %s

// CHECK-LABEL: func.func @slice(
// CHECK:         mirage_kernel.slice %{{.+}} offsets [1, 2] strides [1, 3] : (tensor<4x12xf16>) -> tensor<2x4xf16>
func.func @slice(%x: tensor<4x12xf16>) -> tensor<2x4xf16> {
  %0 = tensor.extract_slice %x[1, 2] [2, 4] [1, 3] : tensor<4x12xf16> to tensor<2x4xf16>
  return %0 : tensor<2x4xf16>
}

// CHECK-LABEL: func.func @slice_of_lower_rank(
// CHECK:         %[[S:.+]] = mirage_kernel.slice %{{.+}} offsets [0, 2, 0] strides [1, 1, 1] : (tensor<4x3x6xf32>) -> tensor<4x1x6xf32>
// CHECK-NEXT:    mirage_kernel.reshape %[[S]] : (tensor<4x1x6xf32>) -> tensor<4x6xf32>
func.func @slice_of_lower_rank(%x: tensor<4x3x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.extract_slice %x[0, 2, 0] [4, 1, 6] [1, 1, 1] : tensor<4x3x6xf32> to tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// All of a tensor is no part.
// CHECK-LABEL: func.func @slice_of_all(
// CHECK-NOT:     slice
// CHECK:         mirage_kernel.exp
// CHECK-NOT:     slice
// CHECK:         return
func.func @slice_of_all(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.extract_slice %x[0, 0] [4, 6] [1, 1] : tensor<4x6xf32> to tensor<4x6xf32>
  %1 = math.exp %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// A part of one number is that number.
// CHECK-LABEL: func.func @slice_of_number(
// CHECK:         mirage_kernel.scale %{{.+}} by 3.0
func.func @slice_of_number(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = arith.constant dense<3.0> : tensor<9x9xf32>
  %0 = tensor.extract_slice %c[0, 0] [4, 6] [1, 1] : tensor<9x9xf32> to tensor<4x6xf32>
  %1 = arith.mulf %x, %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @concat(
// CHECK:       ^bb0(%[[A:.+]]: tensor<4x2xf32>):
// CHECK:         %[[C:.+]] = mirage_kernel.constant 3.000000e+00 : tensor<4x3xf32>
// CHECK-NEXT:    mirage_kernel.concat %[[A]], %[[C]], %[[A]] dims [1]
func.func @concat(%a: tensor<4x2xf32>) -> tensor<4x7xf32> {
  %c = arith.constant dense<3.0> : tensor<4x3xf32>
  %0 = tensor.concat dim(1) %a, %c, %a : (tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// CHECK-LABEL: func.func @inserted_side_by_side(
// CHECK:       ^bb0(%[[A:.+]]: tensor<4x2xf32>, %[[B:.+]]: tensor<4x3xf32>, %[[C:.+]]: tensor<4x1xf32>):
// CHECK-NEXT:    %[[R:.+]] = mirage_kernel.concat %[[A]], %[[B]], %[[C]] dims [1]
// CHECK-NEXT:    mirage_kernel.yield %[[R]]
func.func @inserted_side_by_side(%a: tensor<4x2xf32>, %b: tensor<4x3xf32>, %c: tensor<4x1xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x6xf32>
  %1 = tensor.insert_slice %b into %0[0, 2] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<4x6xf32>
  %2 = tensor.insert_slice %c into %1[0, 5] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// Rows of a matrix, as torch.stack inserts them; what came first is covered.
// CHECK-LABEL: func.func @inserted_of_lower_rank(
// CHECK-DAG:     %[[A:.+]] = mirage_kernel.reshape %{{.+}} : (tensor<6xf32>) -> tensor<1x6xf32>
// CHECK-DAG:     %[[B:.+]] = mirage_kernel.reshape %{{.+}} : (tensor<6xf32>) -> tensor<1x6xf32>
// CHECK:         mirage_kernel.concat %[[A]], %[[B]] dims [0]
// CHECK-NOT:     concat
// CHECK:         return
func.func @inserted_of_lower_rank(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6xf32> {
  %e = tensor.empty() : tensor<2x6xf32>
  %0 = tensor.insert_slice %b into %e[0, 0] [1, 6] [1, 1] : tensor<6xf32> into tensor<2x6xf32>
  %1 = tensor.insert_slice %b into %0[1, 0] [1, 6] [1, 1] : tensor<6xf32> into tensor<2x6xf32>
  %2 = tensor.insert_slice %a into %1[0, 0] [1, 6] [1, 1] : tensor<6xf32> into tensor<2x6xf32>
  return %2 : tensor<2x6xf32>
}

// In the middle of another tensor, as a cache of keys is written.
// CHECK-LABEL: func.func @inserted_into_tensor(
// CHECK-DAG:     %[[FIRST:.+]] = mirage_kernel.slice %[[X:.+]] offsets [0, 0] strides [1, 1] : (tensor<8x6xf32>) -> tensor<3x6xf32>
// CHECK-DAG:     %[[LAST:.+]] = mirage_kernel.slice %[[X]] offsets [5, 0] strides [1, 1] : (tensor<8x6xf32>) -> tensor<3x6xf32>
// CHECK:         mirage_kernel.concat %[[FIRST]], %{{.+}}, %[[LAST]] dims [0]
func.func @inserted_into_tensor(%x: tensor<8x6xf32>, %a: tensor<2x6xf32>) -> tensor<8x6xf32> {
  %0 = tensor.insert_slice %a into %x[3, 0] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// Read by others too: each is what it is.
// CHECK-LABEL: func.func @inserted_twice(
// CHECK:         return
func.func @inserted_twice(%x: tensor<8x6xf32>, %a: tensor<2x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %0 = tensor.insert_slice %a into %x[3, 0] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<8x6xf32>
  %1 = tensor.insert_slice %a into %0[4, 0] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<8x6xf32>
  return %0, %1 : tensor<8x6xf32>, tensor<8x6xf32>
}

// Four tiles, each in its corner.
// CHECK-LABEL: func.func @inserted_tiles(
// CHECK:         return
func.func @inserted_tiles(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x6xf32>
  %1 = tensor.insert_slice %b into %0[0, 3] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x6xf32>
  %2 = tensor.insert_slice %b into %1[2, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x6xf32>
  %3 = tensor.insert_slice %a into %2[2, 3] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @padded(
// CHECK-DAG:     %[[LEFT:.+]] = mirage_kernel.constant 5.000000e-01 : tensor<4x1xf32>
// CHECK-DAG:     %[[RIGHT:.+]] = mirage_kernel.constant 5.000000e-01 : tensor<4x2xf32>
// CHECK:         %[[M:.+]] = mirage_kernel.concat %[[LEFT]], %{{.+}}, %[[RIGHT]] dims [1]
// CHECK:         %[[ROW:.+]] = mirage_kernel.constant 5.000000e-01 : tensor<3x9xf32>
// CHECK-NEXT:    mirage_kernel.concat %[[M]], %[[ROW]] dims [0]
func.func @padded(%x: tensor<4x6xf32>) -> tensor<7x9xf32> {
  %c = arith.constant 0.5 : f32
  %0 = tensor.pad %x low[0, 1] high[3, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<4x6xf32> to tensor<7x9xf32>
  return %0 : tensor<7x9xf32>
}

// CHECK-LABEL: func.func @padded_by_fill(
// CHECK:         %[[C:.+]] = mirage_kernel.constant 0.000000e+00 : tensor<4x3xf16>
// CHECK:         mirage_kernel.concat %{{.+}}, %[[C]] dims [1]
func.func @padded_by_fill(%x: tensor<4x6xf16>) -> tensor<4x9xf16> {
  %c = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4x9xf16>
  %f = linalg.fill ins(%c : f16) outs(%e : tensor<4x9xf16>) -> tensor<4x9xf16>
  %0 = tensor.insert_slice %x into %f[0, 0] [4, 6] [1, 1] : tensor<4x6xf16> into tensor<4x9xf16>
  return %0 : tensor<4x9xf16>
}

// Three tensors by two comparisons, the second of which stands in the first one's branch,
// with one of the three shifted: what stablehlo's concatenate becomes.
// CHECK-LABEL: func.func @chosen_by_index(
// CHECK:         %[[S:.+]] = mirage_kernel.slice %{{.+}} offsets [0, 2] strides [1, 1] : (tensor<4x9xf32>) -> tensor<4x3xf32>
// CHECK:         mirage_kernel.concat %{{.+}}, %[[S]], %{{.+}} dims [1]
func.func @chosen_by_index(%a: tensor<4x2xf32>, %b: tensor<4x9xf32>, %c: tensor<4x1xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x6xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.cmpi ult, %j, %c2 : index
    %2 = scf.if %1 -> (f32) {
      %3 = tensor.extract %a[%i, %j] : tensor<4x2xf32>
      scf.yield %3 : f32
    } else {
      %4 = arith.cmpi ult, %j, %c5 : index
      %5 = scf.if %4 -> (f32) {
        %6 = tensor.extract %b[%i, %j] : tensor<4x9xf32>
        scf.yield %6 : f32
      } else {
        %k = arith.subi %j, %c5 : index
        %6 = tensor.extract %c[%i, %k] : tensor<4x1xf32>
        scf.yield %6 : f32
      }
      scf.yield %5 : f32
    }
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
