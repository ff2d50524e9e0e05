//===- ScalarTranslator.h - Ops of a body as kernel ops ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_SCALARTRANSLATOR_H
#define MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_SCALARTRANSLATOR_H

#include "FindMask.h"
#include "FindOperator.h"
#include "IndexedTensor.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <string>
#include <variant>

namespace mlir::mirage {

/// What a scalar of a body is over all iterations: one number, or a tensor.
using BodyValue = std::variant<double, IndexedTensor>;

/// Whether an op of math is no row of the table, but can be written in some.
bool isSpelled(Operation *op);

/// Builds kernel ops for ops of arith and math, on demand, so that parts of a
/// body that nothing asks for leave no trace. Numbers are folded in float64;
/// next to a tensor they become the parameters of scale, offset, relu or clamp.
/// What follows from indices alone becomes a mask, where it is one.
class ScalarTranslator {
public:
  /// What a value is that comes from outside of the body (an argument of the
  /// block, or defined around it).
  using LeafFn = llvm::function_ref<FailureOr<BodyValue>(Value)>;

  /// \param body    the block whose ops are translated; null if every operand
  ///                of a translated op is a leaf.
  /// \param reason  set on failure.
  ScalarTranslator(IndexedBuilder &builder, Location outer, Block *body,
                   LeafFn leaf, std::string &reason)
      : builder(builder), outer(outer), body(body), leaf(leaf), reason(reason) {
  }

  /// Translates what the value is computed from first, without recursion: a
  /// body may be a chain of many thousand ops.
  FailureOr<BodyValue> translate(Value scalar);
  FailureOr<BodyValue> translateOp(Operation *op);
  /// An operator of two operands on values that are known already.
  FailureOr<BodyValue> join(Opcode opcode, const BodyValue &x,
                            const BodyValue &y, Type element);

private:
  llvm::SmallVector<mlir::Value>
  getTranslatedOperands(mlir::Operation *op) const;
  bool isComputedHere(Value scalar) const;
  FailureOr<BodyValue> translateNext(Value scalar);
  FailureOr<BodyValue> translateUnary(Opcode opcode, Operation *op);
  FailureOr<BodyValue> translateJoin(const Join &join, Operation *op);
  FailureOr<BodyValue> translateFma(math::FmaOp op);
  FailureOr<BodyValue> translatePower(math::FPowIOp op);
  FailureOr<BodyValue> translateCast(Operation *op);
  FailureOr<BodyValue> translateSelection(arith::SelectOp op);
  FailureOr<BodyValue> translateSpelled(Operation *op);
  FailureOr<BodyValue> apply(Opcode opcode, FailureOr<BodyValue> x,
                             Type element);
  FailureOr<BodyValue> apply(Opcode opcode, FailureOr<BodyValue> x,
                             FailureOr<BodyValue> y, Type element);
  FailureOr<BodyValue> spellFunction(Operation *op, const BodyValue &x);
  FailureOr<BodyValue> spellHyperbolic(Opcode sumOrDifference,
                                       const BodyValue &x, Type element);
  FailureOr<BodyValue> spellLogarithm(double base, const BodyValue &x,
                                      Type element);
  FailureOr<BodyValue> translateMask(const Mask &mask, Operation *op);
  LogicalResult failUnknown(Operation *op);
  LogicalResult checkArithmetic(Operation *op);
  FailureOr<BodyValue> joinNumber(Opcode opcode, const IndexedTensor &x,
                                  double number, bool isNumberFirst,
                                  Type element);
  LogicalResult fail(const Twine &message);

  IndexedBuilder &builder;
  Location outer;
  Block *body;
  LeafFn leaf;
  std::string &reason;
  DenseMap<Value, BodyValue> known;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_SCALARTRANSLATOR_H
