//===- Explain.cpp - The pass --mirage-explain ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Options/CheckedPass.h"
#include "Mirage/Target/PTX/EmitPTX.h"
#include "Mirage/Target/PTX/Ptxas.h"
#include "Mirage/Transforms/ExplainKernels.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::mirage;

llvm::Expected<ExplainChoice>
mlir::mirage::chooseExplanation(StringRef option) {
  if (option == "false")
    return ExplainChoice();
  if (option == "true")
    return ExplainChoice{true, ""};
  if (option.ends_with(".json"))
    return ExplainChoice{true, option.str()};
  return llvm::createStringError(
      "expects explain=true, false or a file that ends in .json, got '" +
      option + "'");
}

namespace {
struct ExplainPass : public PassWrapper<ExplainPass, CheckedPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExplainPass)

  ExplainPass() = default;
  ExplainPass(const ExplainPass &other) : PassWrapper(other) {}
  explicit ExplainPass(const CompileOptions &given) {
    report = llvm::cantFail(chooseExplanation(given.explain)).report;
    ptxas = given.ptxas;
    target = given.search.target;
  }

  Option<TextOption> report{
      *this, "report",
      llvm::cl::desc("File to write what is known in JSON to; without it, text "
                     "goes to standard error")};
  Option<TextOption> ptxas{
      *this, "ptxas",
      llvm::cl::desc("What counts registers: auto (the ptxas that is found, if "
                     "one is), never, required or the path of one"),
      llvm::cl::init("auto")};
  Option<TextOption> target{
      *this, "target",
      llvm::cl::desc("GPU that kernels are for; without it the module's "
                     "#nvvm.target, or sm_90a")};

  StringRef getArgument() const override { return "mirage-explain"; }
  StringRef getDescription() const override {
    return "Says of each kernel what was decided and what it is expected to "
           "take";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager lowering(ModuleOp::getOperationName());
    addLowering(lowering, /*target=*/"");
    buildLowerToNVVMPipeline(lowering.nest<gpu::GPUModuleOp>(),
                             LowerToNVVMOptions());
    lowering.getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    if (failed(explain()))
      signalPassFailure();
  }

private:
  LogicalResult fail(const Twine &message) {
    return mlir::emitError(findLocation(getOperation())) << message;
  }
  LogicalResult explain();
  LogicalResult explain(func::FuncOp function);
  LogicalResult addCode(func::FuncOp function, ExplainedFunction &explained);
  LogicalResult assemble(ModuleOp module, const Target &gpu,
                         std::vector<KernelResources> &resources);
  LogicalResult write();

  PtxasChoice assembler;
  llvm::json::Array functions;
};
} // namespace

static bool hasGraph(func::FuncOp function) {
  return function.walk([](kernel::GraphOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

LogicalResult ExplainPass::explain() {
  llvm::Expected<PtxasChoice> choice = choosePtxas(ptxas);
  if (!choice)
    return fail(llvm::toString(choice.takeError()));
  assembler = *choice;
  functions.clear();
  bool isAnything = false;
  for (func::FuncOp function :
       llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
    if (!hasGraph(function))
      continue;
    isAnything = true;
    if (failed(explain(function)))
      return failure();
  }
  if (!isAnything)
    return fail("expects a function with a mirage_kernel.graph to explain, "
                "found none");
  return report.empty() ? success() : write();
}

LogicalResult ExplainPass::explain(func::FuncOp function) {
  FailureOr<std::string> name = resolveTarget(function, target);
  if (failed(name))
    return failure();
  FailureOr<ExplainedFunction> explained =
      explainKernels(function, llvm::cantFail(getTarget(*name)));
  if (failed(explained))
    return failure();
  bool isPlanned =
      !explained->kernels.empty() &&
      llvm::all_of(explained->kernels, [](const ExplainedKernel &kernel) {
        return kernel.isPlanned;
      });
  // A function with other ops cannot be compiled apart from what they call.
  bool isAlone =
      llvm::is_contained(findPrograms(function), function.getOperation());
  if (isPlanned && isAlone && failed(addCode(function, *explained)))
    return failure();
  if (report.empty())
    print(llvm::errs(), *explained);
  else
    functions.push_back(toJSON(*explained));
  return success();
}

/// What only the code tells: what kernels are called, and their registers. It
/// is made of a copy, in a module of its own inside this one, so that it has
/// this one's target.
LogicalResult ExplainPass::addCode(func::FuncOp function,
                                   ExplainedFunction &explained) {
  OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, function.getLoc());
  module->push_back(function.clone());
  OpPassManager lowering(ModuleOp::getOperationName());
  addLowering(lowering, explained.target.name);
  if (failed(runPipeline(lowering, *module)))
    return failure();
  SmallVector<StringRef> symbols;
  module->walk([&](gpu::LaunchFuncOp launch) {
    symbols.push_back(launch.getKernelName());
  });
  std::vector<KernelResources> resources;
  if (assembler.path && failed(assemble(*module, explained.target, resources)))
    return failure();
  for (ExplainedKernel &kernel : explained.kernels) {
    kernel.symbol = symbols[kernel.launch].str();
    for (const KernelResources &found : resources) {
      if (found.name != kernel.symbol)
        continue;
      kernel.numRegisters = found.registers;
      kernel.spillBytes = found.spillBytes;
    }
  }
  return success();
}

LogicalResult ExplainPass::assemble(ModuleOp module, const Target &gpu,
                                    std::vector<KernelResources> &resources) {
  LowerToNVVMOptions options;
  options.target = gpu.name;
  OpPassManager lowering(ModuleOp::getOperationName());
  buildLowerToNVVMPipeline(lowering.nest<gpu::GPUModuleOp>(), options);
  if (failed(runPipeline(lowering, module)))
    return failure();
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    GPUTarget chip;
    chip.chip = gpu.name;
    FailureOr<std::string> ptx = emitPTX(kernels, chip);
    if (failed(ptx))
      return failure();
    llvm::Expected<AssembledModule> assembled =
        assemblePTX(*assembler.path, *ptx, gpu.name);
    if (assembled) {
      llvm::append_range(resources, assembled->kernels);
      continue;
    }
    std::string problem = llvm::toString(assembled.takeError());
    if (assembler.isRequired)
      return fail("expects registers from ptxas, but " + problem);
    mlir::emitWarning(findLocation(getOperation()))
        << "registers are those of the plan: " << problem;
  }
  return success();
}

LogicalResult ExplainPass::write() {
  std::string text =
      llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
                                   {"functions", std::move(functions)}}));
  if (llvm::Error error = writeWholeFile(report.getValue(), {text}))
    return fail("report " + llvm::toString(std::move(error)));
  return success();
}

std::unique_ptr<Pass>
mlir::mirage::createExplainPass(const CompileOptions &options) {
  return std::make_unique<ExplainPass>(options);
}

void mlir::mirage::registerExplainPass() { PassRegistration<ExplainPass>(); }
