//===- PartOps.td - Parts, causal masks and constants ----------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the kernel and the block level have and warps have not: why, says
// docs/rationale/Thread.md.

#ifndef MIRAGE_DIALECT_OPERATOR_PARTOPS_TD
#define MIRAGE_DIALECT_OPERATOR_PARTOPS_TD

include "Mirage/Dialect/Operator/OperatorBase.td"

multiclass Mirage_PartOps<Dialect dialect, bit infers> {
  // Its result is stated at every level: the sizes are no function of the operand.
  def SliceOp : Mirage_OperatorOp<dialect, 0, "slice", "Slice"> {
    let summary = "takes a part of a tensor, every so many elements";
    let description = [{
      Computes `result[i_0, ..] = x[offsets_0 + i_0 · strides_0, ..]`. In a tile
      graph `x` is a tile, and what is meant is a part of it: as a part of the tensor
      only where the tile is whole in that dimension.
      - (C1) `offsets` and `strides` have an entry for each dimension of the operand;
        offsets are at least 0, strides at least 1.
      - (C2) the result has the operand's rank.
      - (C3) the last element that is taken exists.
      - (C4) in a tile graph, the result keeps the operand's element type.

      Cost: no flops. None at the kernel level, where it is a view.}]
          # Mirage_Example<dialect, "slice %x offsets [0, 3] strides [1, 2]",
            "(tensor<8x64xf16>) -> tensor<8x5xf16>",
            "(tensor<8x64xf16>) -> tensor<8x5xf16>", "">.indented;
    let arguments = (ins Mirage_Tensor:$operand, DenseI64ArrayAttr:$offsets,
                         DenseI64ArrayAttr:$strides);
    let assemblyFormat = "$operand `offsets` $offsets `strides` $strides attr-dict "
                         "`:` functional-type(operands, results)";
  }
  def ConcatOp : Mirage_OperatorOp<dialect, infers, "concat", "Concat"> {
    let summary = "puts tensors side by side";
    let description = [{
      The result's dimension `dims[0]` holds those of the operands one after the
      other.
      - (C1) `dims` names one dimension, which exists.
      - (C2) there is an operand; all have the same rank and, in the other dimensions,
        the same sizes.
      - (C3) the result has these sizes, and the sum of those in `dims[0]`.
      - (C4) in a tile graph, operands and result have one element type.

      Cost: no flops; the bytes of operands and result. At the kernel level none where
      kernels write the operands into their places.}]
          # Mirage_Example<dialect, "concat %x, %z dims [1]",
            "(tensor<8x64xf16>, tensor<8x3xf16>) -> tensor<8x67xf16>",
            "tensor<8x64xf16>, tensor<8x3xf16>", "">.indented;
    let arguments = (ins Variadic<Mirage_Tensor>:$parts, DenseI64ArrayAttr:$dims);
    let assemblyFormat = "$parts `dims` $dims attr-dict " # typeFormat;
  }
  def CausalMaskOp : Mirage_OperatorOp<dialect, infers, "causal_mask", "CausalMask"> {
    let summary = "hides from each row what comes after it";
    string coordinates = !if(infers, [{
      `i` and `j` count in the whole tensor: `rows` are the axes that cut its rows,
      outermost first, `columns` those that cut its columns.}], "");
    string axes = !if(infers, [{
      - (C4) `rows` and `columns` are among x, y, z and loop, exist in the graph around
        the op, of its level, and stand in this order; rows and columns are at most
        2^40 with all tiles.
      - (C5) what is masked along the loop is a value of the loop.}], "");
    let description = [{
      Computes `result[.., i, j] = j <= i + offset ? x[.., i, j] : -inf`: as scores of
      attention, which an exponential follows. An additive mask is an `add`.}]
          # coordinates # [{
      - (C1) the operand has rows and columns: rank 2 or more.
      - (C2) `offset` is at most 2^40 to either side.
      - (C3) the result has the operand's shape, and elements of a type that stores
        infinities: f16, bf16 or f32.}] # axes # [{

      Cost: no flops.}]
          # Mirage_Example<dialect, "causal_mask %s offset 4" #
              !if(infers, " rows [\"x\"] columns [\"loop\"]", ""),
            "(tensor<8x12xf32>) -> tensor<8x12xf32>", "tensor<8x12xf32>", "">.indented;
    let arguments = !if(infers,
        (ins Mirage_Tensor:$operand, I64Attr:$offset, OptionalAttr<StrArrayAttr>:$rows,
             OptionalAttr<StrArrayAttr>:$columns),
        (ins Mirage_Tensor:$operand, I64Attr:$offset));
    let assemblyFormat = "$operand `offset` $offset " #
        !if(infers, "(`rows` $rows^)? (`columns` $columns^)? ", "") #
        "attr-dict " # typeFormat;
  }
  def ConstantOp : Mirage_OperatorOp<dialect, 0, "constant", "Constant"> {
    let summary = "one number everywhere";
    let description = [{
      Computes `result[i] = value`, rounded to the result's element type. Tensors of
      several numbers are arguments of a program.
      - (C1) the result has elements: it states its shape.
      - (C2) `value` is a number that the result's element type has: no NaN, and no
        infinity in f8E4M3FN.

      Cost: no flops; the bytes of the result.

      ```mlir
      %y = }] # dialect.name # [{.constant 0.5 : tensor<8x64xf32>
      ```
    }];
    let arguments = (ins F64Attr:$value);
    let assemblyFormat = "$value attr-dict `:` type($result)";
  }
}

#endif // MIRAGE_DIALECT_OPERATOR_PARTOPS_TD
