// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel --split-input-file --verify-diagnostics | FileCheck %s
// CHECK-NOT: mirage_kernel.graph

#id = affine_map<(i, j) -> (i, j)>
#i0 = affine_map<(i, j) -> (i, 0)>

func.func @dynamic_shape(%x: tensor<?x6xf32>) -> tensor<?x6xf32> {
  // expected-remark @below {{'math.exp' op stays outside of a mirage_kernel.graph: expects a static shape, got tensor<?x6xf32>}}
  %0 = math.exp %x : tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

func.func @size_0(%x: tensor<0x6xf32>) -> tensor<0x6xf32> {
  // expected-remark @below {{expects sizes of at least 1, got tensor<0x6xf32>}}
  %0 = math.exp %x : tensor<0x6xf32>
  return %0 : tensor<0x6xf32>
}

func.func @f64(%x: tensor<4x6xf64>, %w: tensor<6x5xf64>) -> tensor<4x5xf64> {
  %init = arith.constant dense<0.0> : tensor<4x5xf64>
  // expected-remark @below {{'linalg.matmul' op stays outside of a mirage_kernel.graph: expects elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got tensor<4x5xf64>}}
  %0 = linalg.matmul ins(%x, %w : tensor<4x6xf64>, tensor<6x5xf64>) outs(%init : tensor<4x5xf64>) -> tensor<4x5xf64>
  return %0 : tensor<4x5xf64>
}

func.func @f64_inside(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  // expected-remark @below {{expects arithmetic on f16, bf16 or f32, got math.exp on f64}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.extf %a : f32 to f64
    %2 = math.exp %1 : f64
    %3 = arith.truncf %2 : f64 to f32
    linalg.yield %3 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @integers(%x: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{'arith.addi' op stays outside of a mirage_kernel.graph: expects elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got tensor<4x6xi32>}}
  %0 = arith.addi %x, %x : tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#i0 = affine_map<(i, j) -> (i, 0)>

func.func @unknown_op(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{'math.sin' op stays outside of a mirage_kernel.graph: no operator means math.sin}}
  %0 = math.sin %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @drops_nan(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{expects fastmath<nnan> on arith.maxnumf, which drops NaN where operators keep it}}
  %0 = arith.maxnumf %x, %y : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @foreign(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{'tensor.bitcast' op stays outside of a mirage_kernel.graph: expects an op of linalg, arith, math, a reshape, slice, concat or pad of tensor, or an op with an ExpressibleOpInterface}}
  %0 = tensor.bitcast %x : tensor<4x6xf32> to tensor<4x6xi32>
  %1 = tensor.bitcast %0 : tensor<4x6xi32> to tensor<4x6xf32> // expected-remark {{'tensor.bitcast' op stays outside}}
  return %1 : tensor<4x6xf32>
}

func.func @product(%x: tensor<4x6xf32>) -> tensor<4x1xf32> {
  %init = arith.constant dense<1.0> : tensor<4x1xf32>
  // expected-remark @below {{expects a reduction whose body ends in addf, maximumf or minimumf of the accumulator and something else}}
  %0 = linalg.generic {indexing_maps = [#id, #i0], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%init : tensor<4x1xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %1 = arith.mulf %acc, %a : f32
    linalg.yield %1 : f32
  } -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// acc + acc · a is no sum of terms.
func.func @accumulator_twice(%x: tensor<4x6xf32>) -> tensor<4x1xf32> {
  %init = arith.constant dense<1.0> : tensor<4x1xf32>
  // expected-remark @below {{expects a reduction that uses its accumulator once}}
  %0 = linalg.generic {indexing_maps = [#id, #i0], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%init : tensor<4x1xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %1 = arith.mulf %acc, %a : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

func.func @undefined_start(%x: tensor<4x6xf32>) -> tensor<4x1xf32> {
  %e = tensor.empty() : tensor<4x1xf32>
  // expected-remark @below {{expects operands with defined elements, got tensor.empty}}
  %0 = linalg.generic {indexing_maps = [#id, #i0], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %1 = arith.addf %acc, %a : f32
    linalg.yield %1 : f32
  } -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

func.func @diagonal(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark @below {{expects operands indexed by distinct loops, or by 0 where the size is 1, got (d0) -> (d0, d0)}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @convolution(%x: tensor<10xf32>, %f: tensor<3xf32>) -> tensor<8xf32> {
  %init = arith.constant dense<0.0> : tensor<8xf32>
  // expected-remark @below {{'linalg.conv_1d' op stays outside of a mirage_kernel.graph: expects operands indexed by distinct loops}}
  %0 = linalg.conv_1d ins(%x, %f : tensor<10xf32>, tensor<3xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @position(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  // expected-remark @below {{no operator means arith.uitofp}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %1 = arith.uitofp %n : i32 to f32
    %2 = arith.addf %a, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @scalar_argument(%x: tensor<4x6xf32>, %s: f32) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  // expected-remark @below {{expects a body that uses its arguments and constants only}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.mulf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @divided_by_zero(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x6xf32>
  // expected-remark @below {{expects a divisor that has a reciprocal in f32}}
  %0 = arith.divf %x, %zero : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @negative_base(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = arith.constant dense<-2.7> : tensor<4x6xf32>
  // expected-remark @below {{expects powers of a constant above 0}}
  %0 = math.powf %c, %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @large_exponent(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = arith.constant dense<65.0> : tensor<4x6xf32>
  // expected-remark @below {{expects an exponent from -64 to 64, got 65}}
  %0 = math.powf %x, %c : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Upstream documents and lowers it as max(min(x, lo), hi), which no clamp is.
func.func @math_clamp(%x: tensor<4x6xf32>, %lo: tensor<4x6xf32>, %hi: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{no operator means math.clampf}}
  %0 = math.clampf %x to [%lo, %hi] : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Neither the larger nor the smaller of what is compared.
func.func @leaky(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %zero = arith.constant 0.0 : f32
  %slope = arith.constant 0.01 : f32
  // expected-remark @below {{expects a selection of the larger or the smaller of the two values that its condition compares}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.mulf %a, %slope : f32
    %2 = arith.cmpf ogt, %a, %zero : f32
    %3 = arith.select %2, %a, %1 : f32
    linalg.yield %3 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Equal or not says nothing of which is larger.
func.func @compared_for_equality(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = arith.cmpf oeq, %x, %y : tensor<4x6xf32>
  // expected-remark @below {{expects a selection of the larger or the smaller}}
  %0 = arith.select %c, %x, %y : tensor<4x6xi1>, tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A comparison by itself has no tensor to stand in.
func.func @compared(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xi1> {
  // expected-remark @below {{'arith.cmpf' op stays outside of a mirage_kernel.graph: expects elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got tensor<4x6xi1>}}
  %c = arith.cmpf ogt, %x, %y : tensor<4x6xf32>
  return %c : tensor<4x6xi1>
}

// The place of the maximum, which somebody uses.
func.func @index_used(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %lowest = arith.constant dense<0xFF800000> : tensor<4xf32>
  %zero = arith.constant dense<0> : tensor<4xi64>
  // expected-remark @below {{'linalg.generic' op stays outside of a mirage_kernel.graph: expects elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got tensor<4xi64>}}
  %0:2 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%lowest, %zero : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %out: f32, %place: i64):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.maximumf %in, %out : f32
    %4 = arith.cmpf ogt, %in, %out : f32
    %5 = arith.select %4, %2, %place : i64
    linalg.yield %3, %5 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi64>
}

func.func @on_memrefs(%x: memref<4x6xf32>, %y: memref<4x6xf32>) {
  // expected-remark @below {{'linalg.exp' op stays outside of a mirage_kernel.graph: expects tensors, got memref<4x6xf32>}}
  linalg.exp ins(%x : memref<4x6xf32>) outs(%y : memref<4x6xf32>)
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

func.func @slice_from_anywhere(%x: tensor<4x6xf32>, %i: index) -> tensor<2x6xf32> {
  // expected-remark @below {{'tensor.extract_slice' op stays outside of a mirage_kernel.graph: expects constant offsets, sizes and strides}}
  %0 = tensor.extract_slice %x[%i, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// The last two columns are nobody's.
func.func @not_covered(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  // expected-remark @below {{'tensor.insert_slice' op stays outside of a mirage_kernel.graph: expects defined elements, got some of a tensor.empty}}
  %0 = tensor.insert_slice %a into %e[0, 0] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x6xf32>
  // expected-remark @below {{expects defined elements, got some of a tensor.empty}}
  %1 = tensor.insert_slice %b into %0[0, 2] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

func.func @interleaved(%a: tensor<4x3xf32>, %x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{expects constant offsets and sizes, and strides of 1}}
  %0 = tensor.insert_slice %a into %x[0, 0] [4, 3] [1, 2] : tensor<4x3xf32> into tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @padded_by_argument(%x: tensor<4x6xf32>, %c: f32) -> tensor<4x8xf32> {
  // expected-remark @below {{'tensor.pad' op stays outside of a mirage_kernel.graph: expects padding of constant, non-negative width by a constant}}
  %0 = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<4x6xf32> to tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

func.func @concat_of_integers(%x: tensor<4x6xi32>) -> tensor<8x6xi32> {
  // expected-remark @below {{'tensor.concat' op stays outside of a mirage_kernel.graph: expects elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got tensor<4x6xi32>}}
  %0 = tensor.concat dim(0) %x, %x : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<8x6xi32>
  return %0 : tensor<8x6xi32>
}

// Hidden elements count as 2.
func.func @masked_by_two(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %two = arith.constant 2.0 : f32
  // expected-remark @below {{expects a selection by indices to be a mask, which gives a value or one of minus infinity and 0}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.cmpi sge, %i, %j : index
    %2 = arith.select %1, %a, %two : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @every_other(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %lowest = arith.constant 0xFF800000 : f32
  // expected-remark @below {{expects a mask to compare one index with another or with a number}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %twice = arith.addi %i, %i : index
    %1 = arith.cmpi sge, %twice, %j : index
    %2 = arith.select %1, %a, %lowest : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// i - j is negative in places, where an unsigned comparison sees a large number.
func.func @wraps_around(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %c3 = arith.constant 3 : index
  // expected-remark @below {{expects a comparison of integers to compare sums and differences of indices and constants by <, <=, > or >=, in 32 bits or more, and unsigned only where neither side can be negative}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %back = arith.subi %i, %j : index
    %1 = arith.cmpi ult, %back, %c3 : index
    %2 = arith.select %1, %a, %lowest : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Beyond 127 they are negative.
func.func @narrow_indices(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %lowest = arith.constant 0xFF800000 : f32
  // expected-remark @below {{expects a comparison of integers to compare sums and differences of indices and constants by <, <=, > or >=, in 32 bits or more, and unsigned only where neither side can be negative}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %narrow = arith.index_cast %i : index to i8
    %narrower = arith.index_cast %j : index to i8
    %1 = arith.cmpi sge, %narrow, %narrower : i8
    %2 = arith.select %1, %a, %lowest : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @multiplied_index(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %c2 = arith.constant 2 : index
  // expected-remark @below {{expects a comparison of integers to compare sums and differences of indices and constants by <, <=, > or >=, in 32 bits or more, and unsigned only where neither side can be negative}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %twice = arith.muli %j, %c2 : index
    %1 = arith.cmpi sge, %i, %twice : index
    %2 = arith.select %1, %a, %lowest : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @diagonal(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %lowest = arith.constant 0xFF800000 : f32
  // expected-remark @below {{expects a comparison of integers to compare sums and differences of indices and constants by <, <=, > or >=, in 32 bits or more, and unsigned only where neither side can be negative}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.cmpi eq, %i, %j : index
    %2 = arith.select %1, %a, %lowest : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Numbered rows that somebody else reads too.
func.func @returned_positions() -> tensor<4xi64> {
  %e = tensor.empty() : tensor<4xi64>
  // expected-remark @below {{'linalg.generic' op stays outside of a mirage_kernel.graph: expects elements of f16, bf16, f32, f8E4M3FN or f8E5M2, got tensor<4xi64>}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<4xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %1 = arith.index_cast %i : index to i64
    linalg.yield %1 : i64
  } -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @beyond_the_end(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %c1 = arith.constant 1 : index
  // expected-remark @below {{expects elements that exist}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x6xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %j, %c1 : index
    %1 = tensor.extract %a[%i, %k] : tensor<4x6xf32>
    linalg.yield %1 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @transposed_by_index(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @below {{expects an element at the indices of the loops, each with a number added}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = tensor.extract %a[%j, %i] : tensor<4x4xf32>
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @chosen_by_argument(%a: tensor<4x4xf32>, %c: i1) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @below {{expects a choice between tensors by whether an index is below a number}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = scf.if %c -> (f32) {
      %2 = tensor.extract %a[%i, %j] : tensor<4x4xf32>
      scf.yield %2 : f32
    } else {
      %2 = tensor.extract %a[%j, %i] : tensor<4x4xf32>
      scf.yield %2 : f32
    }
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
