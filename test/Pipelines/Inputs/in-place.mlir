// Tensor programs in the midst of what Mirage does not know: indices as numbers, a
// loop, calls. Everything is f32 where it is printed.
#id = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0, 0)>

func.func private @printMemrefF32(memref<*xf32>)

// (i * 7 + j * 3) mod 16, minus 8, divided by 16: an integer index, foreign.
func.func @fill_x() -> tensor<16x64xf16> {
  %e = tensor.empty() : tensor<16x64xf16>
  %x = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<16x64xf16>) {
  ^bb0(%out: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c16 = arith.constant 16 : index
    %a = arith.muli %i, %c7 : index
    %b = arith.muli %j, %c3 : index
    %s = arith.addi %a, %b : index
    %m = arith.remui %s, %c16 : index
    %n = arith.index_cast %m : index to i32
    %f = arith.sitofp %n : i32 to f32
    %k = arith.constant -0.5 : f32
    %d = arith.constant 0.0625 : f32
    %g = arith.mulf %f, %d : f32
    %h = arith.addf %g, %k : f32
    %t = arith.truncf %h : f32 to f16
    linalg.yield %t : f16
  } -> tensor<16x64xf16>
  return %x : tensor<16x64xf16>
}

func.func @fill_w() -> tensor<64x32xf16> {
  %e = tensor.empty() : tensor<64x32xf16>
  %x = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<64x32xf16>) {
  ^bb0(%out: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c5 = arith.constant 5 : index
    %c11 = arith.constant 11 : index
    %c13 = arith.constant 13 : index
    %a = arith.muli %i, %c11 : index
    %b = arith.muli %j, %c5 : index
    %s = arith.addi %a, %b : index
    %m = arith.remui %s, %c13 : index
    %n = arith.index_cast %m : index to i32
    %f = arith.sitofp %n : i32 to f32
    %k = arith.constant -6.0 : f32
    %d = arith.constant 0.0625 : f32
    %h = arith.addf %f, %k : f32
    %g = arith.mulf %h, %d : f32
    %t = arith.truncf %g : f32 to f16
    linalg.yield %t : f16
  } -> tensor<64x32xf16>
  return %x : tensor<64x32xf16>
}

// A product of exponentials, to which a foreign op adds a column's number; then
// exponentials' share of their row, three times over its own result.
func.func @layer(%x: tensor<16x64xf16>, %w: tensor<64x32xf16>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<16x64xf16>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x64xf16>) outs(%ex : tensor<16x64xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = arith.extf %in : f16 to f32
    %1 = math.exp %0 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<16x64xf16>
  %eh = tensor.empty() : tensor<16x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%eh : tensor<16x32xf32>) -> tensor<16x32xf32>
  %h = linalg.matmul ins(%p, %w : tensor<16x64xf16>, tensor<64x32xf16>) outs(%z : tensor<16x32xf32>) -> tensor<16x32xf32>
  %shifted = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<16x32xf32>) outs(%eh : tensor<16x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    %d = arith.constant 0.0625 : f32
    %g = arith.mulf %f, %d : f32
    %s = arith.addf %in, %g : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %shifted) -> tensor<16x32xf32> {
    %et = tensor.empty() : tensor<16x32xf32>
    %er = tensor.empty() : tensor<16x1xf32>
    %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%acc : tensor<16x32xf32>) outs(%et : tensor<16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    } -> tensor<16x32xf32>
    %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<16x1xf32>) -> tensor<16x1xf32>
    %t = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["parallel", "reduction"]} ins(%e : tensor<16x32xf32>) outs(%zr : tensor<16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    } -> tensor<16x1xf32>
    %s = linalg.generic {indexing_maps = [#id, #sum, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %t : tensor<16x32xf32>, tensor<16x1xf32>) outs(%et : tensor<16x32xf32>) {
    ^bb0(%in: f32, %total: f32, %out: f32):
      %share = arith.divf %in, %total : f32
      %1 = arith.constant 16.0 : f32
      %2 = arith.mulf %share, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<16x32xf32>
    scf.yield %s : tensor<16x32xf32>
  }
  return %r : tensor<16x32xf32>
}

// Parts of a tensor, at a static and at a dynamic place, are read and written.
func.func @parts(%y: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %left = tensor.extract_slice %y[0, 3] [16, 8] [1, 1] : tensor<16x32xf32> to tensor<16x8xf32>
  %el = tensor.empty() : tensor<16x8xf32>
  %sl = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%left : tensor<16x8xf32>) outs(%el : tensor<16x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    %1 = arith.mulf %0, %in : f32
    linalg.yield %1 : f32
  } -> tensor<16x8xf32>
  %m = tensor.insert_slice %sl into %y[0, 20] [16, 8] [1, 1] : tensor<16x8xf32> into tensor<16x32xf32>
  %all = scf.for %i = %c0 to %c16 step %c4 iter_args(%acc = %m) -> tensor<16x32xf32> {
    %rows = tensor.extract_slice %acc[%i, 0] [4, 32] [1, 1] : tensor<16x32xf32> to tensor<4x32xf32>
    %et = tensor.empty() : tensor<4x32xf32>
    %er = tensor.empty() : tensor<4x1xf32>
    %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<4x32xf32>) outs(%et : tensor<4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    } -> tensor<4x32xf32>
    %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x1xf32>) -> tensor<4x1xf32>
    %t = linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["parallel", "reduction"]} ins(%e : tensor<4x32xf32>) outs(%zr : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    } -> tensor<4x1xf32>
    %s = linalg.generic {indexing_maps = [#id, #sum, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %t : tensor<4x32xf32>, tensor<4x1xf32>) outs(%et : tensor<4x32xf32>) {
    ^bb0(%in: f32, %total: f32, %out: f32):
      %share = arith.divf %in, %total : f32
      %1 = arith.constant 16.0 : f32
      %2 = arith.mulf %share, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<4x32xf32>
    %in = tensor.insert_slice %s into %acc[%i, 0] [4, 32] [1, 1] : tensor<4x32xf32> into tensor<16x32xf32>
    scf.yield %in : tensor<16x32xf32>
  }
  return %all : tensor<16x32xf32>
}

func.func @main() {
  %x = call @fill_x() : () -> tensor<16x64xf16>
  %w = call @fill_w() : () -> tensor<64x32xf16>
  %r = call @layer(%x, %w) : (tensor<16x64xf16>, tensor<64x32xf16>) -> tensor<16x32xf32>
  %b = bufferization.to_buffer %r : tensor<16x32xf32> to memref<16x32xf32>
  %u = memref.cast %b : memref<16x32xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  %q = call @parts(%r) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %c = bufferization.to_buffer %q : tensor<16x32xf32> to memref<16x32xf32>
  %v = memref.cast %c : memref<16x32xf32> to memref<*xf32>
  call @printMemrefF32(%v) : (memref<*xf32>) -> ()
  return
}
