// What ../run-parts.mlir computes, as kernels.
func.func @parts(%x: tensor<8x24xf16>) -> tensor<8x17xf32> {
  %a = mirage_kernel.slice %x offsets [0, 0] strides [1, 1] : (tensor<8x24xf16>) -> tensor<8x10xf16>
  %b = mirage_kernel.slice %x offsets [0, 5] strides [1, 3] : (tensor<8x24xf16>) -> tensor<8x7xf16>
  %c = mirage_kernel.concat %a, %b dims [1] : (tensor<8x10xf16>, tensor<8x7xf16>) -> tensor<8x17xf16>
  %m = mirage_kernel.causal_mask %c offset 9 : (tensor<8x17xf16>) -> tensor<8x17xf16>
  %e = mirage_kernel.exp %m : (tensor<8x17xf16>) -> tensor<8x17xf32>
  %k = mirage_kernel.constant 0.5 : tensor<1x17xf32>
  %s = mirage_kernel.mul %e, %k : (tensor<8x17xf32>, tensor<1x17xf32>) -> tensor<8x17xf32>
  return %s : tensor<8x17xf32>
}
