func.func @f(%arg0: tensor<4x12xf16>) -> tensor<4x12xf16> {
  %0 = tensor.empty() : tensor<4x12xf16>
  %1 = mirage_kernel.graph ins(%arg0 : tensor<4x12xf16>) outs(%0 : tensor<4x12xf16>) {
  ^bb0(%x: tensor<4x12xf16>):
    %y = mirage_kernel.rms_norm %x dims [1] epsilon 1.0e-5 : (tensor<4x12xf16>) -> tensor<4x12xf16>
    mirage_kernel.yield %y : tensor<4x12xf16>
  } : tensor<4x12xf16>
  return %1 : tensor<4x12xf16>
}
