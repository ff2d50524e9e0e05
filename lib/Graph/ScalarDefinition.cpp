//===- ScalarDefinition.cpp - What an elementwise operator means ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/ScalarDefinition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstring>

using namespace mlir::mirage;

unsigned mlir::mirage::getArity(ScalarFunction function) {
  switch (function) {
  case ScalarFunction::Argument:
  case ScalarFunction::Parameter:
  case ScalarFunction::Constant:
  case ScalarFunction::Ln2:
  case ScalarFunction::Size:
    return 0;
  case ScalarFunction::Exp:
  case ScalarFunction::Sqrt:
  case ScalarFunction::Abs:
  case ScalarFunction::Log:
  case ScalarFunction::Erf:
    return 1;
  case ScalarFunction::Add:
  case ScalarFunction::Mul:
  case ScalarFunction::Div:
  case ScalarFunction::Max:
  case ScalarFunction::Min:
  case ScalarFunction::Pow:
  case ScalarFunction::Vanish:
    return 2;
  }
  llvm_unreachable("unknown scalar function");
}

/// Bits, not values: 0.0 and -0.0 are two constants.
static bool isSame(const ScalarNode &lhs, const ScalarNode &rhs) {
  return lhs.function == rhs.function && lhs.index == rhs.index &&
         lhs.lhs == rhs.lhs && lhs.rhs == rhs.rhs &&
         std::memcmp(&lhs.value, &rhs.value, sizeof(double)) == 0;
}

uint8_t ScalarDefinition::add(ScalarNode node) {
  for (auto [number, old] : llvm::enumerate(list))
    if (isSame(old, node))
      return number;
  assert(list.size() < 256 && "a scalar definition has at most 256 nodes");
  list.push_back(node);
  return list.size() - 1;
}

unsigned ScalarDefinition::countArithmetic() const {
  return llvm::count_if(
      list, [](const ScalarNode &node) { return getArity(node.function) > 0; });
}

unsigned ScalarDefinition::countSpecial() const {
  return llvm::count_if(list, [](const ScalarNode &node) {
    switch (node.function) {
    case ScalarFunction::Div:
    case ScalarFunction::Exp:
    case ScalarFunction::Sqrt:
    case ScalarFunction::Log:
    case ScalarFunction::Erf:
    case ScalarFunction::Pow:
      return true;
    default:
      return false;
    }
  });
}

double mlir::mirage::evaluateDouble(const ScalarDefinition &definition,
                                    llvm::ArrayRef<double> arguments,
                                    llvm::ArrayRef<double> parameters,
                                    double size) {
  return evaluate<double>(definition,
                          [&](const ScalarNode &node, double lhs, double rhs) {
                            switch (node.function) {
                            case ScalarFunction::Argument:
                              return arguments[node.index];
                            case ScalarFunction::Parameter:
                              return parameters[node.index];
                            case ScalarFunction::Size:
                              return size;
                            case ScalarFunction::Constant:
                              return node.value;
                            case ScalarFunction::Ln2:
                              return kLn2;
                            default:
                              return applyDouble(node.function, lhs, rhs);
                            }
                          });
}
