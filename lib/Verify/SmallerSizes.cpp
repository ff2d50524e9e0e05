//===- SmallerSizes.cpp - The same graphs with small dimensions -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/SmallerSizes.h"
#include "MaskOffsets.h"
#include "SizePlan.h"
#include "SplitPair.h"
#include "UsedFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <set>

using namespace mlir::mirage;

namespace {
/// Builds a graph again with the sizes of a plan.
class Rebuilder {
public:
  Rebuilder(const SizeNames &names, const SizePlan &plan)
      : names(names), plan(plan) {}

  /// Comes first.
  llvm::Error chooseMaskOffsets() {
    std::vector<MaskOffsets::Mask> masks;
    for (unsigned number = 0; number < names.getNumGraphs(); ++number)
      for (const Node &node : names.getGraph(number).getNodes())
        if (node.opcode == Opcode::CausalMask)
          masks.push_back(getMask(number, node));
    llvm::Expected<MaskOffsets> chosen = MaskOffsets::choose(std::move(masks));
    if (!chosen)
      return chosen.takeError();
    maskOffsets = std::move(*chosen);
    return llvm::Error::success();
  }

  llvm::Expected<Graph> rebuild(unsigned number) {
    Graph result;
    if (llvm::Error error = fill(number, result))
      return std::move(error);
    return result;
  }

  const MaskOffsets &getMaskOffsets() const { return maskOffsets; }

private:
  llvm::Error fill(unsigned number, Graph &result) {
    const Graph &graph = names.getGraph(number);
    auto getShape = [&](ValueId value) {
      Shape shape = graph.getType(value).shape;
      for (auto [dim, size] : llvm::enumerate(shape))
        size = plan.get(names.getName(number, value, dim));
      return shape;
    };
    auto getAttributes = [&](const Node &node) {
      return resizeAttributes(number, node);
    };
    auto getBody = [&](unsigned index) {
      return rebuildTiles(names.getNested(number, index),
                          *graph.getNodes()[index].body);
    };
    return resizeInto(graph, result, {getShape, getAttributes, getBody});
  }

  llvm::Expected<std::shared_ptr<const TileGraph>>
  rebuildTiles(unsigned number, const TileGraph &tiles) {
    auto result = std::make_shared<TileGraph>();
    result->level = tiles.level;
    result->threads = tiles.threads;
    result->tileInputs = tiles.tileInputs;
    result->tileOutputs = tiles.tileOutputs;
    for (int64_t extent : tiles.grid)
      result->grid.push_back(extent > 1 ? SizePlan::kExtent : 1);
    result->loop = tiles.loop > 1 ? SizePlan::kExtent : 1;
    if (llvm::Error error = fill(number, *result))
      return std::move(error);
    return result;
  }

  llvm::Expected<Attributes> resizeAttributes(unsigned number,
                                              const Node &node) {
    Attributes attributes = node.attributes;
    if (node.opcode == Opcode::Mask) {
      if (llvm::Error error = resizeExtent(number, node, attributes))
        return std::move(error);
      return attributes;
    }
    if (node.opcode == Opcode::CausalMask) {
      attributes.offset = maskOffsets.get(getMask(number, node));
      return attributes;
    }
    for (double &scalar : attributes.scalars)
      scalar = plan.getFactor(scalar);
    if (attributes.count)
      if (llvm::Error error = resizeCount(number, node, attributes))
        return std::move(error);
    return attributes;
  }

  llvm::Error resizeExtent(unsigned number, const Node &node,
                           Attributes &attributes) {
    int name = names.getName(number, node.operands[0], attributes.dims[0]);
    if (name != SizeNames::kNone)
      for (int whole : plan.getWholes(name))
        if (names.getSize(whole) == attributes.extent) {
          attributes.extent = plan.get(whole);
          return llvm::Error::success();
        }
    return llvm::createStringError(
        "a mask's extent of " + llvm::Twine(attributes.extent) +
        " is the size of no dimension that its tiles are cut out of");
  }

  WholeSizes getWholeSizes(unsigned number, ValueId value, unsigned dim) const {
    int name = names.getName(number, value, dim);
    if (name == SizeNames::kNone)
      return {{1, 1}};
    WholeSizes sizes;
    for (int whole : plan.getWholes(name))
      sizes.push_back({names.getSize(whole), plan.get(whole)});
    return sizes;
  }

  MaskOffsets::Mask getMask(unsigned number, const Node &node) const {
    ValueId operand = node.operands[0];
    unsigned columns = names.getGraph(number).getType(operand).shape.size() - 1;
    return {node.attributes.offset, getWholeSizes(number, operand, columns - 1),
            getWholeSizes(number, operand, columns)};
  }

  /// A count is the product of the sizes of what is averaged.
  llvm::Error resizeCount(unsigned number, const Node &node,
                          Attributes &attributes) {
    std::vector<std::pair<int64_t, int64_t>> products = {{1, 1}};
    for (int64_t dim : attributes.dims) {
      int name = names.getName(number, node.operands[0], dim);
      if (name == SizeNames::kNone)
        continue;
      std::vector<std::pair<int64_t, int64_t>> longer;
      for (auto [before, after] : products)
        for (int whole : plan.getWholes(name))
          longer.push_back(
              {before * names.getSize(whole), after * plan.get(whole)});
      products = std::move(longer);
    }
    if (int axis = node.opcode == Opcode::Accumulate
                       ? names.getAxis(number, attributes.axis)
                       : SizeNames::kNone;
        axis != SizeNames::kNone)
      for (size_t i = products.size(); i-- > 0;)
        products.push_back({products[i].first * names.getExtent(axis),
                            products[i].second * SizePlan::kExtent});
    for (auto [before, after] : products)
      if (before == attributes.count) {
        attributes.count = after;
        return llvm::Error::success();
      }
    return llvm::createStringError(
        "a count of " + llvm::Twine(attributes.count) +
        " is not the number of elements that are averaged");
  }

  const SizeNames &names;
  const SizePlan &plan;
  MaskOffsets maskOffsets;
};
} // namespace

/// Sizes that values depend on, and that tiles force to be one here, are not to
/// be told apart by a literal that stands for one of them.
static llvm::Error checkSizesOfLiterals(const std::set<double> &literals,
                                        const SizeNames &names,
                                        const SizePlan &plan) {
  std::set<int> counted;
  for (int name : names.findReduced())
    for (int whole : plan.getWholes(name))
      counted.insert(whole);
  for (double literal : literals)
    if (auto found = plan.match(literal))
      for (int name : counted)
        if (names.getSize(name) != names.getSize(found->first) &&
            plan.get(name) == plan.get(found->first))
          return llvm::createStringError(llvm::formatv(
              "a literal is a function of a dimension of {0}, which would be "
              "as large as one of {1}",
              names.getSize(found->first), names.getSize(name)));
  return llvm::Error::success();
}

/// What two different literals become must differ as well, or graphs that
/// differ in them would be one; also if both stand for one number, as bf16
/// rounds 4097 to 4096.
static llvm::Error checkLiterals(const std::set<double> &literals,
                                 const SizePlan &plan) {
  std::map<double, double> originals;
  for (double literal : literals) {
    auto [entry, isNew] =
        originals.try_emplace(plan.getFactor(literal), literal);
    if (!isNew)
      return llvm::createStringError(
          llvm::formatv("the literals {0} and {1} would be one, {2}",
                        entry->second, literal, entry->first));
  }
  return llvm::Error::success();
}

/// Elements of the largest value.
static uint64_t countMostElements(const SizeNames &names, const SizePlan &plan,
                                  unsigned number) {
  const Graph &graph = names.getGraph(number);
  uint64_t most = 0;
  for (ValueId value = 0; value < graph.getNumValues(); ++value) {
    uint64_t count = 1;
    for (unsigned dim = 0; dim < graph.getType(value).shape.size(); ++dim)
      count = llvm::SaturatingMultiply<uint64_t>(
          count, plan.get(names.getName(number, value, dim)));
    most = std::max(most, count);
  }
  return most;
}

/// Different sizes of very many dimensions make large tensors again. No value
/// depends on how many elements there are along a dimension that nothing is
/// reduced over, so that such dimensions may be alike.
static llvm::Expected<SizePlan> planSizes(const SizeNames &names, unsigned left,
                                          unsigned right,
                                          const std::set<double> &literals,
                                          int64_t ratio) {
  constexpr uint64_t kManyElements = 1 << 14;
  SizePlan plan(names, literals, ratio);
  if (llvm::Error error = plan.run())
    return std::move(error);
  if (std::max(countMostElements(names, plan, left),
               countMostElements(names, plan, right)) <= kManyElements)
    return plan;
  std::set<int> distinct, alike;
  for (int name : names.findReduced())
    for (int whole : plan.getWholes(name))
      distinct.insert(whole);
  for (int name = 0; name < static_cast<int>(names.getNumNames()); ++name)
    if (names.resolve(name) == name && !distinct.count(name))
      alike.insert(name);
  SizePlan smaller(names, literals, ratio, std::move(alike));
  if (llvm::Error error = smaller.run())
    return std::move(error);
  return smaller;
}

/// Of graphs whose reshapes keep dimensions whole.
static llvm::Expected<SmallerGraphs> shrink(const Graph &lhs, const Graph &rhs,
                                            int64_t ratio) {
  SizeNames names;
  llvm::Expected<unsigned> left = names.addGraph(lhs);
  if (!left)
    return left.takeError();
  llvm::Expected<unsigned> right = names.addGraph(rhs);
  if (!right)
    return right.takeError();
  names.unifyInterfaces(*left, *right);
  std::set<double> literals;
  for (const Graph *graph : {&lhs, &rhs})
    forEachLiteral(*graph, [&](double literal) { literals.insert(literal); });
  llvm::Expected<SizePlan> plan =
      planSizes(names, *left, *right, literals, ratio);
  if (!plan)
    return plan.takeError();
  if (llvm::Error error = checkLiterals(literals, *plan))
    return std::move(error);
  if (llvm::Error error = checkSizesOfLiterals(literals, names, *plan))
    return std::move(error);
  Rebuilder rebuilder(names, *plan);
  if (llvm::Error error = rebuilder.chooseMaskOffsets())
    return std::move(error);
  llvm::Expected<Graph> small = rebuilder.rebuild(*left);
  if (!small)
    return small.takeError();
  llvm::Expected<Graph> other = rebuilder.rebuild(*right);
  if (!other)
    return other.takeError();
  for (const Graph *graph : {&*small, &*other})
    if (llvm::Error error = verify(*graph))
      return std::move(error);
  SmallerGraphs result{std::move(*small), std::move(*other)};
  for (double literal : literals)
    if (double smaller = plan->getFactor(literal); smaller != literal)
      result.replaced.literals[literal] = smaller;
  result.replaced.maskOffsets = rebuilder.getMaskOffsets().getOthers();
  return result;
}

static bool hasCausalMask(const Graph &graph) {
  return llvm::any_of(graph.getNodes(), [](const Node &node) {
    return node.opcode == Opcode::CausalMask ||
           (node.body && hasCausalMask(*node.body));
  });
}

llvm::Expected<SmallerGraphs> mlir::mirage::withSmallerSizes(const Graph &lhs,
                                                             const Graph &rhs) {
  llvm::Expected<SplitPair> pair = SplitPair::make(lhs, rhs);
  if (!pair)
    return pair.takeError();
  // Offsets of masks have to be in between sizes, or are as small as what those
  // differ by.
  llvm::Expected<SmallerGraphs> small =
      shrink(pair->getLhs(), pair->getRhs(), /*ratio=*/2);
  for (int64_t ratio : {4, 1})
    if (!small && (hasCausalMask(lhs) || hasCausalMask(rhs))) {
      llvm::consumeError(small.takeError());
      small = shrink(pair->getLhs(), pair->getRhs(), ratio);
    }
  if (!small)
    return small;
  small->lhs = pair->joinDimensions(small->lhs);
  small->rhs = pair->joinDimensions(small->rhs);
  return small;
}
