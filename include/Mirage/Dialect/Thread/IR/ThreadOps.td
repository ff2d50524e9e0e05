//===- ThreadOps.td - Ops of the thread level ------------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_THREAD_IR_THREADOPS_TD
#define MIRAGE_DIALECT_THREAD_IR_THREADOPS_TD

include "Mirage/Dialect/Operator/ElementwiseOps.td"
include "Mirage/Dialect/Operator/TensorOps.td"
include "Mirage/Dialect/Operator/TileGraphInterface.td"
include "Mirage/Dialect/Thread/IR/ThreadAttributes.td"
include "Mirage/Dialect/Thread/IR/ThreadMatrixOps.td"
include "Mirage/Dialect/Thread/IR/ThreadMovementOps.td"

defm Thread_ : Mirage_ElementwiseOps<MirageThreadDialect, 0>;
def Thread_VanishOp : Mirage_BinaryOp<MirageThreadDialect, 0, "vanish", "Vanish",
    "x, or 0 where y is -inf">;
defm Thread_ : Mirage_ReductionOps<MirageThreadDialect, 0>;
defm Thread_ : Mirage_ContractionOps<MirageThreadDialect, 0>;
defm Thread_ : Mirage_MovementOps<MirageThreadDialect, 0>;
defm Thread_ : Mirage_MaskOps<MirageThreadDialect, 0>;
defm Thread_ : Mirage_AccumulateOps<MirageThreadDialect, 0>;

def Thread_Tile : AnyTypeOf<[Mirage_Tensor, AnyMemRef]>;

def Thread_GraphOp : Mirage_TileGraphOp<MirageThreadDialect, "Thread", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one step of a block: work items that its warps share";
  let description = [{
    The grid of a thread graph counts *work items*; each is done by one warp,
    item `i` by warp `i mod W` of the block's W warps, or with `threads(128)` by a
    warpgroup of four. An item runs a loop of
    *steps* over windows of the operands, which are tiles of the block. Maps
    are those of `mirage_block.graph`, one level down: `imap` sends an axis of
    the items to the dimension that it cuts, `fmap` the steps, `omap` says where
    what an item yields goes. `load` and its kin bring a window into registers, as a
    fragment, and `store` brings a fragment back into a window that is yielded.
    Accumulators live in registers over the steps.

    Operands and results are tensors, or, once tiles have their places, memrefs where they
    lie in shared memory, which are written as `outs`, and tensors with a layout where the
    block holds them in registers: `Mirage/Layout/HeldTiles.h` says which layout it is.
    - (C1) at most 3 axes, with extents of at least 1 and at most 2^40 items; 1 to 2^40
      steps.
    - (C2) windows cover their tiles.
    - (C3) values of the loop and from after it do not meet.
    - (C4) there is a window for each operand and one yielded for each result, or memref
      of the `outs`, of its rank; operands' windows have their element type; there is a
      result or such a memref.
    - (C5) maps name dimensions that exist, for each axis one; each operand has an
      `imap` and an `fmap`, each result or memref of the `outs` an `omap`.
    - (C6) the region holds operators of `mirage_thread` alone, and `mirage_thread.yield`
      ends it.
    - (C7) its arguments, and what it yields, are windows: they have no layout.
    - (C8) `threads` is 32, of a warp, or 128, of a warpgroup, and fragments in the
      region are of as many.
    - (C9) no operand and no result has a place, a memref or a layout, or all have one;
      there are results or memrefs to write to, not both.
    - (C10) memrefs have what tensors have: a static shape of rank 1 or more, and
      elements that the operators take.
    - (C11) what items along an axis hold differently is joined or summed along it by
      the `omap`.

    Cost: that of an item's ops for each item and step; warps do items side by side.
    ```mlir
    %p = mirage_thread.graph items(x = 1, y = 4) steps(4)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<8x64xf16>, tensor<64x32xf16>) -> tensor<8x32xf32> {
    ^bb0(%aw: tensor<16x16xf16>, %bw: tensor<16x8xf16>):
      %af = mirage_thread.ldmatrix %aw : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
      %bf = mirage_thread.ldmatrix %bw : (tensor<16x8xf16>) -> tensor<16x8xf16, #b>
      %0 = mirage_thread.mma %af, %bf shape [16, 8, 16] : (tensor<16x16xf16, #a>, tensor<16x8xf16, #b>) -> tensor<16x8xf32, #c>
      %1 = mirage_thread.accumulate %0 over loop sum : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
      %pw = mirage_thread.store %1 : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
      mirage_thread.yield %pw : tensor<16x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Thread_Tile>:$inputs, Variadic<AnyMemRef>:$inits,
                       DenseI64ArrayAttr:$grid,
                       DefaultValuedAttr<I64Attr, "32">:$threads, I64Attr:$loop,
                       ArrayAttr:$imaps, DenseI64ArrayAttr:$fmaps,
                       ArrayAttr:$omaps);
}

def Thread_YieldOp : Op<MirageThreadDialect, "yield", [
    Pure, Terminator, HasParent<"GraphOp">]> {
  let summary = "ends a thread graph with its windows";
  let description = [{
    The `omap`s say where in the tiles the windows of each item lie.
    - (C1) it stands in a `mirage_thread.graph`.

    Cost: the bytes of the tiles in shared memory.
    ```mlir
    %y = mirage_thread.graph items(x = 2) ins(%x imap(x -> 1)) outs(omap(x -> 1))
        : (tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%w: tensor<16x8xf32>):
      %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
      %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
      mirage_thread.yield %v : tensor<16x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Mirage_Tensor>:$operands);
  let assemblyFormat = "$operands attr-dict `:` type($operands)";
}

def Thread_ClipOp : Op<MirageThreadDialect, "clip", [
    Pure, AllTypesMatch<["tile", "result"]>]> {
  let summary = "a tile that ends sooner than its shape says";
  let description = [{
    The tile, of which only what lies before `sizes` along `dims` is there, as of one that
    reaches beyond the end of its tensor: beyond, thread graphs read zeros and write
    nothing. Each size is at least 1, at most what the shape says, and a multiple of its
    number of `multiples`, so that so many elements can be accessed at a time.
    - (C1) the tile has a static shape.
    - (C2) `dims` are dimensions of it, increasing, with a size and a number each.
    - (C3) numbers are 1 or more, and divide what the shape says.

    Cost: a comparison for each access.
    ```mlir
    %n = arith.constant 12 : index
    %t = mirage_thread.clip %tile dims [1] to [%n] multiples [4] : memref<16x64xf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$tile, DenseI64ArrayAttr:$dims,
                       Variadic<Index>:$sizes, DenseI64ArrayAttr:$multiples);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$tile `dims` $dims `to` ` ` `[` $sizes `]` `multiples` $multiples "
                       "attr-dict `:` type($tile)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of a dimension's size; none where the shape says it.
    std::optional<unsigned> find(unsigned dim);
  }];
}

#endif // MIRAGE_DIALECT_THREAD_IR_THREADOPS_TD
