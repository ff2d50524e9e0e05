//===- NamedChoice.h - Options that are one of several names ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_NAMEDCHOICE_H
#define MIRAGE_SEARCH_NAMEDCHOICE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage::search {

/// The position of a name in a list of at least two.
/// \returns an error that names the option and lists the choices there are if
/// it is none of them: "expects OPTION a, b or c, got 'd'".
llvm::Expected<unsigned>
parseNamedChoice(llvm::StringRef option,
                 llvm::ArrayRef<llvm::StringLiteral> names,
                 llvm::StringRef name);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_NAMEDCHOICE_H
