// A µGraph in a function that does something else as well.
func.func @twice(%x: tensor<16x64xf16>, %n: index) -> (tensor<16x64xf16>, index) {
  %e = tensor.empty() : tensor<16x64xf16>
  %two = arith.constant 2 : index
  %m = arith.muli %n, %two : index
  %r = mirage_kernel.graph ins(%x : tensor<16x64xf16>) outs(%e : tensor<16x64xf16>) {
  ^bb0(%a: tensor<16x64xf16>):
    %s = mirage_kernel.exp %a : (tensor<16x64xf16>) -> tensor<16x64xf16>
    mirage_kernel.yield %s : tensor<16x64xf16>
  } : tensor<16x64xf16>
  return %r, %m : tensor<16x64xf16>, index
}
