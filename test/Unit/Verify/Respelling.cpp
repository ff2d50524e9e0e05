//===- Respelling.cpp - The same program spelled another way --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draft.h"
#include "RandomGraphs.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// Writes the operation at `position` with others in front of it; the last one
/// takes its place and its result.
class Speller {
public:
  Speller(Draft &draft, unsigned position)
      : draft(draft), position(position),
        operation(draft.operations[position]) {}

  Opcode getOpcode() const { return operation.opcode; }
  ValueId getOperand(unsigned k = 0) const { return operation.operands[k]; }
  const Attributes &getAttributes() const { return operation.attributes; }
  const Shape &getShape(ValueId value) const { return draft.getShape(value); }
  /// Whether there may be -inf, of which only some operators are defined. It
  /// comes from masks, and exponentials make 0 of it.
  bool mayBeMasked(ValueId value) const {
    const Node *definition = getDefinition(value);
    if (!definition || definition->opcode == Opcode::Exp ||
        definition->opcode == Opcode::Softmax)
      return false;
    return definition->opcode == Opcode::CausalMask ||
           llvm::any_of(definition->operands,
                        [&](ValueId id) { return mayBeMasked(id); });
  }
  const Node *getDefinition(ValueId value) const {
    std::optional<unsigned> definition = draft.findDefinition(value);
    return definition ? &draft.operations[*definition] : nullptr;
  }

  ValueId op(Opcode opcode, llvm::ArrayRef<ValueId> operands,
             Attributes attributes = {}, Shape shape = {}) {
    return draft.insert(position++, opcode, operands, attributes, shape);
  }
  ValueId transpose(ValueId value) {
    Attributes attributes;
    for (unsigned dim = 0; dim < getShape(value).size(); ++dim)
      attributes.dims.push_back(dim);
    std::swap(attributes.dims.back(), attributes.dims.end()[-2]);
    return op(Opcode::Transpose, {value}, attributes);
  }
  ValueId slice(ValueId value, unsigned dim, int64_t from, int64_t size) {
    Attributes attributes;
    Shape shape = getShape(value);
    attributes.offsets.assign(shape.size(), 0);
    attributes.strides.assign(shape.size(), 1);
    attributes.offsets[dim] = from;
    shape[dim] = size;
    return op(Opcode::Slice, {value}, attributes, shape);
  }
  /// The operation itself becomes this.
  bool become(Opcode opcode, llvm::ArrayRef<ValueId> operands,
              Attributes attributes = {}) {
    Node &last = draft.operations[position];
    last.opcode = opcode;
    last.operands.assign(operands.begin(), operands.end());
    last.attributes = attributes;
    return true;
  }

private:
  Draft &draft;
  unsigned position;
  const Node operation;
};
} // namespace

//===----------------------------------------------------------------------===//
// Laws. Each returns whether it applies.
//===----------------------------------------------------------------------===//

static bool commute(Speller &s) {
  return getOperatorInfo(s.getOpcode()).commutes &&
         s.become(s.getOpcode(), {s.getOperand(1), s.getOperand(0)});
}

/// By its definition in other operators.
static bool define(Speller &s) {
  auto x = [&] { return s.getOperand(); };
  switch (s.getOpcode()) {
  case Opcode::Sub:
    return s.become(Opcode::Add, {x(), s.op(Opcode::Neg, {s.getOperand(1)})});
  case Opcode::Div:
    return s.become(Opcode::Mul,
                    {x(), s.op(Opcode::Reciprocal, {s.getOperand(1)})});
  case Opcode::Square:
    return s.become(Opcode::Mul, {x(), x()});
  case Opcode::Neg:
    return s.become(Opcode::Scale, {x()}, withScalar(-1));
  case Opcode::Sigmoid:
    return s.become(
        Opcode::Reciprocal,
        {s.op(Opcode::Offset, {s.op(Opcode::Exp, {s.op(Opcode::Neg, {x()})})},
              withScalar(1))});
  case Opcode::Silu:
    return s.become(Opcode::Mul, {x(), s.op(Opcode::Sigmoid, {x()})});
  case Opcode::Exp:
    if (s.mayBeMasked(x()))
      return false;
    return s.become(Opcode::Reciprocal,
                    {s.op(Opcode::Exp, {s.op(Opcode::Neg, {x()})})});
  case Opcode::Sqrt:
    return s.become(Opcode::Div, {x(), s.op(Opcode::Sqrt, {x()})});
  case Opcode::Rms:
    return s.become(
        Opcode::Sqrt,
        {s.op(Opcode::Mean, {s.op(Opcode::Square, {x()})}, s.getAttributes())});
  case Opcode::Unscale:
    return s.become(Opcode::Scale,
                    {s.op(Opcode::Unscale,
                          {s.op(Opcode::Unscale, {x()}, s.getAttributes())},
                          s.getAttributes())},
                    s.getAttributes());
  default:
    return false;
  }
}

/// -(-x), (x · 4) / 4, (xᵀ)ᵀ, the halves of x side by side.
template <unsigned which>
static bool addDetour(Speller &s) {
  if (s.getOpcode() == Opcode::Concat || s.getOpcode() == Opcode::Slice)
    return false;
  ValueId x = s.getOperand(), same = x;
  if (which < 2 && s.mayBeMasked(x))
    return false;
  if (which == 0)
    same = s.op(Opcode::Neg, {s.op(Opcode::Neg, {x})});
  if (which == 1)
    same = s.op(Opcode::Scale, {s.op(Opcode::Scale, {x}, withScalar(4))},
                withScalar(0.25));
  if (which == 2)
    same = s.transpose(s.transpose(x));
  if (which == 3) {
    int64_t size = s.getShape(x).back();
    unsigned dim = s.getShape(x).size() - 1;
    if (size < 2)
      return false;
    ValueId head = s.slice(x, dim, 0, 1), tail = s.slice(x, dim, 1, size - 1);
    same = s.op(Opcode::Concat, {head, tail}, withDim(dim));
  }
  llvm::SmallVector<ValueId, 2> operands = {same};
  if (getOperatorInfo(s.getOpcode()).numOperands == 2)
    operands.push_back(s.getOperand(1));
  return s.become(s.getOpcode(), operands, s.getAttributes());
}

/// The operator over a part of the dimension, and over the other.
static bool splitReduction(Speller &s) {
  if (s.getOpcode() != Opcode::Sum && s.getOpcode() != Opcode::Max)
    return false;
  unsigned dim = s.getAttributes().dims[0];
  int64_t size = s.getShape(s.getOperand())[dim];
  if (size < 2)
    return false;
  ValueId head = s.op(s.getOpcode(), {s.slice(s.getOperand(), dim, 0, 1)},
                      s.getAttributes());
  ValueId tail =
      s.op(s.getOpcode(), {s.slice(s.getOperand(), dim, 1, size - 1)},
           s.getAttributes());
  return s.become(s.getOpcode() == Opcode::Sum ? Opcode::Add : Opcode::Maximum,
                  {tail, head});
}

static bool splitProduct(Speller &s) {
  if (s.getOpcode() != Opcode::Matmul)
    return false;
  int64_t size = s.getShape(s.getOperand(0)).back();
  if (size < 2)
    return false;
  auto multiply = [&](int64_t from, int64_t count) {
    ValueId lhs = s.slice(s.getOperand(0), 1, from, count);
    ValueId rhs = s.slice(s.getOperand(1), 0, from, count);
    return s.op(Opcode::Matmul, {lhs, rhs});
  };
  ValueId head = multiply(0, 1), tail = multiply(1, size - 1);
  return s.become(Opcode::Add, {head, tail});
}

/// (Bᵀ · Aᵀ)ᵀ.
static bool transposeProduct(Speller &s) {
  if (s.getOpcode() != Opcode::Matmul)
    return false;
  ValueId left = s.transpose(s.getOperand(1));
  ValueId right = s.transpose(s.getOperand(0));
  Attributes exchange;
  exchange.dims = {1, 0};
  return s.become(Opcode::Transpose, {s.op(Opcode::Matmul, {left, right})},
                  exchange);
}

static bool transposeReduction(Speller &s) {
  if (!isReduction(s.getOpcode()))
    return false;
  ValueId moved = s.transpose(s.getOperand());
  ValueId reduced =
      s.op(s.getOpcode(), {moved}, withDim(1 - s.getAttributes().dims[0]));
  Attributes exchange;
  exchange.dims = {1, 0};
  return s.become(Opcode::Transpose, {reduced}, exchange);
}

/// (x + y) · z, (x + y) / z, exp(x + y), (x + y) + z.
static bool distribute(Speller &s) {
  const Node *inner = s.getDefinition(s.getOperand());
  if (!inner || inner->opcode != Opcode::Add)
    return false;
  ValueId x = inner->operands[0], y = inner->operands[1];
  Opcode opcode = s.getOpcode();
  switch (opcode) {
  case Opcode::Mul:
  case Opcode::Div:
  case Opcode::Matmul: {
    // Dimensions of size 1 stretch in a sum, and not in a matrix.
    if (opcode == Opcode::Matmul && s.getShape(x) != s.getShape(y))
      return false;
    ValueId left = s.op(opcode, {x, s.getOperand(1)});
    return s.become(Opcode::Add, {left, s.op(opcode, {y, s.getOperand(1)})});
  }
  case Opcode::Exp: {
    ValueId left = s.op(Opcode::Exp, {x});
    return s.become(Opcode::Mul, {left, s.op(Opcode::Exp, {y})});
  }
  case Opcode::Add:
    return s.become(Opcode::Add, {x, s.op(Opcode::Add, {y, s.getOperand(1)})});
  default:
    return false;
  }
}

/// exp(x - 3) · exp(3) by a factor that cancels: softmax of shifted rows.
static bool shiftSoftmax(Speller &s) {
  if (s.getOpcode() != Opcode::Softmax)
    return false;
  ValueId largest = s.op(Opcode::Max, {s.getOperand()}, s.getAttributes());
  ValueId shifted = s.op(Opcode::Sub, {s.getOperand(), largest});
  ValueId exponential = s.op(Opcode::Exp, {shifted});
  ValueId sum = s.op(Opcode::Sum, {exponential}, s.getAttributes());
  return s.become(Opcode::Div, {exponential, sum});
}

std::optional<Graph> mlir::mirage::test::respell(const Graph &program,
                                                 RandomStream &random) {
  using Law = bool (*)(Speller &);
  static const Law kLaws[] = {
      commute,      define,       define,           addDetour<0>,
      addDetour<1>, addDetour<2>, addDetour<3>,     splitReduction,
      splitProduct, distribute,   transposeProduct, transposeReduction,
      distribute,   shiftSoftmax};
  Draft draft(program);
  Speller speller(draft, random.uniform(draft.operations.size()));
  if (!kLaws[random.uniform(std::size(kLaws))](speller))
    return std::nullopt;
  return draft.toGraph();
}
