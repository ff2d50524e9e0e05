//===- EmitPTX.cpp - From NVVM to PTX -------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Target/PTX/EmitPTX.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::mirage;

llvm::StringRef GPUTarget::getFeatures() const {
  // The first version of PTX that has all that we print for the chip. From 10.0
  // on each new chip needs a newer one, which LLVM picks.
  if (StringRef(chip).starts_with("sm_9"))
    return "+ptx86";
  // Conversions of 8-bit floats, and more than 4 KiB of parameters.
  return StringRef(chip).starts_with("sm_8") ? "+ptx81" : "";
}

//===----------------------------------------------------------------------===//
// What the back end would abort on
//===----------------------------------------------------------------------===//

/// PTX ISA, section "Identifiers"; the back end renames the dots of what it
/// does not export.
static bool isPTXName(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char character) {
           return llvm::isAlnum(character) || character == '_' ||
                  character == '$';
         });
}

/// The state spaces of PTX by their numbers in LLVM (NVPTX usage, "Address
/// spaces"): generic, global, shared, constant, local, shared of the cluster,
/// parameters.
static bool isPTXAddressSpace(unsigned space) {
  return llvm::is_contained({0u, 1u, 3u, 4u, 5u, 7u, 101u}, space);
}

static bool isPTXType(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return !pointer || isPTXAddressSpace(pointer.getAddressSpace());
}

/// The first type of a value that an operation makes, or gives its regions,
/// that PTX does not have.
static Type findForeignType(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (!isPTXType(type))
          return type;
  for (Type type : op->getResultTypes())
    if (!isPTXType(type))
      return type;
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  if (!global || isPTXAddressSpace(global.getAddrSpace()))
    return Type();
  return LLVM::LLVMPointerType::get(op->getContext(), global.getAddrSpace());
}

/// Operations have no locations any more, but the module has
/// (LowerToNVVM.cpp).
static LogicalResult checkForBackEnd(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (symbol && op != module && !isPTXName(symbol.getName()))
      return module.emitError()
             << "expects names that PTX takes (letters, digits, _ and $), got '"
             << symbol.getName() << "'";
    if (Type foreign = findForeignType(op))
      return module.emitError()
             << "expects address spaces of PTX (0, 1, 3, 4, 5, 7 or 101), got "
             << foreign << " in '" << op->getName() << "'";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
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
  if (failed(checkForBackEnd(module)))
    return failure();
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
