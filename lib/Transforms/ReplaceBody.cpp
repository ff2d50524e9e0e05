//===- ReplaceBody.cpp - A µGraph in the place of a program ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Transforms/CertificateAttr.h"
#include "Mirage/Transforms/SearchGraph.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::mirage;

/// The operator that an op carries out, be it by an accumulation.
static std::optional<Opcode> findOperator(mlir::Operation *op) {
  auto row = dyn_cast<OperatorOpInterface>(op);
  if (!row)
    return std::nullopt;
  Opcode opcode = row.getTableOpcode();
  return opcode == Opcode::Accumulate ? readOperatorAttributes(row).reduction
                                      : opcode;
}

/// Ops in place of others are where those with the same operator were, if there
/// are some: a product of the µGraph where the program's products stand.
static void inheritLocations(ArrayRef<mlir::Operation *> from, Block &to) {
  llvm::MapVector<Opcode, SmallVector<Location>> byOperator;
  for (mlir::Operation *op : from)
    if (std::optional<Opcode> opcode = findOperator(op))
      byOperator[*opcode].push_back(op->getLoc());
  DenseSet<mlir::Operation *> old(from.begin(), from.end());
  for (mlir::Operation &written : to) {
    if (old.contains(&written))
      continue;
    written.walk([&](mlir::Operation *op) {
      std::optional<Opcode> opcode = findOperator(op);
      auto found = opcode ? byOperator.find(*opcode) : byOperator.end();
      if (found != byOperator.end())
        op->setLoc(FusedLoc::get(op->getContext(), found->second));
    });
  }
}

void mlir::mirage::replaceBody(kernel::GraphOp op, const Graph &graph,
                               const Certificate &certificate) {
  Block &body = op.getBody().front();
  kernel::YieldOp yield = op.getYield();
  OpBuilder builder(yield);
  SmallVector<mlir::Operation *> old;
  for (mlir::Operation &nested : body.without_terminator())
    old.push_back(&nested);
  SmallVector<Location> locations;
  for (mlir::Operation *nested : old)
    locations.push_back(nested->getLoc());
  SmallVector<Value> values = writeGraph(
      builder, builder.getFusedLoc(locations), graph, body.getArguments());
  yield->setOperands(values);
  inheritLocations(old, body);
  for (mlir::Operation *nested : llvm::reverse(old))
    nested->erase();
  op->setAttr(kCertificateAttr,
              getCertificateAttr(op.getContext(), certificate));
}
