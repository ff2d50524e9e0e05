//===- SizeNames.h - Sizes that depend on each other ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_SIZENAMES_H
#define MIRAGE_LIB_VERIFY_SIZENAMES_H

#include "Mirage/Graph/DimensionNames.h"
#include "llvm/Support/Error.h"
#include <map>
#include <set>
#include <vector>

namespace mlir::mirage {

/// The dimension names of some graphs, tile graphs included, numbered through:
/// which of them have to be equal, and how tile graphs cut one into another.
/// Sizes of 1 have no name.
class SizeNames {
public:
  static constexpr int kNone = -1;

  /// A tile graph cuts `whole` into tiles of `part` along some axes.
  struct Cut {
    int whole, part;
    std::vector<int> axes; ///< numbers of axes, see getAxis
  };

  /// Names the dimensions of a graph and of all that is nested in it.
  /// \returns its number, or an error at a reshape that splits or joins.
  llvm::Expected<unsigned> addGraph(const Graph &graph);
  /// Says that inputs and outputs of two graphs have the same names, and
  /// draws the conclusions for what is cut into the same tiles.
  void unifyInterfaces(unsigned lhs, unsigned rhs);

  /// The name of a dimension, as the least of those that are the same.
  int getName(unsigned graph, ValueId value, unsigned dim) const;
  int resolve(int name) const;
  int64_t getSize(int name) const { return sizes[name]; }
  size_t getNumNames() const { return sizes.size(); }

  /// The number of an axis of a tile graph; none if its extent is 1.
  int getAxis(unsigned graph, Axis axis) const;
  int64_t getExtent(int axis) const { return axes[axis].extent; }
  /// Whether an axis counts the work items of threads, or their steps.
  bool isOfThreads(int axis) const { return axes[axis].level == Level::Thread; }
  size_t getNumAxes() const { return axes.size(); }

  llvm::ArrayRef<Cut> getCuts() const { return cuts; }
  /// How many elements tiles have along a dimension, with what is missing.
  int64_t countCovered(const Cut &cut) const;
  /// Whether tiles end where the whole does.
  bool isExact(const Cut &cut) const;
  /// Names of dimensions that an operation takes a part of, or puts together:
  /// with other sizes it would be another operation.
  llvm::ArrayRef<int> getFixed() const { return fixed; }
  /// Names of dimensions that some operation does not keep, as what it sums
  /// over, or masks.
  std::set<int> findReduced() const;
  /// The graph nested in an operation.
  unsigned getNested(unsigned graph, unsigned operation) const {
    return entries[graph].nested.at(operation);
  }
  /// Nested ones among them.
  unsigned getNumGraphs() const { return entries.size(); }
  const Graph &getGraph(unsigned graph) const { return *entries[graph].graph; }

private:
  struct Entry {
    const Graph *graph;
    DimensionNames names;
    int firstName; ///< the number of its name 0
    std::map<Axis, int> axes;
    std::map<unsigned, unsigned> nested; ///< by operation
  };

  llvm::Error addNested(unsigned graph, unsigned operation, const Node &node);
  void addFixed(unsigned graph, const Node &node);
  void addCut(int whole, int part, std::vector<int> axes);
  /// What one set of axes cuts into the same tiles has one size: rows of a
  /// tensor, say, that pass through two kernels in tiles of 64 and of 16.
  void unifyWholes();
  /// \returns whether these were two names and are one now.
  bool unify(int a, int b);

  std::vector<Entry> entries;
  std::vector<int64_t> sizes; ///< by name
  std::vector<int> parents;   ///< by name
  struct NumberedAxis {
    int64_t extent;
    Level level;
  };
  std::vector<NumberedAxis> axes;
  std::vector<Cut> cuts;
  std::vector<int> fixed;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SIZENAMES_H
