//===- VerdictJSON.cpp - Verdicts for people and programs -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/VerdictJSON.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir::mirage;
using llvm::formatv;

static llvm::json::Value writeLog2(double log2) {
  return std::isinf(log2) ? llvm::json::Value("-inf") : llvm::json::Value(log2);
}

static llvm::json::Value writeNumber(double number) {
  return std::isfinite(number)
             ? llvm::json::Value(number)
             : llvm::json::Value(formatv("{0}", number).str());
}

llvm::json::Value mlir::mirage::toJSON(const Verdict &verdict) {
  llvm::json::Object object{
      {"verdict", getVerdictName(verdict.kind)},
      {"provedLog2", writeLog2(verdict.bound.provedLog2)},
      {"conjecturedLog2", writeLog2(verdict.bound.conjecturedLog2)},
      {"trials", int64_t(verdict.bound.trials)},
      {"towers", int64_t(verdict.bound.towers)}};
  if (!verdict.sizes.empty())
    object["sizes"] = verdict.sizes;
  if (!verdict.reason.empty())
    object["reason"] = verdict.reason;
  if (verdict.whereBothDefined)
    object["whereBothDefined"] = true;
  if (verdict.witness)
    object["witness"] =
        llvm::json::Object{{"seed", verdict.witness->seed},
                           {"output", int64_t(verdict.witness->output)},
                           {"element", verdict.witness->element},
                           {"before", writeNumber(verdict.witness->lhs)},
                           {"after", writeNumber(verdict.witness->rhs)}};
  return object;
}

static std::string describeBound(const Verdict &verdict) {
  std::string text;
  if (verdict.bound.provedLog2 == 0)
    text = "no bound";
  else if (std::isinf(verdict.bound.provedLog2))
    text = "proved outright";
  else
    text = formatv("wrong with probability at most 2^{0:f0} (proved)",
                   verdict.bound.provedLog2);
  if (!verdict.sizes.empty())
    text += " at " + verdict.sizes;
  return text + formatv(", {0} trials over {1} towers of primes",
                        verdict.bound.trials, verdict.bound.towers)
                    .str();
}

std::string mlir::mirage::toString(const Verdict &verdict) {
  std::string text = getVerdictName(verdict.kind).str();
  if (verdict.kind == Verdict::Equal) {
    text += verdict.whereBothDefined ? " where both are defined; " : "; ";
    text += describeBound(verdict);
  }
  if (verdict.witness)
    text += formatv("; output {0}, element {1}: {2} and {3} on the inputs of "
                    "seed {4}",
                    verdict.witness->output, verdict.witness->element,
                    verdict.witness->lhs, verdict.witness->rhs,
                    verdict.witness->seed)
                .str();
  if (!verdict.reason.empty())
    text += "; " + verdict.reason;
  return text;
}
