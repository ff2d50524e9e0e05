// RUN: mirage-opt %s --mirage-split-accumulations | FileCheck %s
// RUN: mirage-opt %s --mirage-split-accumulations -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED: @averages: equal; proved outright at 3x4 with 4 for the literal 4000
// JUDGED: @fewer_than_threads: equal
// JUDGED: @more_than_registers: equal
// JUDGED: @averages_of_elements: equal
// JUDGED: @averages_in_memory: equal

// Each tile is reduced in the loop, and averages are taken after it; what reduces no
// dimension is brought to registers before.
// CHECK-LABEL: func.func @averages(
// CHECK-SAME:    %[[X:.+]]: tensor<8x4000xf16>
// CHECK:       ^bb0(%[[T:.+]]: tensor<8x256xf16>):
// CHECK-NEXT:    %[[Q:.+]] = mirage_block.square %[[T]]
// CHECK-NEXT:    %[[P:.+]] = mirage_block.sum %[[Q]] dims [1]
// CHECK-NEXT:    %[[A:.+]] = mirage_block.accumulate %[[P]] over loop sum :
// CHECK-NEXT:    %[[M:.+]] = mirage_block.unscale %[[A]] by 4.000000e+03
// CHECK-NEXT:    %[[R:.+]] = mirage_block.sqrt %[[M]]
// CHECK-NEXT:    %[[S:.+]] = mirage_block.sum %[[T]] dims [1]
// CHECK-NEXT:    %[[U:.+]] = mirage_block.accumulate %[[S]] over loop sum :
// CHECK-NEXT:    %[[R32:.+]] = mirage_block.cast %[[T]] : (tensor<8x256xf16>) -> tensor<8x256xf32>
// CHECK-NEXT:    mirage_block.accumulate %[[R32]] over loop sum :
func.func @averages(%x: tensor<8x4000xf16>) -> (tensor<8x1xf32>, tensor<8x256xf32>) {
  %e = tensor.empty() : tensor<8x1xf32>
  %f = tensor.empty() : tensor<8x256xf32>
  %r:2 = mirage_kernel.graph ins(%x : tensor<8x4000xf16>) outs(%e, %f : tensor<8x1xf32>, tensor<8x256xf32>) {
  ^bb0(%a: tensor<8x4000xf16>):
    %o:2 = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%a imap() fmap(1)) outs(omap(), omap())
        : (tensor<8x4000xf16>) -> (tensor<8x1xf32>, tensor<8x256xf32>) {
    ^bb0(%t: tensor<8x256xf16>):
      %m = mirage_block.accumulate %t over loop rms dims [1] count 4000 : tensor<8x256xf16>
      %s = mirage_block.accumulate %t over loop sum dims [1] : tensor<8x256xf16>
      %w = mirage_block.accumulate %t over loop sum : tensor<8x256xf16>
      %d = mirage_block.div %s, %m : tensor<8x1xf32>, tensor<8x1xf32>
      mirage_block.yield %d, %w : tensor<8x1xf32>, tensor<8x256xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<8x1xf32>, tensor<8x256xf32>
  } : tensor<8x1xf32>, tensor<8x256xf32>
  return %r#0, %r#1 : tensor<8x1xf32>, tensor<8x256xf32>
}

// CHECK-LABEL: func.func @variance(
// CHECK:         mirage_block.accumulate %{{.+}} over loop variance dims [1] : tensor<8x256xf16>
func.func @variance(%x: tensor<8x4096xf16>) -> tensor<8x1xf32> {
  %o = mirage_block.graph grid(x = 1) threads(128) loop(16) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<8x4096xf16>) -> tensor<8x1xf32> {
  ^bb0(%t: tensor<8x256xf16>):
    %v = mirage_block.accumulate %t over loop variance dims [1] : tensor<8x256xf16>
    mirage_block.yield %v : tensor<8x1xf32>
  }
  return %o : tensor<8x1xf32>
}

// Of fewer elements than threads some warps have a share each.
// CHECK-LABEL: func.func @fewer_than_threads(
// CHECK:         %[[R:.+]] = mirage_block.cast %{{.+}} : (tensor<32xf16>) -> tensor<32xf32>
// CHECK-NEXT:    mirage_block.accumulate %[[R]] over loop sum :
func.func @fewer_than_threads(%x: tensor<128xf16>) -> tensor<32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(0)) outs(omap())
      : (tensor<128xf16>) -> tensor<32xf32> {
  ^bb0(%t: tensor<32xf16>):
    %s = mirage_block.accumulate %t over loop sum : tensor<32xf16>
    mirage_block.yield %s : tensor<32xf32>
  }
  return %o : tensor<32xf32>
}

// 96 registers of a thread are more than a third of those that there are.
// CHECK-LABEL: func.func @more_than_registers(
// CHECK:         mirage_block.accumulate %{{.+}} over loop sum : tensor<96x128xf16>
func.func @more_than_registers(%x: tensor<96x512xf16>) -> tensor<96x128xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<96x512xf16>) -> tensor<96x128xf32> {
  ^bb0(%t: tensor<96x128xf16>):
    %s = mirage_block.accumulate %t over loop sum : tensor<96x128xf16>
    mirage_block.yield %s : tensor<96x128xf32>
  }
  return %o : tensor<96x128xf32>
}

// Averages of elements are sums, which threads have registers for, divided behind the loop.
// CHECK-LABEL: func.func @averages_of_elements(
// CHECK:       ^bb0(%[[T:.+]]: tensor<8x64xf16>):
// CHECK-DAG:     %[[E:.+]] = mirage_block.exp %[[T]]
// CHECK-DAG:     %[[S:.+]] = mirage_block.accumulate %[[E]] over loop sum :
// CHECK-DAG:     %[[M:.+]] = mirage_block.unscale %[[S]] by 4.000000e+00
// CHECK-DAG:     %[[Q:.+]] = mirage_block.square %[[E]]
// CHECK-DAG:     %[[U:.+]] = mirage_block.accumulate %[[Q]] over loop sum :
// CHECK-DAG:     %[[V:.+]] = mirage_block.unscale %[[U]] by 4.000000e+00
// CHECK-DAG:     %[[R:.+]] = mirage_block.sqrt %[[V]]
// CHECK:         mirage_block.yield %[[M]], %[[R]]
func.func @averages_of_elements(%x: tensor<8x256xf16>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %o:2 = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap(), omap())
      : (tensor<8x256xf16>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  ^bb0(%t: tensor<8x64xf16>):
    %e = mirage_block.exp %t : tensor<8x64xf16>
    %m = mirage_block.accumulate %e over loop mean : tensor<8x64xf32>
    %r = mirage_block.accumulate %e over loop rms : tensor<8x64xf32>
    mirage_block.yield %m, %r : tensor<8x64xf32>, tensor<8x64xf32>
  }
  return %o#0, %o#1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// Where they have none, an average is divided where its tile lies.
// CHECK-LABEL: func.func @averages_in_memory(
// CHECK:         mirage_block.accumulate %{{.+}} over loop mean : tensor<96x128xf32>
// CHECK-NEXT:    mirage_block.yield
func.func @averages_in_memory(%x: tensor<96x512xf16>) -> tensor<96x128xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%x imap() fmap(1)) outs(omap())
      : (tensor<96x512xf16>) -> tensor<96x128xf32> {
  ^bb0(%t: tensor<96x128xf16>):
    %e = mirage_block.exp %t : tensor<96x128xf16>
    %m = mirage_block.accumulate %e over loop mean : tensor<96x128xf32>
    mirage_block.yield %m : tensor<96x128xf32>
  }
  return %o : tensor<96x128xf32>
}
