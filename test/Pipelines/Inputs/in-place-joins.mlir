//--- main.mlir
// What is the same with kernels of Mirage's and with loops of upstream's.
func.func private @printMemrefF32(memref<*xf32>)

func.func @fill() -> tensor<32x256xf32> {
  %e = tensor.empty() : tensor<32x256xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<32x256xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c23 = arith.constant 23 : index
    %a = arith.muli %i, %c7 : index
    %b = arith.muli %j, %c5 : index
    %s = arith.addi %a, %b : index
    %m = arith.remui %s, %c23 : index
    %n = arith.index_cast %m : index to i32
    %f = arith.sitofp %n : i32 to f32
    %d = arith.constant 0.0625 : f32
    %g = arith.mulf %f, %d : f32
    linalg.yield %g : f32
  } -> tensor<32x256xf32>
  return %x : tensor<32x256xf32>
}

func.func @print(%x: tensor<32x8xf32>) {
  %b = bufferization.to_buffer %x read_only : tensor<32x8xf32> to memref<32x8xf32>
  %u = memref.cast %b : memref<32x8xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}

// Counters of arrivals are zero again when a kernel is launched for the second time.
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = call @fill() : () -> tensor<32x256xf32>
  %part = tensor.extract_slice %x[0, 64] [32, 64] [1, 1] : tensor<32x256xf32> to tensor<32x64xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %a = func.call @in_clusters(%part) : (tensor<32x64xf32>) -> tensor<32x8xf32>
    func.call @print(%a) : (tensor<32x8xf32>) -> ()
    %b = func.call @last_of_many(%x) : (tensor<32x256xf32>) -> tensor<32x8xf32>
    func.call @print(%b) : (tensor<32x8xf32>) -> ()
  }
  %c = call @small_floats() : () -> tensor<32x8xf32>
  call @print(%c) : (tensor<32x8xf32>) -> ()
  return
}
//--- kernels.mlir
func.func @in_clusters(%x: tensor<32x64xf32>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x64xf32>) outs(%e : tensor<32x8xf32>) {
  ^bb0(%a: tensor<32x64xf32>):
    %o = mirage_block.graph grid(x = 4, y = 8) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<32x64xf32>) -> tensor<32x8xf32> {
    ^bb0(%t: tensor<8x8xf32>):
      %q = mirage_block.exp %t : tensor<8x8xf32>
      %s = mirage_block.accumulate %q over y sum : tensor<8x8xf32>
      mirage_block.yield %s : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<32x8xf32>
  } : tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}
func.func @last_of_many(%x: tensor<32x256xf32>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x256xf32>) outs(%e : tensor<32x8xf32>) {
  ^bb0(%a: tensor<32x256xf32>):
    %o = mirage_block.graph grid(x = 4, y = 32) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<32x256xf32>) -> tensor<32x8xf32> {
    ^bb0(%t: tensor<8x8xf32>):
      %own = mirage_block.relu %t : tensor<8x8xf32>
      %s = mirage_block.accumulate %own over y sum : tensor<8x8xf32>
      mirage_block.yield %s : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<32x8xf32>
  } : tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}
// 8-bit floats by their bits: 0.5, 1 and 2; a bf16 and an f16 result in between.
func.func @small_floats() -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf8E4M3FN>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<32x8xf8E4M3FN>) {
  ^bb0(%out: f8E4M3FN):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %s = arith.addi %i, %j : index
    %m = arith.remui %s, %c3 : index
    %n = arith.index_cast %m : index to i8
    %one = arith.constant 8 : i8
    %half = arith.constant 0x30 : i8
    %k = arith.muli %n, %one : i8
    %b = arith.addi %k, %half : i8
    %f = arith.bitcast %b : i8 to f8E4M3FN
    linalg.yield %f : f8E4M3FN
  } -> tensor<32x8xf8E4M3FN>
  %eb = tensor.empty() : tensor<32x8xbf16>
  %b = mirage_kernel.graph ins(%x : tensor<32x8xf8E4M3FN>) outs(%eb : tensor<32x8xbf16>) {
  ^bb0(%a: tensor<32x8xf8E4M3FN>):
    %0 = mirage_kernel.exp %a : (tensor<32x8xf8E4M3FN>) -> tensor<32x8xbf16>
    mirage_kernel.yield %0 : tensor<32x8xbf16>
  } : tensor<32x8xbf16>
  %er = tensor.empty() : tensor<32x8xf32>
  %r = mirage_kernel.graph ins(%b : tensor<32x8xbf16>) outs(%er : tensor<32x8xf32>) {
  ^bb0(%a: tensor<32x8xbf16>):
    %0 = mirage_kernel.scale %a by 0.5 : (tensor<32x8xbf16>) -> tensor<32x8xf16>
    %1 = mirage_kernel.sum %0 dims [0] : (tensor<32x8xf16>) -> tensor<1x8xf32>
    %2 = mirage_kernel.add %0, %1 : (tensor<32x8xf16>, tensor<1x8xf32>) -> tensor<32x8xf32>
    mirage_kernel.yield %2 : tensor<32x8xf32>
  } : tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}
//--- loops.mlir
func.func @in_clusters(%x: tensor<32x64xf32>) -> tensor<32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [32, 8, 8] : tensor<32x64xf32> into tensor<32x8x8xf32>
  %e = tensor.empty() : tensor<32x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%v : tensor<32x8x8xf32>) outs(%z : tensor<32x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}
func.func @last_of_many(%x: tensor<32x256xf32>) -> tensor<32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [32, 32, 8] : tensor<32x256xf32> into tensor<32x32x8xf32>
  %e = tensor.empty() : tensor<32x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%v : tensor<32x32x8xf32>) outs(%z : tensor<32x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}
func.func @small_floats() -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<32x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %s = arith.addi %i, %j : index
    %m = arith.remui %s, %c3 : index
    %n = arith.index_cast %m : index to i32
    %f = arith.sitofp %n : i32 to f32
    %one = arith.constant 1.0 : f32
    %k = arith.subf %f, %one : f32
    %v = math.exp2 %k : f32
    %w = math.exp %v : f32
    %b = arith.truncf %w : f32 to bf16
    %half = arith.constant 0.5 : f32
    %g = arith.extf %b : bf16 to f32
    %h = arith.mulf %g, %half : f32
    linalg.yield %h : f32
  } -> tensor<32x8xf32>
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%et : tensor<8xf32>) -> tensor<8xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<32x8xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<32x8xf32>, tensor<8xf32>) outs(%e : tensor<32x8xf32>) {
  ^bb0(%in: f32, %total: f32, %out: f32):
    %0 = arith.addf %in, %total : f32
    linalg.yield %0 : f32
  } -> tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}
