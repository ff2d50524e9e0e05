//===- StructureMutations.cpp - Steps too many, too few, out of order -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static bool isUnary(const Node &operation) {
  const OperatorInfo &info = getOperatorInfo(operation.opcode);
  return info.kind == OperatorKind::Elementwise && info.numOperands == 1;
}

//===----------------------------------------------------------------------===//
// Left out
//===----------------------------------------------------------------------===//

/// Keeps the draft in which an operand stands for the result of an operation.
static void skip(const Draft &draft, unsigned position, KeepDraft keep) {
  const Node &operation = draft.operations[position];
  if (operation.results.size() != 1)
    return;
  for (ValueId operand : operation.operands)
    if (draft.haveSameShape(operand, operation.results[0])) {
      Draft changed = draft;
      changed.replaceUses(operation.results[0], operand);
      keep(changed);
    }
}

template <Opcode... opcodes>
static void skipOneOf(const Draft &draft, unsigned position, KeepDraft keep) {
  if (((draft.operations[position].opcode == opcodes) || ...))
    skip(draft, position, keep);
}

/// What is left of an accumulation that reduces dimensions is that.
static void dropAccumulate(const Draft &draft, unsigned position,
                           KeepDraft keep) {
  const Node &operation = draft.operations[position];
  if (operation.opcode != Opcode::Accumulate)
    return;
  if (operation.attributes.dims.empty())
    return skip(draft, position, keep);
  Draft changed = draft;
  Node &reduction = changed.operations[position];
  reduction.opcode = operation.attributes.reduction;
  reduction.operands.resize(1);
  keep(changed);
}

static void dropRescale(const Draft &draft, unsigned position, KeepDraft keep) {
  if (!draft.operations[position].isRescaled())
    return;
  Draft changed = draft;
  changed.operations[position].operands.pop_back();
  keep(changed);
}

static void rescaleByAnother(const Draft &draft, unsigned position,
                             KeepDraft keep) {
  const Node &operation = draft.operations[position];
  if (!operation.isRescaled())
    return;
  for (double factor : {-1.0, 0.0, 0.5, 2.0}) {
    Draft changed = draft;
    ValueId other = changed.insert(position, Opcode::Scale,
                                   {operation.operands[1]}, withScalar(factor));
    changed.operations[position + 1].operands[1] = other;
    keep(changed);
  }
}

//===----------------------------------------------------------------------===//
// Added
//===----------------------------------------------------------------------===//

/// Keeps the draft in which users of an operation's result read what `make`
/// makes of it, by operations that it inserts behind.
static void
follow(const Draft &draft, unsigned position, KeepDraft keep,
       llvm::function_ref<void(Draft &, unsigned, ValueId)> insertAfter) {
  if (draft.operations[position].results.size() != 1)
    return;
  Draft changed = draft;
  ValueId result = changed.getResult(position);
  insertAfter(changed, position + 1, result);
  unsigned moved = changed.operations.size() - draft.operations.size();
  changed.replaceUses(result, changed.getResult(position + moved),
                      position + moved + 1);
  keep(changed);
}

template <Opcode opcode>
static void followBy(const Draft &draft, unsigned position, KeepDraft keep,
                     Attributes attributes = {}) {
  follow(draft, position, keep, [&](Draft &d, unsigned next, ValueId result) {
    d.insert(next, opcode, {result}, attributes);
  });
}

static void scaleResult(const Draft &draft, unsigned position, KeepDraft keep) {
  followBy<Opcode::Scale>(draft, position, keep, withScalar(2));
}
static void barelyScaleResult(const Draft &draft, unsigned position,
                              KeepDraft keep) {
  followBy<Opcode::Scale>(draft, position, keep, withScalar(1 + 0x1p-12));
}
static void flipSign(const Draft &draft, unsigned position, KeepDraft keep) {
  followBy<Opcode::Neg>(draft, position, keep);
}
static void addOffset(const Draft &draft, unsigned position, KeepDraft keep) {
  followBy<Opcode::Offset>(draft, position, keep, withScalar(0.25));
}
static void cutOffNegative(const Draft &draft, unsigned position,
                           KeepDraft keep) {
  followBy<Opcode::Relu>(draft, position, keep);
}

static void applyTwice(const Draft &draft, unsigned position, KeepDraft keep) {
  const Node operation = draft.operations[position];
  OperatorKind kind = getOperatorInfo(operation.opcode).kind;
  if (operation.operands.size() == 1 && kind != OperatorKind::Copy &&
      kind != OperatorKind::Graph)
    follow(draft, position, keep, [&](Draft &d, unsigned next, ValueId result) {
      d.insert(next, operation.opcode, {result}, operation.attributes,
               d.getShape(operation.results[0]));
    });
}

/// The other operand of an operation once more.
static void applyOperandTwice(const Draft &draft, unsigned position,
                              KeepDraft keep) {
  const Node operation = draft.operations[position];
  const OperatorInfo &info = getOperatorInfo(operation.opcode);
  if (info.kind != OperatorKind::Elementwise || operation.operands.size() != 2)
    return;
  for (ValueId operand : operation.operands)
    follow(draft, position, keep, [&](Draft &d, unsigned next, ValueId result) {
      d.insert(next, operation.opcode, {result, operand});
    });
}

static void accumulateAgain(const Draft &draft, unsigned position,
                            KeepDraft keep) {
  if (!draft.isTileGraph)
    return;
  for (Axis axis : {Axis::X, Axis::Y, Axis::Z, Axis::Loop}) {
    Attributes attributes;
    attributes.axis = axis;
    if (draft.tiles.getExtent(axis) > 1)
      followBy<Opcode::Accumulate>(draft, position, keep, attributes);
  }
}

//===----------------------------------------------------------------------===//
// Out of order
//===----------------------------------------------------------------------===//

/// The operation that gives the first operand, if nothing else reads that.
static std::optional<unsigned> findOnlyUsed(const Draft &draft,
                                            unsigned position) {
  const Node &operation = draft.operations[position];
  if (operation.operands.empty() || draft.countUses(operation.operands[0]) != 1)
    return std::nullopt;
  return draft.findDefinition(operation.operands[0]);
}

static bool mayReorder(const Node &operation) {
  OperatorKind kind = getOperatorInfo(operation.opcode).kind;
  return operation.operands.size() == 1 &&
         (kind == OperatorKind::Elementwise ||
          kind == OperatorKind::Reduction || kind == OperatorKind::Movement);
}

/// f(g(x)) as g(f(x)).
static void reorder(const Draft &draft, unsigned position, KeepDraft keep) {
  std::optional<unsigned> inner = findOnlyUsed(draft, position);
  if (!inner || !mayReorder(draft.operations[position]) ||
      !mayReorder(draft.operations[*inner]))
    return;
  Draft changed = draft;
  Node &first = changed.operations[*inner],
       &last = changed.operations[position];
  std::swap(first.opcode, last.opcode);
  std::swap(first.attributes, last.attributes);
  keep(changed);
}

/// f(accumulate(x)) as accumulate(f(x)).
static void moveIntoLoop(const Draft &draft, unsigned position,
                         KeepDraft keep) {
  if (!isUnary(draft.operations[position]))
    return;
  auto inner = draft.findDefinition(draft.operations[position].operands[0]);
  if (!inner || draft.operations[*inner].opcode != Opcode::Accumulate)
    return;
  const Node function = draft.operations[position];
  Draft changed = draft;
  changed.replaceUses(function.results[0], function.operands[0]);
  ValueId moved = changed.insert(*inner, function.opcode,
                                 {draft.operations[*inner].operands[0]},
                                 function.attributes);
  changed.operations[*inner + 1].operands[0] = moved;
  keep(changed);
}

/// accumulate(f(x)) as f(accumulate(x)).
static void moveOutOfLoop(const Draft &draft, unsigned position,
                          KeepDraft keep) {
  if (draft.operations[position].opcode != Opcode::Accumulate)
    return;
  auto inner = draft.findDefinition(draft.operations[position].operands[0]);
  if (!inner || !isUnary(draft.operations[*inner]))
    return;
  const Node function = draft.operations[*inner];
  Draft changed = draft;
  changed.operations[position].operands[0] = function.operands[0];
  ValueId sum = changed.getResult(position);
  ValueId moved =
      changed.insert(position + 1, function.opcode, {sum}, function.attributes);
  changed.replaceUses(sum, moved, position + 2);
  keep(changed);
}

/// accumulate(x) · accumulate(y) as accumulate(x · y), and quotients.
static void joinAccumulations(const Draft &draft, unsigned position,
                              KeepDraft keep) {
  const Node operation = draft.operations[position];
  if (operation.opcode != Opcode::Mul && operation.opcode != Opcode::Div)
    return;
  auto lhs = draft.findDefinition(operation.operands[0]);
  auto rhs = draft.findDefinition(operation.operands[1]);
  if (!lhs || !rhs || draft.operations[*lhs].opcode != Opcode::Accumulate ||
      draft.operations[*rhs].opcode != Opcode::Accumulate)
    return;
  const Node left = draft.operations[*lhs], right = draft.operations[*rhs];
  Draft changed = draft;
  ValueId joined = changed.insert(position, operation.opcode,
                                  {left.operands[0], right.operands[0]});
  changed.operations[position + 1].opcode = Opcode::Accumulate;
  changed.operations[position + 1].attributes = left.attributes;
  changed.operations[position + 1].operands = {joined};
  keep(changed);
}

/// (x - y) - z as x - (y - z), and quotients.
static void associateWrongly(const Draft &draft, unsigned position,
                             KeepDraft keep) {
  const Node operation = draft.operations[position];
  if (operation.opcode != Opcode::Sub && operation.opcode != Opcode::Div)
    return;
  std::optional<unsigned> inner = draft.findDefinition(operation.operands[0]);
  if (!inner || draft.operations[*inner].opcode != operation.opcode)
    return;
  llvm::ArrayRef<ValueId> before = draft.operations[*inner].operands;
  Draft changed = draft;
  ValueId joined = changed.insert(position, operation.opcode,
                                  {before[1], operation.operands[1]});
  changed.operations[position + 1].operands = {before[0], joined};
  keep(changed);
}

/// f(x + y) as f(x) + f(y), also of what is no sum.
static void distributeWrongly(const Draft &draft, unsigned position,
                              KeepDraft keep) {
  const Node function = draft.operations[position];
  if (!isUnary(function) && !isReduction(function.opcode))
    return;
  std::optional<unsigned> inner = draft.findDefinition(function.operands[0]);
  if (!inner || draft.operations[*inner].operands.size() != 2 ||
      getOperatorInfo(draft.operations[*inner].opcode).kind !=
          OperatorKind::Elementwise)
    return;
  const Node parts = draft.operations[*inner];
  Draft changed = draft;
  llvm::SmallVector<ValueId, 2> results;
  for (ValueId part : parts.operands)
    results.push_back(changed.insert(position + results.size(), function.opcode,
                                     {part}, function.attributes));
  Node &joined = changed.operations[position + 2];
  joined.opcode = parts.opcode;
  joined.attributes = parts.attributes;
  joined.operands = results;
  keep(changed);
}

llvm::ArrayRef<Mutation> mlir::mirage::test::getStructureMutations() {
  static const Mutation kMutations[] = {
      {"term dropped", skipOneOf<Opcode::Add, Opcode::Sub>},
      {"factor dropped", skipOneOf<Opcode::Mul, Opcode::Div, Opcode::Scale>},
      {"mask left out", skipOneOf<Opcode::Mask, Opcode::CausalMask>},
      {"accumulate missing", dropAccumulate},
      {"rescale missing", dropRescale},
      {"rescaled by another number", rescaleByAnother},
      {"step left out", skip},
      {"applied twice", applyTwice},
      {"operand applied twice", applyOperandTwice},
      {"accumulate extra", accumulateAgain},
      {"result doubled", scaleResult},
      {"result off by 2^-12", barelyScaleResult},
      {"sign flipped", flipSign},
      {"offset added", addOffset},
      {"negative numbers cut off", cutOffNegative},
      {"function into the loop", moveIntoLoop},
      {"function out of the loop", moveOutOfLoop},
      {"accumulations of factors joined", joinAccumulations},
      {"steps reordered", reorder},
      {"associated wrongly", associateWrongly},
      {"distributed wrongly", distributeWrongly},
  };
  return kMutations;
}
