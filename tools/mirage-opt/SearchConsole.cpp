//===- SearchConsole.cpp - Searches, for whoever sits before them ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchConsole.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Transforms/SearchMonitor.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <csignal>
#include <mutex>

using namespace mlir;
using mlir::mirage::SearchMonitor;
using mlir::mirage::search::SearchProgress;

//===----------------------------------------------------------------------===//
// SIGINT
//===----------------------------------------------------------------------===//

static std::atomic<bool> wasInterrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler sets it");
static struct sigaction actionBefore;

/// The next one does what it did before there was a search.
static void onInterrupt(int) {
  wasInterrupted = true;
  sigaction(SIGINT, &actionBefore, nullptr);
}

static void catchInterrupts() {
  if (wasInterrupted)
    return;
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &actionBefore);
}

static void releaseInterrupts() {
  if (!wasInterrupted)
    sigaction(SIGINT, &actionBefore, nullptr);
}

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

/// What one number makes of so many: 1234567 is 1.23M.
static std::string shorten(double number) {
  for (auto [unit, suffix] : {std::pair(1e9, "G"), {1e6, "M"}, {1e3, "k"}})
    if (number >= unit)
      return llvm::formatv("{0:f2}{1}", number / unit, suffix);
  return llvm::formatv("{0:f0}", number);
}

static std::string describe(StringRef function, const SearchProgress &now) {
  double seconds = std::max(now.seconds, 1e-3);
  std::string text = llvm::formatv(
      "@{0}: {1:f1} s, {2} states ({3}/s), {4} structures, best {5:f2} us, one "
      "by one {6:f2} us; {7} with {8} operators, {9:f0}% of {10} states",
      function, now.seconds, shorten(now.states), shorten(now.states / seconds),
      now.structures, now.bestUs, now.baselineUs,
      now.maxKernels == 1
          ? "one kernel"
          : llvm::formatv("up to {0} kernels", now.maxKernels).str(),
      now.numOperators,
      now.maxStates == 0 ? 0.0 : 100.0 * now.partStates / now.maxStates,
      shorten(now.maxStates));
  if (now.timeLimitS != 0)
    text += llvm::formatv(", {0:f0}% of {1} s",
                          100 * now.seconds / now.timeLimitS, now.timeLimitS);
  return text;
}

namespace {
enum class Mode { Off, Plain, Live };

/// All searches of the process, as signals and standard error are its own.
class Console {
public:
  void begin(StringRef progress) {
    std::lock_guard<std::mutex> lock(mutex);
    mode = parse(progress);
    if (numRunning++ == 0)
      catchInterrupts();
  }

  void end() {
    std::lock_guard<std::mutex> lock(mutex);
    if (mode == Mode::Plain && !last.empty())
      llvm::errs() << last << '\n';
    if (mode == Mode::Live)
      llvm::errs() << "\r\033[K";
    last.clear();
    printedAt = 0;
    if (--numRunning == 0)
      releaseInterrupts();
  }

  void note(StringRef function, const SearchProgress &now) {
    std::lock_guard<std::mutex> lock(mutex);
    if (mode == Mode::Off)
      return;
    last = describe(function, now);
    if (mode == Mode::Live) {
      printLive();
    } else if (now.seconds >= printedAt + kPlainIntervalS) {
      llvm::errs() << last << '\n';
      printedAt = now.seconds;
      last.clear();
    }
  }

private:
  static constexpr double kPlainIntervalS = 5;

  static Mode parse(StringRef progress) {
    if (progress == "plain")
      return Mode::Plain;
    bool isLive =
        progress == "live" ||
        (progress == "auto" && llvm::sys::Process::StandardErrIsDisplayed());
    return isLive ? Mode::Live : Mode::Off;
  }

  /// One line, or less where the terminal is narrow.
  void printLive() {
    unsigned columns = llvm::sys::Process::StandardErrColumns();
    StringRef text = last;
    if (columns > 1)
      text = text.take_front(columns - 1);
    llvm::errs() << '\r' << text << "\033[K";
  }

  std::mutex mutex;
  Mode mode = Mode::Off;
  unsigned numRunning = 0;
  std::string last; ///< not yet printed, where lines are
  double printedAt = 0;
};

Console &getConsole() {
  static Console console;
  return console;
}

class ConsoleMonitor : public SearchMonitor {
public:
  using SearchMonitor::SearchMonitor;

  void begin(StringRef, StringRef progress) const final {
    getConsole().begin(progress);
  }
  void end(StringRef) const final { getConsole().end(); }
  bool isInterrupted() const final { return wasInterrupted; }
  void note(StringRef function, const SearchProgress &now) const final {
    getConsole().note(function, now);
  }
};
} // namespace

void ::mirage::registerSearchConsole(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, mlir::mirage::kernel::MirageKernelDialect *dialect) {
        dialect->addInterfaces<ConsoleMonitor>();
      });
}
