//===- SizePlan.h - A small size for each dimension -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_SIZEPLAN_H
#define MIRAGE_LIB_VERIFY_SIZEPLAN_H

#include "SizeNames.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <set>
#include <vector>

namespace mlir::mirage {

/// A small size for every name. Axes get 2 blocks or iterations each.
class SizePlan {
public:
  /// \param factors  of both graphs.
  /// \param ratio    how often the size before goes at least into each of those
  ///                 that causal masks are over.
  /// \param alike    names whose sizes enter no value, and may be one.
  SizePlan(const SizeNames &names, const std::set<double> &factors,
           int64_t ratio, std::set<int> alike = {})
      : names(names), ratio(ratio), alike(std::move(alike)) {
    for (double factor : factors)
      if (auto found = match(factor))
        powersOfTwo.insert(found->first);
  }

  llvm::Error run();
  int64_t get(int name) const {
    return name == SizeNames::kNone ? 1 : sizes[name];
  }
  static constexpr int64_t kExtent = 2;
  /// Beyond this, different powers of two are no smaller sizes any more.
  static constexpr int64_t kLargest = 1 << 16;

  /// The size that a factor is a function of, and which function.
  enum class Form { Size, Inverse, Root, InverseRoot };
  std::optional<std::pair<int, Form>> match(double factor) const;
  /// The names that tiles of a name are cut out of, itself among them.
  llvm::SmallVector<int> getWholes(int name) const;
  /// The factor for the small sizes.
  double getFactor(double factor) const;

private:
  using Cut = SizeNames::Cut;

  bool isExact(const Cut &cut) const;
  int64_t getBlocks(const Cut &cut) const {
    return int64_t(1) << cut.axes.size();
  }
  int64_t getMultiple(int name) const;
  bool isReady(int name) const;
  std::optional<int64_t> getForced(int name) const;
  int64_t choose(llvm::ArrayRef<int> group, int64_t least) const;
  void chooseMasked();
  bool spread(int name);
  void assignFixed();
  static double apply(Form form, double size);
  const SizeNames &names;
  int64_t ratio;
  std::vector<int64_t> sizes; ///< by name, 0 before it is chosen
  std::set<int64_t> used;     ///< by names that are not alike
  std::set<int> alike;
  /// Names whose sizes literals are functions of.
  std::set<int> powersOfTwo;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SIZEPLAN_H
