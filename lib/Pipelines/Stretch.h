//===- Stretch.h - From one phase of a pipeline to another ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_PIPELINES_STRETCH_H
#define MIRAGE_LIB_PIPELINES_STRETCH_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace mlir::mirage {

/// "import, search and emit".
template <typename PhaseT>
std::string listPhases(ArrayRef<PhaseT> phases) {
  std::string list;
  for (const PhaseT &phase : phases)
    list += (&phase == phases.begin()   ? ""
             : &phase == &phases.back() ? " and "
                                        : ", ") +
            phase.name.str();
  return list;
}

/// The phases of a pipeline that `from=` and `to=` name, both included.
/// \param phases   in order, each with a `name`.
/// \returns what `onError` gives, after a call with a sentence, where one is no
/// phase, or `to` is before `from`.
template <typename PhaseT>
FailureOr<ArrayRef<PhaseT>>
findStretch(ArrayRef<PhaseT> phases, StringRef from, StringRef to,
            function_ref<LogicalResult(const Twine &)> onError) {
  auto find = [&](StringRef name) {
    return llvm::find_if(
        phases, [&](const PhaseT &phase) { return phase.name == name; });
  };
  for (auto [option, name] : {std::pair("from=", from), {"to=", to}})
    if (find(name) == phases.end())
      return onError("expects " + Twine(option) + " to name one of " +
                     listPhases(phases) + ", got '" + name + "'");
  if (find(from) > find(to))
    return onError("expects from= before to=, got from=" + from + " to=" + to);
  return ArrayRef<PhaseT>(find(from), find(to) + 1);
}

} // namespace mlir::mirage

#endif // MIRAGE_LIB_PIPELINES_STRETCH_H
