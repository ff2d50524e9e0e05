//===- PredictTimes.cpp - What the search's cost model says ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Search/CostModel.h"
#include "Mirage/Transforms/Passes.h"
#include "Mirage/Transforms/PredictedTime.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>

namespace mlir::mirage {
#define GEN_PASS_DEF_PREDICTTIMESPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;
using search::KernelTime;

static constexpr StringLiteral kTargetMember = "target";

namespace {
/// A member of the attribute, and the number that it is.
struct TimeMember {
  StringLiteral name;
  double &(*get)(KernelTime &);
};
} // namespace

static const TimeMember kMembers[] = {
    {"launch_us", [](KernelTime &t) -> double & { return t.launchUs; }},
    {"join_us", [](KernelTime &t) -> double & { return t.joinUs; }},
    {"blocks_us", [](KernelTime &t) -> double & { return t.blocksUs; }},
    {"memory_us", [](KernelTime &t) -> double & { return t.memoryUs; }},
    {"cache_us", [](KernelTime &t) -> double & { return t.cacheUs; }},
    {"latency_us",
     [](KernelTime &t) -> double & { return t.blockShares.latencyUs; }},
    {"load_us", [](KernelTime &t) -> double & { return t.blockShares.loadUs; }},
    {"compute_us",
     [](KernelTime &t) -> double & { return t.blockShares.computeUs; }},
};

FailureOr<std::optional<KernelTime>>
mlir::mirage::predictTime(block::GraphOp kernel, const Target &target) {
  if (!kernel.getBody().getOps<thread::GraphOp>().empty())
    return std::optional<KernelTime>();
  FailureOr<TileGraph> tiles =
      readTileGraph(cast<TileGraphOpInterface>(kernel.getOperation()));
  if (failed(tiles))
    return failure();
  auto convert = [](TypeRange types) {
    return llvm::map_to_vector(types,
                               [](Type type) { return convertTensor(type); });
  };
  return std::optional<KernelTime>(
      search::AnalyticCostModel(target).predictKernel(
          *tiles, convert(kernel->getOperandTypes()),
          convert(kernel->getResultTypes())));
}

static void writePredictedTime(block::GraphOp kernel, KernelTime time,
                               const Target &target) {
  Builder builder(kernel.getContext());
  NamedAttrList members;
  members.append(kTargetMember, builder.getStringAttr(target.name));
  for (const TimeMember &member : kMembers)
    members.append(member.name, builder.getF64FloatAttr(member.get(time)));
  kernel->setAttr(kPredictedTimeAttr,
                  members.getDictionary(kernel.getContext()));
}

FailureOr<std::optional<KernelTime>>
mlir::mirage::readPredictedTime(block::GraphOp kernel, const Target &target) {
  Attribute attribute = kernel->getAttr(kPredictedTimeAttr);
  if (!attribute)
    return std::optional<KernelTime>();
  auto members = dyn_cast<DictionaryAttr>(attribute);
  auto name = members ? members.getAs<StringAttr>(kTargetMember) : StringAttr();
  if (!name)
    return kernel.emitError()
           << "expects '" << kPredictedTimeAttr
           << "' to be a dictionary with a target, got " << attribute;
  if (name.getValue() != target.name)
    return kernel.emitError()
           << "expects times that are predicted for " << target.name
           << ", got those for " << name.getValue();
  KernelTime time;
  for (const TimeMember &member : kMembers) {
    auto us = members.getAs<FloatAttr>(member.name);
    if (!us || !us.getType().isF64() || !std::isfinite(us.getValueAsDouble()) ||
        us.getValueAsDouble() < 0)
      return kernel.emitError()
             << "expects a time of 0 or more as '" << member.name << "' in '"
             << kPredictedTimeAttr << "', got " << members.get(member.name);
    member.get(time) = us.getValueAsDouble();
  }
  return std::optional<KernelTime>(time);
}

namespace {
struct PredictTimesPass : mirage::impl::PredictTimesPassBase<PredictTimesPass> {
  using PredictTimesPassBase::PredictTimesPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](block::GraphOp kernel) {
      return failed(predict(kernel)) ? WalkResult::interrupt()
                                     : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult predict(block::GraphOp kernel) {
    FailureOr<std::string> name = resolveTarget(kernel, target);
    if (failed(name))
      return failure();
    Target gpu = llvm::cantFail(getTarget(*name));
    FailureOr<std::optional<KernelTime>> time = predictTime(kernel, gpu);
    if (failed(time))
      return failure();
    // What was said before thread graphs were made stays.
    if (*time)
      writePredictedTime(kernel, **time, gpu);
    return success();
  }
};
} // namespace
