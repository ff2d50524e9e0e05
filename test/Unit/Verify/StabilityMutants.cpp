//===- StabilityMutants.cpp - Softmax that subtracts the wrong ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StabilityMutants.h"
#include "Draft.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

//===----------------------------------------------------------------------===//
// Another number for a maximum
//===----------------------------------------------------------------------===//

namespace {
/// Puts operations behind a maximum.
class Stabilizer {
public:
  Stabilizer(Draft &draft, unsigned maximum)
      : draft(draft), position(maximum + 1),
        reduction(draft.operations[maximum]) {}

  unsigned getPosition() const { return position; }
  /// A reduction, of which there is a dimension to take something else of; not
  /// the last step of a maximum by shuffles.
  bool reduces() const { return reduction.opcode == Opcode::Max; }
  ValueId getMaximum() const { return reduction.results[0]; }
  ValueId getReduced() const { return reduction.operands[0]; }
  const Shape &getShape(ValueId value) const { return draft.getShape(value); }
  unsigned getDim() const { return reduction.attributes.dims[0]; }

  ValueId op(Opcode opcode, llvm::ArrayRef<ValueId> operands,
             Attributes attributes = {}, Shape shape = {}) {
    return draft.insert(position++, opcode, operands, attributes, shape);
  }
  ValueId scale(ValueId value, double factor) {
    return op(Opcode::Scale, {value}, withScalar(factor));
  }
  ValueId offset(ValueId value, double offset) {
    return op(Opcode::Offset, {value}, withScalar(offset));
  }
  ValueId reduce(Opcode opcode, ValueId value) {
    return op(opcode, {value}, reduction.attributes);
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
  /// A dimension with other rows.
  std::optional<unsigned> findRows() const {
    const Shape &shape = getShape(getMaximum());
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] > 1)
        return dim;
    return std::nullopt;
  }

private:
  Draft &draft;
  unsigned position;
  const Node reduction;
};

struct WrongStabilizer {
  const char *name;
  /// What is subtracted; none if the maximum has no such thing.
  std::optional<ValueId> (*make)(Stabilizer &s);
};
} // namespace

using S = Stabilizer;
using Made = std::optional<ValueId>;

static Made takeMinimum(S &s) {
  if (!s.reduces())
    return std::nullopt;
  ValueId negative = s.op(Opcode::Neg, {s.getReduced()});
  return s.op(Opcode::Neg, {s.reduce(Opcode::Max, negative)});
}

template <int constant>
static Made takeConstant(S &s) {
  return s.offset(s.scale(s.getMaximum(), 0), constant);
}

template <int numerator, int denominator>
static Made takeMultiple(S &s) {
  return s.scale(s.getMaximum(), double(numerator) / denominator);
}

template <int offset>
static Made takeShifted(S &s) {
  return s.offset(s.getMaximum(), offset);
}

template <Opcode reduction>
static Made takeReduction(S &s) {
  if (!s.reduces())
    return std::nullopt;
  return s.reduce(reduction, s.getReduced());
}

static Made takeMagnitude(S &s) {
  if (!s.reduces())
    return std::nullopt;
  return s.reduce(Opcode::Max, s.op(Opcode::Abs, {s.getReduced()}));
}

/// The maximum of some of the elements: of the first ones, or the last.
template <bool fromStart, bool single>
static Made takeStale(S &s) {
  if (!s.reduces())
    return std::nullopt;
  int64_t size = s.getShape(s.getReduced())[s.getDim()];
  int64_t count = single ? 1 : size - 1;
  if (size < 2)
    return std::nullopt;
  ValueId part =
      s.slice(s.getReduced(), s.getDim(), fromStart ? 0 : size - count, count);
  return s.reduce(Opcode::Max, part);
}

static Made takeAnotherRow(S &s) {
  std::optional<unsigned> rows = s.findRows();
  if (!rows)
    return std::nullopt;
  int64_t size = s.getShape(s.getMaximum())[*rows];
  ValueId head = s.slice(s.getMaximum(), *rows, 0, 1);
  ValueId tail = s.slice(s.getMaximum(), *rows, 1, size - 1);
  return s.op(Opcode::Concat, {tail, head}, withDim(*rows));
}

static Made takeFirstRow(S &s) {
  std::optional<unsigned> rows = s.findRows();
  if (!rows)
    return std::nullopt;
  ValueId first = s.slice(s.getMaximum(), *rows, 0, 1);
  return s.op(Opcode::Broadcast, {first}, {}, s.getShape(s.getMaximum()));
}

template <Opcode reduction>
static Made takeOfRows(S &s) {
  std::optional<unsigned> rows = s.findRows();
  if (!rows)
    return std::nullopt;
  ValueId joined = s.op(reduction, {s.getMaximum()}, withDim(*rows));
  return s.op(Opcode::Broadcast, {joined}, {}, s.getShape(s.getMaximum()));
}

static const WrongStabilizer kWrongStabilizers[] = {
    {"minimum", takeMinimum},
    {"constant 0", takeConstant<0>},
    {"constant 100", takeConstant<100>},
    {"constant -100", takeConstant<-100>},
    {"half", takeMultiple<1, 2>},
    {"double", takeMultiple<2, 1>},
    {"negated", takeMultiple<-1, 1>},
    {"200 too high", takeShifted<200>},
    {"200 too low", takeShifted<-200>},
    {"mean", takeReduction<Opcode::Mean>},
    {"sum", takeReduction<Opcode::Sum>},
    {"root mean square", takeReduction<Opcode::Rms>},
    {"largest magnitude", takeMagnitude},
    {"first element", takeStale<true, true>},
    {"last element", takeStale<false, true>},
    {"stale, all but the last", takeStale<true, false>},
    {"all but the first", takeStale<false, false>},
    {"of another row", takeAnotherRow},
    {"of the first row", takeFirstRow},
    {"sum over rows", takeOfRows<Opcode::Sum>},
    {"maximum over rows", takeOfRows<Opcode::Max>},
};

/// Whether a value is only subtracted from exponents, and what sums are
/// rescaled by, itself or its maximum over tiles.
static bool isStabilizer(const Draft &draft, ValueId value) {
  if (llvm::is_contained(draft.outputs, value))
    return false;
  return llvm::all_of(draft.operations, [&](const Node &user) {
    if (!llvm::is_contained(user.operands, value))
      return true;
    if (user.opcode == Opcode::Sub)
      return user.operands[0] != value;
    return user.opcode == Opcode::Accumulate &&
           (user.isRescaled() ? user.operands[0] != value
                              : user.attributes.reduction == Opcode::Max);
  });
}

/// From what an exponential is taken of.
static bool isSubtracted(const Draft &draft, ValueId value) {
  return llvm::any_of(draft.operations, [&](const Node &user) {
    return user.opcode == Opcode::Sub && user.operands[1] == value &&
           llvm::any_of(draft.operations, [&](const Node &next) {
             return next.opcode == Opcode::Exp &&
                    next.operands[0] == user.results[0];
           });
  });
}

std::vector<StabilityMutant>
mlir::mirage::test::makeStabilityMutants(const Graph &graph) {
  std::vector<StabilityMutant> mutants;
  visitGraphs(graph, [&](const Draft &draft, Complete complete) {
    for (auto [position, operation] : llvm::enumerate(draft.operations)) {
      bool isMaximum = operation.opcode == Opcode::Max ||
                       operation.opcode == Opcode::Maximum;
      if (!isMaximum || !isSubtracted(draft, operation.results[0]) ||
          !isStabilizer(draft, operation.results[0]))
        continue;
      for (const WrongStabilizer &wrong : kWrongStabilizers) {
        Draft changed = draft;
        Stabilizer stabilizer(changed, position);
        Made made = wrong.make(stabilizer);
        if (!made)
          continue;
        changed.replaceUses(operation.results[0], *made,
                            stabilizer.getPosition());
        if (std::optional<Graph> mutant = complete(changed))
          mutants.push_back({wrong.name, std::move(*mutant)});
      }
    }
  });
  return mutants;
}

//===----------------------------------------------------------------------===//
// Maxima of other tiles
//===----------------------------------------------------------------------===//

/// `attentionOnline` with the keys that maxima are taken of as one more input
/// of the kernel, cut like the keys or not at all.
static Graph makeOnline(int64_t queries, int64_t keys, int64_t d,
                        int64_t tileKeys, int64_t split, bool isStale) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {split};
  tiles.loop = ceilDiv(keys, tileKeys * split);
  ValueId q = b.input({queries, d});
  ValueId k = b.input({tileKeys, d}), v = b.input({tileKeys, d});
  ValueId other = b.input({tileKeys, d});
  tiles.tileInputs = {{{kReplicated}, kReplicated}, {{0}, 0}, {{0}, 0}};
  tiles.tileInputs.push_back(isStale ? TileInput{{kReplicated}, kReplicated}
                                     : TileInput{{0}, 0});
  auto score = [&](ValueId of) {
    return b.op(Opcode::Matmul, {q, b.transpose(of)});
  };
  ValueId m = b.reduce(Opcode::Max, score(other), 1);
  ValueId e = b.op(Opcode::Exp, {b.op(Opcode::Sub, {score(k), m})});
  // What the loop does not change, there is nothing to rescale by.
  auto sum = [&](ValueId part, Shape dims, Axis axis) {
    return isStale ? b.accumulate(part, Opcode::Sum, dims, 0, axis)
                   : b.rescaledSum(part, m, dims, axis);
  };
  ValueId total = sum(e, {1}, Axis::Loop);
  ValueId top = sum(b.op(Opcode::Matmul, {e, v}), {}, Axis::Loop);
  if (split > 1) {
    if (!isStale)
      m = b.accumulate(m, Opcode::Max);
    total = sum(total, {}, Axis::X);
    top = sum(top, {}, Axis::X);
  }
  b.output(b.op(Opcode::Div, {top, total}));
  tiles.tileOutputs = {{{kReplicated}}};

  Graph graph;
  Builder outer(graph);
  ValueId wholeQ = outer.input({queries, d}), wholeK = outer.input({keys, d});
  ValueId wholeV = outer.input({keys, d});
  auto slice = [&](int64_t from, int64_t size) {
    Attributes attributes;
    attributes.offsets = {from, 0};
    attributes.strides = {1, 1};
    return graph.add(Opcode::Slice, {wholeK}, tensor({size, d}), attributes);
  };
  ValueId head = slice(0, tileKeys);
  ValueId operand =
      isStale ? head
              : outer.op(Opcode::Concat,
                         {slice(tileKeys, keys - tileKeys), head}, withDim(0));
  llvm::SmallVector<ValueId> operands = {wholeQ, wholeK, wholeV, operand};
  auto body = std::make_shared<TileGraph>(
      llvm::cantFail(maskPartialTiles(tiles, graph.getTypes(operands))));
  outer.output(graph.addGraph(operands, body, {tensor({queries, d})}));
  return graph;
}

std::vector<StabilityMutant> mlir::mirage::test::makeStaleOnlineAttention(
    int64_t queries, int64_t keys, int64_t d, int64_t tileKeys, int64_t split) {
  return {{"maximum of the first tile",
           makeOnline(queries, keys, d, tileKeys, split, true)},
          {"maximum of the next tile",
           makeOnline(queries, keys, d, tileKeys, split, false)}};
}
