//===- EmitPTX.cpp - From NVVM to PTX -------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Target/PTX/EmitPTX.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::mirage;

llvm::StringRef GPUTarget::getFeatures() const {
  // The first version of PTX that has all that we print for the chip. From 10.0
  // on each new chip needs a newer one, which LLVM picks.
  if (StringRef(chip).starts_with("sm_9"))
    return "+ptx86";
  return StringRef(chip).starts_with("sm_8") ? "+ptx80" : "";
}

namespace {
/// Upstream's translation, with the text as the object: it would otherwise be
/// bitcode, and its subclass for NVIDIA looks for libdevice.
class PTXTranslation : public LLVM::ModuleToObject {
public:
  PTXTranslation(gpu::GPUModuleOp module, const GPUTarget &target)
      : ModuleToObject(*module, "nvptx64-nvidia-cuda", target.chip,
                       target.getFeatures(), target.optLevel) {}

protected:
  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &llvmModule) override {
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return getOperation().emitError("this LLVM has no NVPTX back end");
    FailureOr<SmallString<0>> text = translateModuleToISA(
        llvmModule, **machine, [&] { return getOperation().emitError(); });
    if (failed(text))
      return failure();
    return SmallVector<char, 0>(text->begin(), text->end());
  }
};
} // namespace

static void initializeNVPTX() {
  static const bool done = [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)done;
}

/// The functions that are declared and not defined, without the two that the
/// driver provides.
static SmallVector<StringRef> findUndefinedFunctions(StringRef ptx) {
  SmallVector<StringRef> names;
  SmallVector<StringRef> declarations;
  ptx.split(declarations, ".extern .func ");
  for (StringRef text : ArrayRef(declarations).drop_front()) {
    text = text.ltrim();
    if (text.starts_with("(")) // the result
      text = text.drop_until([](char c) { return c == ')'; }).drop_front();
    StringRef name = text.ltrim().take_until(
        [](char c) { return isspace(c) || c == '(' || c == ';'; });
    if (name != "vprintf" && name != "__assertfail")
      names.push_back(name);
  }
  return names;
}

FailureOr<std::string> mlir::mirage::emitPTX(gpu::GPUModuleOp module,
                                             const GPUTarget &target) {
  initializeNVPTX();
  PTXTranslation translation(module, target);
  std::optional<SmallVector<char, 0>> text = translation.run();
  if (!text)
    return failure();
  std::string ptx(text->data(), text->size());
  while (!ptx.empty() && ptx.back() == '\0')
    ptx.pop_back();
  SmallVector<StringRef> undefined = findUndefinedFunctions(ptx);
  if (!undefined.empty())
    return module.emitError()
           << "expects every function that a kernel calls to be in its "
              "gpu.module, found none for '"
           << undefined.front() << "'";
  return ptx;
}
