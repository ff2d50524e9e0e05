//===- OperandMutations.cpp - Operations that read the wrong value --------===//
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

/// Keeps the draft with one operand of one operation being another value.
static void readInstead(const Draft &draft, unsigned position, unsigned operand,
                        ValueId value, KeepDraft keep) {
  Draft changed = draft;
  changed.operations[position].operands[operand] = value;
  keep(changed);
}

static void swapOperands(const Draft &draft, unsigned position,
                         KeepDraft keep) {
  const Node &operation = draft.operations[position];
  if (getOperatorInfo(operation.opcode).commutes)
    return;
  for (unsigned b = 0; b < operation.operands.size(); ++b)
    for (unsigned a = 0; a < b; ++a) {
      Draft changed = draft;
      std::swap(changed.operations[position].operands[a],
                changed.operations[position].operands[b]);
      keep(changed);
    }
}

static void readOneOperandTwice(const Draft &draft, unsigned position,
                                KeepDraft keep) {
  const Node &operation = draft.operations[position];
  for (unsigned k = 0; k < operation.operands.size(); ++k)
    for (ValueId other : operation.operands)
      if (other != operation.operands[k] &&
          draft.haveSameShape(other, operation.operands[k]))
        readInstead(draft, position, k, other, keep);
}

/// What an operand is computed from, in its place.
static void readFromAStepBefore(const Draft &draft, unsigned position,
                                KeepDraft keep) {
  const Node &operation = draft.operations[position];
  for (unsigned k = 0; k < operation.operands.size(); ++k)
    if (auto definition = draft.findDefinition(operation.operands[k]))
      for (ValueId before : draft.operations[*definition].operands)
        if (draft.haveSameShape(before, operation.operands[k]))
          readInstead(draft, position, k, before, keep);
}

static void readAnotherValue(const Draft &draft, unsigned position,
                             KeepDraft keep) {
  const Node &operation = draft.operations[position];
  for (unsigned k = 0; k < operation.operands.size(); ++k)
    for (ValueId value = 0; value < operation.results[0]; ++value)
      if (value != operation.operands[k] &&
          draft.haveSameShape(value, operation.operands[k]))
        readInstead(draft, position, k, value, keep);
}

//===----------------------------------------------------------------------===//
// Elements of an operand that are not where they belong
//===----------------------------------------------------------------------===//

/// Elements from `from` on along one dimension, `size` of them.
static ValueId slice(Draft &draft, unsigned position, ValueId value,
                     unsigned dim, int64_t from, int64_t size) {
  Attributes attributes;
  Shape shape = draft.getShape(value);
  attributes.offsets.assign(shape.size(), 0);
  attributes.strides.assign(shape.size(), 1);
  attributes.offsets[dim] = from;
  shape[dim] = size;
  return draft.insert(position, Opcode::Slice, {value}, attributes, shape);
}

/// Calls `make(draft, operand, dim)` for every operand and dimension that has
/// elements to confuse; it inserts operations and returns what is read instead.
template <typename Make>
static void confuseElements(const Draft &draft, unsigned position,
                            KeepDraft keep, Make make) {
  for (unsigned k = 0; k < draft.operations[position].operands.size(); ++k) {
    ValueId operand = draft.operations[position].operands[k];
    for (unsigned dim = 0; dim < draft.getShape(operand).size(); ++dim) {
      if (draft.getShape(operand)[dim] < 2)
        continue;
      Draft changed = draft;
      ValueId other = make(changed, operand, dim);
      unsigned moved = changed.operations.size() - draft.operations.size();
      changed.operations[position + moved].operands[k] = other;
      keep(changed);
    }
  }
}

/// By one, as where a tile begins at the wrong element.
static void rotateOperand(const Draft &draft, unsigned position,
                          KeepDraft keep) {
  confuseElements(
      draft, position, keep, [&](Draft &d, ValueId value, unsigned dim) {
        int64_t size = d.getShape(value)[dim];
        ValueId head = slice(d, position, value, dim, 0, 1);
        ValueId tail = slice(d, position + 1, value, dim, 1, size - 1);
        return d.insert(position + 2, Opcode::Concat, {tail, head},
                        withDim(dim));
      });
}

static void readFirstForAll(const Draft &draft, unsigned position,
                            KeepDraft keep) {
  confuseElements(
      draft, position, keep, [&](Draft &d, ValueId value, unsigned dim) {
        Shape shape = d.getShape(value);
        ValueId first = slice(d, position, value, dim, 0, 1);
        return d.insert(position + 1, Opcode::Broadcast, {first}, {}, shape);
      });
}

static void loseLastElement(const Draft &draft, unsigned position,
                            KeepDraft keep) {
  confuseElements(
      draft, position, keep, [&](Draft &d, ValueId value, unsigned dim) {
        int64_t size = d.getShape(value)[dim];
        ValueId head = slice(d, position, value, dim, 0, size - 1);
        ValueId last = slice(d, position + 1, value, dim, size - 1, 1);
        ValueId zero =
            d.insert(position + 2, Opcode::Scale, {last}, withScalar(0));
        return d.insert(position + 3, Opcode::Concat, {head, zero},
                        withDim(dim));
      });
}

/// Two dimensions of the same size exchanged.
static void transposeOperand(const Draft &draft, unsigned position,
                             KeepDraft keep) {
  for (unsigned k = 0; k < draft.operations[position].operands.size(); ++k) {
    ValueId operand = draft.operations[position].operands[k];
    const Shape &shape = draft.getShape(operand);
    for (unsigned b = 0; b < shape.size(); ++b)
      for (unsigned a = 0; a < b; ++a) {
        if (shape[a] != shape[b] || shape[a] == 1)
          continue;
        Attributes attributes;
        for (unsigned dim = 0; dim < shape.size(); ++dim)
          attributes.dims.push_back(dim == a ? b : dim == b ? a : dim);
        Draft changed = draft;
        ValueId other =
            changed.insert(position, Opcode::Transpose, {operand}, attributes);
        changed.operations[position + 1].operands[k] = other;
        keep(changed);
      }
  }
}

/// A transposition between other dimensions.
static void useAnotherPermutation(const Draft &draft, unsigned position,
                                  KeepDraft keep) {
  const Node &operation = draft.operations[position];
  if (operation.opcode != Opcode::Transpose)
    return;
  for (unsigned b = 0; b < operation.attributes.dims.size(); ++b)
    for (unsigned a = 0; a < b; ++a) {
      Draft changed = draft;
      auto &dims = changed.operations[position].attributes.dims;
      std::swap(dims[a], dims[b]);
      keep(changed);
    }
}

/// The same elements in row-major order, for a transposition.
static void reshapeForTranspose(const Draft &draft, unsigned position,
                                KeepDraft keep) {
  if (draft.operations[position].opcode != Opcode::Transpose)
    return;
  Draft changed = draft;
  changed.operations[position].opcode = Opcode::Reshape;
  changed.operations[position].attributes = {};
  keep(changed);
}

llvm::ArrayRef<Mutation> mlir::mirage::test::getOperandMutations() {
  static const Mutation kMutations[] = {
      {"operands swapped", swapOperands},
      {"one operand twice", readOneOperandTwice},
      {"operand from a step before", readFromAStepBefore},
      {"another permutation", useAnotherPermutation},
      {"reshape for transpose", reshapeForTranspose},
      {"operand transposed", transposeOperand},
      {"operand rotated by one", rotateOperand},
      {"first element for all", readFirstForAll},
      {"last element lost", loseLastElement},
      {"another operand", readAnotherValue},
  };
  return kMutations;
}
