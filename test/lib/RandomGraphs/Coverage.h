//===- Coverage.h - What random graphs have had -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_RANDOMGRAPHS_COVERAGE_H
#define MIRAGE_TEST_LIB_RANDOMGRAPHS_COVERAGE_H

#include "Mirage/Graph/Graph.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <set>

namespace mlir::mirage::test {

/// Counts graphs by what they have: operators that a result depends on, element
/// types, how operands and results are cut.
class Coverage {
public:
  void add(const Graph &graph);
  /// What the compiler made of one: its thread graphs.
  void addOptimized(const Graph &graph);
  void print(llvm::raw_ostream &os) const;
  /// Operators of the table that blocks may have and no graph has had, element
  /// types likewise.
  std::vector<std::string> listMissing() const;

private:
  void count(llvm::StringRef group, const std::string &name) {
    seen.insert({group.str(), name});
  }
  void addBlock(const TileGraph &tiles, llvm::ArrayRef<TensorSpec> operands,
                llvm::ArrayRef<TensorSpec> results);
  void addMaps(const TileGraph &tiles, llvm::ArrayRef<TensorSpec> operands);

  using Kind = std::pair<std::string, std::string>; ///< group and name
  std::map<std::string, std::map<std::string, unsigned>> counts;
  std::set<Kind> seen; ///< by the graph that is added
};

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_RANDOMGRAPHS_COVERAGE_H
