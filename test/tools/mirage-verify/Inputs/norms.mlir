// Eight norms in a row, each of what a linear layer made of the one before.
func.func @norms(
    %x: tensor<4x6xf16>, %a: tensor<6x6xf16>, %b: tensor<6x6xf16>,
    %c: tensor<6x6xf16>, %d: tensor<6x6xf16>, %e: tensor<6x6xf16>,
    %f: tensor<6x6xf16>, %g: tensor<6x6xf16>, %h: tensor<6x6xf16>,
    %init: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %r = mirage_kernel.graph ins(%x, %a, %b, %c, %d, %e, %f, %g, %h
      : tensor<4x6xf16>, tensor<6x6xf16>, tensor<6x6xf16>, tensor<6x6xf16>, tensor<6x6xf16>,
        tensor<6x6xf16>, tensor<6x6xf16>, tensor<6x6xf16>, tensor<6x6xf16>)
      outs(%init : tensor<4x6xf16>) {
  ^bb0(%y: tensor<4x6xf16>, %w0: tensor<6x6xf16>, %w1: tensor<6x6xf16>,
       %w2: tensor<6x6xf16>, %w3: tensor<6x6xf16>, %w4: tensor<6x6xf16>,
       %w5: tensor<6x6xf16>, %w6: tensor<6x6xf16>, %w7: tensor<6x6xf16>):
    %0 = mirage_kernel.rms_norm %y dims [1] epsilon 0.0 : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %1 = mirage_kernel.matmul %0, %w0 : (tensor<4x6xf16>, tensor<6x6xf16>) -> tensor<4x6xf16>
    %2 = mirage_kernel.rms_norm %1 dims [1] epsilon 0.0 : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %3 = mirage_kernel.matmul %2, %w1 : (tensor<4x6xf16>, tensor<6x6xf16>) -> tensor<4x6xf16>
    %4 = mirage_kernel.rms_norm %3 dims [1] epsilon 0.0 : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %5 = mirage_kernel.matmul %4, %w2 : (tensor<4x6xf16>, tensor<6x6xf16>) -> tensor<4x6xf16>
    %6 = mirage_kernel.rms_norm %5 dims [1] epsilon 0.0 : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %7 = mirage_kernel.matmul %6, %w3 : (tensor<4x6xf16>, tensor<6x6xf16>) -> tensor<4x6xf16>
    %8 = mirage_kernel.rms_norm %7 dims [1] epsilon 0.0 : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %9 = mirage_kernel.matmul %8, %w4 : (tensor<4x6xf16>, tensor<6x6xf16>) -> tensor<4x6xf16>
    %10 = mirage_kernel.rms_norm %9 dims [1] epsilon 0.0 : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %11 = mirage_kernel.matmul %10, %w5 : (tensor<4x6xf16>, tensor<6x6xf16>) -> tensor<4x6xf16>
    %12 = mirage_kernel.rms_norm %11 dims [1] epsilon 0.0 : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %13 = mirage_kernel.matmul %12, %w6 : (tensor<4x6xf16>, tensor<6x6xf16>) -> tensor<4x6xf16>
    %14 = mirage_kernel.rms_norm %13 dims [1] epsilon 0.0 : (tensor<4x6xf16>) -> tensor<4x6xf16>
    %15 = mirage_kernel.matmul %14, %w7 : (tensor<4x6xf16>, tensor<6x6xf16>) -> tensor<4x6xf16>
    mirage_kernel.yield %15 : tensor<4x6xf16>
  } : tensor<4x6xf16>
  return %r : tensor<4x6xf16>
}
