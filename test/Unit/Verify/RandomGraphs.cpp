//===- RandomGraphs.cpp - Small programs drawn at random ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomGraphs.h"
#include "Draft.h"
#include "Programs.h"
#include "ReferenceNumbers.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// Adds operations until there are enough.
class Generator {
public:
  Generator(RandomStream &random, int64_t scale)
      : random(random), builder(graph), scale(scale) {}

  Graph run() {
    const int64_t sizes[] = {scale * (draw(2) + 2), scale * (draw(2) + 3),
                             scale * (draw(3) + 2)};
    builder.input({sizes[0], sizes[1]});
    builder.input({sizes[1], sizes[2]});
    if (draw(2))
      builder.input({sizes[0], draw(2) ? sizes[1] : 1});
    unsigned numOperations = 3 + draw(5);
    while (graph.getNodes().size() < numOperations)
      addOperation();
    // What a result is not computed from, mutants change in vain.
    builder.output(graph.getNumValues() - 1);
    if (draw(4) == 0)
      builder.output(drawValue());
    return std::move(graph);
  }

private:
  unsigned draw(unsigned count) { return random.uniform(count); }
  template <size_t size>
  Opcode drawOpcode(const Opcode (&opcodes)[size]) {
    return opcodes[draw(size)];
  }
  ValueId drawValue() { return draw(graph.getNumValues()); }
  /// The last value mostly, so that operations hang together.
  ValueId drawOperand() {
    return draw(4) ? graph.getNumValues() - 1 : drawValue();
  }

  /// Adds an operation if its operands fit.
  bool add(Opcode opcode, llvm::ArrayRef<ValueId> operands,
           Attributes attributes = {}, Shape shape = {}) {
    llvm::Expected<Shape> result =
        inferShape(opcode, attributes, graph.getTypes(operands), shape);
    if (!result) {
      llvm::consumeError(result.takeError());
      return false;
    }
    graph.add(opcode, operands, tensor(*result), attributes);
    return true;
  }

  void addOperation() {
    switch (draw(12)) {
    case 0:
    case 1:
      return addFunction();
    case 2:
      return addWithConstant();
    case 3:
    case 4:
      return addReduction();
    case 5:
    case 6:
      return addMatmul();
    case 7:
      return addMovement();
    case 8:
      return addComposed();
    default:
      return addArithmetic();
    }
  }

  void addFunction() {
    static const Opcode kFunctions[] = {
        Opcode::Square,  Opcode::Neg,  Opcode::Abs,  Opcode::Relu,
        Opcode::Square,  Opcode::Silu, Opcode::Tanh, Opcode::Exp,
        Opcode::Sigmoid, Opcode::Exp,  Opcode::Sqrt, Opcode::Reciprocal,
        Opcode::Log,     Opcode::Gelu};
    Opcode opcode = drawOpcode(kFunctions);
    bool hasExponential = opcode == Opcode::Exp || opcode == Opcode::Silu ||
                          opcode == Opcode::Sigmoid || opcode == Opcode::Tanh;
    if (hasExponential && ++numExponentials > 2)
      return;
    ValueId operand = drawOperand();
    if (opcode == Opcode::Sqrt || opcode == Opcode::Log) {
      add(Opcode::Square, {operand});
      add(Opcode::Offset, {graph.getNumValues() - 1}, withScalar(0.5));
      operand = graph.getNumValues() - 1;
    }
    add(opcode, {operand});
  }

  void addWithConstant() {
    static const double kConstants[] = {0.5, 2, -1.5, 3, 0.125};
    static const Opcode kOpcodes[] = {Opcode::Scale, Opcode::Offset,
                                      Opcode::Unscale, Opcode::Clamp};
    Opcode opcode = drawOpcode(kOpcodes);
    Attributes attributes = withScalar(kConstants[draw(5)]);
    if (opcode == Opcode::Clamp)
      attributes.scalars = {-0.5, 0.75};
    add(opcode, {drawOperand()}, attributes);
  }

  void addReduction() {
    static const Opcode kReductions[] = {Opcode::Sum, Opcode::Mean, Opcode::Sum,
                                         Opcode::Max, Opcode::Rms};
    add(drawOpcode(kReductions), {drawOperand()}, withDim(draw(2)));
  }

  void addArithmetic() {
    static const Opcode kArithmetic[] = {
        Opcode::Add, Opcode::Sub, Opcode::Mul,     Opcode::Div,
        Opcode::Add, Opcode::Mul, Opcode::Maximum, Opcode::Minimum};
    ValueId lhs = drawOperand(), rhs = drawValue();
    if (draw(2))
      std::swap(lhs, rhs);
    add(drawOpcode(kArithmetic), {lhs, rhs});
  }

  void addMatmul() {
    ValueId lhs = drawOperand(), rhs = drawValue();
    if (add(Opcode::Matmul, {lhs, rhs}))
      return;
    if (graph.getType(lhs).shape[1] == graph.getType(rhs).shape[1])
      add(Opcode::Matmul, {lhs, builder.transpose(rhs)});
  }

  void addMovement() {
    ValueId operand = drawOperand();
    Shape shape = graph.getType(operand).shape;
    unsigned dim = draw(2);
    switch (draw(3)) {
    case 0:
      builder.transpose(operand);
      return;
    case 1: {
      Attributes attributes;
      attributes.offsets = {0, 0};
      attributes.strides = {1, 1};
      attributes.offsets[dim] = draw(2);
      shape[dim] -= 1;
      add(Opcode::Slice, {operand}, attributes, shape);
      return;
    }
    case 2:
      if (graph.getType(operand).getNumElements() < 16)
        add(Opcode::Concat, {operand, drawValue()}, withDim(dim));
      return;
    }
  }

  void addComposed() {
    static const Opcode kComposed[] = {Opcode::Softmax, Opcode::RmsNorm,
                                       Opcode::LayerNorm, Opcode::L2Norm};
    Opcode opcode = drawOpcode(kComposed);
    ValueId operand = drawOperand();
    Attributes attributes = withDim(1);
    // A row of two normalised is ±1.
    if (opcode != Opcode::Softmax) {
      attributes.scalars = {0.0625};
      if (graph.getType(operand).shape[1] < 3)
        return;
    } else if (++numExponentials > 2) {
      return;
    }
    if (opcode == Opcode::Softmax && draw(2))
      add(Opcode::CausalMask, {operand});
    add(opcode, {graph.getNumValues() - 1}, attributes);
  }

  RandomStream &random;
  Graph graph;
  Builder builder;
  int64_t scale;
  unsigned numExponentials = 0;
};
} // namespace

Graph mlir::mirage::test::makeRandomProgram(RandomStream &random,
                                            int64_t scale) {
  while (true) {
    Graph graph = Generator(random, scale).run();
    if (llvm::Error error = verify(graph)) {
      llvm::consumeError(std::move(error));
      continue;
    }
    if (ReferenceNumbers(graph).areModerate())
      return graph;
  }
}

/// All elementwise operators of programs by what they take.
static std::vector<const OperatorInfo *> listElementwise(unsigned numOperands) {
  std::vector<const OperatorInfo *> rows;
  for (const OperatorInfo &row : getOperatorTable())
    if (row.kind == OperatorKind::Elementwise && row.existsAt(Level::Kernel) &&
        row.numOperands == numOperands)
      rows.push_back(&row);
  return rows;
}

static void addTinyOperation(Builder &builder, Graph &graph,
                             RandomStream &random) {
  static const auto kUnary = listElementwise(1), kBinary = listElementwise(2);
  static const Opcode kReductions[] = {Opcode::Sum, Opcode::Mean, Opcode::Max};
  ValueId last = graph.getNumValues() - 1;
  ValueId other = random.uniform(graph.getNumValues());
  switch (random.uniform(8)) {
  case 0:
    builder.reduce(kReductions[random.uniform(3)], last, random.uniform(2));
    return;
  case 1:
  case 2:
  case 3: {
    const OperatorInfo &row = *kUnary[random.uniform(kUnary.size())];
    Attributes attributes;
    for (unsigned k = 0; k < row.parameters.size(); ++k)
      attributes.scalars.push_back(0.5 + k);
    builder.op(row.opcode, {random.uniform(2) ? last : other}, attributes);
    return;
  }
  default: {
    const OperatorInfo &row = *kBinary[random.uniform(kBinary.size())];
    builder.op(row.opcode, {other, last});
  }
  }
}

Graph mlir::mirage::test::makeTinyProgram(RandomStream &random) {
  Graph graph;
  Builder builder(graph);
  builder.input({2, 3});
  builder.input({2, 3});
  for (unsigned i = 1 + random.uniform(4); i > 0; --i)
    addTinyOperation(builder, graph, random);
  ValueId last = graph.getNumValues() - 1;
  builder.output(graph.add(Opcode::Broadcast, {last}, tensor({2, 3})));
  return graph;
}

std::optional<Graph> mlir::mirage::test::makeTiled(const Graph &program,
                                                   DefaultTileSizes sizes) {
  constexpr int64_t kSharedBytes = 227 << 10;
  Draft draft(program);
  bool isChanged = false;
  for (auto [number, operation] : llvm::enumerate(program.getNodes())) {
    if (!hasDefaultTileGraph(operation.opcode))
      continue;
    llvm::Expected<TileGraph> tiles =
        buildDefaultTileGraph(program, operation, kSharedBytes, sizes);
    if (!tiles) {
      llvm::consumeError(tiles.takeError());
      continue;
    }
    Node &kernel = draft.operations[number];
    kernel.opcode = Opcode::Graph;
    kernel.attributes = {};
    kernel.body = std::make_shared<TileGraph>(std::move(*tiles));
    isChanged = true;
  }
  if (!isChanged)
    return std::nullopt;
  return draft.toGraph();
}

unsigned mlir::mirage::test::countBlocks(const Graph &graph) {
  unsigned count = 0;
  for (const Node &node : graph.getNodes())
    count += node.body ? node.body->getNumBlocks() : 0;
  return count;
}

unsigned mlir::mirage::test::countLoops(const Graph &graph) {
  return llvm::count_if(graph.getNodes(), [](const Node &node) {
    return node.body && node.body->loop > 1;
  });
}
