//===- LoadingWarps.cpp - Warps that do nothing but load ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Layout/LinearLayout.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::mirage;

static llvm::Error fail(const Twine &wanted, StringRef name, Attribute found) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (found)
    stream << found;
  else
    stream << "none";
  return llvm::createStringError("expects " + wanted + " as '" + name +
                                 "', got " + text);
}

llvm::Expected<LoadingWarps>
mlir::mirage::readLoadingWarps(block::GraphOp graph, bool handsBack) {
  LoadingWarps warps;
  Attribute shares = graph->getAttr(kRegisterSharesAttr);
  Attribute number = graph->getAttr(kLoadingWarpsAttr);
  if (!number && !shares)
    return warps;
  auto numWarps = dyn_cast_or_null<IntegerAttr>(number);
  if (!numWarps || !numWarps.getType().isInteger(64) || numWarps.getInt() < 1)
    return fail("a number of warps, an i64 from 1 on,", kLoadingWarpsAttr,
                number);
  warps.number = numWarps.getInt();
  if (shares) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(shares);
    if (!numbers || numbers.size() != 2)
      return fail("two numbers of registers", kRegisterSharesAttr, shares);
    warps.shares = RegisterShares{numbers[0], numbers[1]};
  }
  if (!handsBack)
    return llvm::createStringError("expects warps that hand places back ('" +
                                   kHandsBackPlacesAttr + "') where '" +
                                   kLoadingWarpsAttr + "' is stated");
  if (llvm::Error error =
          verify(warps, graph.getThreads(), getStatedResidentBlocks(graph)))
    return error;
  return warps;
}

void mlir::mirage::annotate(block::GraphOp graph, const LoadingWarps &warps) {
  Builder builder(graph.getContext());
  graph->removeAttr(kLoadingWarpsAttr);
  graph->removeAttr(kRegisterSharesAttr);
  if (warps.number > 0)
    graph->setAttr(kLoadingWarpsAttr, builder.getI64IntegerAttr(warps.number));
  if (warps.shares)
    graph->setAttr(kRegisterSharesAttr,
                   builder.getDenseI64ArrayAttr(
                       {warps.shares->ofLoading, warps.shares->ofComputing}));
}

int64_t mlir::mirage::getLaunchedThreads(block::GraphOp graph) {
  auto number = graph->getAttrOfType<IntegerAttr>(kLoadingWarpsAttr);
  return graph.getThreads() + (number ? number.getInt() << kLaneBits : 0);
}
