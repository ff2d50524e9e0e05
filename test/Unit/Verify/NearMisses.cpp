//===- NearMisses.cpp - Pairs of graphs that are almost equal -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NearMisses.h"
#include "DoubleArithmetic.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mutants.h"
#include "Programs.h"
#include "RandomGraphs.h"
#include "ReferenceNumbers.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// One mistake in `graph`, against the program that it computes.
static std::optional<NearMiss> mutate(const Graph &program, const Graph &graph,
                                      RandomStream &random) {
  std::optional<Mutant> mutant = drawMutant(graph, random);
  if (!mutant)
    return std::nullopt;
  NearMiss pair{expandComposed(program), expandComposed(mutant->graph), 0};
  if (!findDifference(pair.program, pair.mutant))
    return std::nullopt;
  // Beyond the rounding of everything on the way.
  std::optional<Witness> witness =
      llvm::cantFail(findRoundedWitness(pair.program, pair.mutant));
  if (!witness)
    return std::nullopt;
  pair.element = witness->element;
  for (ValueId output : pair.program.getOutputs().take_front(witness->output))
    pair.element += pair.program.getType(output).getNumElements();
  return pair;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

using Opcodes = llvm::ArrayRef<Opcode>;

/// Small, but for some that are 1 modulo 83 or 167.
static double drawFactor(RandomStream &random) {
  return random.uniform(16) ? 1 + random.uniform(5)
                            : (random.uniform(2) ? 84 : 168);
}

static Graph makeFormula(RandomStream &random, Opcodes unary, Opcodes binary) {
  Graph graph;
  Builder b(graph);
  b.input({2}), b.input({2});
  unsigned numOperations = 3 + random.uniform(4);
  for (unsigned i = 0; i < numOperations; ++i) {
    auto operand = [&] { return random.uniform(graph.getNumValues()); };
    ValueId first = i == 0 ? operand() : graph.getNumValues() - 1;
    switch (random.uniform(5)) {
    case 0:
    case 1:
      b.op(unary[random.uniform(unary.size())], {first});
      break;
    case 2:
      b.scale(first, drawFactor(random));
      break;
    default:
      b.op(binary[random.uniform(binary.size())], {first, operand()});
    }
  }
  b.output(b.reduce(Opcode::Sum, graph.getNumValues() - 1, 0));
  return graph;
}

static std::optional<NearMiss> drawFormula(RandomStream &random, Opcodes unary,
                                           Opcodes binary) {
  Graph graph = makeFormula(random, unary, binary);
  return mutate(graph, graph, random);
}

std::optional<NearMiss> mlir::mirage::test::drawFormula(RandomStream &random) {
  static const Opcode kUnary[] = {Opcode::Exp,  Opcode::Square,
                                  Opcode::Sqrt, Opcode::Sigmoid,
                                  Opcode::Neg,  Opcode::Reciprocal};
  static const Opcode kBinary[] = {Opcode::Add, Opcode::Mul, Opcode::Div,
                                   Opcode::Sub};
  return ::drawFormula(random, kUnary, kBinary);
}

std::optional<NearMiss>
mlir::mirage::test::drawPatternFormula(RandomStream &random) {
  static const Opcode kUnary[] = {Opcode::Exp,  Opcode::Square, Opcode::Sqrt,
                                  Opcode::Neg,  Opcode::Abs,    Opcode::Abs,
                                  Opcode::Relu, Opcode::Log,    Opcode::Erf};
  static const Opcode kBinary[] = {Opcode::Add,     Opcode::Mul,
                                   Opcode::Sub,     Opcode::Maximum,
                                   Opcode::Minimum, Opcode::Pow};
  return ::drawFormula(random, kUnary, kBinary);
}

std::optional<NearMiss>
mlir::mirage::test::drawNestedFormula(RandomStream &random) {
  static const Opcode kUnary[] = {Opcode::Exp,     Opcode::Exp,  Opcode::Exp,
                                  Opcode::Exp,     Opcode::Exp,  Opcode::Square,
                                  Opcode::Sigmoid, Opcode::Sqrt, Opcode::Neg};
  static const Opcode kBinary[] = {Opcode::Add, Opcode::Mul, Opcode::Div,
                                   Opcode::Maximum};
  return ::drawFormula(random, kUnary, kBinary);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

std::optional<NearMiss>
mlir::mirage::test::drawTinyProgram(RandomStream &random) {
  Graph program = makeTinyProgram(random);
  return mutate(program, program, random);
}

std::optional<NearMiss>
mlir::mirage::test::drawRespelledProgram(RandomStream &random) {
  Graph program = makeRandomProgram(random);
  std::optional<Graph> other = respell(program, random);
  return mutate(program, other ? *other : program, random);
}

std::optional<NearMiss>
mlir::mirage::test::drawTiledProgram(RandomStream &random) {
  Graph program = makeRandomProgram(random);
  std::optional<Graph> tiled = makeTiled(program);
  return tiled ? mutate(program, *tiled, random) : std::nullopt;
}

std::optional<NearMiss> mlir::mirage::test::drawKernel(RandomStream &random) {
  auto draw = [&](int64_t from, int64_t to) {
    return from + random.uniform(to - from + 1);
  };
  int64_t m = draw(1, 2), k = draw(2, 4), n = draw(1, 3), tile = draw(1, 2);
  switch (draw(0, 6)) {
  case 0:
    return mutate(rmsLinear(m, k, n), rmsLinearFused(m, k, n, tile, 1), random);
  case 1:
    return mutate(gatedMlp(m, k, n), gatedMlpFused(m, k, n, tile, 1), random);
  case 2:
    return mutate(lora(m, k, n, 2), loraFused(m, k, n, 2, tile, 1), random);
  case 3:
    return mutate(softmax(m, k, /*safe=*/false), softmaxFused(m, k, 1), random);
  case 4:
    return mutate(attention(1, k, n, /*safe=*/false),
                  attentionFused(1, k, n, tile, draw(1, 2)), random);
  case 5:
    return mutate(attention(1, 2, n, /*safe=*/true),
                  attentionOnline(1, 2, n, 1, draw(1, 2)), random);
  default:
    return mutate(qkNorm(1, 2, n), qkNormLate(1, 2, n), random);
  }
}
