// As ../float8.mlir, of operands that were cast before.
func.func @product(%a: tensor<6x9xf8E4M3FN>, %b: tensor<9x4xf8E5M2>) -> tensor<6x4xbf16> {
  %x = mirage_kernel.cast %a : (tensor<6x9xf8E4M3FN>) -> tensor<6x9xf16>
  %y = mirage_kernel.cast %b : (tensor<9x4xf8E5M2>) -> tensor<9x4xf16>
  %p = mirage_kernel.matmul %x, %y : (tensor<6x9xf16>, tensor<9x4xf16>) -> tensor<6x4xbf16>
  return %p : tensor<6x4xbf16>
}
