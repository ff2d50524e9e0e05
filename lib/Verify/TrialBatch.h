//===- TrialBatch.h - Sixteen trials over one tower -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_TRIALBATCH_H
#define MIRAGE_LIB_VERIFY_TRIALBATCH_H

#include "TermValues.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <optional>

namespace mlir::mirage {

/// The quadratic characters of all radicands and arguments of absolute values
/// of component 0 at one draw.
struct CharacterSample {
  /// In the order of `TrialBatch::getSigned`: 1 or -1, or 0 where the operand
  /// is zero or undefined.
  std::vector<int8_t> characters;
};

/// Roots that are live in one component, and what a radicand depends on.
///
/// A trial counts only if every radicand is a square. Instead of drawing whole
/// trials until that is so, which takes 2^R draws for R radicands, only the
/// inputs are redrawn that a failing radicand is connected with: two radicands
/// are connected if they share an input. The result has the same law, as
/// components are independent.
class RootGroups {
public:
  RootGroups(const TermTable &table, const LiveTerms &live, unsigned component,
             unsigned numInputs);

  llvm::ArrayRef<TermId> getRoots() const { return roots; }
  unsigned getGroup(unsigned root) const { return groups[root]; }
  /// Inputs of a group; `numInputs` stands for what makes exponentials random,
  /// `numInputs + 1` for ln 2.
  llvm::ArrayRef<uint32_t> getInputs(unsigned group) const {
    return inputs[group];
  }
  unsigned getNumGroups() const { return inputs.size(); }
  /// Groups with more roots are not redrawn: it would take too many draws.
  /// Trials still count for the output elements whose own roots exist.
  static constexpr unsigned kMaxGroupRoots = 8;
  bool isRedrawn(unsigned group) const {
    return numRoots[group] <= kMaxGroupRoots;
  }
  /// Draws after which a group that could have all its roots has them, but with
  /// a chance of about e^-16 a trial. Radicands that differ by a factor that is
  /// no square never have.
  unsigned getMaxDraws() const;
  /// The group that redraws an input, in the numbering of `getInputs`; -1 if
  /// none does.
  int getGroupOfInput(uint32_t input) const { return inputGroups[input]; }
  unsigned getNumInputs() const { return inputGroups.size() - 2; }
  /// Roots of what no input feeds: only another tower changes them.
  llvm::ArrayRef<TermId> getFixedRoots() const { return fixedRoots; }

private:
  std::vector<TermId> roots, fixedRoots;
  std::vector<unsigned> groups;   ///< by root
  std::vector<unsigned> numRoots; ///< by group
  std::vector<std::vector<uint32_t>> inputs;
  std::vector<int> inputGroups;
};

/// What roots of a group were missing in draws, to tell when it is no use to go
/// on. Characters are multiplicative, so the sets of roots that may be missing
/// together are an affine space over F2: all, unless some radicands' product is
/// a square or a constant times one. Draws soon span it.
class MissingRoots {
public:
  /// \param roots      a bit for each that is missing in a draw.
  /// \param isNewDraw  whether it is independent of those before.
  void add(uint32_t roots, bool isNewDraw);
  void addDraw() { ++numSinceNew; }
  /// Whether no draw has all roots, but with a chance of 2^-64 that so many
  /// have looked like that.
  bool areHopeless() const;

private:
  static constexpr unsigned kEnoughDraws = 64;

  /// What is left of a set once those of the basis are taken away.
  uint32_t reduce(uint32_t roots) const;

  std::optional<uint32_t> first;
  llvm::SmallVector<uint32_t, 8> basis; ///< of differences, by highest bit
  unsigned numSinceNew = 0;
};

/// Inputs for 16 trials over one tower on which all roots exist, as far as
/// that can be had.
class TrialBatch {
public:
  /// \param groups  by component.
  /// \param numInputs  elements of all inputs together.
  TrialBatch(const TermTable &table, const LiveTerms &live,
             llvm::ArrayRef<RootGroups> groups, FieldTower tower,
             unsigned numInputs, const Seed &seed);

  const FieldBatch &getFields() const { return fields; }
  FieldBatch takeFields() && { return std::move(fields); }
  /// Component 0 is evaluated only if it has roots or absolute values.
  const TermValues &getValues() const { return values; }
  /// Of one component, by element over all inputs, 16 words each.
  llvm::ArrayRef<uint32_t> getInputs(unsigned component) const {
    return inputs[component];
  }
  /// All roots and absolute values of component 0, ascending; those of
  /// constants, too.
  llvm::ArrayRef<TermId> getSigned() const { return signedTerms; }
  /// Of all draws over this tower, those that were rejected as well.
  llvm::ArrayRef<CharacterSample> getSamples() const { return samples; }
  /// Whether the roots of constants exist.
  bool hasFixedRoots() const { return fixedRootsExist; }

private:
  static constexpr unsigned kMaxSamples = 512;

  void draw(unsigned component, const RootGroups &groups, RandomStream &random);
  /// What has to be known of a draw before it is taken: roots, and what they
  /// are computed from. The rest is for the last one.
  llvm::BitVector findWanted(unsigned component,
                             const RootGroups &groups) const;
  /// By group and lane, which roots are missing, a bit for each of the group.
  using MissingByLane = std::array<uint32_t, kernels::kLanes>;
  std::vector<MissingByLane> findMissing(unsigned component,
                                         const RootGroups &groups) const;
  void redraw(unsigned component, llvm::ArrayRef<uint32_t> elements,
              uint16_t lanes, RandomStream &random);
  void addSamples();
  bool isMissing(TermId root, unsigned component, unsigned lane) const;

  const TermTable &table;
  unsigned numInputs;
  FieldBatch fields;
  TermValues values;
  std::vector<std::vector<uint32_t>> inputs;
  std::vector<TermId> signedTerms;
  std::vector<CharacterSample> samples;
  bool fixedRootsExist = true;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_TRIALBATCH_H
