//===- NamedChoice.cpp - Options that are one of several names ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/NamedChoice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::mirage;

llvm::Expected<unsigned> mlir::mirage::search::parseNamedChoice(
    llvm::StringRef option, llvm::ArrayRef<llvm::StringLiteral> names,
    llvm::StringRef name) {
  const llvm::StringLiteral *found = llvm::find(names, name);
  if (found != names.end())
    return static_cast<unsigned>(found - names.begin());
  return llvm::createStringError("expects " + option + " " +
                                 llvm::join(names.drop_back(), ", ") + " or " +
                                 names.back() + ", got '" + name + "'");
}
