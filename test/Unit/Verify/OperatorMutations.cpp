//===- OperatorMutations.cpp - Operations that do something else ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// Keeps the draft with one operation changed.
static void change(const Draft &draft, unsigned position, KeepDraft keep,
                   llvm::function_ref<void(Node &)> mutate) {
  Draft changed = draft;
  mutate(changed.operations[position]);
  keep(changed);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static void useAnotherFunction(const Draft &draft, unsigned position,
                               KeepDraft keep) {
  Opcode opcode = draft.operations[position].opcode;
  const OperatorInfo &info = getOperatorInfo(opcode);
  if (info.kind != OperatorKind::Elementwise || info.numOperands != 1)
    return;
  for (const OperatorInfo &other : getOperatorTable())
    if (other.opcode != opcode && other.kind == info.kind &&
        other.numOperands == 1 && other.parameters.size() <= 1)
      change(draft, position, keep, [&](Node &o) {
        o.opcode = other.opcode;
        o.attributes.scalars.assign(other.parameters.size(), 2.0);
      });
}

static void useAnotherArithmetic(const Draft &draft, unsigned position,
                                 KeepDraft keep) {
  Opcode opcode = draft.operations[position].opcode;
  const OperatorInfo &info = getOperatorInfo(opcode);
  if (info.kind != OperatorKind::Elementwise || info.numOperands != 2)
    return;
  for (const OperatorInfo &other : getOperatorTable())
    if (other.opcode != opcode && other.kind == info.kind &&
        other.existsAt(Level::Kernel) && other.numOperands == 2)
      change(draft, position, keep, [&](Node &o) { o.opcode = other.opcode; });
}

/// One opcode in place of another, of elements, reductions or accumulations.
template <Opcode from, Opcode to>
static void replaceOpcode(const Draft &draft, unsigned position,
                          KeepDraft keep) {
  const Node &operation = draft.operations[position];
  bool accumulates = operation.opcode == Opcode::Accumulate;
  if ((accumulates ? operation.attributes.reduction : operation.opcode) != from)
    return;
  change(draft, position, keep, [&](Node &o) {
    (accumulates ? o.attributes.reduction : o.opcode) = to;
    if (isReduction(to) && !getOperatorInfo(to).averages())
      o.attributes.count = 0;
  });
}

/// -max(-x) for max(x).
static void takeMinimum(const Draft &draft, unsigned position, KeepDraft keep) {
  const Node &operation = draft.operations[position];
  bool accumulates = operation.opcode == Opcode::Accumulate;
  if ((accumulates ? operation.attributes.reduction : operation.opcode) !=
      Opcode::Max)
    return;
  Draft changed = draft;
  ValueId negative =
      changed.insert(position, Opcode::Neg, {operation.operands[0]});
  changed.operations[position + 1].operands[0] = negative;
  ValueId maximum = changed.getResult(position + 1);
  ValueId minimum = changed.insert(position + 2, Opcode::Neg, {maximum});
  changed.replaceUses(maximum, minimum, position + 3);
  keep(changed);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <typename Scalar>
static void changeScalars(const Draft &draft, unsigned position, KeepDraft keep,
                          Scalar other) {
  const Attributes &attributes = draft.operations[position].attributes;
  for (unsigned k = 0; k < attributes.scalars.size(); ++k) {
    double scalar = other(attributes.scalars[k]);
    if (!std::isnan(scalar) && scalar != attributes.scalars[k])
      change(draft, position, keep,
             [&](Node &o) { o.attributes.scalars[k] = scalar; });
  }
}

static void doubleConstant(const Draft &draft, unsigned position,
                           KeepDraft keep) {
  changeScalars(draft, position, keep, [](double x) { return 2 * x; });
}
static void negateConstant(const Draft &draft, unsigned position,
                           KeepDraft keep) {
  changeScalars(draft, position, keep, [](double x) { return -x; });
}
static void barelyChangeConstant(const Draft &draft, unsigned position,
                                 KeepDraft keep) {
  changeScalars(draft, position, keep,
                [](double x) { return x * (1 + 0x1p-18); });
}
static void useZeroConstant(const Draft &draft, unsigned position,
                            KeepDraft keep) {
  changeScalars(draft, position, keep, [](double) { return 0.0; });
}
static void invertConstant(const Draft &draft, unsigned position,
                           KeepDraft keep) {
  changeScalars(draft, position, keep,
                [](double x) { return x == 0 ? 1.0 : 1 / x; });
}

//===----------------------------------------------------------------------===//
// Dimensions, counts, extents
//===----------------------------------------------------------------------===//

static bool reduces(const Node &operation) {
  return isReduction(operation.opcode) ||
         operation.opcode == Opcode::Accumulate ||
         getOperatorInfo(operation.opcode).kind == OperatorKind::Composed;
}

static void useAnotherDimension(const Draft &draft, unsigned position,
                                KeepDraft keep) {
  const Node &operation = draft.operations[position];
  if (operation.attributes.dims.size() != 1)
    return;
  int64_t rank = draft.getShape(operation.operands[0]).size();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != operation.attributes.dims[0])
      change(draft, position, keep,
             [&](Node &o) { o.attributes.dims[0] = dim; });
}

static void useOneDimensionMore(const Draft &draft, unsigned position,
                                KeepDraft keep) {
  const Node &operation = draft.operations[position];
  if (!reduces(operation))
    return;
  int64_t rank = draft.getShape(operation.operands[0]).size();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(operation.attributes.dims, dim))
      change(draft, position, keep, [&](Node &o) {
        o.attributes.dims.push_back(dim);
        llvm::sort(o.attributes.dims);
      });
}

static void useOneDimensionFewer(const Draft &draft, unsigned position,
                                 KeepDraft keep) {
  const Node &operation = draft.operations[position];
  if (!reduces(operation))
    return;
  for (unsigned k = 0; k < operation.attributes.dims.size(); ++k)
    change(draft, position, keep, [&](Node &o) {
      o.attributes.dims.erase(o.attributes.dims.begin() + k);
    });
}

/// A mean is one of as many as there are if it does not say of how many.
static void countOneOff(const Draft &draft, unsigned position, KeepDraft keep) {
  const Node &operation = draft.operations[position];
  bool accumulates = operation.opcode == Opcode::Accumulate;
  if (!isReduction(accumulates ? operation.attributes.reduction
                               : operation.opcode))
    return;
  int64_t joined = accumulates && draft.isTileGraph
                       ? draft.tiles.getExtent(operation.attributes.axis)
                       : 1;
  int64_t count = getAveragedCount(
      operation.attributes, draft.getShape(operation.operands[0]), joined);
  for (int64_t delta : {-1, 1})
    if (count + delta > 0)
      change(draft, position, keep,
             [&](Node &o) { o.attributes.count = count + delta; });
}

static void dropCount(const Draft &draft, unsigned position, KeepDraft keep) {
  if (draft.operations[position].attributes.count)
    change(draft, position, keep, [](Node &o) { o.attributes.count = 0; });
}

static void maskOneOff(const Draft &draft, unsigned position, KeepDraft keep) {
  if (draft.operations[position].opcode == Opcode::Mask)
    for (int64_t delta : {-1, 1})
      change(draft, position, keep,
             [&](Node &o) { o.attributes.extent += delta; });
}

static void maskByAnotherNumber(const Draft &draft, unsigned position,
                                KeepDraft keep) {
  if (draft.operations[position].opcode == Opcode::Mask)
    for (double value : {0.0, 1.0, -1e9, -double(INFINITY)})
      change(draft, position, keep,
             [&](Node &o) { o.attributes.scalars = {value}; });
}

static void maskAlongOtherAxes(const Draft &draft, unsigned position,
                               KeepDraft keep) {
  if (draft.operations[position].opcode != Opcode::Mask)
    return;
  for (unsigned k = 0; k < draft.operations[position].attributes.axes.size();
       ++k)
    change(draft, position, keep, [&](Node &o) {
      o.attributes.axes.erase(o.attributes.axes.begin() + k);
    });
}

static void causalMaskOneOff(const Draft &draft, unsigned position,
                             KeepDraft keep) {
  if (draft.operations[position].opcode == Opcode::CausalMask)
    for (int64_t delta : {-1, 1})
      change(draft, position, keep,
             [&](Node &o) { o.attributes.offset += delta; });
}

static void sliceOneOff(const Draft &draft, unsigned position, KeepDraft keep) {
  const Attributes &attributes = draft.operations[position].attributes;
  for (unsigned dim = 0; dim < attributes.offsets.size(); ++dim)
    for (int64_t delta : {-1, 1})
      change(draft, position, keep,
             [&](Node &o) { o.attributes.offsets[dim] += delta; });
}

static void sliceByAnotherStride(const Draft &draft, unsigned position,
                                 KeepDraft keep) {
  const Attributes &attributes = draft.operations[position].attributes;
  for (unsigned dim = 0; dim < attributes.strides.size(); ++dim)
    for (int64_t delta : {-1, 1})
      change(draft, position, keep,
             [&](Node &o) { o.attributes.strides[dim] += delta; });
}

static void shuffleAnotherLane(const Draft &draft, unsigned position,
                               KeepDraft keep) {
  const Node &operation = draft.operations[position];
  if (operation.opcode != Opcode::Shuffle)
    return;
  for (unsigned dim = 0; dim < operation.attributes.dims.size(); ++dim)
    for (int64_t bit = 1; bit < draft.getShape(operation.operands[0])[dim];
         bit *= 2)
      change(draft, position, keep,
             [&](Node &o) { o.attributes.dims[dim] ^= bit; });
}

static void accumulateOverAnotherAxis(const Draft &draft, unsigned position,
                                      KeepDraft keep) {
  if (draft.operations[position].opcode == Opcode::Accumulate)
    for (Axis axis : {Axis::X, Axis::Y, Axis::Z, Axis::Loop})
      change(draft, position, keep, [&](Node &o) { o.attributes.axis = axis; });
}

llvm::ArrayRef<Mutation> mlir::mirage::test::getOperatorMutations() {
  static const Mutation kMutations[] = {
      {"difference for sum of two", replaceOpcode<Opcode::Add, Opcode::Sub>},
      {"sum for difference of two", replaceOpcode<Opcode::Sub, Opcode::Add>},
      {"product for quotient", replaceOpcode<Opcode::Div, Opcode::Mul>},
      {"quotient for product", replaceOpcode<Opcode::Mul, Opcode::Div>},
      {"minimum for maximum of two",
       replaceOpcode<Opcode::Maximum, Opcode::Minimum>},
      {"maximum for minimum of two",
       replaceOpcode<Opcode::Minimum, Opcode::Maximum>},
      {"sum for mean", replaceOpcode<Opcode::Mean, Opcode::Sum>},
      {"mean for sum", replaceOpcode<Opcode::Sum, Opcode::Mean>},
      {"max for sum", replaceOpcode<Opcode::Sum, Opcode::Max>},
      {"sum for max", replaceOpcode<Opcode::Max, Opcode::Sum>},
      {"min for max", takeMinimum},
      {"mean for root mean square", replaceOpcode<Opcode::Rms, Opcode::Mean>},
      {"root mean square for mean", replaceOpcode<Opcode::Mean, Opcode::Rms>},
      {"root mean square for sum", replaceOpcode<Opcode::Sum, Opcode::Rms>},
      {"root mean square for variance",
       replaceOpcode<Opcode::Variance, Opcode::Rms>},
      {"another function", useAnotherFunction},
      {"another arithmetic operator", useAnotherArithmetic},
      {"constant doubled", doubleConstant},
      {"constant negated", negateConstant},
      {"constant off by 2^-18", barelyChangeConstant},
      {"constant inverted", invertConstant},
      {"constant zero", useZeroConstant},
      {"another dimension", useAnotherDimension},
      {"one dimension more", useOneDimensionMore},
      {"one dimension fewer", useOneDimensionFewer},
      {"count off by one", countOneOff},
      {"no count", dropCount},
      {"mask off by one", maskOneOff},
      {"mask by another number", maskByAnotherNumber},
      {"mask of one axis fewer", maskAlongOtherAxes},
      {"causal mask off by one", causalMaskOneOff},
      {"slice off by one", sliceOneOff},
      {"slice with another stride", sliceByAnotherStride},
      {"shuffle to another lane", shuffleAnotherLane},
      {"accumulated over another axis", accumulateOverAnotherAxis},
  };
  return kMutations;
}
