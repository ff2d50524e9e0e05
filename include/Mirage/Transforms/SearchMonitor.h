//===- SearchMonitor.h - Who watches searches, and may end them -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_SEARCHMONITOR_H
#define MIRAGE_TRANSFORMS_SEARCHMONITOR_H

#include "Mirage/Search/SearchOptions.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/Support/JSON.h"

namespace mlir::mirage {

/// Watches the searches of --mirage-search-graph. A tool attaches its own to
/// the kernel dialect; a library installs no handlers and prints nothing.
/// Searches of several functions may run at once.
class SearchMonitor : public DialectInterface::Base<SearchMonitor> {
public:
  SearchMonitor(Dialect *dialect) : Base(dialect) {}

  /// \param progress  what the option of that name says: auto, off, plain or
  ///                  live.
  virtual void begin(StringRef function, StringRef progress) const = 0;
  virtual void end(StringRef function) const = 0;
  /// Asked by all threads of a search, between begin and end; true ends it.
  virtual bool isInterrupted() const = 0;
  virtual void note(StringRef function,
                    const search::SearchProgress &progress) const = 0;
  /// What became of a search that did not fail, as an entry of `report=`.
  virtual void record(const llvm::json::Value &report) const {}
};

} // namespace mlir::mirage

#endif // MIRAGE_TRANSFORMS_SEARCHMONITOR_H
