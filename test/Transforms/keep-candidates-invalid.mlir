// Before the search: it opens no cache.
// RUN: rm -rf %t.cache
// RUN: mirage-opt %s --mirage-search-graph="keep-candidates cache=%t.cache" --verify-diagnostics
// RUN: not ls %t.cache
// expected-error @below {{expects one mirage_kernel.graph in a function whose candidates are kept, got 2}}
func.func @two(%x: tensor<8x16xf16>, %e: tensor<8x16xf16>) -> tensor<8x16xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<8x16xf16>) outs(%e : tensor<8x16xf16>) {
  ^bb0(%a: tensor<8x16xf16>):
    %d = mirage_kernel.exp %a : (tensor<8x16xf16>) -> tensor<8x16xf16>
    mirage_kernel.yield %d : tensor<8x16xf16>
  } : tensor<8x16xf16>
  %s = mirage_kernel.graph ins(%r : tensor<8x16xf16>) outs(%e : tensor<8x16xf16>) {
  ^bb0(%a: tensor<8x16xf16>):
    %d = mirage_kernel.exp %a : (tensor<8x16xf16>) -> tensor<8x16xf16>
    mirage_kernel.yield %d : tensor<8x16xf16>
  } : tensor<8x16xf16>
  return %s : tensor<8x16xf16>
}
