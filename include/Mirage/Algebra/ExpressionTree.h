//===- ExpressionTree.h - Abstract expressions as written -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An abstract expression before the laws are applied to it: a tree of
// operators. Σ_k (x[m,k] / r[m]) and (Σ_k x[m,k]) / r[m] are two trees and one
// form (Expression.h). Laws are stated as pairs of trees (ExpressionLaws.h),
// and whatever decides by them without the form, a solver or a rewriting
// system, works on trees.
//
// Names bind as variables of a program do: a sum over k binds every k in its
// operand that is not bound further in.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_EXPRESSIONTREE_H
#define MIRAGE_ALGEBRA_EXPRESSIONTREE_H

#include "Mirage/Algebra/Expression.h"
#include <memory>

namespace mlir::mirage {

/// What a sum or a maximum runs over: a name, or the part of it that is left
/// after axes have split it, each symbol once.
struct IndexRange {
  NameId name = 0;
  llvm::SmallVector<SymbolId, 2> splits; ///< ascending

  /// The part of this that one step along `symbol` sees.
  IndexRange split(SymbolId symbol) const;
  /// This before it was split by `symbol`, which it must be.
  IndexRange join(SymbolId symbol) const;
  SymbolPowers getPart() const;
  bool operator==(const IndexRange &o) const {
    return name == o.name && splits == o.splits;
  }
};

enum class ExpressionKind : uint8_t {
  Variable, ///< number `number` of a law: any expression
  Input,    ///< tensor `number` read at `names`
  Constant, ///< `value`, not 0
  Extent,   ///< how many values `names` take together
  Add,
  Mul,
  Div,
  Negate,
  Exp,
  Sqrt,
  Sum,      ///< over `range`
  Max,      ///< over `range`
  JoinSums, ///< of the parts that `symbol` has split a sum into, the sum
  JoinMaxima,
  Function, ///< `text` of operands; binds `names`, of which it sees `part`
};

struct ExpressionNode;
using Expression = std::shared_ptr<const ExpressionNode>;

struct ExpressionNode {
  ExpressionKind kind = ExpressionKind::Constant;
  unsigned number = 0;
  double value = 1;
  llvm::SmallVector<NameId, 2> names;
  IndexRange range;
  SymbolId symbol = 0;
  std::string text;
  SymbolPowers part;
  bool commutes = false; ///< Function: the order of operands is of no account
  llvm::SmallVector<Expression, 2> operands;
};

/// Makers of trees.
namespace expression {
Expression variable(unsigned number);
Expression input(unsigned number, llvm::ArrayRef<NameId> names);
Expression constant(double value);
Expression one();
Expression extent(llvm::ArrayRef<NameId> names);
Expression add(Expression lhs, Expression rhs);
Expression mul(Expression lhs, Expression rhs);
Expression div(Expression lhs, Expression rhs);
Expression negate(Expression operand);
Expression exp(Expression operand);
Expression sqrt(Expression operand);
Expression sum(IndexRange range, Expression operand);
Expression max(IndexRange range, Expression operand);
Expression joinSums(SymbolId symbol, Expression operand);
Expression joinMaxima(SymbolId symbol, Expression operand);
Expression function(llvm::StringRef text, llvm::ArrayRef<Expression> operands,
                    bool commutes = false, llvm::ArrayRef<NameId> over = {},
                    const SymbolPowers &part = {});
} // namespace expression

/// Whether the trees are the same, operand by operand.
bool isSameTree(const Expression &lhs, const Expression &rhs);
/// Whether `name` is free in the expression.
bool dependsOn(const Expression &expression, NameId name);
/// How many nodes the tree has.
unsigned countNodes(const Expression &expression);

/// The normal form of an expression without variables. JoinMaxima takes what is
/// one bare maximum by the laws.
FormId toForm(ExpressionContext &context, const Expression &expression);

/// An expression whose form this is. None where letters of one name meet under
/// one root or in one denominator, so that no tree of names reads them:
/// Σ_{k,k'} √(x[k]·y[k'] + z[k]·w[k']).
std::optional<Expression> toExpression(const ExpressionContext &context,
                                       FormId form);

/// As text, for messages: sum[k]((x0[m,k] * x1[k,n])).
std::string toString(const ExpressionContext &context,
                     const Expression &expression);

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_EXPRESSIONTREE_H
