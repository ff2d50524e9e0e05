// RUN: mirage-opt %s --one-shot-bufferize=bufferize-function-boundaries --split-input-file | FileCheck %s
// Twice: graphs that are on memrefs stay so.
// RUN: mirage-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --one-shot-bufferize=bufferize-function-boundaries --split-input-file | FileCheck %s --check-prefix=IDENTITY
// RUN: mirage-opt %s --one-shot-bufferize --split-input-file | FileCheck %s --check-prefix=INSIDE

// Arguments of a dynamic layout are copied, since a kernel is made for one that is
// known; an identity is none of these.
// CHECK-LABEL: func.func @exp(
// CHECK-SAME:    %[[X:.+]]: memref<8x64xf16, strided<[?, ?], offset: ?>>
// CHECK-SAME:    -> memref<8x64xf16>
// CHECK:         %[[OUT:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x64xf16>
// CHECK:         %[[COPY:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x64xf16>
// CHECK:         memref.copy %[[X]], %[[COPY]]
// CHECK:         mirage_kernel.graph ins(%[[COPY]] : memref<8x64xf16>) outs(%[[OUT]] : memref<8x64xf16>)
// CHECK:         return %[[OUT]]
// IDENTITY-LABEL: func.func @exp(
// IDENTITY-SAME:    %[[X:.+]]: memref<8x64xf16>)
// IDENTITY:         %[[OUT:.+]] = memref.alloc()
// IDENTITY-NEXT:    mirage_kernel.graph ins(%[[X]] : memref<8x64xf16>) outs(%[[OUT]] : memref<8x64xf16>)
// IDENTITY-NEXT:    ^bb0(%[[A:.+]]: tensor<8x64xf16>):
// IDENTITY-NEXT:      mirage_kernel.exp %[[A]]
// IDENTITY:         return %[[OUT]]
// Without function boundaries the function stays on tensors.
// INSIDE-LABEL: func.func @exp(
// INSIDE-SAME:    %[[X:.+]]: tensor<8x64xf16>) -> tensor<8x64xf16>
// INSIDE-DAG:     %[[OUT:.+]] = memref.alloc() {{.*}} : memref<8x64xf16>
// INSIDE-DAG:     bufferization.to_buffer %[[X]]
// INSIDE:         mirage_kernel.graph {{.*}} outs(%[[OUT]] : memref<8x64xf16>)
// INSIDE:         %[[R:.+]] = bufferization.to_tensor %[[OUT]]
// INSIDE:         return %[[R]]
func.func @exp(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) attributes {note = "kept"} {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// -----

// The init is written where it lies, and read by nobody: no copy of it is made,
// though what it holds is overwritten.
// IDENTITY-LABEL: func.func @in_place(
// IDENTITY-SAME:    %[[X:.+]]: memref<8x64xf16>, %[[Y:.+]]: memref<8x64xf16>)
// IDENTITY-NOT:     alloc
// IDENTITY-NOT:     copy
// IDENTITY:         mirage_kernel.graph ins(%[[X]] : memref<8x64xf16>) outs(%[[Y]] : memref<8x64xf16>)
// IDENTITY:         return %[[Y]]
func.func @in_place(%x: tensor<8x64xf16>, %y: tensor<8x64xf16> {bufferization.writable = true}) -> tensor<8x64xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%y : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// -----

// A kernel's blocks read while others write: not into what is read.
// IDENTITY-LABEL: func.func @own_input(
// IDENTITY-SAME:    %[[X:.+]]: memref<8x64xf16>)
// IDENTITY:         %[[OUT:.+]] = memref.alloc()
// IDENTITY:         mirage_kernel.graph ins(%[[X]] : memref<8x64xf16>) outs(%[[OUT]] : memref<8x64xf16>)
// IDENTITY:         return %[[OUT]]
func.func @own_input(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%x : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// -----

// An init that is read again later keeps what it holds.
// IDENTITY-LABEL: func.func @read_later(
// IDENTITY-SAME:    %[[X:.+]]: memref<8x64xf16>, %[[Y:.+]]: memref<8x64xf16>)
// IDENTITY:         %[[OUT:.+]] = memref.alloc()
// IDENTITY-NOT:     memref.copy
// IDENTITY:         mirage_kernel.graph ins(%[[X]] : memref<8x64xf16>) outs(%[[OUT]] : memref<8x64xf16>)
// IDENTITY:         return %[[OUT]], %[[Y]]
func.func @read_later(%x: tensor<8x64xf16>, %y: tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>) {
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%y : tensor<8x64xf16>) {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r, %y : tensor<8x64xf16>, tensor<8x64xf16>
}

// -----

// Slices at static offsets are read and written where they lie; two graphs, with a
// foreign op between them, in a loop whose slices are at dynamic offsets.
// IDENTITY-LABEL: func.func @slices(
// IDENTITY-SAME:    %[[X:.+]]: memref<16x64xf16>, %[[Y:.+]]: memref<16x64xf16>
// IDENTITY:         %[[LEFT:.+]] = memref.subview %[[X]][0, 8] [16, 32] [1, 1]
// IDENTITY:         mirage_kernel.graph ins(%[[LEFT]] : memref<16x32xf16, strided<[64, 1], offset: 8>>)
// IDENTITY:         linalg.generic
// IDENTITY:         scf.for
// IDENTITY:           %[[ROWS:.+]] = memref.subview %{{.*}}[%{{.*}}, 0] [4, 32] [1, 1]
// IDENTITY:           memref.copy %[[ROWS]], %[[COPY:.+]] :
// IDENTITY:           mirage_kernel.graph ins(%[[COPY]] : memref<4x32xf16>) outs(%[[OUT:.+]] : memref<4x32xf16>)
// IDENTITY:           memref.copy %[[OUT]],
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @slices(%x: tensor<16x64xf16>, %y: tensor<16x64xf16> {bufferization.writable = true}) -> tensor<16x64xf16> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %left = tensor.extract_slice %x[0, 8] [16, 32] [1, 1] : tensor<16x64xf16> to tensor<16x32xf16>
  %e = tensor.empty() : tensor<16x32xf16>
  %r = mirage_kernel.graph ins(%left : tensor<16x32xf16>) outs(%e : tensor<16x32xf16>) {
  ^bb0(%a: tensor<16x32xf16>):
    %0 = mirage_kernel.exp %a : (tensor<16x32xf16>) -> tensor<16x32xf16>
    mirage_kernel.yield %0 : tensor<16x32xf16>
  } : tensor<16x32xf16>
  %f = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%r : tensor<16x32xf16>) {
  ^bb0(%out: f16):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f16
    %s = arith.addf %out, %k : f16
    linalg.yield %s : f16
  } -> tensor<16x32xf16>
  %all = scf.for %i = %c0 to %c16 step %c4 iter_args(%acc = %y) -> tensor<16x64xf16> {
    %rows = tensor.extract_slice %f[%i, 0] [4, 32] [1, 1] : tensor<16x32xf16> to tensor<4x32xf16>
    %to = tensor.extract_slice %acc[%i, 32] [4, 32] [1, 1] : tensor<16x64xf16> to tensor<4x32xf16>
    %g = mirage_kernel.graph ins(%rows : tensor<4x32xf16>) outs(%to : tensor<4x32xf16>) {
    ^bb0(%a: tensor<4x32xf16>):
      %0 = mirage_kernel.exp %a : (tensor<4x32xf16>) -> tensor<4x32xf16>
      mirage_kernel.yield %0 : tensor<4x32xf16>
    } : tensor<4x32xf16>
    %in = tensor.insert_slice %g into %acc[%i, 32] [4, 32] [1, 1] : tensor<4x32xf16> into tensor<16x64xf16>
    scf.yield %in : tensor<16x64xf16>
  }
  return %all : tensor<16x64xf16>
}

// -----

// µGraphs with block and thread graphs go the same way, and attributes stay.
// IDENTITY-LABEL: func.func @block(
// IDENTITY:         mirage_kernel.graph ins(%{{.*}} : memref<8x64xf16>) outs(%{{.*}} : memref<8x64xf16>) attributes {note = "kept"}
// IDENTITY:           mirage_block.graph grid(x = 4)
// IDENTITY-SAME:        (tensor<8x64xf16>) -> tensor<8x64xf16>
func.func @block(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) attributes {note = "kept"} {
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_block.graph grid(x = 4) threads(128) ins(%a imap(x -> 1)) outs(omap(x -> 1)) : (tensor<8x64xf16>) -> tensor<8x64xf16> {
    ^bb0(%t: tensor<8x16xf16>):
      %1 = mirage_block.exp %t : tensor<8x16xf16>
      mirage_block.yield %1 : tensor<8x16xf32>
    }
    mirage_kernel.yield %0 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}
