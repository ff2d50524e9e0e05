//===- Z3Encoding.h - Expressions and laws as Z3 terms ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three sorts: expressions, ranges and symbols. Operators are functions, a name
// is a constant of the sort of ranges, and a part of a range is a function of
// it and a symbol. What a law asks of its variables are predicates:
//
//   independent(x, i)  the name of range i is not free in x
//   differ(i, j)       i and j have different names
//   contained(x)       x is a subexpression of what is asked about
//
// The last one has one argument, since one question has one whole: it is closed
// under subexpressions and equality, which is the transitive closure.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_ALGEBRAZ3_Z3ENCODING_H
#define MIRAGE_LIB_ALGEBRAZ3_Z3ENCODING_H

#include "Mirage/Algebra/ExpressionLaws.h"
#include "Mirage/AlgebraZ3/ExpressionProver.h"
#include <map>
#include <set>
#include <z3++.h>

namespace mlir::mirage {

class Z3Encoding {
public:
  Z3Encoding(const ExpressionContext &context, z3::solver &solver,
             ProverOptions options);

  /// The term of an expression without variables. Facts about what occurs in it
  /// for the first time are asserted.
  z3::expr encode(const Expression &expression);
  z3::expr contained(const z3::expr &expression) {
    return containedPredicate(expression);
  }
  /// Laws, rules and what is known of the predicates. Call it after `encode`,
  /// as facts are about the names that occur.
  void assertAxioms();

private:
  /// Bound variables of an axiom.
  struct Variables {
    std::vector<z3::expr> expressions, ranges, symbols;
  };

  z3::expr encodeLeaf(const ExpressionNode &node);
  z3::expr encodeFunction(const ExpressionNode &node,
                          const std::vector<z3::expr> &operands);
  z3::expr encodeTree(const Expression &expression);
  z3::expr encodeRange(const IndexRange &range);
  z3::expr getName(NameId name);
  z3::expr getSymbol(SymbolId symbol);
  z3::expr apply(const char *name, const std::vector<z3::expr> &operands);
  z3::func_decl declareFunction(const ExpressionNode &node);

  void assertLaw(const ExpressionLaw &law);
  void assertRule(const SubexpressionRule &rule);
  void assertFunction(const ExpressionNode &node,
                      const z3::func_decl &declaration);
  void assertIndependence(const z3::func_decl &operation);
  void assertRanges();
  void assertNames();
  /// `conditions` imply `conclusion` for all values of the law variables that
  /// occur; instances are made where one of `patterns` occurs.
  void assertForAll(const std::vector<z3::expr> &conditions,
                    const z3::expr &conclusion,
                    const std::vector<z3::expr> &patterns);
  /// The variables of laws that occur in a term.
  std::vector<z3::expr> findVariables(const z3::expr &term) const;
  /// The smallest subterm with all of `variables`, to look for in a question.
  std::optional<z3::expr> findTrigger(const z3::expr &side, size_t variables);

  const ExpressionContext &context;
  z3::solver &solver;
  ProverOptions options;
  z3::context &z3;
  z3::sort expressionSort, rangeSort, symbolSort;
  z3::func_decl independent, differ, containedPredicate, partOf, nameOf;
  Variables variables;
  std::map<std::string, z3::func_decl> operations;
  /// Inputs with the names they are read at; other leaves with none.
  std::map<std::string, std::pair<z3::expr, std::set<NameId>>> leaves;
  std::map<std::string, ExpressionNode> functions;
  std::set<NameId> names;
  bool encodesLaw = false;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_ALGEBRAZ3_Z3ENCODING_H
