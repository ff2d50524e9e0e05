// Products that are gated by toy.swiglu, twice over, in a host that fills the operands
// by index and prints what comes out: neither is Mirage's.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @printMemrefF32(memref<*xf32>)

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<6x6xf32>
  %x = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ex : tensor<6x6xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %n = arith.index_cast %d : index to i32
    %f = arith.sitofp %n : i32 to f32
    %scale = arith.constant 0.125 : f32
    %s = arith.mulf %f, %scale : f32
    linalg.yield %s : f32
  } -> tensor<6x6xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %x) -> tensor<6x6xf32> {
    %init = linalg.fill ins(%zero : f32) outs(%ex : tensor<6x6xf32>) -> tensor<6x6xf32>
    %gate = linalg.matmul ins(%acc, %x : tensor<6x6xf32>, tensor<6x6xf32>) outs(%init : tensor<6x6xf32>) -> tensor<6x6xf32>
    %g = toy.swiglu %gate, %acc : tensor<6x6xf32>
    scf.yield %g : tensor<6x6xf32>
  }
  %b = bufferization.to_buffer %r : tensor<6x6xf32> to memref<6x6xf32>
  %u = memref.cast %b : memref<6x6xf32> to memref<*xf32>
  func.call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}
