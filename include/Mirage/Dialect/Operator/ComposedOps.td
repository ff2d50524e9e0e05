//===- ComposedOps.td - Operators made of others ---------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What they stand for: Mirage/Graph/ComposedOperators.h.
// `--mirage-expand-composed` puts it in their place.

#ifndef MIRAGE_DIALECT_OPERATOR_COMPOSEDOPS_TD
#define MIRAGE_DIALECT_OPERATOR_COMPOSEDOPS_TD

include "Mirage/Dialect/Operator/OperatorBase.td"

/// \param text       what is computed, and of what
/// \param constraints  those after C1 and C2, which all norms have
class Mirage_NormOp<Dialect dialect, string mnemonic, string opcode, string text,
                    string constraints, string operands>
    : Mirage_OperatorOp<dialect, 0, mnemonic, opcode> {
  string epsilonText = !if(!eq(mnemonic, "softmax"), "", " epsilon 1.0e-5");
  let description = text
      # "- (C1) `dims` names at least one dimension; they ascend and exist.\n"
      # "- (C2) the result has the operand's shape.\n"
      # constraints
      # "\nCost: the flops of its steps, and the bytes of what lies between them.\n"
      # Mirage_Example<dialect, mnemonic # " %x" # operands # " dims [1]" # epsilonText,
            "(tensor<8x64xf16>" # !if(!empty(operands), "", ", tensor<64xf16>") #
            !if(!eq(operands, ", %w, %b"), ", tensor<64xf16>", "") #
            ") -> tensor<8x64xf16>", "", "">.text;
}

multiclass Mirage_ComposedOps<Dialect dialect> {
  def RmsNormOp : Mirage_NormOp<dialect, "rms_norm", "RmsNorm",
      "Computes `y = x / sqrt(Σ x² / n + epsilon)`, where the sum is over the `n`\n"
      # "elements that differ in the dimensions `dims` alone; times the weight, if there\n"
      # "is one.\n",
      "- (C3) `epsilon` is at least 0.\n"
      # "- (C4) the weight broadcasts to the operand's shape.\n", ", %w"> {
    let summary = "divides by the root mean square over dimensions";
    let arguments = (ins Mirage_Tensor:$operand, Optional<Mirage_Tensor>:$weight,
                         DenseI64ArrayAttr:$dims, F64Attr:$epsilon);
    let assemblyFormat = "$operand (`,` $weight^)? `dims` $dims `epsilon` $epsilon attr-dict "
                         # typeFormat;
  }
  def LayerNormOp : Mirage_NormOp<dialect, "layer_norm", "LayerNorm",
      "Computes `y = (x - m) / sqrt(Σ (x - m)² / n + epsilon)` with `m = Σ x / n`, where\n"
      # "the sums are over the `n` elements that differ in the dimensions `dims` alone;\n"
      # "times the weight and plus the bias, if these are there: a weight comes before a\n"
      # "bias.\n",
      "- (C3) `epsilon` is at least 0.\n"
      # "- (C4) there are at most a weight and a bias.\n"
      # "- (C5) these broadcast to the operand's shape.\n", ", %w, %b"> {
    let summary = "takes the mean away and divides by the deviation over dimensions";
    let arguments = (ins Mirage_Tensor:$operand, Variadic<Mirage_Tensor>:$affine,
                         DenseI64ArrayAttr:$dims, F64Attr:$epsilon);
    let assemblyFormat = "$operand (`,` $affine^)? `dims` $dims `epsilon` $epsilon attr-dict "
                         # typeFormat;
  }
  def L2NormOp : Mirage_NormOp<dialect, "l2_norm", "L2Norm",
      "Computes `y = x / sqrt(Σ x² + epsilon)`, where the sum is over the elements that\n"
      # "differ in the dimensions `dims` alone.\n",
      "- (C3) `epsilon` is at least 0.\n", ""> {
    let summary = "divides by the Euclidean norm over dimensions";
    let arguments = (ins Mirage_Tensor:$operand, DenseI64ArrayAttr:$dims, F64Attr:$epsilon);
    let assemblyFormat = "$operand `dims` $dims `epsilon` $epsilon attr-dict " # typeFormat;
  }
  def SoftmaxOp : Mirage_NormOp<dialect, "softmax", "Softmax",
      "Computes `y = exp(x) / Σ exp(x)`, where the sum is over the elements that differ in\n"
      # "the dimensions `dims` alone; as `exp(x - m) / Σ exp(x - m)` with the maximum `m`,\n"
      # "so that large elements do not overflow.\n", "", ""> {
    let summary = "exponentials as parts of their sum over dimensions";
    let arguments = (ins Mirage_Tensor:$operand, DenseI64ArrayAttr:$dims);
    let assemblyFormat = "$operand `dims` $dims attr-dict " # typeFormat;
  }
  def RepeatOp : Mirage_OperatorOp<dialect, 0, "repeat", "Repeat"> {
    let summary = "the operand side by side until the result is full";
    let description = [{
      Computes `result[i_0, ..] = x[i_0 mod n_0, ..]` where `n` are the operand's sizes.
      - (C1) the result has the operand's rank, and its sizes are multiples of the
        operand's.
      - (C2) it keeps the operand's element type.

      Cost: no flops; the bytes of operand and result.}]
          # Mirage_Example<dialect, "repeat %x",
            "(tensor<8x64xf16>) -> tensor<8x192xf16>", "", "">.indented;
    let arguments = (ins Mirage_Tensor:$operand);
    let assemblyFormat = "$operand attr-dict " # typeFormat;
  }
}

#endif // MIRAGE_DIALECT_OPERATOR_COMPOSEDOPS_TD
