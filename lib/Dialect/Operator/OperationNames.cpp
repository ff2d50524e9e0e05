//===- OperationNames.cpp - Which op of a µGraph code is for --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/OperationNames.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::mirage;

Location mlir::mirage::nameAfter(Operation *op, unsigned number) {
  std::string name = (Twine(number) + ":" + op->getName().getStringRef()).str();
  return NameLoc::get(StringAttr::get(op->getContext(), name), op->getLoc());
}

/// "3:mirage_block.matmul"; names that somebody else gave look different.
static std::optional<NamedOperation> readName(NameLoc location) {
  auto [number, name] = location.getName().getValue().split(':');
  unsigned value = 0;
  if (number.getAsInteger(10, value) || !name.starts_with("mirage_"))
    return std::nullopt;
  return NamedOperation{value, name, location.getChildLoc()};
}

std::optional<NamedOperation>
mlir::mirage::findNamedOperation(Location location) {
  std::optional<NamedOperation> found;
  location->walk([&](Location inner) {
    if (auto name = dyn_cast<NameLoc>(inner))
      found = readName(name);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

FileLineColLoc mlir::mirage::findFile(Location location) {
  FileLineColLoc found;
  location->walk([&](Location inner) {
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}
