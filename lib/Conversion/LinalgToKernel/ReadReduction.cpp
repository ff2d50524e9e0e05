//===- ReadReduction.cpp - Structured ops that reduce ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindConstant.h"
#include "LinalgOpReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::mirage;

static Value skipCasts(Value value) {
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// What a body does with its accumulator: `combiner(accumulator, term)`.
struct LinalgOpReader::Accumulation {
  Opcode combiner; ///< Add, Maximum or Minimum
  Value term;
  Operation *op;
};

/// Casts around the accumulator would round at each step; that is dropped, as
/// is all rounding inside of a reduction.
auto LinalgOpReader::findAccumulation(Value yielded, Value accumulator)
    -> std::optional<Accumulation> {
  Operation *definition = skipCasts(yielded).getDefiningOp();
  if (!definition)
    return std::nullopt;
  std::optional<Join> join = findJoin(definition);
  if (!join ||
      (join->opcode != Opcode::Add && join->opcode != Opcode::Maximum &&
       join->opcode != Opcode::Minimum))
    return std::nullopt;
  if (skipCasts(join->lhs) == accumulator)
    return Accumulation{join->opcode, join->rhs, definition};
  if (skipCasts(join->rhs) == accumulator)
    return Accumulation{join->opcode, join->lhs, definition};
  return std::nullopt;
}

/// A sum of products over loops that both factors vary with, as a matmul. None
/// if the term is no such product, or no factor has a loop of its own.
FailureOr<std::optional<IndexedTensor>>
LinalgOpReader::readContraction(const Accumulation &accumulation, Type element,
                                ArrayRef<int> order) {
  std::optional<IndexedTensor> none;
  auto product = skipCasts(accumulation.term).getDefiningOp<arith::MulFOp>();
  if (accumulation.combiner != Opcode::Add || !product)
    return none;
  FailureOr<BodyValue> x = translator.translate(product.getLhs());
  if (failed(x))
    return failure();
  FailureOr<BodyValue> y = translator.translate(product.getRhs());
  if (failed(y))
    return failure();
  if (std::holds_alternative<double>(*x) || std::holds_alternative<double>(*y))
    return none;
  builder.setLocation(op.getLoc());
  return builder.contract(std::get<IndexedTensor>(*x),
                          std::get<IndexedTensor>(*y), reductionLoops, order,
                          element);
}

/// The reduction itself, without what it starts from.
FailureOr<IndexedTensor>
LinalgOpReader::readReduced(const Accumulation &accumulation, Type element,
                            ArrayRef<int> order) {
  auto contraction = readContraction(accumulation, element, order);
  if (failed(contraction))
    return failure();
  if (*contraction)
    return **contraction;
  FailureOr<BodyValue> term = translator.translate(accumulation.term);
  if (failed(term))
    return failure();
  auto *tensor = std::get_if<IndexedTensor>(&*term);
  if (!tensor)
    return fail("expects a reduction of a tensor's elements, got a constant");
  builder.setLocation(op.getLoc());
  switch (accumulation.combiner) {
  case Opcode::Add:
    return builder.reduce(Opcode::Sum, *tensor, reductionLoops, element);
  case Opcode::Maximum:
    return builder.reduce(Opcode::Max, *tensor, reductionLoops, element);
  default: { // min x = -max(-x)
    IndexedTensor negated = builder.unary(Opcode::Neg, *tensor, element);
    IndexedTensor largest =
        builder.reduce(Opcode::Max, negated, reductionLoops, element);
    return builder.unary(Opcode::Neg, largest, element);
  }
  }
}

/// Whether accumulating onto `number` is accumulating onto nothing. A maximum
/// that starts from the lowest finite number of the type it is kept in is meant
/// to start from nothing: front ends write that where they avoid infinities. It
/// differs only where all elements are -inf (docs/rationale/Import.md).
static bool isNeutral(Opcode combiner, double number, FloatType storage) {
  if (combiner == Opcode::Add)
    return number == 0;
  double extreme = combiner == Opcode::Maximum ? -number : number;
  return extreme >= toDouble(APFloat::getLargest(storage.getFloatSemantics()));
}

FailureOr<BodyValue> LinalgOpReader::readReduction(OpOperand &init,
                                                   ArrayRef<int> order) {
  Value yielded = op.getMatchingYieldValue(&init)->get();
  std::optional<Accumulation> accumulation =
      findAccumulation(yielded, op.getMatchingBlockArgument(&init));
  if (!accumulation)
    return fail("expects a reduction whose body ends in addf, maximumf or "
                "minimumf of the accumulator and something else");
  Type element = accumulation->op->getResult(0).getType();
  if (!convertElementType(element)) {
    llvm::raw_string_ostream(reason)
        << "expects an accumulator of f16, bf16 or f32, got " << element;
    return failure();
  }
  FailureOr<BodyValue> start = readOperand(init);
  if (failed(start))
    return failure();
  FailureOr<IndexedTensor> reduced = readReduced(*accumulation, element, order);
  if (failed(reduced))
    return failure();
  auto *number = std::get_if<double>(&*start);
  auto storage = cast<FloatType>(getElementTypeOrSelf(init.get()));
  if (number && isNeutral(accumulation->combiner, *number, storage))
    return BodyValue(*reduced);
  return translator.join(accumulation->combiner, *reduced, *start, element);
}
