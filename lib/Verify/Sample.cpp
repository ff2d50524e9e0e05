//===- Sample.cpp - Some elements of a graph's outputs --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "TileCopies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::mirage;
using llvm::ArrayRef;

llvm::SmallVector<ReshapeGroup, 4>
mlir::mirage::groupReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  llvm::SmallVector<ReshapeGroup, 4> groups;
  unsigned i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ReshapeGroup group{i, i, j, j};
    // Sizes of 1 that are left over are a group of their own.
    int64_t left = i < from.size() ? from[i++] : 1;
    int64_t right = j < to.size() ? to[j++] : 1;
    while (left != right)
      left < right ? left *= from[i++] : right *= to[j++];
    group.fromEnd = i;
    group.toEnd = j;
    groups.push_back(group);
  }
  return groups;
}

/// What elements of a reshape's result are in its operand, along the dimensions
/// of one group.
static Region reshapeBack(ArrayRef<IndexSet> result, ArrayRef<int64_t> to,
                          ArrayRef<int64_t> from) {
  // More than these are not listed.
  constexpr double kMaxListed = 1 << 20;
  double count = 1;
  for (const IndexSet &set : result)
    count *= double(set.size());
  if (count > kMaxListed || isWhole(result, to))
    return makeWholeRegion(from);
  std::vector<std::vector<int64_t>> indices(from.size());
  Strides strides = getRowMajorStrides(to);
  forEachIndex(getShape(result), [&](ArrayRef<int64_t> places) {
    int64_t number = 0;
    for (auto [dim, place] : llvm::enumerate(places))
      number += result[dim][place] * strides[dim];
    for (size_t dim = from.size(); dim-- > 0; number /= from[dim])
      indices[dim].push_back(number % from[dim]);
  });
  Region region;
  for (const std::vector<int64_t> &along : indices)
    region.push_back(IndexSet::fromIndices(along));
  return region;
}

namespace {
/// Walks a graph from its outputs to its inputs.
class SampleFinder {
public:
  SampleFinder(const Graph &graph, ArrayRef<Region> outputs) : graph(graph) {
    sample.outputs.assign(outputs.begin(), outputs.end());
    sample.regions.resize(graph.getNumValues());
    sample.operations.resize(graph.getNodes().size());
  }

  Sample run() {
    for (auto [value, region] :
         llvm::zip_equal(graph.getOutputs(), sample.outputs))
      need(value, region);
    for (size_t number = graph.getNodes().size(); number-- > 0;)
      visit(graph.getNodes()[number], sample.operations[number]);
    return std::move(sample);
  }

private:
  void need(ValueId value, const Region &region) {
    Region &kept = sample.regions[value];
    if (!region.empty())
      kept = kept.empty() ? region : join(kept, region);
  }

  void visit(const Node &node, Sample::Operation &operation) {
    operation.isNeeded = llvm::any_of(node.results, [&](ValueId result) {
      return !sample.regions[result].empty();
    });
    if (!operation.isNeeded)
      return;
    if (node.body)
      visitTiles(node, operation);
    else
      for (unsigned operand = 0; operand < node.operands.size(); ++operand)
        operation.operands.push_back(
            findRead(node, operand, sample.regions[node.results[0]]));
    for (auto [value, region] :
         llvm::zip_equal(node.operands, operation.operands))
      need(value, region);
  }

  void visitTiles(const Node &node, Sample::Operation &operation) {
    const TileGraph &tiles = *node.body;
    llvm::SmallVector<Region> results;
    for (ValueId result : node.results)
      results.push_back(sample.regions[result]);
    operation.blocks = BlockSet(tiles, results);
    for (auto [number, result] : llvm::enumerate(node.results))
      if (!results[number].empty())
        sample.regions[result] =
            operation.blocks.getWritten(tiles, number, getShape(result));
    for (auto [number, operand] : llvm::enumerate(node.operands))
      operation.operands.push_back(
          operation.blocks.getRead(tiles, number, getShape(operand)));
  }

  Region findRead(const Node &node, unsigned operand,
                  const Region &result) const {
    const Shape &shape = getShape(node.operands[operand]);
    switch (getOperatorInfo(node.opcode).kind) {
    case OperatorKind::Elementwise:
      return shrink(result, shape);
    case OperatorKind::Reduction:
      return withWhole(result, node.attributes.dims, shape);
    case OperatorKind::Contraction:
      return findFactor(result, operand, shape);
    case OperatorKind::Movement:
      return findMoved(node, operand, result);
    default:
      return makeWholeRegion(shape);
    }
  }

  /// Of an operand that is stretched to the result's shape.
  static Region shrink(const Region &result, ArrayRef<int64_t> shape) {
    Region region(ArrayRef(result).take_back(shape.size()));
    for (auto [dim, size] : llvm::enumerate(shape))
      if (size == 1)
        region[dim] = IndexSet::all(1);
    return region;
  }

  static Region withWhole(Region region, ArrayRef<int64_t> dims,
                          ArrayRef<int64_t> shape) {
    for (int64_t dim : dims)
      region[dim] = IndexSet::all(shape[dim]);
    return region;
  }

  /// Rows of the left factor or columns of the right one.
  static Region findFactor(const Region &result, unsigned operand,
                           ArrayRef<int64_t> shape) {
    int64_t contracted = operand == 0 ? shape.size() - 1 : shape.size() - 2;
    int64_t kept = operand == 0 ? shape.size() - 2 : shape.size() - 1;
    Region region = withWhole(shrink(result, shape), {contracted}, shape);
    region[kept] = result[result.size() - shape.size() + kept];
    return region;
  }

  Region findMoved(const Node &node, unsigned operand,
                   const Region &result) const {
    const Attributes &attributes = node.attributes;
    const Shape &shape = getShape(node.operands[operand]);
    switch (node.opcode) {
    case Opcode::Transpose: {
      Region region(shape.size());
      for (auto [dim, from] : llvm::enumerate(attributes.dims))
        region[from] = result[dim];
      return region;
    }
    case Opcode::Broadcast:
      return shrink(result, shape);
    case Opcode::Cast:
    case Opcode::CausalMask:
      return result;
    case Opcode::Slice:
      return findSliced(attributes, result);
    case Opcode::Concat:
      return findPart(node, operand, result);
    case Opcode::Reshape:
      return findReshaped(node, result);
    default:
      return makeWholeRegion(shape);
    }
  }

  static Region findSliced(const Attributes &attributes, const Region &result) {
    Region region;
    for (auto [set, offset, stride] :
         llvm::zip_equal(result, attributes.offsets, attributes.strides)) {
      std::vector<IndexSet::Range> ranges;
      for (const IndexSet::Run &run : set.runs())
        if (stride == 1)
          ranges.emplace_back(offset + run.begin, offset + run.end);
        else
          for (int64_t index = run.begin; index < run.end; ++index)
            ranges.emplace_back(offset + index * stride,
                                offset + index * stride + 1);
      region.push_back(IndexSet::fromRanges(std::move(ranges)));
    }
    return region;
  }

  /// Of one operand of a concat.
  Region findPart(const Node &node, unsigned operand,
                  const Region &result) const {
    int64_t dim = node.attributes.dims[0], start = 0;
    for (ValueId before : ArrayRef(node.operands).take_front(operand))
      start += getShape(before)[dim];
    int64_t size = getShape(node.operands[operand])[dim];
    std::vector<IndexSet::Range> ranges;
    for (const IndexSet::Run &run : result[dim].runs())
      ranges.emplace_back(std::clamp<int64_t>(run.begin - start, 0, size),
                          std::clamp<int64_t>(run.end - start, 0, size));
    Region region = result;
    region[dim] = IndexSet::fromRanges(std::move(ranges));
    return region[dim].empty() ? Region() : region;
  }

  Region findReshaped(const Node &node, const Region &result) const {
    ArrayRef<int64_t> from = getShape(node.operands[0]);
    ArrayRef<int64_t> to = getShape(node.results[0]);
    Region region;
    for (auto [fromBegin, fromEnd, toBegin, toEnd] : groupReshape(from, to))
      llvm::append_range(
          region, reshapeBack(ArrayRef(result).slice(toBegin, toEnd - toBegin),
                              to.slice(toBegin, toEnd - toBegin),
                              from.slice(fromBegin, fromEnd - fromBegin)));
    return region;
  }

  const Shape &getShape(ValueId value) const {
    return graph.getType(value).shape;
  }

  const Graph &graph;
  Sample sample;
};
} // namespace

Region mlir::mirage::makeRegionOf(ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> elements) {
  std::vector<std::vector<int64_t>> indices(shape.size());
  for (int64_t element : elements)
    for (size_t dim = shape.size(); dim-- > 0; element /= shape[dim])
      indices[dim].push_back(element % shape[dim]);
  return llvm::map_to_vector<4>(
      indices, [](const auto &along) { return IndexSet::fromIndices(along); });
}

std::vector<int64_t> mlir::mirage::listElements(ArrayRef<int64_t> shape,
                                                const Region &region) {
  std::vector<int64_t> elements;
  Strides strides = getRowMajorStrides(shape);
  forEachIndex(getShape(region), [&](ArrayRef<int64_t> places) {
    elements.push_back(0);
    for (auto [set, place, stride] : llvm::zip_equal(region, places, strides))
      elements.back() += set[place] * stride;
  });
  return elements;
}

Sample mlir::mirage::findSample(const Graph &graph, ArrayRef<Region> outputs) {
  return SampleFinder(graph, outputs).run();
}

llvm::SmallVector<TensorSpec> Sample::getReadTypes(const Graph &graph,
                                                   unsigned operation) const {
  const Node &node = graph.getNodes()[operation];
  llvm::SmallVector<TensorSpec> types;
  for (auto [value, region] :
       llvm::zip_equal(node.operands, operations[operation].operands))
    if (!region.empty())
      types.push_back({getShape(region), graph.getType(value).element});
  return types;
}

TensorSpec Sample::getKeptType(const Graph &graph, ValueId value) const {
  return {getShape(regions[value]), graph.getType(value).element};
}

/// Of one operation, of operands and a result of these types.
static double countOperation(const Node &node, ArrayRef<TensorSpec> operands,
                             const TensorSpec &result) {
  double flops =
      double(countFlops(node.opcode, node.attributes, operands, result));
  bool isProduct =
      getOperatorInfo(node.opcode).kind == OperatorKind::Contraction;
  constexpr double kOfOthers = 8;
  return isProduct ? flops / 2 : kOfOthers * flops;
}

static double countTiles(const TileGraph &tiles, double numBlocks) {
  return countWork(tiles) * numBlocks * double(tiles.loop);
}

double mlir::mirage::countWork(const Graph &graph) {
  double work = 0;
  for (const Node &node : graph.getNodes())
    work += node.body ? countTiles(*node.body, node.body->getNumBlocks())
                      : countOperation(node, graph.getTypes(node.operands),
                                       graph.getType(node.results[0]));
  return work;
}

double mlir::mirage::countWork(const Graph &graph, const Sample &sample) {
  double work = 0;
  for (auto [number, node] : llvm::enumerate(graph.getNodes())) {
    const Sample::Operation &operation = sample.operations[number];
    if (!operation.isNeeded)
      continue;
    work += node.body
                ? countTiles(*node.body, operation.blocks.size())
                : countOperation(node, sample.getReadTypes(graph, number),
                                 sample.getKeptType(graph, node.results[0]));
  }
  return work;
}
