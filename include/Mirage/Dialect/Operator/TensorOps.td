//===- TensorOps.td - Reductions, matmul, movement -------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_TENSOROPS_TD
#define MIRAGE_DIALECT_OPERATOR_TENSOROPS_TD

include "Mirage/Dialect/Operator/OperatorBase.td"

multiclass Mirage_ReductionOps<Dialect dialect, bit infers> {
  def SumOp : Mirage_ReductionOp<dialect, infers, "sum", "Sum", "sum", "Σ x">;
  def MeanOp : Mirage_ReductionOp<dialect, infers, "mean", "Mean", "arithmetic mean",
                                  "Σ x / n">;
  def MaxOp : Mirage_ReductionOp<dialect, infers, "max", "Max", "maximum", "max x">;
  def RmsOp : Mirage_ReductionOp<dialect, infers, "rms", "Rms", "root mean square",
                                 "sqrt(Σ x² / n)">;
}

multiclass Mirage_ContractionOps<Dialect dialect, bit infers> {
  def MatmulOp : Mirage_OperatorOp<dialect, infers, "matmul", "Matmul"> {
    let summary = "matrix product of the last two dimensions";
    let description = [{
      Computes `result[.., m, n] = Σ_k lhs[.., m, k] · rhs[.., k, n]` in f32; leading
      dimensions are batch dimensions and broadcast.
      - (C1) both operands have rank 2 or more.
      - (C2) the last dimension of `lhs` and the last but one of `rhs` agree.
      - (C3) batch dimensions broadcast by NumPy's rule.
      - (C4) the result has the batch dimensions, then `m`, then `n`.}]
          # Mirage_ThreadRule<dialect, "(C5) operands and result are fragments; a lane holds all of `k` for its rows and columns of the result.">.indented # [{

      Cost: `2·M·N·K` flops for each element of the batch.}]
          # Mirage_Example<dialect, "matmul %a, %b",
            "(tensor<8x64xf16>, tensor<64x32xf16>) -> tensor<8x32xf16>",
            "tensor<8x64xf16>, tensor<64x32xf16>",
            "(tensor<4x2xf16, #rows>, tensor<2x8xf16, #columns>) -> tensor<4x8xf32, #product>">.indented;
    let arguments = (ins Mirage_Tensor:$lhs, Mirage_Tensor:$rhs);
    let assemblyFormat = "$lhs `,` $rhs attr-dict " # typeFormat;
  }
}

multiclass Mirage_MovementOps<Dialect dialect, bit infers> {
  def TransposeOp : Mirage_OperatorOp<dialect, infers, "transpose", "Transpose"> {
    let summary = "permutes dimensions";
    let description = [{
      Computes `result[i_0, ..] = x[..]` where index `i_j` of the result is index
      `dims[j]` of the operand.
      - (C1) `dims` is a permutation of the operand's dimensions.
      - (C2) size `j` of the result is size `dims[j]` of the operand.
      - (C3) in a tile graph, the result keeps the operand's element type.}]
          # Mirage_ThreadRule<dialect, "(C4) both are fragments, of which lanes hold the same elements; or the operand is a window, and the result, another window, an operand of `wgmma`.">.indented # [{

      Cost: no flops; the bytes of operand and result.}]
          # Mirage_Example<dialect, "transpose %x dims [1, 0]",
            "(tensor<8x64xf16>) -> tensor<64x8xf16>",
            "tensor<8x64xf16>",
            "(tensor<16x8xf32, #c>) -> tensor<8x16xf32, #ct>">.indented;
    let arguments = (ins Mirage_Tensor:$operand, DenseI64ArrayAttr:$dims);
    let assemblyFormat = "$operand `dims` $dims attr-dict " # typeFormat;
  }
  // The result is stated at every level: it is no function of the operand.
  def ReshapeOp : Mirage_OperatorOp<dialect, 0, "reshape", "Reshape"> {
    let summary = "the same elements in row-major order, in another shape";
    let description = [{
      Computes `result[i] = x[j]` where `i` and `j` have the same place in row-major
      order.
      - (C1) the result has as many elements as the operand.
      - (C2) it keeps the operand's element type.}]
          # Mirage_ThreadRule<dialect, "(C3) both are fragments, of which lanes hold the same elements.">.indented # [{

      Cost: none at the kernel level, where it is a view; no flops.}]
          # Mirage_Example<dialect, "reshape %x",
            "(tensor<8x64xf16>) -> tensor<2x4x64xf16>",
            "(tensor<8x64xf16>) -> tensor<2x4x64xf16>",
            "(tensor<16x8xf32, #c>) -> tensor<128x1xf32, #flat>">.indented;
    let arguments = (ins Mirage_Tensor:$operand);
    let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  }
  def BroadcastOp : Mirage_OperatorOp<dialect, 0, "broadcast", "Broadcast"> {
    let summary = "stretches dimensions of size 1";
    let description = [{
      Computes `result[i] = x[j]` where `j` is `i` with 0 in the dimensions that
      stretch; dimensions may be added in front.
      - (C1) the operand's shape broadcasts to the result's by NumPy's rule.
      - (C2) in a tile graph, the result keeps the operand's element type.}]
          # Mirage_ThreadRule<dialect, "(C3) both are fragments; a lane holds of the operand what its elements of the result need.">.indented # [{

      Cost: no flops; the bytes of operand and result.}]
          # Mirage_Example<dialect, "broadcast %x",
            "(tensor<8x1xf16>) -> tensor<8x64xf16>",
            "(tensor<8x1xf16>) -> tensor<8x64xf16>",
            "(tensor<16x1xf32, #column>) -> tensor<16x8xf32, #c>">.indented;
    let arguments = (ins Mirage_Tensor:$operand);
    let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  }
  def CastOp : Mirage_OperatorOp<dialect, 0, "cast", "Cast"> {
    let summary = "rounds to another element type";
    let description = [{
      Computes `y = x`, rounded to nearest, ties to even; to 8 bits, what is beyond the
      largest number becomes that. Transparent to equality: a
      cast says how a value is stored, not which value it is.
      - (C1) the result has the operand's shape.}]
          # Mirage_ThreadRule<dialect, "(C2) both are fragments, of which lanes hold the same elements.">.indented # [{

      Cost: no flops; the bytes of operand and result.}]
          # Mirage_Example<dialect, "cast %x",
            "(tensor<8x64xf32>) -> tensor<8x64xf16>",
            "(tensor<8x64xf32>) -> tensor<8x64xf16>",
            "(tensor<16x8xf32, #c>) -> tensor<16x8xf16, #c>">.indented;
    let arguments = (ins Mirage_Tensor:$operand);
    let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  }
}

/// Masks exist where tiles do.
multiclass Mirage_MaskOps<Dialect dialect, bit infers> {
  def MaskOp : Mirage_OperatorOp<dialect, infers, "mask", "Mask"> {
    let summary = "replaces what lies beyond a tensor's extent by a constant";
    let description = [{
      Element `i` of the tile along `dims[0]` is element `linear · T + i` of a
      dimension of size `extent`, where `T` is the tile's size and `linear` counts the
      axes `axes`, outermost first. Computes `y = linear · T + i < extent ? x : value`.
      Partial tiles are filled with zeros; a mask stands where that would change a
      result, as 1 = exp(0) under a sum.
      - (C1) `dims` names one dimension, which exists.
      - (C2) `extent` is at least 1, and `value` a number that the element type has: no
        NaN, and no infinity in f8E4M3FN.
      - (C3) `axes` are among x, y, z and loop, exist in the graph around the op, of its
        level, and stand in this order; the dimension has at most 2^40 elements with
        all tiles.
      - (C4) what is masked along the loop is a value of the loop.
      - (C5) the result has the operand's type.}]
          # Mirage_ThreadRule<dialect, "(C6) both are fragments, of which lanes hold the same elements.">.indented # [{

      Cost: no flops.}]
          # Mirage_Example<dialect, "mask %x dims [1] axes [\"loop\"] extent 100 value 0.0",
            "",
            "tensor<8x64xf16>",
            "(tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>">.indented;
    let arguments = (ins Mirage_Tensor:$operand, DenseI64ArrayAttr:$dims,
                         StrArrayAttr:$axes, I64Attr:$extent, F64Attr:$value);
    let assemblyFormat = "$operand `dims` $dims `axes` $axes `extent` $extent "
                         "`value` $value attr-dict " # typeFormat;
  }
}

multiclass Mirage_AccumulateOps<Dialect dialect, bit infers> {
  def AccumulateOp : Mirage_OperatorOp<dialect, infers, "accumulate", "Accumulate"> {
    let summary = "joins a value over the loop or over a grid axis";
    let description = [{
      The only way from one phase to the next: over the loop, the result is known
      after it; over a grid axis, to all blocks along the axis, once they have
      all contributed. Computes the reduction of that name over the iterations or
      blocks, and over `dims` of each tile as well; `count` is the `n` of `mean` and
      `rms`, those of all tiles together. Without it `n` counts what is joined, the
      zeros that fill partial tiles included: as a `sum` adds what padding became unless
      a `mask` stands before it, a mean divides by it unless a `count` does not. The
      graph says which is meant, and no extent from elsewhere comes into it.

      `sum rescale by %s` adds parts that are relative to a maximum of their own: with
      `x_t` and `s_t` of iteration or block `t`, it computes
      `Σ_t x_t · exp(s_t - M)`, where `M = max_t s_t` is what `accumulate %s max` over the
      same axis gives. Where `s_t` is minus infinity nothing is added, whatever `x_t` is.

      `variance` computes the mean of `(x - mean x)²` over the elements of all iterations
      that are not minus infinity: where something is, there is no element, and so a `mask`
      leaves out what fills partial tiles. A block carries the number of elements, their
      mean and `Σ (x - mean)²`, and joins those of each tile to them as Chan, Golub and
      LeVeque do (The American Statistician 37, 1983), so that little is lost where the mean
      is far from 0, and the result is never below it.
      - (C1) `dims` ascend and exist.
      - (C2) the op stands in a graph of its level, and `axis` is the loop or an axis of
        that.
      - (C3) what is accumulated over the loop is a value of the loop.
      - (C4) the result has the operand's shape with size 1 in `dims`.
      - (C5) what is accumulated over a grid axis is no value of the loop.
      - (C6) what is rescaled is a sum.
      - (C7) the value by which it is rescaled stretches to the result's shape.
      - (C8) at most 2^40 elements are joined into one; `count`, which `mean` and `rms`
        alone have, is at least 0.
      - (C9) a variance is accumulated over the loop of a block.}]
          # Mirage_ThreadRule<dialect, "(C10) as (C4) of `mirage_thread.sum`.">.indented # [{

      Cost: a flop for each element of the operand; the accumulator lives as long
      as the loop. Over a grid axis: the blocks along it wait for each other, and each
      element goes through memory that they share. Rescaled: an exponential for each
      element of that value, and one more flop for each of the operand. A variance: four
      flops for each element of the operand, and three numbers in place of one while the
      loop runs.}]
          # Mirage_Example<dialect, "accumulate %x over loop rms dims [1] count 4096",
            "",
            "tensor<8x64xf16>",
            "(tensor<16x8xf32, #c>) -> tensor<16x1xf32, #column>">.indented;
    let arguments = (ins Mirage_Tensor:$operand, Optional<Mirage_Tensor>:$rescale,
                         Mirage_Axis:$axis, Mirage_Reduction:$reduction,
                         OptionalAttr<DenseI64ArrayAttr>:$dims,
                         OptionalAttr<I64Attr>:$count);
    let assemblyFormat = "$operand `over` $axis $reduction (`dims` $dims^)? "
                         "(`count` $count^)? (`rescale` `by` $rescale^)? attr-dict "
                         # typeFormat;
  }
}

#endif // MIRAGE_DIALECT_OPERATOR_TENSOROPS_TD
