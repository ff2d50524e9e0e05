//===- Programs.h - Graphs that the verifier is tested with -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Tensor programs as a user writes them, and as block graphs that compute the
// same in one kernel. Tile sizes need not divide anything.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_PROGRAMS_H
#define MIRAGE_TEST_UNIT_VERIFY_PROGRAMS_H

#include "Mirage/Graph/Graph.h"

#include <vector>

namespace mlir::mirage::test {

inline TensorSpec tensor(Shape shape) { return {shape, ElementType::F32}; }
inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Adds operations whose shapes follow from the operator table.
class Builder {
public:
  explicit Builder(Graph &graph) : graph(graph) {}

  ValueId input(Shape shape) { return graph.addInput(tensor(shape)); }
  ValueId op(Opcode opcode, llvm::ArrayRef<ValueId> operands,
             Attributes attributes = {}) {
    llvm::SmallVector<TensorSpec> types = graph.getTypes(operands);
    Shape shape = llvm::cantFail(inferShape(opcode, attributes, types));
    return graph.add(opcode, operands, tensor(shape), attributes);
  }
  ValueId reduce(Opcode opcode, ValueId operand, int64_t dim) {
    Attributes attributes;
    attributes.dims = {dim};
    return op(opcode, {operand}, attributes);
  }
  ValueId scale(ValueId operand, double factor) {
    Attributes attributes;
    attributes.scalars = {factor};
    return op(Opcode::Scale, {operand}, attributes);
  }
  ValueId transpose(ValueId operand) {
    Attributes attributes;
    attributes.dims = {1, 0};
    return op(Opcode::Transpose, {operand}, attributes);
  }
  ValueId slice(ValueId operand, Shape shape, Attributes attributes) {
    return graph.add(Opcode::Slice, {operand}, tensor(shape), attributes);
  }
  ValueId accumulate(ValueId operand, Opcode reduction = Opcode::Sum,
                     Shape dims = {}, int64_t count = 0,
                     Axis axis = Axis::Loop) {
    Attributes attributes;
    attributes.reduction = reduction;
    attributes.dims = dims;
    attributes.count = count;
    attributes.axis = axis;
    return op(Opcode::Accumulate, {operand}, attributes);
  }
  ValueId rescaledSum(ValueId operand, ValueId by, Shape dims = {},
                      Axis axis = Axis::Loop) {
    Attributes attributes;
    attributes.dims = dims;
    attributes.axis = axis;
    return op(Opcode::Accumulate, {operand, by}, attributes);
  }
  void output(ValueId value) { graph.addOutput(value); }

private:
  Graph &graph;
};

/// One kernel that computes all of a program; masks are added.
inline Graph wrap(TileGraph tiles, llvm::ArrayRef<Shape> inputs,
                  llvm::ArrayRef<Shape> outputs) {
  Graph graph;
  llvm::SmallVector<ValueId> operands;
  llvm::SmallVector<TensorSpec> operandTypes, types;
  for (const Shape &shape : inputs) {
    operands.push_back(graph.addInput(tensor(shape)));
    operandTypes.push_back(tensor(shape));
  }
  for (const Shape &shape : outputs)
    types.push_back(tensor(shape));
  auto body = std::make_shared<TileGraph>(
      llvm::cantFail(maskPartialTiles(tiles, operandTypes)));
  ValueId first = graph.addGraph(operands, body, types);
  for (unsigned i = 0; i < outputs.size(); ++i)
    graph.addOutput(first + i);
  return graph;
}

/// X[m,k]/rms(X) · W[k,n].
inline Graph rmsLinear(int64_t m, int64_t k, int64_t n) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({m, k}), w = b.input({k, n});
  ValueId mean = b.reduce(Opcode::Mean, b.op(Opcode::Square, {x}), 1);
  ValueId normal = b.op(Opcode::Div, {x, b.op(Opcode::Sqrt, {mean})});
  b.output(b.op(Opcode::Matmul, {normal, w}));
  return graph;
}

inline Graph rmsLinearFused(int64_t m, int64_t k, int64_t n, int64_t tileK,
                            int64_t tileN) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {ceilDiv(n, tileN)};
  tiles.loop = ceilDiv(k, tileK);
  ValueId x = b.input({m, tileK}), w = b.input({tileK, tileN});
  tiles.tileInputs = {{{kReplicated}, 1}, {{1}, 0}};
  ValueId rms = b.accumulate(x, Opcode::Rms, {1}, k);
  ValueId sum = b.accumulate(b.op(Opcode::Matmul, {x, w}));
  b.output(b.op(Opcode::Div, {sum, rms}));
  tiles.tileOutputs = {{{1}}};
  return wrap(tiles, {{m, k}, {k, n}}, {{m, n}});
}

/// silu(X·W1) · (X·W2).
inline Graph gatedMlp(int64_t m, int64_t k, int64_t n) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({m, k}), w1 = b.input({k, n}), w2 = b.input({k, n});
  ValueId gate = b.op(Opcode::Silu, {b.op(Opcode::Matmul, {x, w1})});
  b.output(b.op(Opcode::Mul, {gate, b.op(Opcode::Matmul, {x, w2})}));
  return graph;
}

inline Graph gatedMlpFused(int64_t m, int64_t k, int64_t n, int64_t tileK,
                           int64_t tileN) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {ceilDiv(n, tileN)};
  tiles.loop = ceilDiv(k, tileK);
  ValueId x = b.input({m, tileK});
  ValueId w1 = b.input({tileK, tileN}), w2 = b.input({tileK, tileN});
  tiles.tileInputs = {{{kReplicated}, 1}, {{1}, 0}, {{1}, 0}};
  ValueId gate = b.accumulate(b.op(Opcode::Matmul, {x, w1}));
  ValueId up = b.accumulate(b.op(Opcode::Matmul, {x, w2}));
  b.output(b.op(Opcode::Mul, {b.op(Opcode::Silu, {gate}), up}));
  tiles.tileOutputs = {{{1}}};
  return wrap(tiles, {{m, k}, {k, n}, {k, n}}, {{m, n}});
}

/// exp(X)/Σexp(X) over rows; `safe` subtracts the maximum first.
/// Of the rows of x.
inline ValueId softmaxOf(Builder &b, ValueId x, bool safe) {
  if (safe)
    x = b.op(Opcode::Sub, {x, b.reduce(Opcode::Max, x, 1)});
  ValueId e = b.op(Opcode::Exp, {x});
  return b.op(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 1)});
}

inline Graph softmax(int64_t m, int64_t n, bool safe) {
  Graph graph;
  Builder b(graph);
  b.output(softmaxOf(b, b.input({m, n}), safe));
  return graph;
}

/// Softmax of x·y, or of (x + max x)·y: equal, and not by laws of terms, with
/// maxima in the exponents that only one of the two has.
inline Graph softmaxOfProducts(int64_t m, int64_t n, bool isShifted) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({m, n}), y = b.input({m, 1});
  if (isShifted)
    x = b.op(Opcode::Add, {x, b.reduce(Opcode::Max, x, 1)});
  b.output(softmaxOf(b, b.op(Opcode::Mul, {x, y}), /*safe=*/false));
  return graph;
}

inline Graph softmaxFused(int64_t m, int64_t n, int64_t tileM) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {ceilDiv(m, tileM)};
  ValueId x = b.input({tileM, n});
  tiles.tileInputs = {{{0}, kReplicated}};
  ValueId e = b.op(Opcode::Exp, {x});
  b.output(b.op(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 1)}));
  tiles.tileOutputs = {{{0}}};
  return wrap(tiles, {{m, n}}, {{m, n}});
}

/// X·W + X·A·B.
inline Graph lora(int64_t m, int64_t k, int64_t n, int64_t r) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({m, k}), w = b.input({k, n});
  ValueId down = b.input({k, r}), up = b.input({r, n});
  ValueId low = b.op(Opcode::Matmul, {b.op(Opcode::Matmul, {x, down}), up});
  b.output(b.op(Opcode::Add, {b.op(Opcode::Matmul, {x, w}), low}));
  return graph;
}

inline Graph loraFused(int64_t m, int64_t k, int64_t n, int64_t r,
                       int64_t tileK, int64_t tileN) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {ceilDiv(n, tileN)};
  tiles.loop = ceilDiv(k, tileK);
  ValueId x = b.input({m, tileK}), w = b.input({tileK, tileN});
  ValueId down = b.input({tileK, r}), up = b.input({r, tileN});
  tiles.tileInputs = {
      {{kReplicated}, 1}, {{1}, 0}, {{kReplicated}, 0}, {{1}, kReplicated}};
  ValueId high = b.accumulate(b.op(Opcode::Matmul, {x, w}));
  ValueId low = b.accumulate(b.op(Opcode::Matmul, {x, down}));
  b.output(b.op(Opcode::Add, {high, b.op(Opcode::Matmul, {low, up})}));
  tiles.tileOutputs = {{{1}}};
  return wrap(tiles, {{m, k}, {k, n}, {k, r}, {r, n}}, {{m, n}});
}

/// softmax(Q·K^T)·V, K kept as [keys, d].
inline Graph attention(int64_t queries, int64_t keys, int64_t d, bool safe) {
  Graph graph;
  Builder b(graph);
  ValueId q = b.input({queries, d}), k = b.input({keys, d});
  ValueId v = b.input({keys, d});
  ValueId s = b.op(Opcode::Matmul, {q, b.transpose(k)});
  if (safe)
    s = b.op(Opcode::Sub, {s, b.reduce(Opcode::Max, s, 1)});
  ValueId e = b.op(Opcode::Exp, {s});
  ValueId p = b.op(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 1)});
  b.output(b.op(Opcode::Matmul, {p, v}));
  return graph;
}

/// The loop runs over keys; if `split`, blocks share the keys and meet in an
/// accumulation over the grid.
inline Graph attentionFused(int64_t queries, int64_t keys, int64_t d,
                            int64_t tileKeys, int64_t split = 1) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {split};
  tiles.loop = ceilDiv(keys, tileKeys * split);
  ValueId q = b.input({queries, d});
  ValueId k = b.input({tileKeys, d}), v = b.input({tileKeys, d});
  tiles.tileInputs = {{{kReplicated}, kReplicated}, {{0}, 0}, {{0}, 0}};
  ValueId e = b.op(Opcode::Exp, {b.op(Opcode::Matmul, {q, b.transpose(k)})});
  ValueId sum = b.accumulate(e, Opcode::Sum, {1});
  ValueId top = b.accumulate(b.op(Opcode::Matmul, {e, v}));
  if (split > 1) {
    sum = b.accumulate(sum, Opcode::Sum, {}, 0, Axis::X);
    top = b.accumulate(top, Opcode::Sum, {}, 0, Axis::X);
  }
  b.output(b.op(Opcode::Div, {top, sum}));
  tiles.tileOutputs = {{{kReplicated}}};
  return wrap(tiles, {{queries, d}, {keys, d}, {keys, d}}, {{queries, d}});
}

/// The same with online softmax: what a tile or block contributes is relative
/// to its own maximum.
inline Graph attentionOnline(int64_t queries, int64_t keys, int64_t d,
                             int64_t tileKeys, int64_t split = 1) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {split};
  tiles.loop = ceilDiv(keys, tileKeys * split);
  ValueId q = b.input({queries, d});
  ValueId k = b.input({tileKeys, d}), v = b.input({tileKeys, d});
  tiles.tileInputs = {{{kReplicated}, kReplicated}, {{0}, 0}, {{0}, 0}};
  ValueId s = b.op(Opcode::Matmul, {q, b.transpose(k)});
  ValueId m = b.reduce(Opcode::Max, s, 1);
  ValueId e = b.op(Opcode::Exp, {b.op(Opcode::Sub, {s, m})});
  ValueId sum = b.rescaledSum(e, m, {1});
  ValueId top = b.rescaledSum(b.op(Opcode::Matmul, {e, v}), m);
  if (split > 1) {
    ValueId largest = b.accumulate(m, Opcode::Max);
    sum = b.rescaledSum(sum, largest, {}, Axis::X);
    top = b.rescaledSum(top, largest, {}, Axis::X);
  }
  b.output(b.op(Opcode::Div, {top, sum}));
  tiles.tileOutputs = {{{kReplicated}}};
  return wrap(tiles, {{queries, d}, {keys, d}, {keys, d}}, {{queries, d}});
}

/// normalise(Q)·normalise(K)^T through exp and V: roots inside exponents.
inline Graph qkNorm(int64_t queries, int64_t keys, int64_t d) {
  Graph graph;
  Builder b(graph);
  ValueId q = b.input({queries, d}), k = b.input({keys, d});
  ValueId v = b.input({keys, d});
  auto normalise = [&](ValueId x) {
    return b.op(Opcode::Div, {x, b.reduce(Opcode::Rms, x, 1)});
  };
  ValueId s = b.op(Opcode::Matmul, {normalise(q), b.transpose(normalise(k))});
  ValueId e = b.op(Opcode::Exp, {s});
  ValueId p = b.op(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 1)});
  b.output(b.op(Opcode::Matmul, {p, v}));
  return graph;
}

/// The same with the norms divided out after the product of scores.
inline Graph qkNormLate(int64_t queries, int64_t keys, int64_t d) {
  Graph graph;
  Builder b(graph);
  ValueId q = b.input({queries, d}), k = b.input({keys, d});
  ValueId v = b.input({keys, d});
  ValueId s = b.op(Opcode::Matmul, {q, b.transpose(k)});
  s = b.op(Opcode::Div, {s, b.reduce(Opcode::Rms, q, 1)});
  s = b.op(Opcode::Div, {s, b.transpose(b.reduce(Opcode::Rms, k, 1))});
  ValueId e = b.op(Opcode::Exp, {s});
  ValueId top = b.op(Opcode::Matmul, {e, v});
  b.output(b.op(Opcode::Div, {top, b.reduce(Opcode::Sum, e, 1)}));
  return graph;
}

/// A program, and kernels that compute it.
struct FusedProgram {
  const char *name;
  Graph plain, fused;
};
/// With tiles that divide and tiles that do not.
inline std::vector<FusedProgram> listFusedPrograms() {
  return {
      {"rms_norm, linear", rmsLinear(2, 6, 4), rmsLinearFused(2, 6, 4, 3, 2)},
      {"rms_norm, linear", rmsLinear(3, 7, 5), rmsLinearFused(3, 7, 5, 3, 2)},
      {"gated MLP", gatedMlp(2, 6, 4), gatedMlpFused(2, 6, 4, 2, 2)},
      {"gated MLP", gatedMlp(3, 5, 7), gatedMlpFused(3, 5, 7, 2, 3)},
      {"softmax", softmax(4, 3, false), softmaxFused(4, 3, 2)},
      {"softmax", softmax(5, 3, false), softmaxFused(5, 3, 2)},
      {"LoRA", lora(2, 6, 4, 3), loraFused(2, 6, 4, 3, 2, 2)},
      {"LoRA", lora(3, 5, 7, 2), loraFused(3, 5, 7, 2, 2, 3)},
      {"attention", attention(2, 6, 3, false), attentionFused(2, 6, 3, 2)},
      {"attention", attention(2, 5, 3, false), attentionFused(2, 5, 3, 2)},
      {"attention", attention(2, 9, 3, false), attentionFused(2, 9, 3, 2, 2)},
      {"safe softmax", softmax(2, 3, true), softmax(2, 3, false)},
      {"safe attention", attention(2, 3, 2, true), attentionFused(2, 3, 2, 2)}};
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_PROGRAMS_H
