//===- OperatorTable.cpp - One row per operator ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Graph/Work.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>
#include <vector>

using namespace mlir::mirage;

namespace {
/// Writes definitions as formulas. A term is a node of the definition that is
/// being built.
class Term {
public:
  Term(ScalarDefinition &definition, ScalarNode node)
      : definition(definition), number(definition.add(node)) {}

  friend Term operator+(Term x, Term y) {
    return x.join(ScalarFunction::Add, y);
  }
  friend Term operator*(Term x, Term y) {
    return x.join(ScalarFunction::Mul, y);
  }
  friend Term operator/(Term x, Term y) {
    return x.join(ScalarFunction::Div, y);
  }
  friend Term operator-(Term x, Term y) { return x + (-y); }
  friend Term operator-(Term x) { return x.constant(-1) * x; }
  friend Term operator+(double c, Term x) { return x.constant(c) + x; }
  friend Term operator-(double c, Term x) { return x.constant(c) - x; }
  friend Term operator*(double c, Term x) { return x.constant(c) * x; }
  friend Term operator/(double c, Term x) { return x.constant(c) / x; }
  friend Term max(Term x, Term y) { return x.join(ScalarFunction::Max, y); }
  friend Term min(Term x, Term y) { return x.join(ScalarFunction::Min, y); }
  friend Term pow(Term x, Term y) { return x.join(ScalarFunction::Pow, y); }
  friend Term vanish(Term x, Term y) {
    return x.join(ScalarFunction::Vanish, y);
  }
  friend Term exp(Term x) { return x.apply(ScalarFunction::Exp); }
  friend Term log(Term x) { return x.apply(ScalarFunction::Log); }
  friend Term sqrt(Term x) { return x.apply(ScalarFunction::Sqrt); }
  friend Term abs(Term x) { return x.apply(ScalarFunction::Abs); }
  friend Term erf(Term x) { return x.apply(ScalarFunction::Erf); }
  Term constant(double value) const {
    return {definition, {ScalarFunction::Constant, 0, 0, 0, value}};
  }
  Term parameter(uint8_t index) const {
    return {definition, {ScalarFunction::Parameter, index}};
  }
  Term ln2() const { return {definition, {ScalarFunction::Ln2}}; }
  Term size() const { return {definition, {ScalarFunction::Size}}; }

private:
  Term join(ScalarFunction function, Term other) const {
    return {definition, {function, 0, number, other.number}};
  }
  Term apply(ScalarFunction function) const {
    return {definition, {function, 0, number}};
  }

  ScalarDefinition &definition;
  uint8_t number;
};
} // namespace

static ScalarDefinition unary(llvm::function_ref<Term(Term)> formula) {
  ScalarDefinition definition;
  formula(Term(definition, {ScalarFunction::Argument, 0}));
  return definition;
}

static ScalarDefinition binary(llvm::function_ref<Term(Term, Term)> formula) {
  ScalarDefinition definition;
  Term lhs(definition, {ScalarFunction::Argument, 0});
  Term rhs(definition, {ScalarFunction::Argument, 1});
  formula(lhs, rhs);
  return definition;
}

static Term tanh(Term x) { return 1.0 - 2.0 / (1.0 + exp(2.0 * x)); }

/// The same everywhere, by the row's first parameter.
static OperatorInfo constantRow(Opcode opcode, llvm::StringRef name) {
  OperatorInfo row{opcode, name, OperatorKind::Elementwise, 0};
  row.definition.add({ScalarFunction::Parameter, 0});
  return row;
}

static OperatorInfo unaryRow(Opcode opcode, llvm::StringRef name,
                             llvm::function_ref<Term(Term)> formula) {
  OperatorInfo row{opcode, name, OperatorKind::Elementwise, 1};
  row.definition = unary(formula);
  return row;
}

static OperatorInfo binaryRow(Opcode opcode, llvm::StringRef name,
                              llvm::function_ref<Term(Term, Term)> formula,
                              bool commutes = false) {
  OperatorInfo row{opcode, name, OperatorKind::Elementwise, 2, commutes};
  row.definition = binary(formula);
  return row;
}

static OperatorInfo reductionRow(Opcode opcode, llvm::StringRef name,
                                 llvm::function_ref<Term(Term)> first,
                                 Combiner combiner,
                                 llvm::function_ref<Term(Term)> finish) {
  OperatorInfo row{opcode, name, OperatorKind::Reduction, 1};
  row.definition = unary(first);
  row.combiner = combiner;
  row.finish = unary(finish);
  return row;
}

static OperatorInfo structuralRow(Opcode opcode, llvm::StringRef name,
                                  OperatorKind kind, uint8_t numOperands) {
  return {opcode, name, kind, numOperands};
}

static OperatorInfo named(OperatorInfo row,
                          llvm::ArrayRef<llvm::StringRef> parameters) {
  row.parameters.assign(parameters.begin(), parameters.end());
  return row;
}

static OperatorInfo atLevels(Level outermost, Level innermost,
                             OperatorInfo row) {
  row.outermost = outermost;
  row.innermost = innermost;
  return row;
}

/// What instructions do, which nothing above the thread level says.
static OperatorInfo threadRow(Opcode opcode, llvm::StringRef name,
                              OperatorKind kind, uint8_t numOperands) {
  return atLevels(Level::Thread, Level::Thread,
                  structuralRow(opcode, name, kind, numOperands));
}

/// Of kernels alone: in a tile graph the steps stand there themselves, since
/// what they do to padding has to be seen.
static OperatorInfo composedRow(Opcode opcode, llvm::StringRef name,
                                uint8_t numOptionalOperands = 0) {
  OperatorInfo row{opcode, name, OperatorKind::Composed, 1};
  row.innermost = Level::Kernel;
  row.numOptionalOperands = numOptionalOperands;
  return row;
}

static OperatorInfo withOptional(uint8_t number, OperatorInfo row) {
  row.numOptionalOperands = number;
  return row;
}

/// As many operands as there are, one at least.
static OperatorInfo variadic(OperatorInfo row) {
  row.numOptionalOperands = OperatorInfo::kAnyNumber;
  return row;
}

/// What accumulations carry out, and no level has as an operator.
static OperatorInfo accumulatedRow(OperatorInfo row) {
  return atLevels(Level::Thread, Level::Kernel, std::move(row));
}

static OperatorInfo atom(OperatorInfo row) {
  row.isAtom = true;
  return row;
}

static std::vector<OperatorInfo> buildTable() {
  using O = Opcode;
  auto same = [](Term x) { return x; };
  constexpr double kRoot2Over2 = 0.70710678118654752440;  // 1/sqrt(2)
  constexpr double kRoot2OverPi = 0.79788456080286535588; // sqrt(2/pi)
  return {
      // What warps compute with constants has them as parameters.
      atLevels(Level::Kernel, Level::Block,
               named(constantRow(O::Constant, "constant"), {"value"})),
      unaryRow(O::Exp, "exp", [](Term x) { return exp(x); }),
      unaryRow(O::Exp2, "exp2", [](Term x) { return exp(x.ln2() * x); }),
      unaryRow(O::Log, "log", [](Term x) { return log(x); }),
      unaryRow(O::Square, "square", [](Term x) { return x * x; }),
      unaryRow(O::Sqrt, "sqrt", [](Term x) { return sqrt(x); }),
      unaryRow(O::Rsqrt, "rsqrt", [](Term x) { return 1.0 / sqrt(x); }),
      unaryRow(O::Reciprocal, "reciprocal", [](Term x) { return 1.0 / x; }),
      unaryRow(O::Neg, "neg", [](Term x) { return -x; }),
      unaryRow(O::Abs, "abs", [](Term x) { return abs(x); }),
      unaryRow(O::Sigmoid, "sigmoid",
               [](Term x) { return 1.0 / (1.0 + exp(-x)); }),
      atom(unaryRow(O::Silu, "silu",
                    [](Term x) { return x / (1.0 + exp(-x)); })),
      unaryRow(O::Gelu, "gelu",
               [](Term x) { return 0.5 * x * (1.0 + erf(kRoot2Over2 * x)); }),
      unaryRow(O::GeluTanh, "gelu_tanh",
               [](Term x) {
                 Term inner = kRoot2OverPi * (x + 0.044715 * (x * x * x));
                 // x/2 (1 + tanh(inner)), without the sum that cancels.
                 return x / (1.0 + exp(-2.0 * inner));
               }),
      unaryRow(O::Relu, "relu", [](Term x) { return max(x, x.constant(0)); }),
      unaryRow(O::Tanh, "tanh", [](Term x) { return tanh(x); }),
      unaryRow(O::Erf, "erf", [](Term x) { return erf(x); }),
      named(unaryRow(O::Scale, "scale",
                     [](Term x) { return x.parameter(0) * x; }),
            {"factor"}),
      named(unaryRow(O::Unscale, "unscale",
                     [](Term x) { return x / x.parameter(0); }),
            {"divisor"}),
      named(unaryRow(O::Offset, "offset",
                     [](Term x) { return x.parameter(0) + x; }),
            {"offset"}),
      named(unaryRow(O::Clamp, "clamp",
                     [](Term x) {
                       return min(max(x, x.parameter(0)), x.parameter(1));
                     }),
            {"lo", "hi"}),
      binaryRow(
          O::Add, "add", [](Term x, Term y) { return x + y; }, true),
      binaryRow(O::Sub, "sub", [](Term x, Term y) { return x - y; }),
      binaryRow(
          O::Mul, "mul", [](Term x, Term y) { return x * y; }, true),
      binaryRow(O::Div, "div", [](Term x, Term y) { return x / y; }),
      binaryRow(
          O::Maximum, "maximum", [](Term x, Term y) { return max(x, y); },
          true),
      binaryRow(
          O::Minimum, "minimum", [](Term x, Term y) { return min(x, y); },
          true),
      binaryRow(O::Pow, "pow", [](Term x, Term y) { return pow(x, y); }),
      // Of what is rescaled from a maximum of nothing; accumulations say so
      // above the thread level.
      atLevels(Level::Thread, Level::Thread,
               binaryRow(O::Vanish, "vanish",
                         [](Term x, Term y) { return vanish(x, y); })),
      reductionRow(O::Sum, "sum", same, Combiner::Add, same),
      reductionRow(O::Mean, "mean", same, Combiner::Add,
                   [](Term x) { return x / x.size(); }),
      reductionRow(O::Max, "max", same, Combiner::Max, same),
      atom(reductionRow(
          O::Rms, "rms", [](Term x) { return x * x; }, Combiner::Add,
          [](Term x) { return sqrt(x / x.size()); })),
      atom(accumulatedRow(reductionRow(O::Variance, "variance", same,
                                       Combiner::Moments, same))),
      structuralRow(O::Matmul, "matmul", OperatorKind::Contraction, 2),
      threadRow(O::Mma, "mma", OperatorKind::Contraction, 2),
      threadRow(O::Wgmma, "wgmma", OperatorKind::Contraction, 2),
      structuralRow(O::Transpose, "transpose", OperatorKind::Movement, 1),
      structuralRow(O::Reshape, "reshape", OperatorKind::Movement, 1),
      structuralRow(O::Broadcast, "broadcast", OperatorKind::Movement, 1),
      structuralRow(O::Cast, "cast", OperatorKind::Movement, 1),
      atLevels(Level::Block, Level::Thread,
               named(structuralRow(O::Mask, "mask", OperatorKind::Movement, 1),
                     {"value"})),
      // Fragments are linear layouts of a whole tile, which has no parts.
      atLevels(Level::Kernel, Level::Block,
               structuralRow(O::Slice, "slice", OperatorKind::Movement, 1)),
      atLevels(Level::Kernel, Level::Block,
               variadic(structuralRow(O::Concat, "concat",
                                      OperatorKind::Movement, 1))),
      // Depends on the coordinates of the block, which warps do not know.
      atLevels(Level::Kernel, Level::Block,
               structuralRow(O::CausalMask, "causal_mask",
                             OperatorKind::Movement, 1)),
      threadRow(O::Shuffle, "shuffle", OperatorKind::Movement, 1),
      threadRow(O::Load, "load", OperatorKind::Copy, 1),
      threadRow(O::Store, "store", OperatorKind::Copy, 1),
      threadRow(O::Ldmatrix, "ldmatrix", OperatorKind::Copy, 1),
      threadRow(O::ConvertLayout, "convert_layout", OperatorKind::Copy, 1),
      threadRow(O::CpAsync, "cp_async", OperatorKind::Copy, 1),
      threadRow(O::TmaLoad, "tma_load", OperatorKind::Copy, 1),
      threadRow(O::TmaStore, "tma_store", OperatorKind::Copy, 1),
      named(composedRow(O::RmsNorm, "rms_norm", 1), {"epsilon"}),
      named(composedRow(O::LayerNorm, "layer_norm", 2), {"epsilon"}),
      named(composedRow(O::L2Norm, "l2_norm"), {"epsilon"}),
      composedRow(O::Softmax, "softmax"),
      composedRow(O::Repeat, "repeat"),
      atLevels(Level::Block, Level::Thread,
               withOptional(1, structuralRow(O::Accumulate, "accumulate",
                                             OperatorKind::Accumulate, 1))),
      atLevels(Level::Kernel, Level::Block,
               structuralRow(O::Graph, "graph", OperatorKind::Graph, 0)),
  };
}

llvm::ArrayRef<OperatorInfo> mlir::mirage::getOperatorTable() {
  static const std::vector<OperatorInfo> table = buildTable();
  assert(table.size() == kNumOpcodes && "one row per opcode, in order");
  return table;
}

const OperatorInfo &mlir::mirage::getOperatorInfo(Opcode opcode) {
  const OperatorInfo &row = getOperatorTable()[static_cast<unsigned>(opcode)];
  assert(row.opcode == opcode && "the table is in the order of Opcode");
  return row;
}

std::optional<Opcode> mlir::mirage::parseOpcode(llvm::StringRef name) {
  for (const OperatorInfo &row : getOperatorTable())
    if (row.name == name)
      return row.opcode;
  return std::nullopt;
}

llvm::StringRef mlir::mirage::getLevelName(Level level) {
  return level == Level::Kernel  ? "kernel"
         : level == Level::Block ? "block"
                                 : "thread";
}

static constexpr llvm::StringLiteral kAxisNames[] = {"x", "y", "z", "loop"};

llvm::StringRef mlir::mirage::getAxisName(Axis axis) {
  return kAxisNames[static_cast<unsigned>(axis)];
}

std::optional<Axis> mlir::mirage::parseAxis(llvm::StringRef name) {
  for (auto [number, known] : llvm::enumerate(kAxisNames))
    if (name == known)
      return static_cast<Axis>(number);
  return std::nullopt;
}

double mlir::mirage::getNeutral(Combiner combiner) {
  return combiner == Combiner::Add ? 0.0
                                   : -std::numeric_limits<double>::infinity();
}

double mlir::mirage::combine(Combiner combiner, double lhs, double rhs) {
  assert(combiner != Combiner::Moments && "moments are joined by their struct");
  return applyDouble(combiner == Combiner::Add ? ScalarFunction::Add
                                               : ScalarFunction::Max,
                     lhs, rhs);
}

bool OperatorInfo::averages() const {
  return llvm::any_of(finish.nodes(), [](const ScalarNode &node) {
    return node.function == ScalarFunction::Size;
  });
}

int64_t mlir::mirage::getAveragedCount(const Attributes &attributes,
                                       llvm::ArrayRef<int64_t> operand,
                                       int64_t numOperands) {
  if (attributes.count != 0)
    return attributes.count;
  int64_t count = numOperands;
  for (int64_t dim : attributes.dims)
    count *= operand[dim];
  return count;
}

int64_t mlir::mirage::shuffleIndex(int64_t index, llvm::ArrayRef<int64_t> shape,
                                   llvm::ArrayRef<int64_t> offset) {
  // Sizes are powers of two: coordinates are bits of the number.
  int64_t joined = 0;
  for (auto [size, coordinate] : llvm::zip_equal(shape, offset))
    joined = joined * size + coordinate;
  return index ^ joined;
}

/// 1/x tells 0 from -0, and NaN is what it is.
static bool areSameBits(llvm::ArrayRef<double> lhs,
                        llvm::ArrayRef<double> rhs) {
  return llvm::equal(lhs, rhs, [](double one, double other) {
    return llvm::bit_cast<uint64_t>(one) == llvm::bit_cast<uint64_t>(other);
  });
}

bool Attributes::operator==(const Attributes &other) const {
  return areSameBits(scalars, other.scalars) && dims == other.dims &&
         count == other.count && reduction == other.reduction &&
         axis == other.axis && axes == other.axes && extent == other.extent &&
         columnAxes == other.columnAxes && offset == other.offset &&
         offsets == other.offsets && strides == other.strides;
}

/// Of one element: for moments it is added up, and its difference from the mean
/// squared and added up.
static int64_t countJoiningFlops(Combiner combiner) {
  return combiner == Combiner::Moments ? 4 : 1;
}

int64_t mlir::mirage::countFlops(Opcode opcode, const Attributes &attributes,
                                 llvm::ArrayRef<TensorSpec> operands,
                                 const TensorSpec &result) {
  const OperatorInfo &info = getOperatorInfo(opcode);
  switch (info.kind) {
  case OperatorKind::Elementwise:
    return info.definition.countArithmetic() * result.getNumElements();
  case OperatorKind::Reduction:
    return (info.definition.countArithmetic() + 1) *
               operands[0].getNumElements() +
           info.finish.countArithmetic() * result.getNumElements();
  case OperatorKind::Contraction:
    return 2 * result.getNumElements() * operands[0].shape.back();
  case OperatorKind::Accumulate:
    // A difference and its exponential for each factor, and a product.
    if (operands.size() > 1)
      return 2 * (operands[0].getNumElements() + operands[1].getNumElements());
    return countJoiningFlops(getOperatorInfo(attributes.reduction).combiner) *
           operands[0].getNumElements();
  case OperatorKind::Composed:
    return static_cast<int64_t>(countFlops(
        llvm::cantFail(defineComposed(opcode, attributes, operands, result))));
  case OperatorKind::Movement:
  case OperatorKind::Copy:
  case OperatorKind::Graph:
    return 0;
  }
  return 0;
}
