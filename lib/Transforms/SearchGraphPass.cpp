//===- SearchGraphPass.cpp - The search as a pass -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/AlgebraZ3/SolverPruner.h"
#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Cache/CacheStore.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Operator/F32ProductsAttribute.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Search/NamedChoice.h"
#include "Mirage/Transforms/CandidateEvaluator.h"
#include "Mirage/Transforms/CandidateFunctions.h"
#include "Mirage/Transforms/Passes.h"
#include "Mirage/Transforms/SearchGraphFlags.h"
#include "Mirage/Transforms/SearchMonitor.h"
#include "ProgressTeller.h"
#include "SearchTimes.h"
#include "SetF32Products.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_SEARCHGRAPHPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

#define DEBUG_TYPE "mirage-search-graph"

static std::string getFunctionName(kernel::GraphOp op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName().str() : "";
}

static std::string describeList(const llvm::json::Array &names) {
  std::string text;
  for (const llvm::json::Value &name : names)
    text += (text.empty() ? "" : ", ") + name.getAsString()->str();
  return text.empty() ? "none" : text;
}

/// How many operators were refused, by reason.
static std::string describePruned(const search::EnumerationCounts &counts) {
  std::string text;
  for (unsigned i = 0; i < search::kNumPruneReasons; ++i)
    if (counts.pruned[i] > 0)
      text +=
          (text.empty() ? "" : ", ") +
          llvm::formatv("{0} {1}", getPruneReasonName(search::PruneReason(i)),
                        counts.pruned[i])
              .str();
  return text.empty() ? "none" : text;
}

/// What a search that changed nothing has seen.
static void addFindings(remark::detail::InFlightRemark &remark,
                        const SearchGraphResult &result) {
  const search::SearchReport &report = result.search.report;
  auto format = [](double us) { return llvm::formatv("{0:f2}", us).str(); };
  remark << remark::metric("stopReason",
                           search::getStopReasonName(result.search.stopReason))
         << remark::metric("limitsHit",
                           describeList(search::listLimitsHit(result.search)))
         << remark::metric("states", report.counts.states)
         << remark::metric("pruned", describePruned(report.counts))
         << remark::metric("structures", report.structures)
         << remark::metric("rejected", report.rejected)
         << remark::metric("baselineUs", format(report.baselineUs))
         << remark::metric("limitUs", format(report.limitUs));
  ArrayRef<search::NearMiss> misses = result.search.nearMisses;
  remark << remark::metric("nearMisses", misses.size());
  if (!misses.empty())
    remark << remark::metric("nearestUs", format(misses.front().predictedUs))
           << remark::metric("nearest", misses.front().why);
}

static void emitRemarks(kernel::GraphOp op, const SearchGraphResult &result) {
  std::string function = getFunctionName(op);
  remark::RemarkOpts options = remark::RemarkOpts::name("Search")
                                   .category(DEBUG_TYPE)
                                   .function(function);
  const search::SearchReport &report = result.search.report;
  StringRef stopReason = search::getStopReasonName(result.search.stopReason);
  if (!result.isReplaced) {
    auto remark = remark::missed(op.getLoc(), options);
    remark << "left as it was: " + result.whyNot;
    if (report.baselineUs > 0) // it was searched
      addFindings(remark, result);
    return;
  }
  std::string what =
      result.kernels.size() == 1
          ? "replaced by one kernel"
          : llvm::formatv("replaced by {0} kernels", result.kernels.size())
                .str();
  SmallVector<int64_t> stages = llvm::map_to_vector(
      result.kernels, [](const KernelSizes &kernel) { return kernel.stages; });
  remark::passed(op.getLoc(), options)
      << what << remark::metric("states", report.counts.states)
      << remark::metric("structures", report.structures)
      << remark::metric("verified", report.verified)
      << remark::metric("instances", report.instances)
      << remark::metric("cache", search::getCacheUseName(report.cache))
      << remark::metric("predictedUs",
                        llvm::formatv("{0:f2}", result.predictedUs).str())
      << remark::metric("measuredUs",
                        result.measuredUs
                            ? llvm::formatv("{0:f2}", *result.measuredUs).str()
                            : "none")
      << remark::metric("baselineUs",
                        llvm::formatv("{0:f2}", report.baselineUs).str())
      << remark::metric("limitUs",
                        llvm::formatv("{0:f2}", report.limitUs).str())
      << remark::metric(
             "timesLimit",
             llvm::formatv("{0:f2}", result.predictedUs / report.limitUs).str())
      << remark::metric("kernels", result.kernels.size())
      << remark::metric("stages", llvm::formatv("{0:$[, ]}",
                                                llvm::make_range(stages.begin(),
                                                                 stages.end()))
                                      .str())
      << remark::metric("stopReason", stopReason);
}

static llvm::Expected<search::PrunerChoice> parsePruner(StringRef name) {
  static constexpr llvm::StringLiteral kNames[] = {"forms", "z3", "none"};
  enum : unsigned { Forms, Solver, None };
  llvm::Expected<unsigned> number =
      search::parseNamedChoice("pruner", kNames, name);
  if (!number)
    return number.takeError();
  search::PrunerChoice choice;
  choice.name = name.str();
  if (*number == Solver)
    choice.make = [](ExpressionContext &context, ArrayRef<FormId> targets) {
      return std::make_unique<SolverPruner>(context, targets);
    };
  choice.keepsAll = *number == None;
  choice.mayDropMore = *number == Solver;
  return choice;
}

/// Fails if there is no such preset or kind of progress.
static llvm::Error checkNames(StringRef preset, StringRef progress) {
  static constexpr llvm::StringLiteral kProgress[] = {"auto", "off", "plain",
                                                      "live"};
  auto presets = llvm::map_to_vector(
      search::getPresets(),
      [](const search::SearchPreset &known) { return known.name; });
  if (!preset.empty())
    if (auto known = search::parseNamedChoice("preset", presets, preset);
        !known)
      return known.takeError();
  return search::parseNamedChoice("progress", kProgress, progress).takeError();
}

template <typename T>
static llvm::Error readInto(T &option, llvm::Expected<T> value) {
  if (!value)
    return value.takeError();
  option = std::move(*value);
  return llvm::Error::success();
}

/// A function of operations at the kernel level that are in no graph may look
/// like one that is searched.
static void warnOfBareOperations(mlir::Operation *root) {
  root->walk([](FunctionOpInterface function) {
    function.walk<WalkOrder::PreOrder>([](mlir::Operation *op) {
      if (isa<kernel::GraphOp>(op))
        return WalkResult::skip();
      if (!isa<kernel::MirageKernelDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitWarning("is in no mirage_kernel.graph, and is not searched");
      return WalkResult::interrupt();
    });
  });
}

static const SearchMonitor *getMonitor(kernel::GraphOp op) {
  return op->getDialect()->getRegisteredInterface<SearchMonitor>();
}

namespace {
/// Of the graphs of a module: whether limits that somebody has lowered leave
/// nothing to search in any of them, which nobody wants. Beside one that has
/// something, a program that has nothing stays as it is; so does one that has
/// nothing within the limits that hold by default.
class EmptySpaces {
public:
  void note(kernel::GraphOp op, const SearchGraphResult &result) {
    const search::SearchReport &report = result.search.report;
    if (result.search.stopReason == search::StopReason::NothingToSearch)
      empty.push_back({op, report.limits});
    else if (report.baselineUs > 0) // it was searched
      hasSome = true;
  }

  LogicalResult check(const search::SearchOptions &options) {
    if (hasSome)
      return success();
    LogicalResult result = success();
    for (auto [op, limits] : empty) {
      search::SpaceLimits lowered = search::onlyLowered(limits, options);
      if (lowered.list().empty())
        continue;
      result = op.emitError("expects limits that leave something to search, "
                            "got ")
               << search::describe(lowered, options) << "; by default "
               << search::describe(lowered, search::SearchOptions());
    }
    return result;
  }

private:
  /// With the limits that kept something out.
  SmallVector<std::pair<kernel::GraphOp, search::SpaceLimits>> empty;
  bool hasSome = false;
};

struct SearchGraphPass : mirage::impl::SearchGraphPassBase<SearchGraphPass> {
  SearchGraphPass() = default;
  SearchGraphPass(const SearchGraphPass &other) : SearchGraphPassBase(other) {}
  explicit SearchGraphPass(const SearchPipelineFlags &given) {
    flags.takeGiven(given);
    flags.applyPreset();
  }

  // A preset shows in the pipeline as the limits that it stands for.
  LogicalResult initializeOptions(
      StringRef text,
      function_ref<LogicalResult(const Twine &)> onError) override {
    if (failed(CheckedPass::initializeOptions(text, onError)))
      return failure();
    flags.applyPreset();
    return success();
  }

  /// The options, checked, though there may be no graph to search.
  llvm::Expected<SearchGraphOptions> readOptions() const {
    SearchGraphOptions options = makeOptions();
    if (llvm::Error error = readTexts(options))
      return std::move(error);
    if (!options.search.shard.isWhole() && flags.checkpoint.empty())
      return llvm::createStringError(
          "expects a checkpoint where there is a shard, got shard=" +
          flags.shard.getValue() + " alone");
    if (llvm::Error error = checkOptions(options))
      return std::move(error);
    return options;
  }

  void runOnOperation() override {
    llvm::Expected<SearchGraphOptions> read = readOptions();
    if (!read) {
      (void)fail(llvm::toString(read.takeError()));
      return signalPassFailure();
    }
    SearchGraphOptions &options = *read;
    if (failed(checkReport()) || failed(tryReport()) ||
        failed(checkKept(options)) || failed(checkMeasuring()) ||
        failed(resolveTarget(getOperation(), flags.target)))
      return signalPassFailure();
    if (!flags.f32Products.empty() &&
        failed(setF32Products(getOperation(), flags.f32Products)))
      return signalPassFailure();
    std::unique_ptr<cache::CacheStore> store;
    openCache(store);
    options.search.cache = store.get();
    std::vector<MeasuredTime> times;
    if (failed(readTimes(times)))
      return signalPassFailure();

    warnOfBareOperations(getOperation());
    SmallVector<kernel::GraphOp> graphs;
    getOperation()->walk([&](kernel::GraphOp op) { graphs.push_back(op); });
    std::unique_ptr<search::Checkpoint> checkpoint;
    if (failed(openCheckpoint(graphs, options, checkpoint)))
      return signalPassFailure();
    llvm::json::Array reports;
    EmptySpaces empty;
    for (kernel::GraphOp op : graphs) {
      FailureOr<std::string> chip = resolveTarget(op, flags.target);
      if (failed(chip))
        return signalPassFailure();
      options.search.target = *chip;
      if (flags.measures()) {
        options.measure = [this, op, target = *chip](ModuleOp candidates) {
          return measure(op, target, candidates);
        };
      } else if (!flags.times.empty()) {
        auto selected = selectTimes(op, times, flags.times);
        if (failed(selected))
          return signalPassFailure();
        options.times = std::move(*selected);
      } else if (store) {
        options.times = findCachedTimes(op, *store, *chip);
        options.ignoresForeignTimes = true;
      }
      FailureOr<SearchGraphResult> result = searchAndKeep(op, options);
      if (failed(result))
        return signalPassFailure();
      emitRemarks(op, *result);
      empty.note(op, *result);
      llvm::json::Value entry = toJSON(*result);
      entry.getAsObject()->insert({"function", getFunctionName(op)});
      entry.getAsObject()->insert({"options", search::toJSON(options.search)});
      entry.getAsObject()->insert(
          {kF32ProductsJSON, getF32ProductsName(getF32Products(op))});
      if (const SearchMonitor *monitor = getMonitor(op))
        monitor->record(entry);
      reports.push_back(std::move(entry));
    }
    if (failed(empty.check(options.search)) ||
        (!flags.report.empty() && failed(writeReport(std::move(reports)))))
      signalPassFailure();
  }

  const CandidateEvaluator *getEvaluator() {
    auto *dialect =
        getContext().getLoadedDialect<kernel::MirageKernelDialect>();
    return dialect->getRegisteredInterface<CandidateEvaluator>();
  }

  EvaluationOptions getEvaluationOptions(StringRef target) const {
    return {flags.measure.getValue(), flags.gpu,    target.str(),
            flags.libraryKernels,     flags.stages, flags.threads};
  }

  /// Whether there is something to measure with, and nobody else has said the
  /// times.
  LogicalResult checkMeasuring() {
    if (!flags.measures())
      return success();
    if (!flags.times.empty())
      return fail("expects times or measure, got both");
    if (!isa<ModuleOp>(getOperation()))
      return fail("expects a module to measure candidates of");
    if (!getEvaluator())
      return fail(
          "expects a program that can measure candidates, for measure=" +
          flags.measure.getValue());
    if (llvm::Error error =
            getEvaluator()->check(getEvaluationOptions(flags.target)))
      return fail("candidates cannot be measured: " +
                  llvm::toString(std::move(error)));
    return success();
  }

  llvm::Expected<std::vector<MeasuredTime>>
  measure(kernel::GraphOp op, StringRef target, ModuleOp candidates) {
    std::function<bool()> isCancelled;
    if (const SearchMonitor *monitor = getMonitor(op))
      isCancelled = [=] { return monitor->isInterrupted(); };
    return getEvaluator()->measure(
        candidates, getEvaluationOptions(target),
        [this](OpPassManager &passes, ModuleOp module) {
          return runPipeline(passes, module);
        },
        isCancelled);
  }

  /// Whether all candidates that are to be kept can be, or measured: an error
  /// now, and not after hours.
  LogicalResult checkKept(const SearchGraphOptions &options) {
    if (!options.keepsCandidates && !flags.measures())
      return success();
    WalkResult walk = getOperation()->walk([&](kernel::GraphOp op) {
      auto function = op->getParentOfType<FunctionOpInterface>();
      if (function && failed(checkKeepsCandidates(function)))
        return WalkResult::interrupt();
      return WalkResult(flags.measures() ? checkMeasurable(op) : success());
    });
    return failure(walk.wasInterrupted());
  }

  /// What is measured is a whole program.
  LogicalResult checkMeasurable(kernel::GraphOp op) {
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function)
      return op->emitError() << "expects a func.func around what is measured";
    return success(succeeded(readFunction(function)));
  }

  LogicalResult readTimes(std::vector<MeasuredTime> &times) {
    if (flags.times.empty())
      return success();
    llvm::Expected<std::vector<MeasuredTime>> read =
        readMeasuredTimes(flags.times);
    if (!read)
      return fail(llvm::toString(read.takeError()));
    times = std::move(*read);
    return success();
  }

  /// The search; afterwards its candidates, if they are wanted, stand behind
  /// the function.
  FailureOr<SearchGraphResult> searchAndKeep(kernel::GraphOp op,
                                             SearchGraphOptions &options) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!options.keepsCandidates || !function)
      return watchedSearch(op, options);
    OwningOpRef<mlir::Operation *> original = function->clone();
    FailureOr<SearchGraphResult> result = watchedSearch(op, options);
    if (succeeded(result))
      writeCandidateFunctions(function, cast<FunctionOpInterface>(*original),
                              result->candidates,
                              result->search.report.baselineUs);
    return result;
  }

  /// A search that a monitor, if there is one, watches and may end.
  FailureOr<SearchGraphResult> watchedSearch(kernel::GraphOp op,
                                             SearchGraphOptions options) {
    const SearchMonitor *monitor = getMonitor(op);
    if (!monitor)
      return searchGraph(op, options);
    std::string function = getFunctionName(op);
    options.search.isInterrupted = [=] { return monitor->isInterrupted(); };
    monitor->begin(function, flags.progress);
    FailureOr<SearchGraphResult> result = [&] {
      ProgressTeller teller(*monitor, function);
      options.search.onProgress = [&](const search::SearchProgress &progress) {
        teller.note(progress);
      };
      return searchGraph(op, options);
    }();
    monitor->end(function);
    return result;
  }

  /// Leaves `checkpoint` empty where there is to be none. It is one of all
  /// graphs together.
  LogicalResult
  openCheckpoint(ArrayRef<kernel::GraphOp> graphs, SearchGraphOptions &options,
                 std::unique_ptr<search::Checkpoint> &checkpoint) {
    if (flags.checkpoint.empty())
      return success();
    std::string text;
    for (kernel::GraphOp op : graphs) {
      FailureOr<Graph> program = readKernelGraph(op);
      if (failed(program))
        return failure();
      text += llvm::formatv("{0}\n", mirage::toJSON(*program)).str();
    }
    auto opened =
        search::Checkpoint::open(flags.checkpoint, {text, options.search});
    if (!opened)
      return fail(llvm::toString(opened.takeError()));
    checkpoint = std::move(*opened);
    options.search.checkpoint = checkpoint.get();
    return success();
  }

  /// The options as numbers, those that are text left out.
  SearchGraphOptions makeOptions() const {
    SearchGraphOptions options;
    options.errorBoundBits = flags.errorBound;
    options.keepsCandidates = flags.keepCandidates;
    search::SearchOptions &search = options.search;
    search.maxKernels = flags.maxKernels;
    search.maxOps = flags.maxOps;
    search.maxBlockOps = flags.maxBlockOps;
    search.maxGridAxes = flags.maxGridAxes;
    search.maxStates = flags.maxStates;
    search.numCandidates = flags.candidates;
    search.stages = flags.stages;
    search.cutsKernels = flags.branchAndBound;
    search.numThreads = flags.threads;
    search.seed = flags.seed;
    search.timeLimitS = flags.timeLimitS;
    return options;
  }

  /// Reads those that are text.
  llvm::Error readTexts(SearchGraphOptions &options) const {
    if (llvm::Error error = checkNames(flags.preset, flags.progress))
      return error;
    if (llvm::Error error =
            readInto(options.search.pruner, parsePruner(flags.pruner)))
      return error;
    if (llvm::Error error =
            readInto(options.search.tileSizes,
                     search::parseTileSizeChoice(flags.tileSizes)))
      return error;
    if (llvm::Error error =
            readInto(options.search.libraryKernels,
                     search::parseLibraryKernels(flags.libraryKernels)))
      return error;
    if (llvm::Error error =
            readInto(options.search.shard, search::parseShard(flags.shard)))
      return error;
    return cache::parseCacheMode(flags.cache).takeError();
  }

  LogicalResult fail(const Twine &message) {
    return mlir::emitError(findLocation(getOperation())) << message;
  }

  /// Leaves `store` empty where there is to be no cache.
  void openCache(std::unique_ptr<cache::CacheStore> &store) {
    Location location = findLocation(getOperation());
    cache::CacheMode mode = llvm::cantFail(cache::parseCacheMode(flags.cache),
                                           "readOptions has read it");
    if (mode.access == cache::Access::None)
      return;
    store = std::make_unique<cache::CacheStore>(
        mode,
        [location](const Twine &text) { mlir::emitWarning(location) << text; });
    if (!store->isOpen()) // it has said why
      store = nullptr;
  }

  /// A report takes an earlier one's place; some other file is there by
  /// mistake.
  LogicalResult checkReport() {
    if (flags.report.empty() || !llvm::sys::fs::is_regular_file(flags.report))
      return success();
    auto buffer = llvm::MemoryBuffer::getFile(flags.report);
    if (!buffer || (*buffer)->getBuffer().empty()) // writing it says why
      return success();
    llvm::Expected<llvm::json::Value> value =
        llvm::json::parse((*buffer)->getBuffer());
    if (value && value->getAsObject() && value->getAsObject()->get("graphs"))
      return success();
    llvm::consumeError(value.takeError());
    return fail("expects report to be a new file or an earlier report, got '" +
                flags.report.getValue() + "', which is something else");
  }

  /// A report that cannot be written is an error now, and not after hours. A
  /// file that there was not goes away again.
  LogicalResult tryReport() {
    if (flags.report.empty())
      return success();
    bool isThere = llvm::sys::fs::exists(flags.report);
    std::error_code code;
    {
      llvm::raw_fd_ostream file(flags.report, code, llvm::sys::fs::OF_Append);
    }
    if (code)
      return fail("report " + flags.report.getValue() +
                  ": cannot be written: " + code.message());
    if (!isThere)
      llvm::sys::fs::remove(flags.report);
    return success();
  }

  LogicalResult writeReport(llvm::json::Array graphs) {
    std::string text = llvm::formatv(
        "{0:2}\n",
        llvm::json::Value(llvm::json::Object{{"graphs", std::move(graphs)}}));
    if (llvm::Error error = writeWholeFile(flags.report.getValue(), {text}))
      return fail("report " + llvm::toString(std::move(error)));
    return success();
  }

  SearchGraphFlags<Pass> flags{*this};
};
} // namespace

std::unique_ptr<Pass>
mlir::mirage::createSearchGraphPass(const SearchPipelineFlags &flags) {
  return std::make_unique<SearchGraphPass>(flags);
}

llvm::Error mlir::mirage::checkSearchFlags(const SearchPipelineFlags &flags) {
  return SearchGraphPass(flags).readOptions().takeError();
}
