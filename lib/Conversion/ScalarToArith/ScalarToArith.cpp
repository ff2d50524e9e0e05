//===- ScalarToArith.cpp - Scalar definitions as arith and math -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/ScalarToArith.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::mirage;

Value mlir::mirage::emitConstant(OpBuilder &builder, Location location,
                                 double value) {
  return arith::ConstantOp::create(builder, location,
                                   builder.getF32FloatAttr(value));
}

Value mlir::mirage::emitLiteral(OpBuilder &builder, Location location,
                                double value) {
  if (static_cast<float>(value) == value)
    return emitConstant(builder, location, value);
  Value wide = arith::ConstantOp::create(builder, location,
                                         builder.getF64FloatAttr(value));
  return arith::TruncFOp::create(builder, location, builder.getF32Type(), wide);
}

Value mlir::mirage::emitCombine(OpBuilder &builder, Location location,
                                Combiner combiner, Value lhs, Value rhs) {
  if (combiner == Combiner::Max)
    return arith::MaximumFOp::create(builder, location, lhs, rhs);
  return arith::AddFOp::create(builder, location, lhs, rhs);
}

namespace {
/// The meaning of the primitives in instructions.
class ScalarEmitter {
public:
  ScalarEmitter(OpBuilder &builder, Location location, ValueRange arguments,
                ArrayRef<double> parameters, int64_t size,
                EmitNumberFn emitNumber)
      : builder(builder), location(location), arguments(arguments),
        parameters(parameters), size(size), emitNumber(emitNumber) {}

  Value emit(const ScalarNode &node, Value lhs, Value rhs) {
    switch (node.function) {
    case ScalarFunction::Argument:
      return arguments[node.index];
    case ScalarFunction::Parameter:
      return emitNumber(builder, location, parameters[node.index]);
    case ScalarFunction::Constant:
      return emitNumber(builder, location, node.value);
    case ScalarFunction::Ln2:
      return emitNumber(builder, location, kLn2);
    case ScalarFunction::Size:
      return emitNumber(builder, location, size);
    case ScalarFunction::Add:
      return contracted<arith::AddFOp>(lhs, rhs);
    case ScalarFunction::Mul:
      return contracted<arith::MulFOp>(lhs, rhs);
    case ScalarFunction::Div:
      return arith::DivFOp::create(builder, location, lhs, rhs);
    case ScalarFunction::Max:
      return arith::MaximumFOp::create(builder, location, lhs, rhs);
    case ScalarFunction::Min:
      return arith::MinimumFOp::create(builder, location, lhs, rhs);
    case ScalarFunction::Exp:
      return math::ExpOp::create(builder, location, lhs);
    case ScalarFunction::Sqrt:
      return math::SqrtOp::create(builder, location, lhs);
    case ScalarFunction::Abs:
      return math::AbsFOp::create(builder, location, lhs);
    case ScalarFunction::Log:
      return math::LogOp::create(builder, location, lhs);
    case ScalarFunction::Erf:
      return math::ErfOp::create(builder, location, lhs);
    case ScalarFunction::Pow:
      return math::PowFOp::create(builder, location, lhs, rhs);
    case ScalarFunction::Vanish:
      return vanish(lhs, rhs);
    }
    llvm_unreachable("unknown scalar function");
  }

private:
  /// Sums and products may become one fused multiply-add, which rounds once.
  template <typename OpT>
  Value contracted(Value lhs, Value rhs) {
    return OpT::create(builder, location, lhs, rhs,
                       arith::FastMathFlags::contract);
  }

  Value vanish(Value value, Value hiding) {
    Value isHidden = arith::CmpFOp::create(
        builder, location, arith::CmpFPredicate::OEQ, hiding,
        emitNumber(builder, location, getNeutral(Combiner::Max)));
    return arith::SelectOp::create(builder, location, isHidden,
                                   emitNumber(builder, location, 0), value);
  }

  OpBuilder &builder;
  Location location;
  ValueRange arguments;
  ArrayRef<double> parameters;
  int64_t size;
  EmitNumberFn emitNumber;
};
} // namespace

Value mlir::mirage::emitScalarDefinition(OpBuilder &builder, Location location,
                                         const ScalarDefinition &definition,
                                         ValueRange arguments,
                                         ArrayRef<double> parameters,
                                         int64_t size,
                                         EmitNumberFn emitNumber) {
  ScalarEmitter emitter(builder, location, arguments, parameters, size,
                        emitNumber);
  return evaluate<Value>(definition,
                         [&](const ScalarNode &node, Value lhs, Value rhs) {
                           return emitter.emit(node, lhs, rhs);
                         });
}

Value mlir::mirage::emitElementwise(OpBuilder &builder, Location location,
                                    Opcode opcode, ValueRange arguments,
                                    ArrayRef<double> parameters,
                                    EmitNumberFn emitNumber) {
  // 1 - 2 / (1 + exp(2x)) has no correct digit left near 0.
  if (opcode == Opcode::Tanh)
    return math::TanhOp::create(builder, location, arguments.front());
  return emitScalarDefinition(builder, location,
                              getOperatorInfo(opcode).definition, arguments,
                              parameters, /*size=*/1, emitNumber);
}
