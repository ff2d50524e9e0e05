//===- Lexer.cpp - Tokens of PTX text -------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

namespace {
bool startsWord(char c) {
  return llvm::isAlpha(c) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool continuesWord(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
}
} // namespace

std::string Token::describe() const {
  if (kind == TokenKind::End)
    return "the end of the file";
  return ("'" + text.take_front(40) + "'").str();
}

Lexer::Lexer(StringRef text, Diagnostics &diagnostics)
    : rest(text), diagnostics(diagnostics) {
  advance();
}

Token Lexer::take() {
  Token token = current;
  if (token.kind != TokenKind::End)
    advance();
  return token;
}

bool Lexer::takeIf(char c) {
  if (!current.is(c))
    return false;
  advance();
  return true;
}

void Lexer::step(size_t count) {
  for (char c : rest.take_front(count)) {
    ++location.column;
    if (c == '\n')
      location = {location.line + 1, 1};
  }
  rest = rest.drop_front(count);
}

void Lexer::skipBlanks() {
  while (!rest.empty()) {
    if (llvm::isSpace(rest.front()) || rest.front() == '\0') {
      step(1);
    } else if (rest.starts_with("//")) {
      step(std::min(rest.find('\n'), rest.size()));
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/", 2);
      if (end == StringRef::npos)
        diagnostics.fatalError(location,
                               "expected '*/' to end this comment, found the "
                               "end of the file");
      step(end == StringRef::npos ? rest.size() : end + 2);
    } else {
      return;
    }
  }
}

Token Lexer::makeToken(TokenKind kind, size_t length) {
  Token token{kind, rest.take_front(length), location, 0};
  step(length);
  return token;
}

Token Lexer::lexWord() {
  size_t length = 1;
  while (length < rest.size()) {
    if (continuesWord(rest[length]))
      ++length;
    else if (rest.substr(length).starts_with("::"))
      length += 2;
    else
      break;
  }
  return makeToken(TokenKind::Word, length);
}

Token Lexer::lexNumber() {
  size_t length = rest.find_if_not([](char c) { return llvm::isAlnum(c); });
  Token token = makeToken(TokenKind::Integer, std::min(length, rest.size()));
  StringRef text = token.text;
  bool isFloat32 = text.starts_with_insensitive("0f");
  bool isFloat64 = text.starts_with_insensitive("0d");
  StringRef digits = isFloat32 || isFloat64 ? text.drop_front(2) : text;
  if (isFloat32)
    token.kind = TokenKind::Float32;
  if (isFloat64)
    token.kind = TokenKind::Float64;
  bool wrong = false;
  if (isFloat32 || isFloat64)
    wrong = digits.size() != (isFloat32 ? 8 : 16) ||
            digits.getAsInteger(16, token.value);
  else
    wrong = digits.rtrim("uU").getAsInteger(0, token.value);
  if (wrong)
    diagnostics.error(token.location,
                      "expected a number (decimal, 0x..., 0f and 8 digits, or "
                      "0d and 16 digits), found " +
                          token.describe());
  return token;
}

Token Lexer::lexString() {
  size_t end = rest.find_first_of("\"\n", 1);
  if (end == StringRef::npos || rest[end] == '\n') {
    diagnostics.error(location, "expected '\"' to end this string");
    return makeToken(TokenKind::Invalid, std::min(end, rest.size()));
  }
  Token token = makeToken(TokenKind::String, end + 1);
  token.text = token.text.drop_front().drop_back();
  return token;
}

void Lexer::advance() {
  skipBlanks();
  if (rest.empty())
    current = makeToken(TokenKind::End, 0);
  else if (rest.front() == '"')
    current = lexString();
  else if (llvm::isDigit(rest.front()))
    current = lexNumber();
  else if (startsWord(rest.front()))
    current = lexWord();
  else
    current = makeToken(TokenKind::Character, 1);
}
