func.func @matmul(%x: tensor<8x24xf16>, %w: tensor<24x40xf16>, %e: tensor<8x40xf16>) -> tensor<8x40xf16> {
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x24xf16>, tensor<24x40xf16>) outs(%e : tensor<8x40xf16>) {
  ^bb0(%a: tensor<8x24xf16>, %b: tensor<24x40xf16>):
    %0 = "mirage_block.graph"(%a, %b) <{
        grid = array<i64>, threads = 128 : i64, loop = 1 : i64, imaps = [array<i64>, array<i64>],
        fmaps = array<i64: -1, -1>, omaps = [array<i64>]}> ({
    ^bb0(%s: tensor<8x24xf16>, %t: tensor<24x40xf16>):
      %1 = "mirage_block.matmul"(%s, %t) : (tensor<8x24xf16>, tensor<24x40xf16>) -> tensor<8x40xf32>
      mirage_block.yield %1 : tensor<8x40xf32>
    }) {mirage_block.library_matmul = {
        batch = 1, m = 8, n = 40, k = 24, operands = f16, result_type = f16, accumulate = f32,
        lhs = {argument = 0, offset = 0, transposed = false, leading_dimension = 24, batch_stride = 0},
        rhs = {argument = 1, offset = 0, transposed = false, leading_dimension = 40, batch_stride = 0},
        result = {argument = 2, offset = 0, transposed = false, leading_dimension = 40, batch_stride = 0}}}
        : (tensor<8x24xf16>, tensor<24x40xf16>) -> tensor<8x40xf16>
    mirage_kernel.yield %0 : tensor<8x40xf16>
  } : tensor<8x40xf16>
  return %r : tensor<8x40xf16>
}
