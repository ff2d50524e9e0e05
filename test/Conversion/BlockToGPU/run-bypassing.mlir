// Inputs that somebody has lanes load by themselves, though it is not worth it: elements that two
// steps read, columns of which warps read one element of each sector, rows that begin anywhere, tiles
// of which some end beyond such rows. The numbers are right.
// RUN: mirage-opt %s --mirage-record-program --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory -o %t.mlir
// RUN: sed 's/mirage.input_offsets = array<i64: [0-9]*>/mirage.bypassing_inputs = array<i64: 0>, mirage.input_offsets = array<i64: -1>/' %t.mlir > %t.by.mlir
// RUN: grep -c mirage.bypassing_inputs %t.by.mlir | FileCheck %s --check-prefix=FOUR
// FOUR: {{^}}4{{$}}
// RUN: rm -rf %t && mirage-opt %t.by.mlir --mirage-compile="from=lower artifact=%t" -o /dev/null
// RUN: for program in two_readers columns odd_rows odd_tiles; do mirage-run %t/$program --device=emulator --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-4: : right

func.func @two_readers(%x: tensor<4x1024xf16>) -> (tensor<4x1024xf16>, tensor<4x1xf16>) {
  %e = tensor.empty() : tensor<4x1024xf16>
  %e2 = tensor.empty() : tensor<4x1xf16>
  %r:2 = mirage_kernel.graph ins(%x : tensor<4x1024xf16>) outs(%e, %e2 : tensor<4x1024xf16>, tensor<4x1xf16>) {
  ^bb0(%a: tensor<4x1024xf16>):
    %o:2 = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0), omap(x -> 0)) : (tensor<4x1024xf16>) -> (tensor<4x1024xf16>, tensor<4x1xf16>) {
    ^bb0(%t: tensor<1x1024xf16>):
      %y = mirage_block.exp %t : tensor<1x1024xf16>
      %s = mirage_block.sum %t dims [1] : tensor<1x1024xf16>
      mirage_block.yield %y, %s : tensor<1x1024xf32>, tensor<1x1xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<4x1024xf16>, tensor<4x1xf16>
  } : tensor<4x1024xf16>, tensor<4x1xf16>
  return %r#0, %r#1 : tensor<4x1024xf16>, tensor<4x1xf16>
}

func.func @columns(%x: tensor<4x24x64x1xf32>) -> tensor<4x1x64x1xf32> {
  %e = tensor.empty() : tensor<4x1x64x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x24x64x1xf32>) outs(%e : tensor<4x1x64x1xf32>) {
  ^bb0(%a: tensor<4x24x64x1xf32>):
    %o = mirage_block.graph grid(x = 4) threads(64) ins(%a imap(x -> 0)) outs(omap(x -> 0)) : (tensor<4x24x64x1xf32>) -> tensor<4x1x64x1xf32> {
    ^bb0(%t: tensor<1x24x64x1xf32>):
      %s = mirage_block.sum %t dims [1] : tensor<1x24x64x1xf32>
      mirage_block.yield %s : tensor<1x1x64x1xf32>
    }
    mirage_kernel.yield %o : tensor<4x1x64x1xf32>
  } : tensor<4x1x64x1xf32>
  return %r : tensor<4x1x64x1xf32>
}

func.func @odd_rows(%x: tensor<8x37xf16>) -> tensor<8x37xf16> {
  %e = tensor.empty() : tensor<8x37xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x37xf16>) outs(%e : tensor<8x37xf16>) {
  ^bb0(%a: tensor<8x37xf16>):
    %o = mirage_block.graph grid(x = 4) threads(64) ins(%a imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x37xf16>) -> tensor<8x37xf16> {
    ^bb0(%t: tensor<2x37xf16>):
      %y = mirage_block.exp %t : tensor<2x37xf16>
      mirage_block.yield %y : tensor<2x37xf32>
    }
    mirage_kernel.yield %o : tensor<8x37xf16>
  } : tensor<8x37xf16>
  return %r : tensor<8x37xf16>
}

func.func @odd_tiles(%x: tensor<7x37xf16>) -> tensor<7x37xf16> {
  %e = tensor.empty() : tensor<7x37xf16>
  %r = mirage_kernel.graph ins(%x : tensor<7x37xf16>) outs(%e : tensor<7x37xf16>) {
  ^bb0(%a: tensor<7x37xf16>):
    %o = mirage_block.graph grid(x = 4, y = 3) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1)) : (tensor<7x37xf16>) -> tensor<7x37xf16> {
    ^bb0(%t: tensor<2x16xf16>):
      %y = mirage_block.exp %t : tensor<2x16xf16>
      mirage_block.yield %y : tensor<2x16xf32>
    }
    mirage_kernel.yield %o : tensor<7x37xf16>
  } : tensor<7x37xf16>
  return %r : tensor<7x37xf16>
}
