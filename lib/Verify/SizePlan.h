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
#include <array>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace mlir::mirage {

/// What sizes are chosen by.
struct SizeRules {
  /// Literals of both graphs that become others with sizes.
  std::set<double> factors = {};
  /// Literals, what masks put in, and counts that stay what they are.
  std::set<double> fixed = {};
  /// Whether no size may be one that a number which stays is a function of. For
  /// a sum of three elements is three times one, and where something is picked,
  /// trials with more elements may not see that it is not.
  bool avoidsNumbers = false;
  /// How often the size before goes at least into each of those that causal
  /// masks are over.
  int64_t ratio = 2;
  /// Whether an axis of threads that cuts a dimension into its elements has as
  /// many items as that has elements. Else it has one of `extents`, as axes of
  /// blocks always have whose dimension is not fixed, and so has the dimension,
  /// whatever else it is cut into. (What blocks hold alike may be added up, in
  /// both graphs: their axes stay alike.)
  bool extentsFollow = false;
  /// Whether a literal may stand for what a narrower format rounds to it, as
  /// 4096 for 4097: not where what is not right at the true size may hide
  /// there.
  bool mayRound = true;
  /// Extents of axes: which of the two an axis has says a bit, the `bit`th, of
  /// the rank of its true extent among those of both graphs. All are powers of
  /// two.
  std::array<int64_t, 2> extents = {2, 2};
  unsigned bit = 0;
};

/// A small size for every name, and a small extent for every axis.
class SizePlan {
public:
  /// \param alike  names whose sizes enter no value, and may be one.
  SizePlan(const SizeNames &names, const SizeRules &rules,
           std::set<int> alike = {});

  /// \param others  plans that this one is to have nothing in common with, if
  ///                it can: names come in another order than in the last of
  ///                them, have other sizes, none of which is a simple function
  ///                of others (`countRelations`), and other numbers of elements
  ///                are missing in the last tiles of partial ones. What a plan
  ///                makes equal by chance, as 3·x + x and 4·x, the next tells
  ///                apart.
  llvm::Error run(llvm::ArrayRef<SizePlan> others = {});
  int64_t get(int name) const {
    return name == SizeNames::kNone ? 1 : sizes[name];
  }
  int64_t getExtent(int axis) const;
  /// Beyond this, different powers of two are no smaller sizes any more.
  static constexpr int64_t kLargest = 1 << 16;

  /// The size that a factor is a function of, and which function.
  enum class Form { Size, Inverse, Root, InverseRoot };
  std::optional<std::pair<int, Form>> match(double factor) const;
  /// How many different extents axes have at the true size.
  unsigned getNumExtents() const { return numExtents; }
  /// The names that tiles of a name are cut out of, itself among them.
  llvm::SmallVector<int> getWholes(int name) const;
  /// The factor for the small sizes.
  double getFactor(double factor) const;

private:
  using Cut = SizeNames::Cut;

  bool takesElements(const Cut &cut) const;
  bool isToFollow(const Cut &cut) const;
  bool isFollowed(const Cut &cut) const;
  bool isOpen(int axis) const;
  void avoid(double number);
  int64_t getBlocks(const Cut &cut) const;
  int64_t getMultiple(int name) const;
  int64_t getLeast(int name) const;
  int64_t getPart(const Cut &cut, int64_t size) const;
  int64_t getWhole(const Cut &cut, int64_t part) const;
  int64_t countMissing(const Cut &cut, int64_t size) const;
  unsigned countEdgeFlaws(int name, int64_t size) const;
  /// What a size has in common with other plans and sizes, the worst first.
  using Flaws = std::tuple<unsigned, unsigned, unsigned>;
  Flaws countFlaws(llvm::ArrayRef<int> group, int64_t size) const;
  unsigned countSame(int name, int64_t size) const;
  unsigned countSameDistances(int name, int64_t size) const;
  unsigned countRelations(int64_t size) const;
  bool fillsTiles(llvm::ArrayRef<int> group, int64_t size) const;
  bool hasOpenCuts(int name) const;
  bool isReady(int name) const;
  std::optional<int64_t> getForced(int name) const;
  int64_t choose(llvm::ArrayRef<int> group, int64_t least) const;
  void chooseMasked();
  bool spread(int name);
  void assignExtents();
  void assignFixed();
  llvm::Error assign(int name, bool &progress);
  static double apply(Form form, double size);
  const SizeNames &names;
  SizeRules rules;
  llvm::ArrayRef<SizePlan> others; ///< while it runs
  std::vector<int64_t> sizes;      ///< by name, 0 before it is chosen
  std::set<int64_t> used;          ///< by names that are not alike, or avoided
  std::set<int> alike;
  /// Names whose sizes literals are functions of.
  std::set<int> powersOfTwo;
  /// By axis, the name whose size its extent is, or none.
  std::vector<int> followed;
  std::vector<int64_t> extents; ///< by axis, of those that follow nothing
  unsigned numExtents = 0;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_SIZEPLAN_H
