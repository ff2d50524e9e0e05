//===- TermValues.cpp - Field elements of terms ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TermValues.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace mlir::mirage;
using kernels::kLanes;

LiveTerms::LiveTerms(const TermTable &table, llvm::ArrayRef<TermId> outputs) {
  live.emplace_back(table.size());
  for (TermId output : outputs)
    live[0].set(output);
  for (unsigned component = 0; component < live.size(); ++component) {
    llvm::BitVector next(table.size());
    for (TermId term = table.size(); term-- > 0;)
      if (live[component][term])
        for (TermId operand : table.getOperands(term))
          (table[term].kind == TermKind::Exp ? next : live[component])
              .set(operand);
    if (next.any())
      live.push_back(std::move(next));
  }
}

TermValues::TermValues(const TermTable &table, const LiveTerms &live,
                       const FieldBatch &batch)
    : table(table), live(live), batch(batch) {
  values.resize(std::min(live.getHeight(), batch.tower.getHeight()));
}

void TermValues::evaluate(unsigned component, llvm::ArrayRef<uint32_t> inputs,
                          const llvm::BitVector *wanted) {
  values[component].resize(table.size() * kLanes);
  auto isEvaluated = [&](TermId term) {
    return live.isLive(term, component) && (!wanted || wanted->test(term));
  };
  // The arguments of the exponentials, in the order of the loop below.
  ExponentTape exponents;
  if (component + 1 < values.size())
    for (TermId term = 0; term < table.size(); ++term)
      if (isEvaluated(term) && table[term].kind == TermKind::Exp)
        exponents.add({get(table.getOperands(term)[0], component + 1)}, kLanes);
  FieldArithmetic arithmetic(batch, component, std::move(exponents));
  for (TermId term = 0; term < table.size(); ++term)
    if (isEvaluated(term))
      evaluateTerm(arithmetic, term, component, inputs);
}

static ScalarFunction getFunction(TermKind kind) {
  switch (kind) {
  case TermKind::Add:
    return ScalarFunction::Add;
  case TermKind::Mul:
    return ScalarFunction::Mul;
  case TermKind::Max:
    return ScalarFunction::Max;
  case TermKind::Min:
    return ScalarFunction::Min;
  case TermKind::Div:
    return ScalarFunction::Div;
  case TermKind::Exp:
    return ScalarFunction::Exp;
  case TermKind::Sqrt:
    return ScalarFunction::Sqrt;
  case TermKind::Abs:
    return ScalarFunction::Abs;
  case TermKind::Log:
    return ScalarFunction::Log;
  case TermKind::Erf:
    return ScalarFunction::Erf;
  case TermKind::Pow:
    return ScalarFunction::Pow;
  case TermKind::Input:
  case TermKind::Constant:
  case TermKind::Ln2:
  case TermKind::MinusInfinity:
  case TermKind::Undefined:
    break;
  }
  assert(false && "a leaf has no function");
  return ScalarFunction::Argument;
}

void TermValues::evaluateTerm(FieldArithmetic &arithmetic, TermId id,
                              unsigned component,
                              llvm::ArrayRef<uint32_t> inputs) {
  const Term &term = table[id];
  uint32_t *result = values[component].data() + id * kLanes;
  switch (term.kind) {
  case TermKind::Input:
    std::memcpy(result, inputs.data() + term.index * kLanes,
                kLanes * sizeof(uint32_t));
    return;
  case TermKind::Constant:
    return arithmetic.constant(result, term.value);
  case TermKind::Ln2:
    return arithmetic.ln2(result);
  case TermKind::MinusInfinity:
    std::fill(result, result + kLanes, kernels::kMinusInfinity);
    return;
  case TermKind::Undefined:
    std::fill(result, result + kLanes, kernels::kUndefined);
    return;
  default:
    break;
  }
  ScalarFunction function = getFunction(term.kind);
  llvm::ArrayRef<TermId> operands = table.getOperands(id);
  const uint32_t *first = get(operands[0], component);
  if (term.kind == TermKind::Exp) { // the operand itself is on the tape
    uint32_t unused[kLanes] = {};
    return arithmetic.apply(function, result, {unused}, {unused}, kLanes);
  }
  if (operands.size() == 1)
    return arithmetic.apply(function, result, {first}, {first}, kLanes);
  std::memcpy(result, first, kLanes * sizeof(uint32_t));
  for (TermId operand : operands.drop_front())
    arithmetic.apply(function, result, {result}, {get(operand, component)},
                     kLanes);
}
