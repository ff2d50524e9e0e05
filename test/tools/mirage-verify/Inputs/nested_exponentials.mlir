func.func @f(%x: tensor<6x10xf16>) -> tensor<6x10xf32> {
  %0 = arith.extf %x : tensor<6x10xf16> to tensor<6x10xf32>
  %1 = math.exp %0 : tensor<6x10xf32>
  %2 = math.exp %1 : tensor<6x10xf32>
  %3 = math.exp %2 : tensor<6x10xf32>
  %4 = math.exp %3 : tensor<6x10xf32>
  %5 = math.exp %4 : tensor<6x10xf32>
  return %5 : tensor<6x10xf32>
}
