// Bounds, a sigmoid, a power, a shape that is a value, a cast, in tosa.
func.func @pieces(%x: tensor<4x6xf32>, %y: tensor<1x6xf32>) -> tensor<24xf16> {
  %shape = tosa.const_shape {values = dense<[24]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = tosa.sigmoid %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = tosa.maximum %1, %y : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %3 = tosa.tanh %2 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = tosa.erf %3 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %two = "tosa.const"() <{values = dense<2.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %5 = tosa.pow %4, %two : (tensor<4x6xf32>, tensor<1x1xf32>) -> tensor<4x6xf32>
  %6 = tosa.reshape %5, %shape : (tensor<4x6xf32>, !tosa.shape<1>) -> tensor<24xf32>
  %7 = tosa.abs %6 : (tensor<24xf32>) -> tensor<24xf32>
  %8 = tosa.cast %7 : (tensor<24xf32>) -> tensor<24xf16>
  return %8 : tensor<24xf16>
}
