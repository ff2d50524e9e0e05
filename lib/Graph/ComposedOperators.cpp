//===- ComposedOperators.cpp - Operators made of others -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/ComposedOperators.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;

namespace {
/// Appends operators whose types follow from their operands'. The first that
/// cannot be is what `finish` complains of; what comes after it is not built.
class DefinitionBuilder {
public:
  explicit DefinitionBuilder(llvm::ArrayRef<TensorSpec> operands) {
    for (const TensorSpec &operand : operands)
      graph.addInput(operand);
  }

  ValueId add(Opcode opcode, llvm::ArrayRef<ValueId> operands,
              Attributes attributes = {}, const Shape &shape = {}) {
    if (!problem.empty())
      return 0;
    llvm::SmallVector<TensorSpec> types = graph.getTypes(operands);
    llvm::Expected<Shape> inferred =
        inferShape(opcode, attributes, types, shape);
    if (!inferred) {
      problem = llvm::toString(inferred.takeError());
      return 0;
    }
    return graph.add(opcode, operands,
                     {*inferred, inferTileElement(opcode, types)},
                     std::move(attributes));
  }

  ValueId reduce(Opcode opcode, ValueId operand, llvm::ArrayRef<int64_t> dims) {
    Attributes attributes;
    attributes.dims.assign(dims.begin(), dims.end());
    return add(opcode, {operand}, std::move(attributes));
  }

  /// sqrt(x + epsilon).
  ValueId addRoot(ValueId operand, double epsilon) {
    expect(epsilon >= 0,
           "expects an epsilon of at least 0, got " + std::to_string(epsilon));
    if (epsilon == 0)
      return add(Opcode::Sqrt, {operand});
    Attributes attributes;
    attributes.scalars = {epsilon};
    return add(Opcode::Sqrt, {add(Opcode::Offset, {operand}, attributes)});
  }

  /// An operator of `value` and an operand that broadcasts to it.
  ValueId addAffine(Opcode opcode, ValueId value, ValueId operand) {
    const TensorSpec &whole = graph.getType(value),
                     &part = graph.getType(operand);
    std::optional<Shape> joined = broadcastShapes(whole.shape, part.shape);
    expect(joined && *joined == whole.shape,
           "expects a weight and a bias that broadcast to " +
               toString(whole.shape) + ", got " + toString(part.shape));
    return add(opcode, {value, operand});
  }

  void expect(bool condition, const std::string &message) {
    if (!condition && problem.empty())
      problem = message;
  }

  const Shape &getShape(ValueId value) const {
    return graph.getType(value).shape;
  }
  unsigned getNumOperands() const { return graph.getNumInputs(); }

  llvm::Expected<Graph> finish(ValueId output, ElementType element) {
    if (!problem.empty())
      return llvm::createStringError(problem);
    graph.setType(output, {getShape(output), element});
    graph.addOutput(output);
    return std::move(graph);
  }

private:
  Graph graph;
  std::string problem;
};
} // namespace

/// The second operand is a weight, the third a bias.
static ValueId addWeightAndBias(DefinitionBuilder &builder, ValueId value) {
  if (builder.getNumOperands() > 1)
    value = builder.addAffine(Opcode::Mul, value, 1);
  if (builder.getNumOperands() > 2)
    value = builder.addAffine(Opcode::Add, value, 2);
  return value;
}

static ValueId defineRmsNorm(DefinitionBuilder &builder,
                             const Attributes &attributes) {
  ValueId square = builder.add(Opcode::Square, {0});
  ValueId mean = builder.reduce(Opcode::Mean, square, attributes.dims);
  ValueId root = builder.addRoot(mean, attributes.scalars[0]);
  return addWeightAndBias(builder, builder.add(Opcode::Div, {0, root}));
}

static ValueId defineLayerNorm(DefinitionBuilder &builder,
                               const Attributes &attributes) {
  ValueId mean = builder.reduce(Opcode::Mean, 0, attributes.dims);
  ValueId centred = builder.add(Opcode::Sub, {0, mean});
  ValueId square = builder.add(Opcode::Square, {centred});
  ValueId variance = builder.reduce(Opcode::Mean, square, attributes.dims);
  ValueId root = builder.addRoot(variance, attributes.scalars[0]);
  return addWeightAndBias(builder, builder.add(Opcode::Div, {centred, root}));
}

static ValueId defineL2Norm(DefinitionBuilder &builder,
                            const Attributes &attributes) {
  ValueId square = builder.add(Opcode::Square, {0});
  ValueId sum = builder.reduce(Opcode::Sum, square, attributes.dims);
  ValueId root = builder.addRoot(sum, attributes.scalars[0]);
  return builder.add(Opcode::Div, {0, root});
}

static ValueId defineSoftmax(DefinitionBuilder &builder,
                             const Attributes &attributes) {
  ValueId largest = builder.reduce(Opcode::Max, 0, attributes.dims);
  ValueId shifted = builder.add(Opcode::Sub, {0, largest});
  ValueId power = builder.add(Opcode::Exp, {shifted});
  ValueId sum = builder.reduce(Opcode::Sum, power, attributes.dims);
  return builder.add(Opcode::Div, {power, sum});
}

/// A dimension of size s that is repeated t times is [t, s] seen as one.
static ValueId defineRepeat(DefinitionBuilder &builder, const Shape &result) {
  const Shape operand = builder.getShape(0);
  bool isRepeated =
      operand.size() == result.size() &&
      llvm::all_of(llvm::zip_equal(operand, result), [](auto sizes) {
        return std::get<1>(sizes) % std::get<0>(sizes) == 0;
      });
  builder.expect(
      isRepeated,
      "expects a result whose sizes are multiples of the operand's, " +
          toString(operand) + ", got " + toString(result));
  if (!isRepeated)
    return 0;
  Shape once, often;
  for (auto [size, all] : llvm::zip_equal(operand, result)) {
    once.append({1, size});
    often.append({all / size, size});
  }
  ValueId split = builder.add(Opcode::Reshape, {0}, {}, once);
  ValueId stretched = builder.add(Opcode::Broadcast, {split}, {}, often);
  return builder.add(Opcode::Reshape, {stretched}, {}, result);
}

llvm::Expected<Graph>
mlir::mirage::defineComposed(Opcode opcode, const Attributes &attributes,
                             llvm::ArrayRef<TensorSpec> operands,
                             const TensorSpec &result) {
  assert(isComposed(opcode) && "other operators have no definition in others");
  DefinitionBuilder builder(operands);
  auto define = [&] {
    switch (opcode) {
    case Opcode::RmsNorm:
      return defineRmsNorm(builder, attributes);
    case Opcode::LayerNorm:
      return defineLayerNorm(builder, attributes);
    case Opcode::L2Norm:
      return defineL2Norm(builder, attributes);
    case Opcode::Softmax:
      return defineSoftmax(builder, attributes);
    default:
      assert(opcode == Opcode::Repeat && "a composed operator without a graph");
      return defineRepeat(builder, result.shape);
    }
  };
  ValueId output = define();
  return builder.finish(output, result.element);
}

Graph mlir::mirage::expandComposed(const Graph &graph) {
  Graph result;
  result.f32Products = graph.f32Products;
  llvm::SmallVector<ValueId> mapped;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    mapped.push_back(
        result.addInput(graph.getType(input), graph.getInputName(input)));
  for (const Node &node : graph.getNodes()) {
    llvm::SmallVector<ValueId> operands = llvm::map_to_vector(
        node.operands, [&](ValueId operand) { return mapped[operand]; });
    llvm::SmallVector<TensorSpec> types = graph.getTypes(node.results);
    if (isComposed(node.opcode)) {
      Graph definition = llvm::cantFail(
          defineComposed(node.opcode, node.attributes,
                         graph.getTypes(node.operands), types[0]),
          "a verified operation has a definition");
      mapped.push_back(inlineGraph(definition, operands, result)[0]);
      continue;
    }
    ValueId first = result.addCopy(node, operands, types);
    for (unsigned i = 0; i < node.results.size(); ++i)
      mapped.push_back(first + i);
  }
  for (ValueId output : graph.getOutputs())
    result.addOutput(mapped[output]);
  return result;
}
