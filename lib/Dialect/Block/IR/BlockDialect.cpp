//===- BlockDialect.cpp - The block level ---------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Block/IR/Block.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::block;

#include "Mirage/Dialect/Block/IR/BlockDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Mirage/Dialect/Block/IR/BlockOps.cpp.inc"

void MirageBlockDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Mirage/Dialect/Block/IR/BlockOps.cpp.inc"
      >();
}

static constexpr mirage::detail::TileGraphSpelling kSpelling = {
    "grid", "loop", /*hasThreads=*/true};

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &state) {
  return mirage::detail::parseTileGraph(parser, state, kSpelling);
}
void GraphOp::print(OpAsmPrinter &printer) {
  mirage::detail::printTileGraph(
      printer, cast<TileGraphOpInterface>(getOperation()), kSpelling);
}
LogicalResult GraphOp::verifyRegions() {
  return mirage::detail::verifyTileGraph(
      cast<TileGraphOpInterface>(getOperation()));
}

Level GraphOp::getLevel() { return Level::Block; }
unsigned GraphOp::getNumThreads() { return getThreads(); }
