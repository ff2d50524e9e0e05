//===- BlockOps.td - Ops of the block level --------------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_BLOCK_IR_BLOCKOPS_TD
#define MIRAGE_DIALECT_BLOCK_IR_BLOCKOPS_TD

include "Mirage/Dialect/Block/IR/BlockDialect.td"
include "Mirage/Dialect/Operator/ElementwiseOps.td"
include "Mirage/Dialect/Operator/PartOps.td"
include "Mirage/Dialect/Operator/TensorOps.td"
include "Mirage/Dialect/Operator/TileGraphInterface.td"

defm Block_ : Mirage_ElementwiseOps<MirageBlockDialect, 1>;
defm Block_ : Mirage_ReductionOps<MirageBlockDialect, 1>;
defm Block_ : Mirage_ContractionOps<MirageBlockDialect, 1>;
defm Block_ : Mirage_MovementOps<MirageBlockDialect, 1>;
defm Block_ : Mirage_PartOps<MirageBlockDialect, 1>;
defm Block_ : Mirage_MaskOps<MirageBlockDialect, 1>;
defm Block_ : Mirage_AccumulateOps<MirageBlockDialect, 1>;

def Block_GraphOp : Mirage_TileGraphOp<MirageBlockDialect, "Block", [
    Pure, IsolatedFromAbove]> {
  let summary = "one kernel: a grid of thread blocks, each of which runs a loop";
  let description = [{
    Each block computes on tiles of the operands. `imap` sends a grid axis to the
    dimension of the operand that it cuts; an axis that is not named replicates.
    `fmap` does so for the loop. `omap` sends each grid axis to the dimension of
    the result along which blocks are concatenated, or to `sum`. With several
    cuts of one dimension the grid counts first, the loop second. Sizes need not
    divide: beyond a tensor's extent tiles read zeros and write nothing. With
    `cluster(x = 4)` four blocks along x can read each other's shared memory: how an
    accumulate over x is carried out, and not what it is. So do `stages(3)`: the tiles of
    three iterations are there at a time, two of them on their way while the block computes
    with the third. Clusters are a wish: --mirage-merge-launches makes them where they take
    less, and says so where it drops one.
    - (C1) at most 3 grid axes, with extents of at least 1 and at most 2^40 blocks; 1 to
      2^40 iterations; 32 to 1024 threads in multiples of 32.
    - (C2) tiles cover their tensors.
    - (C3) values of the loop and from after it do not meet; what is yielded has
      left the loop. What blocks join of values that the loop does not change is known
      before it.
    - (C4) there is a tile for each operand and one yielded for each result, of its
      rank; operands' tiles have their element type; there is a result.
    - (C5) maps name dimensions that exist, for each axis one; each operand has an
      `imap` and an `fmap`, each result an `omap`.
    - (C6) the region holds operators of `mirage_block` and thread graphs alone, and
      `mirage_block.yield` ends it.
    - (C7) a cluster divides the grid along each axis, and has at most 16 blocks.
    - (C8) what blocks along an axis hold differently is concatenated or summed along it
      by the `omap`.
    - (C9) arguments and yielded values have no encoding.
    - (C10) there are 1 to 16 stages, and no more than iterations.

    Cost: a launch; the bytes of the tiles that each block reads in each iteration
    and writes at the end; the flops of the steps.
    ```mlir
    %o = mirage_block.graph grid(x = 192) threads(128) loop(64) stages(3)
        ins(%x imap() fmap(1), %w imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<8x4096xf16>, tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
    ^bb0(%xt: tensor<8x64xf16>, %wt: tensor<64x32xf16>):
      %rms = mirage_block.accumulate %xt over loop rms dims [1] count 4096 : tensor<8x64xf16>
      %p = mirage_block.matmul %xt, %wt : tensor<8x64xf16>, tensor<64x32xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<8x32xf32>
      %r = mirage_block.div %acc, %rms : tensor<8x32xf32>, tensor<8x1xf32>
      mirage_block.yield %r : tensor<8x32xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Mirage_Tensor>:$inputs,
                       DenseI64ArrayAttr:$grid,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster,
                       I64Attr:$threads, I64Attr:$loop,
                       DefaultValuedAttr<I64Attr, "1">:$stages,
                       ArrayAttr:$imaps, DenseI64ArrayAttr:$fmaps,
                       ArrayAttr:$omaps);
  /// Files of version 1 know no clusters, those of version 2 no stages.
  let useCustomPropertiesEncoding = 1;
}

def Block_YieldOp : Op<MirageBlockDialect, "yield", [
    Pure, Terminator, HasParent<"GraphOp">]> {
  let summary = "ends a block graph with its tiles, which are rounded to the results' types";
  let description = [{
    Each block writes its tiles where the `omap`s say. This is where a value that a
    block computed in f32 is rounded to the element type of the result.
    - (C1) it stands in a `mirage_block.graph`.

    Cost: the bytes of the results.
    ```mlir
    %o = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<32x64xf16>) -> tensor<32x64xf16> {
    ^bb0(%t: tensor<8x64xf16>):
      %e = mirage_block.exp %t : tensor<8x64xf16>
      mirage_block.yield %e : tensor<8x64xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Mirage_Tensor>:$operands);
  let assemblyFormat = "$operands attr-dict `:` type($operands)";
}

#endif // MIRAGE_DIALECT_BLOCK_IR_BLOCKOPS_TD
