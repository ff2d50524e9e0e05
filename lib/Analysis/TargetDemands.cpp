//===- TargetDemands.cpp - What a plan wants of a GPU ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/TargetDemands.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/KernelResources.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::mirage;

static LogicalResult refuse(Operation *op, const Target &target,
                            const Twine &lacking, const Twine &demanded) {
  return op->emitError() << "expects a plan for " << target.name
                         << ", which has no " << lacking << ", got "
                         << demanded;
}

static thread::WgmmaOp findWarpgroupProduct(block::GraphOp kernel) {
  thread::WgmmaOp found;
  kernel.getBody().walk([&](thread::WgmmaOp op) {
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static LogicalResult checkKernel(block::GraphOp kernel, const Target &target) {
  auto refuseAttribute = [&](StringRef name, const Twine &lacking) {
    return refuse(kernel, target, lacking, "'" + name + "'");
  };
  if (thread::WgmmaOp op = findWarpgroupProduct(kernel);
      op && !target.hasWarpgroupProducts)
    return refuse(op, target, "products of four warps (wgmma)",
                  "'" + op->getName().getStringRef() + "'");
  if (!target.hasCopyEngine && !getBoxedInputs(kernel).empty())
    return refuseAttribute(kInputSwizzlesAttr,
                           "copy engine (cp.async.bulk.tensor)");
  if (!target.hasRegisterShares && kernel->hasAttr(kRegisterSharesAttr))
    return refuseAttribute(kRegisterSharesAttr,
                           "registers that change hands (setmaxnreg)");
  if (!target.hasDependentLaunches && kernel->hasAttr(kDependentLaunchAttr))
    return refuseAttribute(kDependentLaunchAttr,
                           "launches that begin early (griddepcontrol)");
  if (int64_t bytes = getRequestedSharedBytes(kernel);
      bytes < 0 || bytes > target.sharedBytesPerBlock)
    return kernel.emitError() << "expects 0 to " << target.sharedBytesPerBlock
                              << " bytes as '" << kRequestedSharedBytesAttr
                              << "' for " << target.name << ", got " << bytes;
  // What has no plan is for lowering to say.
  if (kernel->hasAttr(kSharedBytesAttr))
    return readSharedBytes(kernel, target);
  return success();
}

static LogicalResult checkCluster(Launch launch, const Target &target) {
  int64_t numBlocks = ShapedType::getNumElements(launch.getCluster());
  if (numBlocks <= target.blocksPerCluster)
    return success();
  return refuse(launch.kernels.front(), target,
                "clusters of more than " + Twine(target.blocksPerCluster) +
                    " blocks",
                Twine(numBlocks));
}

/// Of a thread that computes.
static int64_t countRegisters(block::GraphOp first, const Target &target) {
  if (auto shares =
          first->getAttrOfType<DenseI64ArrayAttr>(kRegisterSharesAttr);
      shares && shares.size() == 2)
    return shares[1];
  return target.getRegistersPerThread(getLaunchedThreads(first));
}

/// The assembler may have a few elements of other values at a time, so that
/// more of them than there are registers may do; sums are there all the time.
static LogicalResult checkSums(const Launch &launch, const Target &target) {
  int64_t registers = countRegisters(launch.kernels.front(), target);
  for (block::GraphOp kernel : launch.kernels)
    if (GrowingSums sums = findGrowingSums(kernel); sums.registers > registers)
      return sums.op->emitError()
             << "expects sums that fit the " << registers
             << " registers that a thread of this launch can have, got sums of "
             << sums.registers;
  return success();
}

LogicalResult mlir::mirage::checkDemands(const LaunchSequence &sequence,
                                         const Target &target) {
  for (block::GraphOp kernel : sequence.getKernels())
    if (failed(checkKernel(kernel, target)))
      return failure();
  for (const Launch &launch : sequence.getLaunches())
    if (failed(checkCluster(launch, target)) ||
        failed(checkSums(launch, target)))
      return failure();
  return success();
}

/// Of what one GPU has the first that another lacks.
static std::string findLacking(const Target &has, const Target &target) {
  if (has.hasWarpgroupProducts && !target.hasWarpgroupProducts)
    return "products of four warps (wgmma)";
  if (has.hasRegisterShares && !target.hasRegisterShares)
    return "registers that change hands (setmaxnreg)";
  if (has.hasCopyEngine && !target.hasCopyEngine)
    return "copy engine (cp.async.bulk.tensor)";
  if (has.hasDependentLaunches && !target.hasDependentLaunches)
    return "launches that begin early (griddepcontrol)";
  if (has.blocksPerCluster > target.blocksPerCluster)
    return llvm::formatv("clusters of more than {0} blocks",
                         target.blocksPerCluster);
  if (has.sharedBytesPerBlock > target.sharedBytesPerBlock)
    return llvm::formatv("more than {0} bytes of shared memory for a block",
                         target.sharedBytesPerBlock);
  return "";
}

LogicalResult mlir::mirage::checkLoweredFor(gpu::GPUModuleOp module,
                                            const Target &target) {
  auto name = module->getAttrOfType<StringAttr>(kLoweredForAttr);
  if (!name)
    return success();
  llvm::Expected<Target> loweredFor = getTarget(name.getValue());
  if (!loweredFor)
    return module.emitError()
           << "'" << kLoweredForAttr
           << "': " << llvm::toString(loweredFor.takeError());
  std::string lacking = findLacking(*loweredFor, target);
  if (lacking.empty())
    return success();
  return module.emitError() << "expects kernels that were lowered for "
                            << target.name << ", which has no " << lacking
                            << ", got kernels for " << loweredFor->name;
}
