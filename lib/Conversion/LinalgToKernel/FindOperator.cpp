//===- FindOperator.cpp - What ops of arith and math mean -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindOperator.h"
#include "FindConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mirage;
using arith::CmpFPredicate;

std::optional<Opcode> mlir::mirage::findUnary(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Opcode>>(op)
      .Case([](arith::NegFOp) { return Opcode::Neg; })
      .Case([](math::AbsFOp) { return Opcode::Abs; })
      .Case([](math::ErfOp) { return Opcode::Erf; })
      .Case([](math::ExpOp) { return Opcode::Exp; })
      .Case([](math::Exp2Op) { return Opcode::Exp2; })
      .Case([](math::LogOp) { return Opcode::Log; })
      .Case([](math::RsqrtOp) { return Opcode::Rsqrt; })
      .Case([](math::SqrtOp) { return Opcode::Sqrt; })
      .Case([](math::TanhOp) { return Opcode::Tanh; })
      .Default([](Operation *) { return std::nullopt; });
}

/// maxnumf and minnumf, which drop NaN where the operator table keeps it, agree
/// with it where the op promises that there is none.
template <typename OpT>
static std::optional<Opcode> getIfNoNaN(OpT op, Opcode opcode) {
  if (bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::nnan))
    return opcode;
  return std::nullopt;
}

static std::optional<Opcode> findBinary(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Opcode>>(op)
      .Case([](arith::AddFOp) { return Opcode::Add; })
      .Case([](arith::SubFOp) { return Opcode::Sub; })
      .Case([](arith::MulFOp) { return Opcode::Mul; })
      .Case([](arith::DivFOp) { return Opcode::Div; })
      .Case([](arith::MaximumFOp) { return Opcode::Maximum; })
      .Case([](arith::MinimumFOp) { return Opcode::Minimum; })
      .Case([](arith::MaxNumFOp op) { return getIfNoNaN(op, Opcode::Maximum); })
      .Case([](arith::MinNumFOp op) { return getIfNoNaN(op, Opcode::Minimum); })
      .Case([](math::PowFOp) { return Opcode::Pow; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether the left operand of a comparison that holds is the larger one (Max),
/// or the smaller one (Min).
static std::optional<Opcode> findLeftExtreme(CmpFPredicate predicate) {
  switch (predicate) {
  case CmpFPredicate::OGT:
  case CmpFPredicate::OGE:
  case CmpFPredicate::UGT:
  case CmpFPredicate::UGE:
    return Opcode::Maximum;
  case CmpFPredicate::OLT:
  case CmpFPredicate::OLE:
  case CmpFPredicate::ULT:
  case CmpFPredicate::ULE:
    return Opcode::Minimum;
  default:
    return std::nullopt;
  }
}

static bool areSame(Value x, Value y) {
  if (x == y)
    return true;
  std::optional<double> number = findConstant(x);
  return number && number == findConstant(y);
}

static std::optional<Join> findSelectedExtreme(arith::SelectOp select) {
  auto comparison = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!comparison)
    return std::nullopt;
  std::optional<Opcode> extreme = findLeftExtreme(comparison.getPredicate());
  Value lhs = comparison.getLhs(), rhs = comparison.getRhs();
  Value chosen = select.getTrueValue(), other = select.getFalseValue();
  if (!extreme)
    return std::nullopt;
  if (areSame(chosen, lhs) && areSame(other, rhs))
    return Join{*extreme, lhs, rhs};
  if (areSame(chosen, rhs) && areSame(other, lhs))
    return Join{*extreme == Opcode::Maximum ? Opcode::Minimum : Opcode::Maximum,
                lhs, rhs};
  return std::nullopt;
}

std::optional<Join> mlir::mirage::findJoin(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return findSelectedExtreme(select);
  if (std::optional<Opcode> opcode = findBinary(op))
    return Join{*opcode, op->getOperand(0), op->getOperand(1)};
  return std::nullopt;
}
