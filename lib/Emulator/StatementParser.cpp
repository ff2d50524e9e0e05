//===- StatementParser.cpp - Reads the body of a kernel -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementParser.h"

using namespace mlir::mirage::emulator;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

bool StatementParser::expect(char c) {
  if (lexer.takeIf(c))
    return true;
  diagnostics.error(lexer.peek().location, Twine("expected '") + Twine(c) +
                                               "', found " +
                                               lexer.peek().describe());
  return false;
}

bool StatementParser::expectInteger(uint64_t &value) {
  if (lexer.peek().kind != TokenKind::Integer) {
    diagnostics.error(lexer.peek().location,
                      "expected an integer, found " + lexer.peek().describe());
    return false;
  }
  value = lexer.take().value;
  return true;
}

void StatementParser::recover() {
  while (lexer.peek().kind != TokenKind::End && !lexer.peek().is('}'))
    if (lexer.take().is(';'))
      return;
}

void StatementParser::skipBraces() {
  for (unsigned depth = 1; depth > 0;) {
    Token token = lexer.take();
    if (token.kind == TokenKind::End) {
      diagnostics.error(token.location,
                        "expected '}', found the end of the file");
      return;
    }
    depth += token.is('{');
    depth -= token.is('}');
  }
}

//===----------------------------------------------------------------------===//
// Operands and instructions
//===----------------------------------------------------------------------===//

bool StatementParser::parseNumber(OperandSyntax &operand) {
  bool negative = lexer.takeIf('-');
  if (!negative)
    lexer.takeIf('+');
  Token token = lexer.take();
  operand.value = negative ? 0 - token.value : token.value;
  if (token.kind == TokenKind::Integer)
    operand.kind = OperandSyntax::Kind::Integer;
  else if (token.kind == TokenKind::Float32 && !negative)
    operand.kind = OperandSyntax::Kind::Float32;
  else if (token.kind == TokenKind::Float64 && !negative)
    operand.kind = OperandSyntax::Kind::Float64;
  else {
    diagnostics.error(token.location,
                      "expected an operand, found " + token.describe());
    return false;
  }
  return true;
}

bool StatementParser::parseList(OperandSyntax &operand, char close) {
  operand.kind = OperandSyntax::Kind::Vector;
  if (lexer.takeIf(close))
    return true;
  do {
    if (!parseOperand(operand.elements.emplace_back()))
      return false;
  } while (lexer.takeIf(','));
  return expect(close);
}

bool StatementParser::parseMemory(OperandSyntax &operand) {
  operand.kind = OperandSyntax::Kind::Memory;
  if (!parseOperand(operand.elements.emplace_back()))
    return false;
  bool isPlus = lexer.takeIf('+'); // also `+-4`
  if (isPlus || lexer.peek().is('-')) {
    OperandSyntax displacement;
    if (!parseNumber(displacement))
      return false;
    operand.value = displacement.value;
  }
  while (lexer.takeIf(','))
    if (!parseOperand(operand.elements.emplace_back()))
      return false;
  return expect(']');
}

bool StatementParser::parseOperand(OperandSyntax &operand) {
  // PTX has two levels, as in `[a, {x, y}]`; each takes stack here.
  constexpr unsigned kMostLevels = 8;
  operand.location = lexer.peek().location;
  if (operandDepth == kMostLevels) {
    diagnostics.error(operand.location, "expected operands nested at most " +
                                            Twine(kMostLevels) +
                                            " deep, found more");
    return false;
  }
  ++operandDepth;
  bool good = parseOperandPart(operand);
  --operandDepth;
  return good;
}

bool StatementParser::parseOperandPart(OperandSyntax &operand) {
  if (lexer.takeIf('{'))
    return parseList(operand, '}');
  if (lexer.takeIf('('))
    return parseList(operand, ')');
  if (lexer.takeIf('['))
    return parseMemory(operand);
  operand.isNegated = lexer.takeIf('!');
  const Token &token = lexer.peek();
  if (token.kind != TokenKind::Word)
    return parseNumber(operand);
  operand.name = lexer.take().text;
  operand.kind = operand.name == "_" ? OperandSyntax::Kind::Sink
                                     : OperandSyntax::Kind::Name;
  if (!lexer.takeIf('|'))
    return true;
  OperandSyntax first = operand;
  operand.kind = OperandSyntax::Kind::Pair;
  operand.elements.push_back(first);
  return parseOperand(operand.elements.emplace_back());
}

void StatementParser::parseLabel(const Token &name) {
  if (lexer.peek().isWord(".branchtargets")) {
    lexer.take();
    OperandSyntax targets;
    targets.location = name.location;
    do {
      if (!parseOperand(targets.elements.emplace_back()))
        return recover();
    } while (lexer.takeIf(','));
    if (declare(name.text, name.location))
      scope().branchTargets[name.text] = targets.elements;
    if (!expect(';'))
      recover();
    return;
  }
  if (lexer.peek().isWord(".callprototype"))
    return recover();
  if (declare(name.text, name.location))
    scope().labels[name.text] = function.statements.size();
}

void StatementParser::parseInstruction() {
  Statement statement;
  statement.scope = currentScope;
  statement.sourcePlace = currentSource;
  if (lexer.takeIf('@')) {
    statement.guardNegated = lexer.takeIf('!');
    statement.guardLocation = lexer.peek().location;
    statement.guard = lexer.take().text;
  }
  Token opcode = lexer.take();
  statement.location = opcode.location;
  statement.opcode = opcode.text;
  if (opcode.kind != TokenKind::Word) {
    diagnostics.error(opcode.location,
                      "expected an instruction, found " + opcode.describe());
    return recover();
  }
  if (statement.guard.empty() && lexer.takeIf(':'))
    return parseLabel(opcode);
  if (!lexer.peek().is(';'))
    do {
      if (!parseOperand(statement.operands.emplace_back()))
        return recover();
    } while (lexer.takeIf(','));
  if (!expect(';'))
    return recover();
  function.statements.push_back(std::move(statement));
}

FunctionSyntax StatementParser::parseBody(const Declarations &parameters) {
  function.scopes.emplace_back().declarations = parameters;
  unsigned depth = 0;
  currentSource = 0;
  while (!diagnostics.isFull()) {
    const Token &token = lexer.peek();
    if (token.kind == TokenKind::End) {
      diagnostics.error(token.location, "expected '}' to end the function, "
                                        "found the end of the file");
      break;
    }
    if (lexer.takeIf('}')) {
      if (depth == 0)
        break;
      --depth;
      currentScope = scope().parent;
    } else if (lexer.takeIf('{')) {
      ++depth;
      function.scopes.emplace_back().parent = currentScope;
      currentScope = function.scopes.size() - 1;
    } else if (token.kind == TokenKind::Word && token.text.starts_with(".")) {
      parseDirective();
    } else if (!lexer.takeIf(';')) {
      parseInstruction();
    }
  }
  return std::move(function);
}
