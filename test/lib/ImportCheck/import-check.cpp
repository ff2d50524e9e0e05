//===- import-check.cpp - Whether import means what linalg says -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mirage-import-check [--by-patterns] in.mlir
//
// Runs each function of a module twice on the same random inputs: lowered by
// upstream's passes alone, compiled for the host; and imported, as a kernel
// graph, by the float64 reference. Exits 1 where an output is not right (see
// Mirage/Reference/OutputCheck.h), 2 where one way or the other does not exist.
// --by-patterns imports as a conversion that is built on our patterns does:
// each op a kernel graph, none merged or tidied.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Conversion/LinalgToKernel.h"
#include "Mirage/InitAll.h"
#include "Mirage/Reference/OutputCheck.h"
#include "Mirage/Reference/RandomInputs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::mirage;

static llvm::cl::opt<std::string> inputPath(llvm::cl::Positional,
                                            llvm::cl::Required,
                                            llvm::cl::desc("<in.mlir>"));

static llvm::cl::opt<bool>
    byPatterns("by-patterns", llvm::cl::desc("Import by the patterns alone"));

/// Destinations become arguments behind the inputs, all as C descriptors.
static constexpr const char *kBufferPipeline =
    "func.func(convert-elementwise-to-linalg,math-expand-ops{ops=fpowi}),"
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params{modify-public-functions=true}";
static constexpr const char *kLoopPipeline =
    "convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,"
    "lower-affine,func.func(llvm-request-c-wrappers),convert-math-to-llvm,"
    "convert-math-to-libm,convert-arith-to-llvm,convert-index-to-llvm,"
    "finalize-memref-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,"
    "reconcile-unrealized-casts";

namespace {
/// The C descriptor of a memref: two pointers, offset, sizes, strides.
struct Descriptor {
  explicit Descriptor(HostTensor &tensor) {
    int64_t data = reinterpret_cast<intptr_t>(tensor.bytes.data());
    words = {data, data, 0};
    llvm::append_range(words, tensor.type.shape);
    int64_t stride = tensor.type.getNumElements();
    for (int64_t size : tensor.type.shape)
      words.push_back(stride /= size);
  }
  SmallVector<int64_t> words;
};
} // namespace

/// What upstream's own lowering computes.
static llvm::Expected<std::vector<HostTensor>>
runOnHost(ExecutionEngine &engine, StringRef name,
          std::vector<HostTensor> tensors, ArrayRef<TensorSpec> outputs) {
  unsigned numInputs = tensors.size();
  for (const TensorSpec &output : outputs)
    tensors.push_back({output, std::vector<uint8_t>(output.getSizeBytes())});
  SmallVector<Descriptor> descriptors;
  for (HostTensor &tensor : tensors)
    descriptors.emplace_back(tensor);
  SmallVector<void *> pointers =
      llvm::map_to_vector(descriptors, [](Descriptor &descriptor) -> void * {
        return descriptor.words.data();
      });
  SmallVector<void *> packed = llvm::map_to_vector(
      pointers, [](void *&pointer) -> void * { return &pointer; });
  if (llvm::Error error =
          engine.invokePacked(("_mlir_ciface_" + name).str(), packed))
    return std::move(error);
  tensors.erase(tensors.begin(), tensors.begin() + numInputs);
  return tensors;
}

/// What LLVM calls to round to bf16 where the processor has no instruction for
/// it, and libgcc has only from version 13 on.
template <typename Float>
static __bf16 roundToBF16(Float value) {
  llvm::APFloat rounded(value);
  bool losesInfo;
  rounded.convert(llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return llvm::bit_cast<__bf16>(
      static_cast<uint16_t>(rounded.bitcastToAPInt().getZExtValue()));
}

static llvm::orc::SymbolMap
getConversions(llvm::orc::MangleAndInterner interner) {
  auto symbol = [](auto *function) {
    return llvm::orc::ExecutorSymbolDef(
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported);
  };
  return {{interner("__truncsfbf2"), symbol(&roundToBF16<float>)},
          {interner("__truncdfbf2"), symbol(&roundToBF16<double>)}};
}

/// Ops that upstream writes out on request alone.
static LogicalResult decomposeSoftmax(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  WalkResult walked = module.walk([&](linalg::SoftmaxOp softmax) {
    rewriter.setInsertionPoint(softmax);
    FailureOr<SmallVector<Value>> parts = softmax.decomposeOperation(rewriter);
    if (failed(parts))
      return WalkResult::interrupt();
    rewriter.replaceOp(softmax, *parts);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

static LogicalResult decomposeConcat(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

/// Copies would call a library.
static void copyByLoops(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  module.walk([&](memref::CopyOp copy) {
    rewriter.setInsertionPoint(copy);
    rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(),
                                                copy.getTarget());
  });
}

static LogicalResult runPipeline(ModuleOp module, StringRef pipeline) {
  PassManager manager(module.getContext());
  return success(succeeded(parsePassPipeline(pipeline, manager)) &&
                 succeeded(manager.run(module)));
}

static llvm::Expected<std::unique_ptr<ExecutionEngine>>
compileForHost(ModuleOp module) {
  if (failed(decomposeSoftmax(module)) || failed(decomposeConcat(module)) ||
      failed(runPipeline(module, kBufferPipeline)))
    return llvm::createStringError("the host pipeline fails");
  copyByLoops(module);
  if (failed(runPipeline(module, kLoopPipeline)))
    return llvm::createStringError("the host pipeline fails");
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  auto optimize = makeOptimizingTransformer(2, 0, nullptr);
  options.transformer = optimize;
  auto engine = ExecutionEngine::create(module, options);
  if (engine)
    (*engine)->registerSymbols(getConversions);
  return engine;
}

static LogicalResult import(func::FuncOp function) {
  if (!byPatterns)
    return convertLinalgToKernel(function);
  RewritePatternSet patterns(function.getContext());
  populateLinalgToKernelPatterns(patterns);
  return applyPatternsGreedily(function, std::move(patterns));
}

/// \returns whether all outputs of one function are right.
static llvm::Expected<bool> checkFunction(func::FuncOp function,
                                          ExecutionEngine &engine) {
  if (failed(import(function)))
    return llvm::createStringError("import fails");
  FailureOr<Graph> graph = readFunction(function);
  if (failed(graph))
    return llvm::createStringError("something is left outside");
  std::vector<HostTensor> inputs = makeRandomInputs(*graph, /*seed=*/1);
  auto reference = evaluateReference(*graph, inputs);
  if (!reference)
    return reference.takeError();
  SmallVector<TensorSpec> types = graph->getTypes(graph->getOutputs());
  auto computed = runOnHost(engine, function.getName(), inputs, types);
  if (!computed)
    return computed.takeError();
  bool isRight = true;
  for (auto [expected, found] : llvm::zip_equal(*reference, *computed)) {
    OutputCheck check = checkOutput(expected, found);
    llvm::outs() << function.getName() << ": "
                 << toString(check, expected.type.shape) << "\n";
    isRight &= check.pass;
  }
  return isRight;
}

static llvm::Expected<bool> checkModule(MLIRContext &context) {
  auto imported = parseSourceFile<ModuleOp>(inputPath, &context);
  if (!imported)
    return llvm::createStringError("cannot read " + inputPath);
  OwningOpRef<ModuleOp> lowered = imported->clone();
  auto engine = compileForHost(*lowered);
  if (!engine)
    return engine.takeError();
  bool isRight = true;
  for (auto function : imported->getOps<func::FuncOp>()) {
    llvm::Expected<bool> result = checkFunction(function, **engine);
    if (!result)
      return llvm::joinErrors(
          llvm::createStringError("in function " + function.getName()),
          result.takeError());
    isRight &= *result;
  }
  return isRight;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "Checks import\n");
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  mirage::registerAllDialects(registry);
  mlir::registerAllPasses();
  MLIRContext context(registry);
  context.loadDialect<kernel::MirageKernelDialect, tensor::TensorDialect>();
  llvm::Expected<bool> isRight = checkModule(context);
  if (isRight)
    return *isRight ? 0 : 1;
  llvm::errs() << "mirage-import-check: " << llvm::toString(isRight.takeError())
               << "\n";
  return 2;
}
