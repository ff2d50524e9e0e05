//===- ComponentSliceTest.cpp - What one component is asked for -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComponentSlice.h"
#include "Mirage/Verify/CandidateFilter.h"
#include "Programs.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// The operations of a graph without nested ones that a slice has.
std::vector<Opcode> list(const ComponentSlice &slice, const Graph &graph) {
  std::vector<Opcode> opcodes;
  for (const Node &operation : graph.getNodes())
    if (slice.contains(operation))
      opcodes.push_back(operation.opcode);
  return opcodes;
}

std::vector<Opcode> list(const Graph &whole, ComponentSlice::Kind kind,
                         const Graph &graph) {
  return list(ComponentSlice(whole, kind), graph);
}

using Opcodes = std::vector<Opcode>;
const Opcodes kExponents = {Opcode::Transpose, Opcode::Matmul, Opcode::Exp};

/// One of attention's products is that of exponents, the other one that of
/// outputs, in a kernel as in the program.
TEST(ComponentSlice, AttentionHasAProductInEachComponent) {
  Graph program = attention(2, 6, 3, /*safe=*/false);
  EXPECT_EQ(list(program, ComponentSlice::Exponents, program), kExponents);
  EXPECT_EQ(list(program, ComponentSlice::Outputs, program),
            (Opcodes{Opcode::Exp, Opcode::Sum, Opcode::Div, Opcode::Matmul}));
  Graph fused = attentionFused(2, 6, 3, 2);
  const Graph &tiles = *fused.getNodes()[0].body;
  EXPECT_EQ(list(fused, ComponentSlice::Exponents, tiles), kExponents);
  EXPECT_EQ(list(fused, ComponentSlice::Outputs, tiles),
            (Opcodes{Opcode::Exp, Opcode::Accumulate, Opcode::Matmul,
                     Opcode::Accumulate, Opcode::Div}));
}

/// What an exponential is of is an output too.
TEST(ComponentSlice, ArgumentsMayBeOutputs) {
  Graph graph;
  Builder b(graph);
  ValueId square = b.op(Opcode::Square, {b.input({2, 2})});
  b.output(b.op(Opcode::Exp, {square}));
  EXPECT_EQ(list(graph, ComponentSlice::Outputs, graph), Opcodes{Opcode::Exp});
  b.output(square);
  EXPECT_EQ(list(graph, ComponentSlice::Outputs, graph),
            (Opcodes{Opcode::Square, Opcode::Exp}));
}

/// Of an operator whose exponential alone matters nobody reads the result.
TEST(ComponentSlice, ResultsThatNobodyReads) {
  Graph graph;
  Builder b(graph);
  ValueId inner = b.op(Opcode::Silu, {b.input({2, 2})});
  ValueId outer = b.op(Opcode::Silu, {b.op(Opcode::Square, {inner})});
  b.output(b.op(Opcode::Add, {inner, outer}));
  auto needs = [&](ComponentSlice::Kind kind) {
    ComponentSlice slice(graph, kind);
    std::vector<bool> needed;
    for (const Node &operation : graph.getNodes())
      if (slice.contains(operation))
        needed.push_back(slice.needsResults(operation));
    return needed;
  };
  EXPECT_EQ(needs(ComponentSlice::Exponents),
            (std::vector<bool>{true, true, false}));
  EXPECT_EQ(needs(ComponentSlice::Outputs),
            (std::vector<bool>{true, true, true, true}));
}

/// The first graph agrees with a program on trials, and the second does not.
void expectTold(const Graph &program, const Graph &right, const Graph &wrong) {
  CandidateFilter filter =
      llvm::cantFail(CandidateFilter::create(program, hashToSeed("slices")));
  EXPECT_EQ(filter.test(right), CandidateFilter::Answer::Agrees);
  EXPECT_EQ(filter.test(wrong), CandidateFilter::Answer::Disagrees);
}

/// Two kernels: exponents, in one graph together with an exponential that
/// nobody reads, and a power of what the first one stores.
Graph makeKernels(Opcode last) {
  TileGraph exponents, powers;
  Builder e(exponents), p(powers);
  ValueId x = e.input({2, 3});
  e.op(Opcode::Exp, {x});
  e.output(e.op(Opcode::Square, {x}));
  p.output(p.op(last, {p.input({2, 3})}));
  Graph graph;
  ValueId value = graph.addInput(tensor({2, 3}));
  for (TileGraph *tiles : {&exponents, &powers}) {
    tiles->tileInputs = {{{}, kReplicated}};
    tiles->tileOutputs = {{{}}};
    value = graph.addGraph({value}, std::make_shared<TileGraph>(*tiles),
                           {tensor({2, 3})});
  }
  graph.addOutput(value);
  return graph;
}

/// All slices meet the same exponentials, those that come to nothing too, and
/// operands that are left out are read by no kernel.
TEST(ComponentSlice, ExponentialsAreMetInOneOrder) {
  Graph program;
  Builder b(program);
  b.output(b.op(Opcode::Exp, {b.op(Opcode::Square, {b.input({2, 3})})}));
  expectTold(program, makeKernels(Opcode::Exp), makeKernels(Opcode::Sigmoid));
}

/// A kernel that hands an exponent on that nobody reads afterwards.
TEST(ComponentSlice, InputsThatAreOutputsAreThere) {
  auto make = [](Opcode last) {
    TileGraph tiles;
    Builder t(tiles);
    ValueId x = t.input({2, 3});
    t.output(t.op(last, {x}));
    t.output(x);
    tiles.tileInputs = {{{}, kReplicated}};
    tiles.tileOutputs = {{{}}, {{}}};
    Graph graph;
    Builder b(graph);
    ValueId square = b.op(Opcode::Square, {b.input({2, 3})});
    b.output(graph.addGraph({square}, std::make_shared<TileGraph>(tiles),
                            {tensor({2, 3}), tensor({2, 3})}));
    return graph;
  };
  Graph program;
  Builder b(program);
  b.output(b.op(Opcode::Exp, {b.op(Opcode::Square, {b.input({2, 3})})}));
  expectTold(program, make(Opcode::Exp), make(Opcode::Sigmoid));
}

/// A graph of one operation on what a graph around it hands on.
TileGraph nest(Level level, llvm::function_ref<ValueId(TileGraph &)> add) {
  TileGraph tiles;
  tiles.level = level;
  tiles.threads = 32;
  tiles.addInput(tensor({2, 3}));
  tiles.tileInputs = {{{}, kReplicated}};
  tiles.addOutput(add(tiles));
  tiles.tileOutputs = {{{}}};
  return tiles;
}

/// Neither a block nor its threads read what only the next component has.
TEST(ComponentSlice, NestedGraphsReadNoArguments) {
  auto make = [](Opcode last) {
    auto threads =
        std::make_shared<TileGraph>(nest(Level::Thread, [&](TileGraph &tiles) {
          return Builder(tiles).op(last, {0});
        }));
    auto block =
        std::make_shared<TileGraph>(nest(Level::Block, [&](TileGraph &tiles) {
          return tiles.addGraph({0}, threads, {tensor({2, 3})});
        }));
    Graph graph;
    Builder b(graph);
    ValueId square = b.op(Opcode::Square, {b.input({2, 3})});
    b.output(graph.addGraph({square}, block, {tensor({2, 3})}));
    return graph;
  };
  Graph program;
  Builder b(program);
  b.output(b.op(Opcode::Exp, {b.op(Opcode::Square, {b.input({2, 3})})}));
  expectTold(program, make(Opcode::Exp), make(Opcode::Sigmoid));
}

TEST(ComponentSlice, ExponentialsOfExponentials) {
  auto make = [](Opcode inner) {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({2, 3});
    b.output(b.op(Opcode::Exp, {b.op(inner, {b.scale(x, 2)})}));
    return graph;
  };
  Graph spelled;
  Builder b(spelled);
  ValueId e = b.op(Opcode::Exp, {b.input({2, 3})});
  b.output(b.op(Opcode::Exp, {b.op(Opcode::Mul, {e, e})}));
  expectTold(spelled, make(Opcode::Exp), make(Opcode::Sigmoid));
}
} // namespace
