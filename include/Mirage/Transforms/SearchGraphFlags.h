//===- SearchGraphFlags.h - Options of the search, as flags -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flags of SearchGraphOptions.def as members of what has flags: a pass, or
// the options of a pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_SEARCHGRAPHFLAGS_H
#define MIRAGE_TRANSFORMS_SEARCHGRAPHFLAGS_H

#include "Mirage/Options/CheckedOptions.h"
#include "Mirage/Search/TargetProgram.h"
#include "Mirage/Transforms/SearchGraph.h"
#include "Mirage/Verify/Certificate.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::mirage {

/// More than a driver numbers.
inline constexpr unsigned kMaxGPUs = 1024;

/// \tparam Holder  Pass or mlir::detail::PassOptions.
template <typename Holder>
struct SearchGraphFlags {
  explicit SearchGraphFlags(Holder &holder) : holder(holder) {}
  SearchGraphFlags(const SearchGraphFlags &) = delete;

  template <typename T>
  using Option = typename Holder::template Option<T>;
  Holder &holder;
#define MIRAGE_SEARCH_OPTION(Type, Member, Flag, Default, Help)                \
  Option<Type> Member{holder, Flag, llvm::cl::desc(Help),                      \
                      llvm::cl::init(Default)};
#define MIRAGE_SEARCH_NUMBER(Type, Member, Flag, Default, Least, Most, Help)   \
  Option<NumberOption<Type, Least, Most>> Member{                              \
      holder, Flag, llvm::cl::desc(Help), llvm::cl::init(Type(Default))};
#include "Mirage/Transforms/SearchGraphOptions.def"

  /// Takes over what was given there; the rest keeps its default.
  template <typename Other>
  void takeGiven(const SearchGraphFlags<Other> &other) {
#define MIRAGE_SEARCH_OPTION(Type, Member, Flag, Default, Help)                \
  if (other.Member.hasValue())                                                 \
    Member = other.Member.getValue();
#define MIRAGE_SEARCH_NUMBER(Type, Member, Flag, Default, Least, Most, Help)   \
  MIRAGE_SEARCH_OPTION(Type, Member, Flag, Default, Help)
#include "Mirage/Transforms/SearchGraphOptions.def"
  }

  /// Whether candidates are to be measured.
  bool measures() const { return measure.getValue() != "false"; }

  /// Limits that were not given become those of the preset, if there is one of
  /// that name.
  void applyPreset() {
    const search::SearchPreset *limits = search::findPreset(preset);
    if (!limits)
      return;
    auto set = [](auto &option, unsigned value) {
      if (!option.hasValue())
        option = value;
    };
    set(maxKernels, limits->maxKernels);
    set(maxOps, limits->maxOps);
    set(maxBlockOps, limits->maxBlockOps);
    set(maxGridAxes, limits->maxGridAxes);
  }
};

/// The flags of a pipeline that the search is part of.
using SearchPipelineFlags = SearchGraphFlags<mlir::detail::PassOptions>;

/// The search as a pass, with what was given to a pipeline.
std::unique_ptr<Pass> createSearchGraphPass(const SearchPipelineFlags &flags);

/// Fails where that pass would not take the options, for pipelines that do
/// without the search: what is given is checked, whether it is used or not.
llvm::Error checkSearchFlags(const SearchPipelineFlags &flags);

} // namespace mlir::mirage

#endif // MIRAGE_TRANSFORMS_SEARCHGRAPHFLAGS_H
