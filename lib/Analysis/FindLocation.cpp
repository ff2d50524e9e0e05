//===- FindLocation.cpp - Where to report ---------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/FindLocation.h"

using namespace mlir;

Location mirage::findLocation(Operation *op) {
  auto file = dyn_cast<FileLineColLoc>(op->getLoc());
  if (!file || file.getLine() > 0)
    return op->getLoc();
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      return nested.getLoc();
  return FileLineColLoc::get(file.getFilename(), 1, 1);
}
