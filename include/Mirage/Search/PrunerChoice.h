//===- PrunerChoice.h - Which tensors are worth computing -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_PRUNERCHOICE_H
#define MIRAGE_SEARCH_PRUNERCHOICE_H

#include "Mirage/Algebra/Pruner.h"
#include <string>

namespace mlir::mirage::search {

/// Who says which tensors are worth computing.
struct PrunerChoice {
  /// The value of the option `pruner`. It stands for the choice in what is kept
  /// of a search.
  std::string name = "forms";
  /// Asked in place of SubexpressionTest; empty: nobody is.
  PrunerFactory make = {};
  /// Nothing is dropped for its expression. Of a program with one output,
  /// everything is found that has the output's names, and a verifier has to say
  /// what is right; of others, what equals them under the laws.
  bool keepsAll = false;
  /// What leads to the program may be dropped, where nothing proves that it
  /// does.
  bool mayDropMore = false;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_PRUNERCHOICE_H
