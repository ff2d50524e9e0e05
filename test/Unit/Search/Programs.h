//===- Programs.h - Tensor programs that tests search -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_SEARCH_PROGRAMS_H
#define MIRAGE_TEST_UNIT_SEARCH_PROGRAMS_H

#include "Mirage/Search/Search.h"

namespace mlir::mirage::test {

/// Writes programs as formulas; shapes follow from the operator table.
class ProgramBuilder {
public:
  Graph graph;

  ValueId input(llvm::ArrayRef<int64_t> shape,
                ElementType element = ElementType::F16) {
    return graph.addInput({Shape(shape), element});
  }
  ValueId apply(Opcode opcode, llvm::ArrayRef<ValueId> operands,
                Attributes attributes = {},
                llvm::ArrayRef<int64_t> shape = {}) {
    llvm::SmallVector<TensorSpec> types = graph.getTypes(operands);
    Shape result = llvm::cantFail(inferShape(opcode, attributes, types, shape));
    return graph.add(opcode, operands,
                     {result, inferTileElement(opcode, types)}, attributes);
  }
  ValueId apply(Opcode opcode, llvm::ArrayRef<ValueId> operands,
                double scalar) {
    Attributes attributes;
    attributes.scalars = {scalar};
    return apply(opcode, operands, attributes);
  }
  ValueId reduce(Opcode opcode, ValueId operand, int64_t dim) {
    Attributes attributes;
    attributes.dims = {dim};
    return apply(opcode, {operand}, attributes);
  }
  ValueId transpose(ValueId operand, llvm::ArrayRef<int64_t> permutation) {
    Attributes attributes;
    attributes.dims.assign(permutation.begin(), permutation.end());
    return apply(Opcode::Transpose, {operand}, attributes);
  }
  ValueId matmul(ValueId lhs, ValueId rhs) {
    return apply(Opcode::Matmul, {lhs, rhs});
  }
  Graph finish(llvm::ArrayRef<ValueId> outputs) {
    for (ValueId output : outputs)
      graph.addOutput(output);
    llvm::cantFail(verify(graph));
    return graph;
  }
};

/// The same program with all tensors in f32, whose products may be taken in
/// tf32.
inline Graph inTF32(Graph graph) {
  for (ValueId value = 0; value < graph.getNumValues(); ++value)
    graph.setType(value, {graph.getType(value).shape, ElementType::F32});
  graph.f32Products = F32Products::TF32;
  return graph;
}

/// X / sqrt(mean(X²)) · W, nothing recognised beforehand.
inline Graph rmsNormLinear(int64_t m, int64_t k, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), w = b.input({k, n});
  ValueId mean = b.reduce(Opcode::Mean, b.apply(Opcode::Square, {x}), 1);
  ValueId normed = b.apply(Opcode::Div, {x, b.apply(Opcode::Sqrt, {mean})});
  return b.finish({b.matmul(normed, w)});
}

/// The same with rsqrt, an epsilon and a weight: x·rsqrt(mean(x²)+eps)·v·W.
inline Graph rmsNormWeightLinear(int64_t m, int64_t k, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), v = b.input({1, k}), w = b.input({k, n});
  ValueId mean = b.reduce(Opcode::Mean, b.apply(Opcode::Square, {x}), 1);
  ValueId root =
      b.apply(Opcode::Rsqrt, {b.apply(Opcode::Offset, {mean}, 1e-5)});
  ValueId normed = b.apply(Opcode::Mul, {b.apply(Opcode::Mul, {x, root}), v});
  return b.finish({b.matmul(normed, w)});
}

inline Graph gatedMlp(int64_t m, int64_t k, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), w1 = b.input({k, n}), w2 = b.input({k, n});
  ValueId gate = b.apply(Opcode::Silu, {b.matmul(x, w1)});
  return b.finish({b.apply(Opcode::Mul, {gate, b.matmul(x, w2)})});
}

/// silu written out: y / (1 + exp(-y)).
inline Graph gatedMlpSpelled(int64_t m, int64_t k, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), w1 = b.input({k, n}), w2 = b.input({k, n});
  ValueId y = b.matmul(x, w1);
  ValueId e = b.apply(Opcode::Exp, {b.apply(Opcode::Neg, {y})});
  ValueId gate = b.apply(Opcode::Div, {y, b.apply(Opcode::Offset, {e}, 1.0)});
  return b.finish({b.apply(Opcode::Mul, {gate, b.matmul(x, w2)})});
}

inline Graph expMatmul(int64_t m, int64_t k, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), w = b.input({k, n});
  return b.finish({b.apply(Opcode::Exp, {b.matmul(x, w)})});
}

/// exp(X) / Σ exp(X) over rows.
inline Graph softmaxRows(int64_t m, int64_t n) {
  ProgramBuilder b;
  ValueId e = b.apply(Opcode::Exp, {b.input({m, n})});
  return b.finish({b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 1)})});
}

/// X·W + X·A·B.
/// \param element  of x, W and A.
inline Graph lora(int64_t m, int64_t k, int64_t r, int64_t n,
                  ElementType element = ElementType::F16) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}, element), w = b.input({k, n}, element);
  ValueId a = b.input({k, r}, element), low = b.input({r, n});
  ValueId update = b.matmul(b.matmul(x, a), low);
  return b.finish({b.apply(Opcode::Add, {b.matmul(x, w), update})});
}

/// softmax(scale · Q·K)·V by heads, K as [heads, depth, keys], or as
/// [heads, keys, depth] and transposed; scale 1 is none.
inline Graph attention(int64_t heads, int64_t queries, int64_t keys,
                       int64_t depth, double scale = 1,
                       bool keysFirst = false) {
  ProgramBuilder b;
  ValueId q = b.input({heads, queries, depth});
  ValueId k =
      keysFirst ? b.input({heads, keys, depth}) : b.input({heads, depth, keys});
  ValueId v = b.input({heads, keys, depth});
  if (keysFirst)
    k = b.transpose(k, {0, 2, 1});
  ValueId scores = b.matmul(q, k);
  if (scale != 1)
    scores = b.apply(Opcode::Scale, {scores}, scale);
  ValueId e = b.apply(Opcode::Exp, {scores});
  ValueId p = b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 2)});
  return b.finish({b.matmul(p, v)});
}

/// As `attention`, with the maximum of each row subtracted from the scores.
inline Graph safeAttention(int64_t heads, int64_t queries, int64_t keys,
                           int64_t depth) {
  ProgramBuilder b;
  ValueId q = b.input({heads, queries, depth});
  ValueId k = b.input({heads, depth, keys}), v = b.input({heads, keys, depth});
  ValueId scores = b.matmul(q, k);
  ValueId shifted =
      b.apply(Opcode::Sub, {scores, b.reduce(Opcode::Max, scores, 2)});
  ValueId e = b.apply(Opcode::Exp, {shifted});
  ValueId p = b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 2)});
  return b.finish({b.matmul(p, v)});
}

/// rms over the last dimension, as an operator.
inline ValueId addRms(ProgramBuilder &b, ValueId x) {
  ValueId r = b.reduce(Opcode::Rms, x, b.graph.getType(x).getRank() - 1);
  return b.apply(Opcode::Div, {x, r});
}

/// Attention of which some of queries, keys and values are rms-normalised: 0, 1
/// and 2.
inline Graph normedAttention(int64_t heads, int64_t queries, int64_t keys,
                             int64_t depth, llvm::ArrayRef<unsigned> normed) {
  ProgramBuilder b;
  ValueId inputs[] = {b.input({heads, queries, depth}),
                      b.input({heads, keys, depth}),
                      b.input({heads, keys, depth})};
  for (unsigned input : normed)
    inputs[input] = addRms(b, inputs[input]);
  auto [q, k, v] = inputs;
  ValueId scores = b.matmul(q, b.transpose(k, {0, 2, 1}));
  ValueId e = b.apply(Opcode::Exp, {scores});
  ValueId p = b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 2)});
  return b.finish({b.matmul(p, v)});
}

inline Graph qkNormAttention(int64_t heads, int64_t queries, int64_t keys,
                             int64_t depth) {
  return normedAttention(heads, queries, keys, depth, {0, 1});
}

/// silu(rms(X)·W1) · (rms(X)·W2).
inline Graph rmsNormGatedMlp(int64_t m, int64_t k, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), w1 = b.input({k, n}), w2 = b.input({k, n});
  ValueId normed = addRms(b, x);
  ValueId gate = b.apply(Opcode::Silu, {b.matmul(normed, w1)});
  return b.finish({b.apply(Opcode::Mul, {gate, b.matmul(normed, w2)})});
}

inline ValueId repeatHeads(ProgramBuilder &b, ValueId x, int64_t times) {
  Shape shape = b.graph.getType(x).shape;
  Shape once = {shape[0], 1, shape[1], shape[2]};
  Shape often = {shape[0], times, shape[1], shape[2]};
  ValueId split = b.apply(Opcode::Reshape, {x}, {}, once);
  ValueId stretched = b.apply(Opcode::Broadcast, {split}, {}, often);
  return b.apply(Opcode::Reshape, {stretched}, {},
                 {shape[0] * times, shape[1], shape[2]});
}

/// Attention of `groups` heads of keys and values, which are repeated for
/// `times` as many of queries.
inline Graph repeatedAttention(int64_t groups, int64_t times, int64_t queries,
                               int64_t keys, int64_t depth) {
  ProgramBuilder b;
  ValueId q = b.input({groups * times, queries, depth});
  ValueId k = b.input({groups, keys, depth}),
          v = b.input({groups, keys, depth});
  ValueId scores =
      b.matmul(q, b.transpose(repeatHeads(b, k, times), {0, 2, 1}));
  ValueId e = b.apply(Opcode::Exp, {scores});
  ValueId p = b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 2)});
  return b.finish({b.matmul(p, repeatHeads(b, v, times))});
}

/// norm(X + alpha · (norm(H) + X)): a step of a normalised transformer.
inline Graph normalizedStep(int64_t m, int64_t k) {
  ProgramBuilder b;
  ValueId h = b.input({m, k}), x = b.input({m, k}), alpha = b.input({m, k});
  ValueId step = b.apply(Opcode::Add, {addRms(b, h), x});
  step = b.apply(Opcode::Add, {x, b.apply(Opcode::Mul, {alpha, step})});
  return b.finish({addRms(b, step)});
}

/// softmax(X) · W, with the maximum subtracted.
inline Graph softmaxLinear(int64_t m, int64_t k, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), w = b.input({k, n});
  ValueId shifted = b.apply(Opcode::Sub, {x, b.reduce(Opcode::Max, x, 1)});
  ValueId e = b.apply(Opcode::Exp, {shifted});
  ValueId p = b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 1)});
  return b.finish({b.matmul(p, w)});
}

/// Linear layers one after the other, each with relu and an rms_norm.
inline Graph normalizedLayers(int64_t m, int64_t k, unsigned numLayers) {
  ProgramBuilder b;
  ValueId x = b.input({m, k});
  llvm::SmallVector<ValueId> weights;
  for (unsigned layer = 0; layer < numLayers; ++layer)
    weights.push_back(b.input({k, k}));
  for (ValueId weight : weights) {
    ValueId y = b.matmul(x, weight);
    ValueId root =
        b.apply(Opcode::Sqrt,
                {b.reduce(Opcode::Mean, b.apply(Opcode::Square, {y}), 1)});
    x = b.apply(Opcode::Div, {b.apply(Opcode::Relu, {y}), root});
  }
  return b.finish({x});
}

/// softmax(mask(scale · Q·K))·V; the last row sees all keys. Without a maximum
/// subtracted, if it is not `isSafe`.
inline Graph causalAttention(int64_t heads, int64_t queries, int64_t keys,
                             int64_t depth, bool isSafe) {
  ProgramBuilder b;
  ValueId q = b.input({heads, queries, depth});
  ValueId k = b.input({heads, depth, keys}), v = b.input({heads, keys, depth});
  ValueId scores = b.apply(Opcode::Scale, {b.matmul(q, k)}, 0.25);
  Attributes mask;
  mask.offset = keys - queries;
  scores = b.apply(Opcode::CausalMask, {scores}, mask);
  if (isSafe)
    scores = b.apply(Opcode::Sub, {scores, b.reduce(Opcode::Max, scores, 2)});
  ValueId e = b.apply(Opcode::Exp, {scores});
  ValueId p = b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 2)});
  return b.finish({b.matmul(p, v)});
}

/// (x - mean x) / sqrt(variance x + epsilon) · W, with the square and the
/// quotient as one operator each, or as products.
inline Graph layerNormLinear(int64_t m, int64_t k, int64_t n, bool isSpelled) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), w = b.input({k, n});
  ValueId centred = b.apply(Opcode::Sub, {x, b.reduce(Opcode::Mean, x, 1)});
  ValueId square = isSpelled ? b.apply(Opcode::Mul, {centred, centred})
                             : b.apply(Opcode::Square, {centred});
  ValueId variance = b.reduce(Opcode::Mean, square, 1);
  ValueId shifted = b.apply(Opcode::Offset, {variance}, 1e-5);
  ValueId normed =
      isSpelled
          ? b.apply(Opcode::Mul, {centred, b.apply(Opcode::Rsqrt, {shifted})})
          : b.apply(Opcode::Div, {centred, b.apply(Opcode::Sqrt, {shifted})});
  return b.finish({b.matmul(normed, w)});
}

/// The same with a weight and a bias of the norm.
inline Graph affineLayerNormLinear(int64_t m, int64_t k, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), w = b.input({k, n});
  ValueId weight = b.input({1, k}), bias = b.input({1, k});
  ValueId centred = b.apply(Opcode::Sub, {x, b.reduce(Opcode::Mean, x, 1)});
  ValueId variance =
      b.reduce(Opcode::Mean, b.apply(Opcode::Square, {centred}), 1);
  ValueId deviation =
      b.apply(Opcode::Sqrt, {b.apply(Opcode::Offset, {variance}, 1e-5)});
  ValueId scaled = b.apply(
      Opcode::Mul, {b.apply(Opcode::Div, {centred, deviation}), weight});
  return b.finish({b.matmul(b.apply(Opcode::Add, {scaled, bias}), w)});
}

/// X·W and exp(X·W), both.
inline Graph twoOutputs(int64_t m, int64_t k, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), w = b.input({k, n});
  ValueId product = b.matmul(x, w);
  return b.finish({product, b.apply(Opcode::Exp, {product})});
}

/// Σₖ |a[m,k] - b[n,k]|: distances between all rows of two matrices.
inline Graph distances(int64_t m, int64_t n, int64_t k) {
  ProgramBuilder b;
  ValueId x = b.input({m, 1, k}), y = b.input({1, n, k});
  ValueId difference = b.apply(Opcode::Sub, {x, y});
  return b.finish(
      {b.reduce(Opcode::Sum, b.apply(Opcode::Abs, {difference}), 2)});
}

/// Σₖ exp(a[m,k]·b[n,k]): the product is of the program and cannot be avoided.
inline Graph sumOfExpProducts(int64_t m, int64_t n, int64_t k) {
  ProgramBuilder b;
  ValueId x = b.input({m, 1, k}), y = b.input({1, n, k});
  ValueId e = b.apply(Opcode::Exp, {b.apply(Opcode::Mul, {x, y})});
  return b.finish({b.reduce(Opcode::Sum, e, 2)});
}

/// max over rows, subtracted: X - max(X).
inline Graph subtractMaximum(int64_t m, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, n});
  return b.finish({b.apply(Opcode::Sub, {x, b.reduce(Opcode::Max, x, 1)})});
}

/// Why candidates fell out.
inline std::string describeMisses(const search::SearchResult &result) {
  std::string text;
  for (const search::NearMiss &miss : result.nearMisses)
    text += miss.structure + miss.why + "\n";
  return text;
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_SEARCH_PROGRAMS_H
