//===- ReadReduction.cpp - Structured ops that reduce ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
  std::optional<Opcode> combiner = findOpcode(definition);
  if (combiner != Opcode::Add && combiner != Opcode::Maximum &&
      combiner != Opcode::Minimum)
    return std::nullopt;
  for (unsigned side : {0, 1})
    if (skipCasts(definition->getOperand(side)) == accumulator)
      return Accumulation{*combiner, definition->getOperand(1 - side),
                          definition};
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

/// Whether accumulating onto `number` is accumulating onto nothing.
static bool isNeutral(Opcode combiner, double number) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (combiner == Opcode::Add)
    return number == 0;
  return number == (combiner == Opcode::Maximum ? -infinity : infinity);
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
  if (number && isNeutral(accumulation->combiner, *number))
    return BodyValue(*reduced);
  return translator.join(accumulation->combiner, *reduced, *start, element);
}
