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
#include <chrono>
#include <csignal>
#include <mutex>
#include <sys/ioctl.h>
#include <unistd.h>

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

/// But for whom it was to be ignored, as in a shell's background.
static void catchInterrupts() {
  if (wasInterrupted)
    return;
  sigaction(SIGINT, nullptr, &actionBefore);
  if (actionBefore.sa_handler == SIG_IGN)
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

/// Three digits or a few more: 1234567 is 1.23M.
static std::string shorten(double number) {
  for (auto [unit, suffix] : {std::pair(1e9, "G"), {1e6, "M"}, {1e3, "k"}})
    if (double units = number / unit; units >= 1)
      return llvm::formatv(units < 10    ? "{0:f2}{1}"
                           : units < 100 ? "{0:f1}{1}"
                                         : "{0:f0}{1}",
                           units, suffix);
  return llvm::formatv("{0:f0}", number);
}

static double getShareOfStates(const SearchProgress &now) {
  return now.maxStates == 0 ? 0 : double(now.walkStates) / now.maxStates;
}
static double getShareOfTime(const SearchProgress &now) {
  return now.timeLimitS == 0 ? 0 : now.seconds / now.timeLimitS;
}

static std::string describeSpeed(const SearchProgress &now) {
  return llvm::formatv("{0:f1} s, {1} states ({2}/s), {3} structures",
                       now.seconds, shorten(now.states),
                       shorten(now.statesPerSecond), now.structures);
}

/// What is being looked at, and how much of the limit on it is used.
static std::string describeWalk(const SearchProgress &now) {
  if (now.numParts > 0)
    return llvm::formatv("part {0} of {1}", now.part, now.numParts);
  return llvm::formatv(
      "{0} with {1} operators, {2:f0}% of {3} states",
      now.maxKernels == 1
          ? "one kernel"
          : llvm::formatv("up to {0} kernels", now.maxKernels).str(),
      now.numOperators, 100 * getShareOfStates(now), shorten(now.maxStates));
}

static std::string describe(StringRef function, const SearchProgress &now) {
  std::string text = llvm::formatv(
      "@{0}: {1}, best {2:f2} us, one by one {3:f2} us; {4}", function,
      describeSpeed(now), now.bestUs, now.baselineUs, describeWalk(now));
  if (now.timeLimitS != 0)
    text += llvm::formatv(", {0:f0}% of {1} s", 100 * getShareOfTime(now),
                          now.timeLimitS);
  return text;
}

/// The limit that is nearest.
static std::string describeLimit(const SearchProgress &now) {
  double states = getShareOfStates(now), time = getShareOfTime(now);
  if (time > states)
    return llvm::formatv("{0:f0}% of {1} s", 100 * time, now.timeLimitS);
  if (now.numParts > 0)
    return describeWalk(now);
  return llvm::formatv("{0:f0}% of {1}", 100 * states, shorten(now.maxStates));
}

/// For terminals of some 80 columns.
static std::string describeShortly(const SearchProgress &now) {
  return llvm::formatv("{0}, {1:f1} of {2:f1} us, {3}", describeSpeed(now),
                       now.bestUs, now.baselineUs, describeLimit(now));
}

/// Of standard error; 0 where it has none. LLVM asks the environment alone, and
/// shells keep COLUMNS to themselves.
static unsigned getColumns() {
  winsize size = {};
  if (unsigned columns = llvm::sys::Process::StandardErrColumns())
    return columns;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

namespace {
enum class Mode {
  Off,
  LongSearches, ///< lines, of those that take some seconds
  Plain,        ///< lines, and how each search ended
  Live,         ///< one line, written over
};

/// All searches of the process, as signals and standard error are its own.
class Console {
public:
  void begin(StringRef progress) {
    std::lock_guard<std::mutex> lock(mutex);
    mode = parse(progress);
    if (numRunning++ > 0)
      return;
    catchInterrupts();
    printedAt = Clock::now();
  }

  void end() {
    std::lock_guard<std::mutex> lock(mutex);
    if (mode == Mode::Plain && !last.empty())
      llvm::errs() << last << '\n';
    if (mode == Mode::Live)
      llvm::errs() << "\r\033[K";
    last.clear();
    if (--numRunning == 0)
      releaseInterrupts();
  }

  void note(StringRef function, const SearchProgress &now) {
    std::lock_guard<std::mutex> lock(mutex);
    if (mode == Mode::Off)
      return;
    last = describe(function, now);
    if (mode == Mode::Live) {
      printLive(now);
    } else if (Clock::now() >= printedAt + kInterval) {
      llvm::errs() << last << '\n';
      printedAt = Clock::now();
      last.clear();
    }
  }

private:
  // Not the search's own, which begins anew with each part of a program.
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kInterval{5};

  static Mode parse(StringRef progress) {
    bool isAuto = progress == "auto";
    if (progress == "live" ||
        (isAuto && llvm::sys::Process::StandardErrIsDisplayed()))
      return Mode::Live;
    if (isAuto)
      return Mode::LongSearches;
    return progress == "plain" ? Mode::Plain : Mode::Off;
  }

  /// One line, or less where the terminal is narrow.
  void printLive(const SearchProgress &now) {
    unsigned columns = getColumns();
    std::string text = last;
    if (columns > 1 && text.size() >= columns)
      text = StringRef(describeShortly(now)).take_front(columns - 1).str();
    llvm::errs() << '\r' << text << "\033[K";
  }

  std::mutex mutex;
  Mode mode = Mode::Off;
  unsigned numRunning = 0;
  std::string last;            ///< not yet printed, where lines are
  Clock::time_point printedAt; ///< or when the first search began
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
