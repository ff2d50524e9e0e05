//===- StablePrograms.cpp - Softmax that subtracts its maximum ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draft.h"
#include "ExamplePrograms.h"
#include "Mirage/Algebra/Random.h"
#include "Programs.h"
#include "StabilityMutants.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static ValueId addSafeSoftmax(Builder &b, ValueId x) {
  ValueId shifted = b.op(Opcode::Sub, {x, b.reduce(Opcode::Max, x, 1)});
  ValueId e = b.op(Opcode::Exp, {shifted});
  return b.op(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 1)});
}

/// softmax(scale · (x + bias)), or with a causal mask.
static Graph biasedSoftmax(int64_t m, int64_t n, double scale, bool isCausal) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({m, n}), bias = b.input({1, n});
  ValueId scores = b.scale(b.op(Opcode::Add, {x, bias}), scale);
  if (isCausal)
    scores = b.op(Opcode::CausalMask, {scores});
  b.output(addSafeSoftmax(b, scores));
  return graph;
}

/// softmax(scale · Q·K^T)·V, with a causal mask if asked for.
static Graph scaledAttention(int64_t queries, int64_t keys, int64_t d,
                             double scale, bool isCausal) {
  Graph graph;
  Builder b(graph);
  ValueId q = b.input({queries, d}), k = b.input({keys, d});
  ValueId v = b.input({keys, d});
  ValueId s = b.scale(b.op(Opcode::Matmul, {q, b.transpose(k)}), scale);
  if (isCausal)
    s = b.op(Opcode::CausalMask, {s});
  b.output(b.op(Opcode::Matmul, {addSafeSoftmax(b, s), v}));
  return graph;
}

/// Rows as tiles of one kernel.
static Graph tiledSoftmax(int64_t m, int64_t n, int64_t tileM) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {ceilDiv(m, tileM)};
  ValueId x = b.input({tileM, n});
  tiles.tileInputs = {{{0}, kReplicated}};
  b.output(addSafeSoftmax(b, x));
  tiles.tileOutputs = {{{0}}};
  return wrap(tiles, {{m, n}}, {{m, n}});
}

/// softmax of what a few operations make of two matrices.
static Graph softmaxOfScores(RandomStream &random) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({3, 4}), y = b.input({4, 5}), z = b.input({3, 5});
  ValueId scores = b.op(Opcode::Matmul, {x, y});
  static const Opcode kArithmetic[] = {Opcode::Add, Opcode::Sub,
                                       Opcode::Maximum};
  scores = b.op(kArithmetic[random.uniform(3)], {scores, z});
  if (random.uniform(2))
    scores = b.op(Opcode::Add, {scores, b.reduce(Opcode::Mean, z, 1)});
  static const double kFactors[] = {0.5, 2, -1};
  scores = b.scale(scores, kFactors[random.uniform(3)]);
  ValueId weights = addSafeSoftmax(b, scores);
  b.output(random.uniform(2) ? weights : b.op(Opcode::Mul, {weights, z}));
  return graph;
}

std::vector<StableProgram> mlir::mirage::test::listStablePrograms() {
  std::vector<StableProgram> programs;
  auto add = [&](llvm::StringRef name, const Graph &program,
                 const Graph &graph) {
    programs.push_back({name.str(), program, graph});
  };
  auto addItself = [&](llvm::StringRef name, const Graph &program) {
    add(name, program, program);
  };
  for (const ExamplePair &pair : readExamplePairs())
    for (llvm::StringRef name :
         {"safe_attention", "flash_attention", "softmax-"})
      if (llvm::StringRef(pair.name).contains(name))
        add(pair.name, pair.program, pair.example);
  addItself("softmax", softmax(2, 3, true));
  addItself("softmax", softmax(5, 8, true));
  addItself("attention", attention(2, 5, 3, true));
  addItself("attention", attention(4, 6, 2, true));
  addItself("scaled softmax", biasedSoftmax(3, 5, 0.5, false));
  addItself("causal softmax", biasedSoftmax(5, 5, 2, true));
  addItself("scaled attention", scaledAttention(3, 5, 4, 0.25, false));
  addItself("causal attention", scaledAttention(4, 4, 2, 0.5, true));
  add("tiled softmax", softmax(5, 3, true), tiledSoftmax(5, 3, 2));
  add("tiled softmax", softmax(4, 6, true), tiledSoftmax(4, 6, 2));
  add("online attention", attention(2, 6, 3, true),
      attentionOnline(2, 6, 3, 2));
  add("online attention", attention(3, 8, 2, true),
      attentionOnline(3, 8, 2, 2, 2));
  RandomStream random(hashToSeed("scores"));
  for (unsigned i = 0; i < 8; ++i)
    addItself("softmax of scores", softmaxOfScores(random));
  return programs;
}
