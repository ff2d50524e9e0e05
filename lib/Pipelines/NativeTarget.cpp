//===- NativeTarget.cpp - The target of this machine's GPU ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NativeTarget.h"
#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Options/CheckedPass.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Runtime/CudaDevice.h"
#include "Mirage/Transforms/SearchGraphFlags.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::mirage;

llvm::Expected<NativeTarget> mlir::mirage::chooseTarget(int computeCapability,
                                                        int64_t sharedBytes) {
  std::string own = "sm_" + std::to_string(computeCapability);
  SmallVector<StringRef> known = getTargetNames();
  for (const std::string &name : {own + "a", own})
    if (llvm::is_contained(known, name))
      return NativeTarget{name, /*isPortable=*/false};
  for (int portable : {90, 80, 89}) {
    std::string name = "sm_" + std::to_string(portable);
    Target target = llvm::cantFail(getTarget(name));
    if (portable < computeCapability &&
        target.sharedBytesPerBlock <= sharedBytes)
      return NativeTarget{name, /*isPortable=*/true};
  }
  return llvm::createStringError(
      "expects a GPU of compute capability 8.0 or newer whose blocks may have "
      "99 KiB of shared memory, got one of " +
      Twine(computeCapability / 10) + "." + Twine(computeCapability % 10) +
      " with " + Twine(sharedBytes / 1024) + " KiB");
}

namespace {
struct NativeTargetPass
    : public PassWrapper<NativeTargetPass, CheckedPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NativeTargetPass)

  NativeTargetPass() = default;
  NativeTargetPass(const NativeTargetPass &other) : PassWrapper(other) {}
  explicit NativeTargetPass(unsigned ordinal) { gpu = ordinal; }

  Option<NumberOption<unsigned, 0, kMaxGPUs - 1>> gpu{
      *this, "gpu", llvm::cl::desc("Number of the GPU"), llvm::cl::init(0)};

  StringRef getArgument() const override { return "mirage-native-target"; }
  StringRef getDescription() const override {
    return "Makes this machine's GPU the target of a module";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<NVVM::NVVMDialect>();
  }

  void runOnOperation() override {
    llvm::Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::open(gpu);
    if (!device)
      return fail(llvm::toString(device.takeError()));
    int capability = (*device)->getComputeCapability();
    llvm::Expected<NativeTarget> target =
        chooseTarget(capability, (*device)->getSharedBytes());
    if (!target)
      return fail((*device)->getName() + ": " +
                  llvm::toString(target.takeError()));
    if (target->isPortable)
      getOperation().emitRemark()
          << (*device)->getName() << " is an sm_" << capability
          << ", which Mirage does not know; the code is for " << target->name
          << ", and its driver will compile it";
    setTarget(target->name);
  }

private:
  void fail(const Twine &message) {
    mlir::emitError(findLocation(getOperation()))
        << "target=native: " << message;
    signalPassFailure();
  }

  static bool isTarget(Attribute attribute) {
    if (auto array = dyn_cast<ArrayAttr>(attribute))
      return llvm::any_of(array, isTarget);
    return isa<NVVM::NVVMTargetAttr>(attribute);
  }

  void setTarget(StringRef chip) {
    SmallVector<StringAttr> others;
    for (NamedAttribute named : getOperation()->getAttrs())
      if (isTarget(named.getValue()))
        others.push_back(named.getName());
    for (StringAttr name : others)
      getOperation()->removeAttr(name);
    constexpr int kOptLevel = 2; // the attribute's default
    getOperation()->setAttr("mirage.target", NVVM::NVVMTargetAttr::get(
                                                 &getContext(), kOptLevel,
                                                 "nvptx64-nvidia-cuda", chip));
  }
};
} // namespace

std::unique_ptr<Pass> mlir::mirage::createNativeTargetPass(unsigned gpu) {
  return std::make_unique<NativeTargetPass>(gpu);
}

void mlir::mirage::registerNativeTargetPass() {
  PassRegistration<NativeTargetPass>();
}
