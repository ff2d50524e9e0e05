//===- ElementwiseOps.td - The elementwise ops of each level ---*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The same operators exist at all three levels; each dialect instantiates this
// with its own prefix. Formulas: lib/Graph/OperatorTable.cpp.

#ifndef MIRAGE_DIALECT_OPERATOR_ELEMENTWISEOPS_TD
#define MIRAGE_DIALECT_OPERATOR_ELEMENTWISEOPS_TD

include "Mirage/Dialect/Operator/OperatorBase.td"

multiclass Mirage_ElementwiseOps<Dialect dialect, bit infers> {
  def ExpOp : Mirage_UnaryOp<dialect, infers, "exp", "Exp", "exp(x)">;
  def Exp2Op : Mirage_UnaryOp<dialect, infers, "exp2", "Exp2", "2^x">;
  def LogOp : Mirage_UnaryOp<dialect, infers, "log", "Log", "ln(x)">;
  def SquareOp : Mirage_UnaryOp<dialect, infers, "square", "Square", "x · x">;
  def SqrtOp : Mirage_UnaryOp<dialect, infers, "sqrt", "Sqrt", "sqrt(x)">;
  def RsqrtOp : Mirage_UnaryOp<dialect, infers, "rsqrt", "Rsqrt", "1 / sqrt(x)">;
  def ReciprocalOp : Mirage_UnaryOp<dialect, infers, "reciprocal", "Reciprocal", "1 / x">;
  def NegOp : Mirage_UnaryOp<dialect, infers, "neg", "Neg", "-x">;
  def AbsOp : Mirage_UnaryOp<dialect, infers, "abs", "Abs", "|x|">;
  def SigmoidOp : Mirage_UnaryOp<dialect, infers, "sigmoid", "Sigmoid", "1 / (1 + exp(-x))">;
  def SiluOp : Mirage_UnaryOp<dialect, infers, "silu", "Silu", "x / (1 + exp(-x))">;
  def GeluOp : Mirage_UnaryOp<dialect, infers, "gelu", "Gelu", "x/2 · (1 + erf(x / sqrt 2))">;
  def GeluTanhOp : Mirage_UnaryOp<dialect, infers, "gelu_tanh", "GeluTanh",
      "x/2 · (1 + tanh(sqrt(2/pi) · (x + 0.044715 x^3)))">;
  def ReluOp : Mirage_UnaryOp<dialect, infers, "relu", "Relu", "max(x, 0)">;
  def TanhOp : Mirage_UnaryOp<dialect, infers, "tanh", "Tanh", "tanh(x)">;
  def ErfOp : Mirage_UnaryOp<dialect, infers, "erf", "Erf", "erf(x)">;

  def ScaleOp : Mirage_UnaryOp<dialect, infers, "scale", "Scale", "x · factor",
                               " by 0.5", "`factor` is no NaN."> {
    let arguments = (ins Mirage_Tensor:$operand, F64Attr:$factor);
    let assemblyFormat = "$operand `by` $factor attr-dict " # typeFormat;
  }
  // Not a scale by 1 / divisor: that is rounded, and x / 10 · 10 would not be x.
  def UnscaleOp : Mirage_UnaryOp<dialect, infers, "unscale", "Unscale", "x / divisor",
                                 " by 10.0"> {
    let arguments = (ins Mirage_Tensor:$operand, F64Attr:$divisor);
    let assemblyFormat = "$operand `by` $divisor attr-dict " # typeFormat;
  }
  def OffsetOp : Mirage_UnaryOp<dialect, infers, "offset", "Offset", "x + offset",
                                " by 1.0", "`offset` is no NaN."> {
    let arguments = (ins Mirage_Tensor:$operand, F64Attr:$offset);
    let assemblyFormat = "$operand `by` $offset attr-dict " # typeFormat;
  }
  def ClampOp : Mirage_UnaryOp<dialect, infers, "clamp", "Clamp", "min(max(x, lo), hi)",
                               " to -1.0, 1.0",
                               "`lo` is at most `hi`; neither is NaN."> {
    let arguments = (ins Mirage_Tensor:$operand, F64Attr:$lo, F64Attr:$hi);
    let assemblyFormat = "$operand `to` $lo `,` $hi attr-dict " # typeFormat;
  }

  def AddOp : Mirage_BinaryOp<dialect, infers, "add", "Add", "x + y">;
  def SubOp : Mirage_BinaryOp<dialect, infers, "sub", "Sub", "x - y">;
  def MulOp : Mirage_BinaryOp<dialect, infers, "mul", "Mul", "x · y">;
  def DivOp : Mirage_BinaryOp<dialect, infers, "div", "Div", "x / y">;
  def MaximumOp : Mirage_BinaryOp<dialect, infers, "maximum", "Maximum", "max(x, y)">;
  def MinimumOp : Mirage_BinaryOp<dialect, infers, "minimum", "Minimum", "min(x, y)">;
  def PowOp : Mirage_BinaryOp<dialect, infers, "pow", "Pow", "x^y">;
}

#endif // MIRAGE_DIALECT_OPERATOR_ELEMENTWISEOPS_TD
