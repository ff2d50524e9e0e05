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
  def SumOp : Mirage_ReductionOp<dialect, infers, "sum", "Sum", "sum">;
  def MeanOp : Mirage_ReductionOp<dialect, infers, "mean", "Mean", "arithmetic mean">;
  def MaxOp : Mirage_ReductionOp<dialect, infers, "max", "Max", "maximum">;
  def RmsOp : Mirage_ReductionOp<dialect, infers, "rms", "Rms", "root mean square">;
}

multiclass Mirage_ContractionOps<Dialect dialect, bit infers> {
  def MatmulOp : Mirage_OperatorOp<dialect, infers, "matmul", "Matmul"> {
    let summary = "matrix product of the last two dimensions";
    let description = [{
      Computes `result[.., m, n] = Σ_k lhs[.., m, k] · rhs[.., k, n]` in f32;
      leading dimensions are batch dimensions and broadcast.
      - (C1) both operands have rank 2 or more.
      - (C2) the last dimension of `lhs` and the last but one of `rhs` agree.
      - (C3) batch dimensions broadcast by NumPy's rule.

      Cost: `2·M·N·K` flops per batch element.
    }];
    let arguments = (ins Mirage_Tensor:$lhs, Mirage_Tensor:$rhs);
    let assemblyFormat = "$lhs `,` $rhs attr-dict " # typeFormat;
  }
}

multiclass Mirage_MovementOps<Dialect dialect, bit infers> {
  def TransposeOp : Mirage_OperatorOp<dialect, infers, "transpose", "Transpose"> {
    let summary = "permutes dimensions";
    let description = "Result dimension `i` is operand dimension `dims[i]`.";
    let arguments = (ins Mirage_Tensor:$operand, DenseI64ArrayAttr:$dims);
    let assemblyFormat = "$operand `dims` $dims attr-dict " # typeFormat;
  }
  // The result is stated at every level: it is no function of the operand.
  def ReshapeOp : Mirage_OperatorOp<dialect, 0, "reshape", "Reshape"> {
    let summary = "the same elements in row-major order, in another shape";
    let arguments = (ins Mirage_Tensor:$operand);
    let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  }
  def BroadcastOp : Mirage_OperatorOp<dialect, 0, "broadcast", "Broadcast"> {
    let summary = "stretches dimensions of size 1";
    let arguments = (ins Mirage_Tensor:$operand);
    let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  }
  def CastOp : Mirage_OperatorOp<dialect, 0, "cast", "Cast"> {
    let summary = "rounds to another element type";
    let description = [{
      Round to nearest, ties to even. Transparent to equality: a cast says how a
      value is stored, not which value it is.
    }];
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
      dimension of size `extent`, where `T` is the tile's size and `linear`
      counts the axes `axes`, outermost first. From `extent` on, elements become
      `value`. Partial tiles are filled with zeros; a mask stands where that
      would change a result, as 1 = exp(0) under a sum.
    }];
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
      after it; over a grid axis, once all blocks along the axis have
      contributed. `dims` are reduced as well. For `mean` and `rms`, `count` is
      the number of elements averaged.
      ```mlir
      %m = mirage_block.accumulate %x over loop rms dims [1] count 4096 : tensor<8x64xf16>
      ```
    }];
    let arguments = (ins Mirage_Tensor:$operand, Mirage_Axis:$axis,
                         Mirage_Reduction:$reduction,
                         OptionalAttr<DenseI64ArrayAttr>:$dims,
                         OptionalAttr<I64Attr>:$count);
    let assemblyFormat = "$operand `over` $axis $reduction (`dims` $dims^)? "
                         "(`count` $count^)? attr-dict " # typeFormat;
  }
}

#endif // MIRAGE_DIALECT_OPERATOR_TENSOROPS_TD
