//===- SmallerSizes.cpp - The same graphs with small dimensions -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/SmallerSizes.h"
#include "MaskOffsets.h"
#include "Mirage/Graph/Literals.h"
#include "SizePlan.h"
#include "SplitPair.h"
#include "UsedFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

using namespace mlir::mirage;

/// Whether an operation divides by a number of elements.
static bool averages(const Node &node) {
  bool accumulates = node.opcode == Opcode::Accumulate;
  return getOperatorInfo(accumulates ? node.attributes.reduction : node.opcode)
      .averages();
}

namespace {
/// Builds a graph again with the sizes of a plan.
class Rebuilder {
public:
  Rebuilder(const SizeNames &names, const SizePlan &plan, SizeNumbers numbers)
      : names(names), plan(plan), numbers(numbers) {}

  /// Comes first.
  /// \param others  at other small sizes.
  llvm::Error chooseMaskOffsets(llvm::ArrayRef<MaskOffsets> others) {
    std::vector<MaskOffsets::Mask> masks;
    for (unsigned number = 0; number < names.getNumGraphs(); ++number)
      for (const Node &node : names.getGraph(number).getNodes())
        if (node.opcode == Opcode::CausalMask)
          masks.push_back(getMask(number, node));
    llvm::Expected<MaskOffsets> chosen =
        MaskOffsets::choose(std::move(masks), others);
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
    for (unsigned axis = 0; axis < tiles.grid.size(); ++axis)
      result->grid.push_back(getExtent(number, static_cast<Axis>(axis)));
    result->loop = getExtent(number, Axis::Loop);
    if (llvm::Error error = fill(number, *result))
      return std::move(error);
    return result;
  }

  int64_t getExtent(unsigned number, Axis axis) const {
    return plan.getExtent(names.getAxis(number, axis));
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
    if (numbers == SizeNumbers::Stay) {
      if (averages(node))
        attributes.count = countAveraged(number, node);
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

  /// What a mean divides by in the graph as it is.
  int64_t countAveraged(unsigned number, const Node &node) const {
    int axis = node.opcode == Opcode::Accumulate
                   ? names.getAxis(number, node.attributes.axis)
                   : SizeNames::kNone;
    return getAveragedCount(
        node.attributes, names.getGraph(number).getType(node.operands[0]).shape,
        axis == SizeNames::kNone ? 1 : names.getExtent(axis));
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
                            products[i].second * plan.getExtent(axis)});
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
  SizeNumbers numbers;
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

namespace {
/// Two graphs whose reshapes keep dimensions whole, with the names of their
/// dimensions.
class NamedPair {
public:
  llvm::Error add(const Graph &lhs, const Graph &rhs) {
    for (auto [graph, number] :
         {std::pair(&lhs, &left), std::pair(&rhs, &right)}) {
      llvm::Expected<unsigned> added = names.addGraph(*graph);
      if (!added)
        return added.takeError();
      *number = *added;
    }
    names.unifyInterfaces(left, right);
    return llvm::Error::success();
  }

  llvm::Expected<SizePlan> plan(const SizeRules &rules,
                                llvm::ArrayRef<SizePlan> others = {}) const;
  llvm::Expected<SizePlan> planOther(SizeRules rules,
                                     llvm::ArrayRef<SizePlan> others) const;
  llvm::Expected<SmallerGraphs>
  rebuild(const SizePlan &plan, const SizeRules &rules, SizeNumbers numbers,
          std::vector<MaskOffsets> &offsets) const;

private:
  uint64_t countMostElements(const SizePlan &plan, unsigned number) const;
  uint64_t countMostElements(const SizePlan &plan) const {
    return std::max(countMostElements(plan, left),
                    countMostElements(plan, right));
  }

  SizeNames names;
  unsigned left = 0, right = 0;
};
} // namespace

/// Elements of the largest value.
uint64_t NamedPair::countMostElements(const SizePlan &plan,
                                      unsigned number) const {
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
llvm::Expected<SizePlan>
NamedPair::plan(const SizeRules &rules, llvm::ArrayRef<SizePlan> others) const {
  constexpr uint64_t kManyElements = 1 << 14;
  SizePlan plan(names, rules);
  if (llvm::Error error = plan.run(others))
    return std::move(error);
  if (countMostElements(plan) <= kManyElements)
    return plan;
  std::set<int> distinct, alike;
  for (int name : names.findReduced())
    for (int whole : plan.getWholes(name))
      distinct.insert(whole);
  for (int name = 0; name < static_cast<int>(names.getNumNames()); ++name)
    if (names.resolve(name) == name && !distinct.count(name))
      alike.insert(name);
  SizePlan smaller(names, rules, std::move(alike));
  if (llvm::Error error = smaller.run(others))
    return std::move(error);
  return smaller;
}

/// Others than these, as different as they can be without graphs that are much
/// larger: extents of axes make sizes that are products of them.
llvm::Expected<SizePlan>
NamedPair::planOther(SizeRules rules, llvm::ArrayRef<SizePlan> others) const {
  constexpr uint64_t kFewElements = 1 << 12, kManyTimes = 16;
  rules.bit = others.size() - 1;
  llvm::Expected<SizePlan> small = plan(rules, others);
  uint64_t most = kFewElements;
  if (small)
    most = std::max(most, kManyTimes * countMostElements(*small));
  for (std::array<int64_t, 2> extents :
       {std::array<int64_t, 2>{4, 8}, {4, 2}, {2, 4}}) {
    rules.extents = extents;
    llvm::Expected<SizePlan> planned = plan(rules, others);
    if (planned && countMostElements(*planned) <= most) {
      llvm::consumeError(small.takeError());
      return planned;
    }
    if (!planned)
      llvm::consumeError(planned.takeError());
  }
  return small;
}

/// \param offsets  those at other sizes before, and then those here, too.
llvm::Expected<SmallerGraphs>
NamedPair::rebuild(const SizePlan &plan, const SizeRules &rules,
                   SizeNumbers numbers,
                   std::vector<MaskOffsets> &offsets) const {
  if (llvm::Error error = checkLiterals(rules.factors, plan))
    return std::move(error);
  if (llvm::Error error = checkSizesOfLiterals(rules.factors, names, plan))
    return std::move(error);
  Rebuilder rebuilder(names, plan, numbers);
  if (llvm::Error error = rebuilder.chooseMaskOffsets(offsets))
    return std::move(error);
  SmallerGraphs result;
  for (auto [number, graph] :
       {std::pair(left, &result.lhs), std::pair(right, &result.rhs)}) {
    llvm::Expected<Graph> small = rebuilder.rebuild(number);
    if (!small)
      return small.takeError();
    if (llvm::Error error = verify(*small))
      return std::move(error);
    *graph = std::move(*small);
  }
  for (double literal : rules.factors)
    if (double smaller = plan.getFactor(literal); smaller != literal)
      result.replaced.literals[literal] = smaller;
  offsets.push_back(rebuilder.getMaskOffsets());
  result.replaced.maskOffsets = offsets.back().getOthers();
  result.replaced.keepsNumbers = numbers == SizeNumbers::Stay;
  return result;
}

static void addCounts(const Graph &graph, std::set<double> &counts) {
  for (const Node &node : graph.getNodes())
    if (node.body)
      addCounts(*node.body, counts);
    else if (node.attributes.count)
      counts.insert(node.attributes.count);
}

/// Which numbers follow sizes, and which stay.
static SizeRules makeRules(const Graph &lhs, const Graph &rhs,
                           SizeNumbers numbers) {
  SizeRules rules;
  bool stay = numbers == SizeNumbers::Stay;
  std::set<double> &literals = stay ? rules.fixed : rules.factors;
  for (const Graph *graph : {&lhs, &rhs}) {
    forEachLiteral(
        *graph, [&](double literal) { literals.insert(literal); },
        LiteralsOf::OthersThanMasks);
    forEachLiteral(
        *graph, [&](double literal) { rules.fixed.insert(literal); },
        LiteralsOf::Masks);
    if (stay)
      addCounts(*graph, rules.fixed);
  }
  bool mayHide = mayHideDifferences(lhs) || mayHideDifferences(rhs);
  rules.avoidsNumbers = stay || mayHide;
  rules.mayRound = !mayHide;
  return rules;
}

/// Which sizes of a pair: the least, or all others.
enum class Sizes { Least, Others };

static llvm::Expected<std::vector<SmallerGraphs>>
shrink(const Graph &lhs, const Graph &rhs, const SizeRules &rules,
       SizeNumbers numbers, Sizes which) {
  NamedPair pair;
  if (llvm::Error error = pair.add(lhs, rhs))
    return std::move(error);
  llvm::Expected<SizePlan> least = pair.plan(rules);
  if (!least)
    return least.takeError();
  std::vector<MaskOffsets> offsets;
  std::vector<SmallerGraphs> all;
  auto add = [&](const SizePlan &plan) -> llvm::Error {
    auto small = pair.rebuild(plan, rules, numbers, offsets);
    if (!small)
      return small.takeError();
    all.push_back(std::move(*small));
    return llvm::Error::success();
  };
  if (llvm::Error error = add(*least))
    return std::move(error);
  if (which == Sizes::Least)
    return all;
  all.clear();
  // As many as tell any two extents of axes apart.
  unsigned wanted = llvm::Log2_32_Ceil(std::max(2u, least->getNumExtents()));
  std::vector<SizePlan> plans = {std::move(*least)};
  while (plans.size() <= wanted) {
    llvm::Expected<SizePlan> plan = pair.planOther(rules, plans);
    if (!plan)
      return plan.takeError();
    if (llvm::Error error = add(*plan))
      return std::move(error);
    plans.push_back(std::move(*plan));
  }
  return all;
}

static bool hasCausalMask(const Graph &graph) {
  return llvm::any_of(graph.getNodes(), [](const Node &node) {
    return node.opcode == Opcode::CausalMask ||
           (node.body && hasCausalMask(*node.body));
  });
}

/// By the first rules that work.
static llvm::Expected<std::vector<SmallerGraphs>>
shrinkAnyhow(const Graph &lhs, const Graph &rhs, SizeNumbers numbers,
             Sizes which) {
  llvm::Expected<SplitPair> pair = SplitPair::make(lhs, rhs);
  if (!pair)
    return pair.takeError();
  // Offsets of masks have to be in between sizes, or are as small as what those
  // differ by.
  llvm::SmallVector<int64_t, 3> ratios = {2};
  if (hasCausalMask(lhs) || hasCausalMask(rhs))
    ratios.append({4, 1});
  SizeRules rules = makeRules(pair->getLhs(), pair->getRhs(), numbers);
  std::string why;
  for (bool extentsFollow : {false, true})
    for (int64_t ratio : ratios) {
      rules.extentsFollow = extentsFollow;
      rules.ratio = ratio;
      auto small =
          shrink(pair->getLhs(), pair->getRhs(), rules, numbers, which);
      if (!small) {
        why = llvm::toString(small.takeError());
        continue;
      }
      for (SmallerGraphs &graphs : *small) {
        graphs.lhs = pair->joinDimensions(graphs.lhs);
        graphs.rhs = pair->joinDimensions(graphs.rhs);
      }
      return small;
    }
  return llvm::createStringError(why);
}

llvm::Expected<SmallerGraphs>
mlir::mirage::withSmallerSizes(const Graph &lhs, const Graph &rhs,
                               SizeNumbers numbers) {
  auto small = shrinkAnyhow(lhs, rhs, numbers, Sizes::Least);
  if (!small)
    return small.takeError();
  return std::move(small->front());
}

llvm::Expected<std::vector<SmallerGraphs>>
mlir::mirage::withOtherSizes(const Graph &lhs, const Graph &rhs,
                             SizeNumbers numbers) {
  return shrinkAnyhow(lhs, rhs, numbers, Sizes::Others);
}
