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

using namespace mlir;
using namespace mlir::mirage;

llvm::Expected<LoadingWarps>
mlir::mirage::readLoadingWarps(block::GraphOp graph, bool handsBack) {
  LoadingWarps warps;
  auto shares = graph->getAttrOfType<DenseI64ArrayAttr>(kRegisterSharesAttr);
  auto number = graph->getAttrOfType<IntegerAttr>(kLoadingWarpsAttr);
  if (!number && !shares)
    return warps;
  warps.number = number ? number.getInt() : 0;
  if (warps.number < 1)
    return llvm::createStringError("expects 1 or more warps as '" +
                                   kLoadingWarpsAttr + "', got " +
                                   Twine(warps.number));
  if (shares && shares.size() != 2)
    return llvm::createStringError("expects two numbers of registers as '" +
                                   kRegisterSharesAttr + "', got " +
                                   Twine(shares.size()));
  if (shares)
    warps.shares = RegisterShares{shares[0], shares[1]};
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
