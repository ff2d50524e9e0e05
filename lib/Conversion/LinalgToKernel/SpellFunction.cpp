//===- SpellFunction.cpp - Functions that the table has no row for --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// math.log1p, expm1 and erfc exist for the digits of results near 0, which
// their spelling in other functions loses (docs/rationale/Import.md).
//
//===----------------------------------------------------------------------===//

#include "ScalarTranslator.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::mirage;

FailureOr<BodyValue>
ScalarTranslator::apply(Opcode opcode, FailureOr<BodyValue> x, Type element) {
  if (failed(x))
    return failure();
  if (auto *number = std::get_if<double>(&*x))
    return BodyValue(
        evaluateDouble(getOperatorInfo(opcode).definition, *number, {}));
  return BodyValue(builder.unary(opcode, std::get<IndexedTensor>(*x), element));
}

FailureOr<BodyValue> ScalarTranslator::apply(Opcode opcode,
                                             FailureOr<BodyValue> x,
                                             FailureOr<BodyValue> y,
                                             Type element) {
  if (failed(x) || failed(y))
    return failure();
  return join(opcode, *x, *y, element);
}

/// (exp(x) + sign · exp(-x)) / 2
FailureOr<BodyValue> ScalarTranslator::spellHyperbolic(Opcode sumOrDifference,
                                                       const BodyValue &x,
                                                       Type element) {
  Type inner = builder.getUnroundedType();
  auto grows = apply(Opcode::Exp, x, inner);
  auto shrinks = apply(Opcode::Exp, apply(Opcode::Neg, x, inner), inner);
  return apply(Opcode::Mul, apply(sumOrDifference, grows, shrinks, inner),
               BodyValue(0.5), element);
}

/// log(x) / log(base)
FailureOr<BodyValue> ScalarTranslator::spellLogarithm(double base,
                                                      const BodyValue &x,
                                                      Type element) {
  return apply(Opcode::Mul, apply(Opcode::Log, x, builder.getUnroundedType()),
               BodyValue(1 / std::log(base)), element);
}

FailureOr<BodyValue> ScalarTranslator::spellFunction(Operation *op,
                                                     const BodyValue &x) {
  using Result = FailureOr<BodyValue>;
  Type element = getElementTypeOrSelf(op->getResult(0));
  Type inner = builder.getUnroundedType();
  BodyValue one = 1.0;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](math::Log1pOp) {
        return apply(Opcode::Log, apply(Opcode::Add, x, one, inner), element);
      })
      .Case([&](math::ExpM1Op) {
        return apply(Opcode::Sub, apply(Opcode::Exp, x, inner), one, element);
      })
      .Case([&](math::ErfcOp) {
        return apply(Opcode::Sub, one, apply(Opcode::Erf, x, inner), element);
      })
      .Case([&](math::Log2Op) { return spellLogarithm(2, x, element); })
      .Case([&](math::Log10Op) { return spellLogarithm(10, x, element); })
      .Case([&](math::SinhOp) {
        return spellHyperbolic(Opcode::Sub, x, element);
      })
      .Case([&](math::CoshOp) {
        return spellHyperbolic(Opcode::Add, x, element);
      })
      .Default([](Operation *) -> Result {
        llvm_unreachable("`isSpelled` says which functions there are");
      });
}

bool mlir::mirage::isSpelled(Operation *op) {
  return isa<math::CoshOp, math::ErfcOp, math::ExpM1Op, math::Log10Op,
             math::Log1pOp, math::Log2Op, math::SinhOp>(op);
}
