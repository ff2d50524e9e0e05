//===- InputReaders.cpp - What is made of a program's inputs --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputReaders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

std::optional<DimensionNumbers> mlir::mirage::search::findCommonReading(
    const Graph &program, ValueId input, Opcode movement,
    llvm::function_ref<DimensionNumbers(const Node &)> describe) {
  if (llvm::is_contained(program.getOutputs(), input))
    return std::nullopt;
  std::optional<DimensionNumbers> common;
  for (const Node &reader : program.getNodes()) {
    if (!llvm::is_contained(reader.operands, input))
      continue;
    if (reader.opcode != movement)
      return std::nullopt;
    DimensionNumbers own = describe(reader);
    if (common && *common != own)
      return std::nullopt;
    common = std::move(own);
  }
  return common;
}
