//===- StopSignals.cpp - Signals that wait until all is tidied up ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StopSignals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Signals.h"
#include <atomic>

using namespace mlir::mirage;

static std::atomic<int> received = 0;

int StopSignals::getReceived() { return received; }

static void note(int signal) {
  int none = 0;
  received.compare_exchange_strong(none, signal);
}

static bool isIgnored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

static void replace(int signal, void (*handler)(int),
                    struct sigaction *before) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, before);
}

StopSignals::StopSignals() {
  // LLVM puts handlers of its own in place, which remove temporary files, when
  // it has the first such file. They belong below these; where the process
  // ignores a signal, they do not belong at all.
  auto ignored = llvm::map_to_vector(kSignals, isIgnored);
  llvm::sys::SetInterruptFunction(nullptr);
  received = 0;
  for (auto [signal, old, isOff] : llvm::zip_equal(kSignals, before, ignored)) {
    if (isOff) // that is what is there before, and not LLVM's
      replace(signal, SIG_IGN, nullptr);
    replace(signal, isOff ? SIG_IGN : note, &old);
  }
}

StopSignals::~StopSignals() {
  for (auto [signal, old] : llvm::zip_equal(kSignals, before))
    sigaction(signal, &old, nullptr);
  if (int signal = received.exchange(0))
    raise(signal);
}
