//===- SearchVersion.cpp - Who found what a cache holds -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Version/Version.h"
#include "SearchCache.h"

std::string mlir::mirage::search::getSearchVersion() {
  static constexpr llvm::StringLiteral kSourceHash =
#include "SearchSourceHash.inc"
      ;
  return (getMirageVersion() + "-" + kSourceHash).str();
}
