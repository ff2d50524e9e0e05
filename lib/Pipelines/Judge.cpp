//===- Judge.cpp - Are the functions of two modules equal? ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Pipelines/Judge.h"
#include "Mirage/Algebra/FieldKernels.h"
#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Pipelines/Pipelines.h"
#include "Mirage/Transforms/CertificateAttr.h"
#include "Mirage/Verify/OutputOrder.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <random>

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Which function of the one module is judged against which of the other: that
/// of its name, and where each module has but one, that.
static FailureOr<SmallVector<std::pair<func::FuncOp, func::FuncOp>>>
matchFunctions(ArrayRef<func::FuncOp> before, ArrayRef<func::FuncOp> after) {
  SmallVector<std::pair<func::FuncOp, func::FuncOp>> pairs;
  if (before.size() == 1 && after.size() == 1) {
    pairs.emplace_back(before[0], after[0]);
    return pairs;
  }
  auto find = [](func::FuncOp function,
                 ArrayRef<func::FuncOp> others) -> FailureOr<func::FuncOp> {
    for (func::FuncOp other : others)
      if (other.getName() == function.getName())
        return other;
    return function.emitError()
           << "expects a function of this name in the other module, found none";
  };
  for (func::FuncOp function : before) {
    FailureOr<func::FuncOp> other = find(function, after);
    if (failed(other))
      return failure();
    pairs.emplace_back(function, *other);
  }
  for (func::FuncOp function : after)
    if (failed(find(function, before)))
      return failure();
  return pairs;
}

static FailureOr<SmallVector<func::FuncOp>>
getDefinedFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions, declarations;
  for (auto function : module.getOps<func::FuncOp>())
    (function.isExternal() ? declarations : functions).push_back(function);
  if (!functions.empty())
    return functions;
  if (!declarations.empty())
    return declarations[0].emitError() << "expects a function with a body, got "
                                          "a declaration";
  return mlir::emitError(findLocation(module))
         << "expects a module with functions, got none";
}

/// A bound of 2^-64 and less is one over seeds of more bits than that.
static Seed drawSeed() {
  std::random_device device;
  Seed seed;
  for (uint32_t &word : seed)
    word = device();
  return seed;
}

static VerifyOptions getOptions(const JudgeOptions &options) {
  VerifyOptions verify;
  verify.seed =
      options.seed ? deriveSeed(Seed{}, "judge", *options.seed) : drawSeed();
  uint64_t seed =
      options.seed.value_or((uint64_t(verify.seed[0]) << 32) | verify.seed[1]);
  verify.errorBoundBits = options.errorBoundBits;
  unsigned minTowers = llvm::divideCeil(options.minTrials, kernels::kLanes);
  verify.minTowers = std::max(verify.minTowers, minTowers);
  verify.maxTowers = std::max(verify.maxTowers, minTowers);
  verify.minLargeTrials = std::max(verify.minLargeTrials, options.minTrials);
  verify.maxLargeTrials = std::max(verify.maxLargeTrials, options.minTrials);
  verify.wantsExactProof = options.wantsExactProof;
  // Whoever asks for trials has them.
  verify.triesSameGraphs = options.minTrials > 0 || options.maxWholeWork;
  if (options.maxWholeWork)
    verify.maxWholeWork = verify.sampleWork = double(*options.maxWholeWork);
  verify.findWitness = makeWitnessFinder(seed, options.witnessTries);
  verify.findWitnessAt = makeElementWitnessFinder(seed, options.witnessTries);
  return verify;
}

static void collectOtherTypes(ArrayRef<TensorSpec> before,
                              ArrayRef<TensorSpec> after, StringRef what,
                              std::vector<std::string> &found) {
  for (auto [number, lhs, rhs] : llvm::enumerate(before, after))
    if (lhs.element != rhs.element)
      found.push_back(llvm::formatv("{0} {1} ({2} and {3})", what, number,
                                    getElementTypeName(lhs.element),
                                    getElementTypeName(rhs.element)));
}

static std::vector<std::string> findOtherTypes(const Graph &lhs,
                                               const Graph &rhs) {
  std::vector<std::string> found;
  auto inputs = [](const Graph &graph) {
    return graph.getTypes(
        llvm::to_vector(llvm::seq<ValueId>(0, graph.getNumInputs())));
  };
  collectOtherTypes(inputs(lhs), inputs(rhs), "argument", found);
  collectOtherTypes(lhs.getTypes(lhs.getOutputs()),
                    rhs.getTypes(rhs.getOutputs()), "result", found);
  return found;
}

/// \param matchesOutputs  whether results of the second function are put in the
///                        order of the first's before.
static llvm::Expected<FunctionVerdict> judge(const Graph &lhs, Graph rhs,
                                             const VerifyOptions &options,
                                             bool matchesOutputs) {
  FunctionVerdict result;
  if (matchesOutputs) {
    auto order = matchOutputs(lhs, rhs, options);
    if (!order)
      return order.takeError();
    if (!llvm::is_sorted(*order)) {
      rhs = withOutputs(rhs, *order);
      result.outputOrder = std::move(*order);
    }
  }
  llvm::Expected<Verdict> verdict = verifyEqual(lhs, rhs, options);
  if (!verdict)
    return verdict.takeError();
  result.verdict = std::move(*verdict);
  result.otherTypes = findOtherTypes(lhs, rhs);
  return std::move(result);
}

/// An error of a pair of functions, or of graphs in them.
static LogicalResult fail(mlir::Operation *before, mlir::Operation *after,
                          llvm::Error error) {
  InFlightDiagnostic diagnostic = before->emitError()
                                  << llvm::toString(std::move(error));
  diagnostic.attachNote(after->getLoc())
      << (isa<func::FuncOp>(before) ? "compared with this function"
                                    : "compared with this graph");
  return failure();
}

//===----------------------------------------------------------------------===//
// Certificates
//===----------------------------------------------------------------------===//

static FailureOr<CertificateFinding> repeatCertificate(kernel::GraphOp before,
                                                       kernel::GraphOp after) {
  FailureOr<std::optional<Certificate>> certificate = readCertificate(after);
  FailureOr<Graph> program = readKernelGraph(before),
                   result = readKernelGraph(after);
  if (failed(certificate) || failed(program) || failed(result))
    return failure();
  CertificateFinding finding;
  if (!*certificate) {
    Certificate own = makeCertificate(*program, *result, 0, 0);
    if (own.program == own.result)
      return finding;
    return after.emitError()
           << "expects '" << kCertificateAttr
           << "' on a graph that is not the program's, found none";
  }
  finding.isThere = true;
  finding.isProof = (*certificate)->bound.provedLog2 < 0;
  finding.isRepeated = (*certificate)->isRepeatable;
  llvm::Expected<std::optional<std::string>> flaw =
      findFlaw(**certificate, *program, *result);
  if (!flaw)
    return fail(before, after, flaw.takeError());
  finding.flaw = flaw->value_or("");
  return finding;
}

static FailureOr<std::vector<CertificateFinding>>
repeatCertificates(func::FuncOp before, func::FuncOp after) {
  auto collect = [](func::FuncOp function) {
    SmallVector<kernel::GraphOp> graphs;
    function.walk([&](kernel::GraphOp op) { graphs.push_back(op); });
    return graphs;
  };
  SmallVector<kernel::GraphOp> programs = collect(before),
                               results = collect(after);
  if (programs.size() != results.size())
    return fail(before, after,
                llvm::createStringError(
                    "expects functions with as many mirage_kernel.graph, got " +
                    Twine(programs.size()) + " and " + Twine(results.size())));
  std::vector<CertificateFinding> findings;
  for (auto [program, result] : llvm::zip_equal(programs, results)) {
    FailureOr<CertificateFinding> finding = repeatCertificate(program, result);
    if (failed(finding))
      return failure();
    findings.push_back(std::move(*finding));
  }
  return findings;
}

static FailureOr<FunctionVerdict> judge(func::FuncOp before, func::FuncOp after,
                                        const VerifyOptions &verify,
                                        const JudgeOptions &options) {
  FailureOr<Graph> lhs = readFunction(before), rhs = readFunction(after);
  if (failed(lhs) || failed(rhs))
    return failure();
  llvm::Expected<FunctionVerdict> verdict =
      judge(*lhs, std::move(*rhs), verify, options.matchesOutputs);
  if (!verdict)
    return fail(before, after, verdict.takeError());
  verdict->function = before.getName().str();
  if (options.repeatsCertificates) {
    FailureOr<std::vector<CertificateFinding>> certificates =
        repeatCertificates(before, after);
    if (failed(certificates))
      return failure();
    verdict->certificates = std::move(*certificates);
  }
  return std::move(*verdict);
}

static LogicalResult importModule(ModuleOp module) {
  PassManager passManager(module.getContext(), ModuleOp::getOperationName());
  buildProgramImportPipeline(passManager);
  return passManager.run(module);
}

LogicalResult
mlir::mirage::judgeModules(ModuleOp before, ModuleOp after,
                           const JudgeOptions &options,
                           std::vector<FunctionVerdict> &verdicts) {
  if (failed(importModule(before)) || failed(importModule(after)))
    return failure();
  auto functions = getDefinedFunctions(before),
       others = getDefinedFunctions(after);
  if (failed(functions) || failed(others))
    return failure();
  auto pairs = matchFunctions(*functions, *others);
  if (failed(pairs))
    return failure();
  VerifyOptions verify = getOptions(options);
  bool areJudged = true;
  for (auto [function, other] : *pairs) {
    FailureOr<FunctionVerdict> verdict =
        judge(function, other, verify, options);
    areJudged &= succeeded(verdict);
    if (succeeded(verdict))
      verdicts.push_back(std::move(*verdict));
  }
  return success(areJudged);
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// On a line of its own.
static std::string describeCertificate(const FunctionVerdict &entry,
                                       unsigned number,
                                       const CertificateFinding &finding) {
  std::string text = "\n@" + entry.function + ": ";
  if (entry.certificates.size() > 1)
    text += "graph " + std::to_string(number) + ": ";
  if (!finding.isThere)
    return text + "no certificate; the graph is the program's own";
  if (finding.flaw.empty() && !finding.isRepeated)
    return text + "the certificate is of these graphs; its proof is of parts "
                  "of the program that the result does not show, and cannot be "
                  "repeated";
  if (finding.flaw.empty())
    return text + (finding.isProof
                       ? "the certificate holds; its proof came out the same"
                       : "the certificate holds, and proves nothing; its "
                         "trials came out the same");
  return text + "the certificate does not hold: " + finding.flaw;
}

std::string mlir::mirage::toString(const FunctionVerdict &entry) {
  std::string text = "@" + entry.function + ": " + toString(entry.verdict);
  if (!entry.otherTypes.empty())
    text += "; element types differ, which is not judged: " +
            llvm::join(entry.otherTypes, ", ");
  if (!entry.outputOrder.empty())
    text += "; results of the second function in the order " +
            llvm::join(llvm::map_range(entry.outputOrder,
                                       [](unsigned number) {
                                         return std::to_string(number);
                                       }),
                       ", ");
  for (auto [number, finding] : llvm::enumerate(entry.certificates))
    text += describeCertificate(entry, number, finding);
  return text;
}

static llvm::json::Value toJSON(const FunctionVerdict &entry) {
  llvm::json::Value value = mirage::toJSON(entry.verdict);
  value.getAsObject()->insert({"function", entry.function});
  if (!entry.otherTypes.empty())
    value.getAsObject()->insert(
        {"otherElementTypes", llvm::json::Array(entry.otherTypes)});
  if (!entry.outputOrder.empty())
    value.getAsObject()->insert(
        {"outputOrder", llvm::json::Array(entry.outputOrder)});
  llvm::json::Array certificates;
  for (const CertificateFinding &finding : entry.certificates) {
    llvm::json::Object object{{"found", finding.isThere}};
    if (finding.isThere && finding.isRepeated)
      object["holds"] = finding.flaw.empty();
    else if (finding.isThere)
      object["repeatable"] = false;
    if (!finding.flaw.empty())
      object["flaw"] = finding.flaw;
    certificates.push_back(std::move(object));
  }
  if (!certificates.empty())
    value.getAsObject()->insert({"certificates", std::move(certificates)});
  return value;
}

llvm::json::Value mlir::mirage::toJSON(ArrayRef<FunctionVerdict> verdicts) {
  llvm::json::Array functions;
  for (const FunctionVerdict &verdict : verdicts)
    functions.push_back(::toJSON(verdict));
  return llvm::json::Object{{"functions", std::move(functions)}};
}

Verdict::Kind mlir::mirage::joinVerdicts(ArrayRef<FunctionVerdict> verdicts) {
  bool isDifferent = false, isOpen = false;
  for (const FunctionVerdict &verdict : verdicts) {
    isDifferent |= verdict.verdict.kind == Verdict::Different;
    isOpen |= verdict.verdict.kind == Verdict::Unknown;
    for (const CertificateFinding &finding : verdict.certificates) {
      isDifferent |= !finding.flaw.empty();
      isOpen |= !finding.isRepeated;
    }
  }
  return isDifferent ? Verdict::Different
         : isOpen    ? Verdict::Unknown
                     : Verdict::Equal;
}
