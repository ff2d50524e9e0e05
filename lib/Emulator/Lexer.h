//===- Lexer.h - Tokens of PTX text -----------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_LEXER_H
#define MIRAGE_LIB_EMULATOR_LEXER_H

#include "Diagnostics.h"

#include "llvm/ADT/StringRef.h"

namespace mlir::mirage::emulator {

enum class TokenKind : uint8_t {
  End,
  Word,      ///< name, opcode or directive, dots and `::` included
  Integer,   ///< 12, 0x1F, 0x7341U; the sign is a token of its own
  Float32,   ///< 0f3F800000
  Float64,   ///< 0d3FF0000000000000
  String,    ///< without its quotes
  Character, ///< any other single character
  Invalid,
};

struct Token {
  TokenKind kind = TokenKind::End;
  llvm::StringRef text;
  Location location;
  uint64_t value = 0; ///< of numbers; bits of floating-point ones

  bool is(char c) const {
    return kind == TokenKind::Character && text.front() == c;
  }
  bool isWord(llvm::StringRef word) const {
    return kind == TokenKind::Word && text == word;
  }
  /// For messages: the text in quotes, or "the end of the file".
  std::string describe() const;
};

/// Cuts PTX text into tokens; comments are skipped. One token can be looked at
/// before it is taken.
class Lexer {
public:
  Lexer(llvm::StringRef text, Diagnostics &diagnostics);

  const Token &peek() const { return current; }
  Token take();
  /// Takes the next token if it is this character.
  bool takeIf(char c);

private:
  void advance();
  void skipBlanks();
  void step(size_t count);
  Token lexNumber();
  Token lexWord();
  Token lexString();
  Token makeToken(TokenKind kind, size_t length);

  llvm::StringRef rest;
  Location location = {1, 1};
  Diagnostics &diagnostics;
  Token current;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_LEXER_H
