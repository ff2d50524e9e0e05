//===- CountedPrograms.h - Programs whose structures are counted *- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small sizes: a structure has none.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_SEARCH_COUNTEDPROGRAMS_H
#define MIRAGE_TEST_UNIT_SEARCH_COUNTEDPROGRAMS_H

#include "Programs.h"

namespace mlir::mirage::test {

inline ValueId addSoftmax(ProgramBuilder &b, ValueId scores) {
  ValueId e = b.apply(Opcode::Exp, {scores});
  int64_t last = b.graph.getType(e).getRank() - 1;
  return b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, last)});
}

inline ValueId addGate(ProgramBuilder &b, ValueId x, ValueId w1, ValueId w2) {
  ValueId gate = b.apply(Opcode::Silu, {b.matmul(x, w1)});
  return b.apply(Opcode::Mul, {gate, b.matmul(x, w2)});
}

/// softmax(clamp(Q·K))·V.
inline Graph clampedAttention() {
  ProgramBuilder b;
  ValueId q = b.input({2, 8, 16}), k = b.input({2, 16, 64});
  ValueId v = b.input({2, 64, 16});
  Attributes clamp;
  clamp.scalars = {-5, 5};
  ValueId scores = b.apply(Opcode::Clamp, {b.matmul(q, k)}, clamp);
  return b.finish({b.matmul(addSoftmax(b, scores), v)});
}

/// softmax(Q·K)·V·W, of one head or summed over heads.
inline Graph attentionLinear(bool hasHeads) {
  auto withHeads = [&](std::initializer_list<int64_t> shape) {
    llvm::SmallVector<int64_t> all(shape);
    if (hasHeads)
      all.insert(all.begin(), 2);
    return all;
  };
  ProgramBuilder b;
  ValueId q = b.input(withHeads({8, 16})), k = b.input(withHeads({16, 64}));
  ValueId v = b.input(withHeads({64, 24})), w = b.input(withHeads({24, 40}));
  ValueId p = addSoftmax(b, b.matmul(q, k));
  ValueId y = b.matmul(b.matmul(p, v), w);
  return b.finish({hasHeads ? b.reduce(Opcode::Sum, y, 0) : y});
}

/// Attention of the rms norm of rms(X)·P, by heads.
inline Graph projectedAttention() {
  ProgramBuilder b;
  ValueId x = b.input({2, 8, 48}), p = b.input({2, 48, 16});
  ValueId k = b.input({2, 16, 64}), v = b.input({2, 64, 24});
  ValueId q = addRms(b, b.matmul(addRms(b, x), p));
  return b.finish({b.matmul(addSoftmax(b, b.matmul(q, k)), v)});
}

/// gate(X)·W.
inline Graph gatedMlpLinear() {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w1 = b.input({64, 48}), w2 = b.input({64, 48});
  ValueId down = b.input({48, 40});
  return b.finish({b.matmul(addGate(b, x, w1, w2), down)});
}

/// X + gate(rms(X))·W.
inline Graph residualMlp() {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w1 = b.input({64, 48}), w2 = b.input({64, 48});
  ValueId down = b.input({48, 64});
  ValueId y = b.matmul(addGate(b, addRms(b, x), w1, w2), down);
  return b.finish({b.apply(Opcode::Add, {x, y})});
}

/// Z + gate(rms(X))·W: the columns of Z have a name of their own.
inline Graph residualMlpOfAnother() {
  ProgramBuilder b;
  ValueId z = b.input({8, 40}), x = b.input({8, 64});
  ValueId w1 = b.input({64, 48}), w2 = b.input({64, 48});
  ValueId down = b.input({48, 40});
  ValueId y = b.matmul(addGate(b, addRms(b, x), w1, w2), down);
  return b.finish({b.apply(Opcode::Add, {z, y})});
}

/// X - rms(Y)·W, the root mean square written out.
inline Graph minusNormLinear() {
  ProgramBuilder b;
  ValueId x = b.input({8, 48}), y = b.input({8, 64}), w = b.input({64, 48});
  ValueId mean = b.reduce(Opcode::Mean, b.apply(Opcode::Square, {y}), 1);
  ValueId normed = b.apply(Opcode::Div, {y, b.apply(Opcode::Sqrt, {mean})});
  return b.finish({b.apply(Opcode::Sub, {x, b.matmul(normed, w)})});
}

/// (a·c - b·s)·K1 + (a·s + b·c)·K2: scores of what a rotary embedding turned.
inline Graph rotatedLinear() {
  ProgramBuilder b;
  ValueId left = b.input({8, 64}), right = b.input({8, 64});
  ValueId cosine = b.input({8, 64}), sine = b.input({8, 64});
  ValueId k1 = b.input({64, 48}), k2 = b.input({64, 48});
  auto multiply = [&](ValueId x, ValueId y) {
    return b.apply(Opcode::Mul, {x, y});
  };
  ValueId first =
      b.apply(Opcode::Sub, {multiply(left, cosine), multiply(right, sine)});
  ValueId second =
      b.apply(Opcode::Add, {multiply(left, sine), multiply(right, cosine)});
  return b.finish(
      {b.apply(Opcode::Add, {b.matmul(first, k1), b.matmul(second, k2)})});
}

/// softmax(X)·W, no maximum subtracted.
inline Graph plainSoftmaxLinear() {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w = b.input({64, 48});
  return b.finish({b.matmul(addSoftmax(b, x), w)});
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_SEARCH_COUNTEDPROGRAMS_H
