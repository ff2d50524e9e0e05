//===- MergeFactors.cpp - Dimensions that no operation tells apart --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimensionClasses.h"
#include "Mirage/Graph/DimensionFactors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <limits>
#include <map>
#include <set>

using namespace mlir::mirage;

/// How an operation takes the dimensions of its operands and results.
namespace {
enum class Dimensions {
  Any,    ///< whatever they are, if names are what they were
  Whole,  ///< one by one: maps count along them
  Matrix, ///< the last two one by one: masks count along them
  Parts,  ///< of some a part
};
} // namespace

static Dimensions getDimensions(const Node &operation) {
  if (operation.body)
    return Dimensions::Whole;
  switch (getOperatorInfo(operation.opcode).kind) {
  case OperatorKind::Elementwise:
  case OperatorKind::Reduction:
  case OperatorKind::Contraction:
    return Dimensions::Any;
  case OperatorKind::Movement:
    switch (operation.opcode) {
    case Opcode::Transpose:
    case Opcode::Reshape:
    case Opcode::Broadcast:
    case Opcode::Cast:
      return Dimensions::Any;
    case Opcode::CausalMask:
      return Dimensions::Matrix;
    default:
      return Dimensions::Parts;
    }
  default:
    return Dimensions::Parts;
  }
}

namespace {
/// A factor larger than 1 of a dimension.
struct Factor {
  unsigned name; ///< that all have which some operation walks together
  unsigned dim;
  int64_t size;
};

/// Names factors, and finds those that always stand side by side.
class FactorMerger {
public:
  FactorMerger(const Graph &graph, const DimensionFactors &factors,
               MergedFactors which)
      : graph(graph), factors(factors), which(which), classes(graph) {}

  DimensionFactors run() {
    nameFactors();
    for (ValueId value = 0; value < graph.getNumValues(); ++value)
      addNeighbours(list(value));
    for (const Node &operation : graph.getNodes())
      addWishes(operation);
    leaveUnreadAlone();
    DimensionFactors merged;
    for (ValueId value = 0; value < graph.getNumValues(); ++value)
      merged.ofValues.push_back(merge(value));
    return merged;
  }

private:
  static constexpr unsigned kNone = ~0u;

  /// By value, from the outermost to the innermost.
  std::vector<Factor> list(ValueId value) const {
    std::vector<Factor> all;
    for (auto [dim, ofDim] : llvm::enumerate(factors.ofValues[value]))
      for (auto [index, size] : llvm::enumerate(ofDim))
        if (size > 1)
          all.push_back({getName(value, dim, index), unsigned(dim), size});
    return all;
  }

  unsigned getName(ValueId value, unsigned dim, unsigned index) const {
    return names.findLeader(firstName.at(classes.find(value, dim)) + index);
  }

  void nameFactors() {
    for (const Node &operation : graph.getNodes())
      if (operation.opcode != Opcode::Reshape)
        classes.unify(operation);
    unsigned numNames = 0;
    for (ValueId value = 0; value < graph.getNumValues(); ++value)
      for (auto [dim, ofDim] : llvm::enumerate(factors.ofValues[value]))
        if (firstName.try_emplace(classes.find(value, dim), numNames).second)
          numNames += ofDim.size();
    names.grow(numNames);
    for (const Node &operation : graph.getNodes())
      if (operation.opcode == Opcode::Reshape)
        for (auto [from, to] : llvm::zip_equal(list(operation.operands[0]),
                                               list(operation.results[0])))
          names.join(from.name, to.name);
  }

  void addNeighbours(llvm::ArrayRef<Factor> all) {
    for (unsigned i : llvm::seq<unsigned>(all.size())) {
      unsigned before = i == 0 ? kNone : all[i - 1].name;
      unsigned behind = i + 1 == all.size() ? kNone : all[i + 1].name;
      addNeighbour(previous, all[i].name, before);
      addNeighbour(next, all[i].name, behind);
    }
  }

  static void addNeighbour(std::map<unsigned, unsigned> &neighbours,
                           unsigned name, unsigned neighbour) {
    auto [entry, isNew] = neighbours.try_emplace(name, neighbour);
    if (!isNew && entry->second != neighbour)
      entry->second = kNone;
  }

  void addWishes(const Node &operation) {
    Dimensions dimensions = getDimensions(operation);
    if (dimensions == Dimensions::Any)
      return;
    for (ValueId value :
         llvm::concat<const ValueId>(operation.operands, operation.results)) {
      std::vector<Factor> all = list(value);
      unsigned first = dimensions == Dimensions::Matrix
                           ? graph.getType(value).getRank() - 2
                           : 0;
      for (unsigned i = 0; i + 1 < all.size(); ++i)
        if (all[i + 1].dim < first)
          continue;
        else if (dimensions != Dimensions::Parts &&
                 all[i].dim == all[i + 1].dim)
          wanted.insert(all[i].name);
        else
          apart.insert(all[i].name);
    }
  }

  /// Other shapes of inputs that nothing is computed of are of no use.
  void leaveUnreadAlone() {
    std::set<ValueId> read;
    for (const Node &operation : graph.getNodes())
      read.insert(operation.operands.begin(), operation.operands.end());
    for (ValueId input = 0; input < graph.getNumInputs(); ++input)
      if (!read.count(input))
        for (const Factor &factor : list(input))
          apart.insert(factor.name);
  }

  /// Whether a factor may be one with that behind it, wherever it is.
  bool mayMerge(unsigned name) const {
    unsigned behind = next.at(name);
    return behind != kNone && previous.at(behind) == name &&
           !apart.count(name) &&
           (which == MergedFactors::All || wanted.count(name));
  }

  /// Of several in a row as many are one as no size is too large for, in order.
  bool isMerged(const Factor &factor, const Factor &behind,
                int64_t size) const {
    // As copy engines and grids count.
    constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
    return mayMerge(factor.name) &&
           (wanted.count(factor.name) || size <= kLargest / behind.size);
  }

  llvm::SmallVector<FactorList, 4> merge(ValueId value) const {
    llvm::SmallVector<FactorList, 4> merged(factors.ofValues[value].size());
    std::vector<Factor> all = list(value);
    int64_t size = 1;
    for (unsigned i = 0; i < all.size(); ++i) {
      size *= all[i].size;
      if (i + 1 < all.size() && isMerged(all[i], all[i + 1], size))
        continue;
      merged[all[i].dim].push_back(size);
      size = 1;
    }
    for (FactorList &ofDim : merged)
      if (ofDim.empty())
        ofDim.push_back(1);
    return merged;
  }

  const Graph &graph;
  const DimensionFactors &factors;
  MergedFactors which;
  DimensionClasses classes;
  std::map<unsigned, unsigned> firstName; ///< by class of dimensions
  llvm::IntEqClasses names;
  std::map<unsigned, unsigned> previous, next; ///< by name, kNone: several
  std::set<unsigned> wanted, apart;            ///< from what is behind them
};
} // namespace

DimensionFactors mlir::mirage::mergeFactors(const Graph &graph,
                                            const DimensionFactors &factors,
                                            MergedFactors which) {
  return FactorMerger(graph, factors, which).run();
}
