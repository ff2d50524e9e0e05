//===- StopSignals.h - Signals that wait until all is tidied up -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_STOPSIGNALS_H
#define MIRAGE_LIB_RUNTIME_STOPSIGNALS_H

#include <csignal>
#include <iterator>

namespace mlir::mirage {

/// While it exists, the signals that ask a process to end (SIGHUP, SIGINT,
/// SIGQUIT, SIGPIPE and SIGTERM) do not end it but are written down, for
/// whoever has a process to end and a folder to remove first.
/// When it goes, the first one that came is raised again, and does what it
/// would have done. What the process ignores stays ignored. One at a time.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// The signal that came; 0 if none did.
  static int getReceived();

private:
  static constexpr int kSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
  struct sigaction before[std::size(kSignals)];
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_RUNTIME_STOPSIGNALS_H
