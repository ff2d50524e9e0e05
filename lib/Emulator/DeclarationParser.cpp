//===- DeclarationParser.cpp - Variables and registers of a body ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementParser.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;
using llvm::Twine;

bool mlir::mirage::emulator::parseSpace(StringRef directive, Space &space) {
  auto found = llvm::StringSwitch<int>(directive)
                   .Case(".global", int(Space::Global))
                   .Cases({".shared", ".shared::cta"}, int(Space::Shared))
                   .Case(".shared::cluster", int(Space::Cluster))
                   .Case(".local", int(Space::Local))
                   .Case(".param", int(Space::Param))
                   .Case(".const", int(Space::Const))
                   .Default(-1);
  if (found >= 0)
    space = static_cast<Space>(found);
  return found >= 0;
}

uint64_t SpaceLayout::allocate(Space space, uint64_t sizeBytes,
                               uint64_t align) {
  uint64_t &next = space == Space::Shared  ? sharedBytes
                   : space == Space::Local ? localBytes
                                           : paramBytes;
  uint64_t offset = llvm::alignTo(next, align);
  next = offset + sizeBytes;
  return offset;
}

void StatementParser::parseLoc() {
  uint64_t file = 0, line = 0, column = 0;
  if (!expectInteger(file) || !expectInteger(line) || !expectInteger(column))
    return;
  program.sourcePlaces.push_back(
      {uint32_t(file), uint32_t(line), uint32_t(column)});
  currentSource = program.sourcePlaces.size() - 1;
  while (lexer.takeIf(',')) { // function_name label, inlined_at f l c
    lexer.take();
    while (lexer.peek().kind == TokenKind::Integer || lexer.peek().is('+') ||
           (lexer.peek().kind == TokenKind::Word &&
            lexer.peek().text.starts_with("$L__info")))
      lexer.take();
  }
}

void StatementParser::parseFile() {
  uint64_t number = 0;
  if (!expectInteger(number))
    return;
  if (lexer.peek().kind != TokenKind::String) {
    diagnostics.error(lexer.peek().location, "expected a file name in quotes, "
                                             "found " +
                                                 lexer.peek().describe());
    return;
  }
  program.sourceFiles[number] = lexer.take().text.str();
  while (lexer.takeIf(',')) // time stamp, size
    lexer.take();
}

bool StatementParser::parseInitializer(VariableSyntax &variable,
                                       unsigned elementBytes) {
  auto append = [&]() {
    bool negative = lexer.takeIf('-');
    const Token &token = lexer.peek();
    if (token.kind != TokenKind::Integer && token.kind != TokenKind::Float32 &&
        token.kind != TokenKind::Float64) {
      diagnostics.error(token.location, "expected a number in an initializer, "
                                        "found " +
                                            token.describe());
      return false;
    }
    uint64_t value = lexer.take().value;
    value = negative ? 0 - value : value;
    for (unsigned byte = 0; byte < elementBytes; ++byte)
      variable.initializer.push_back(byte < 8 ? uint8_t(value >> (8 * byte))
                                              : 0);
    return true;
  };
  if (!lexer.takeIf('{'))
    return append();
  do {
    if (!append())
      return false;
  } while (lexer.takeIf(','));
  return expect('}');
}

bool StatementParser::parseVariable(VariableSyntax &variable) {
  uint64_t vector = 1;
  ScalarType type = ScalarType::None;
  while (lexer.peek().kind == TokenKind::Word &&
         lexer.peek().text.starts_with(".")) {
    Token word = lexer.take();
    if (word.text == ".align") {
      if (!expectInteger(variable.align))
        return false;
      if (!llvm::isPowerOf2_64(variable.align) || variable.align > 65536) {
        diagnostics.error(
            word.location,
            "expected an alignment that is a power of two, found " +
                Twine(variable.align));
        return false;
      }
    } else if (word.text == ".v2" || word.text == ".v4") {
      vector = word.text == ".v2" ? 2 : 4;
    } else if (word.text == ".attribute" || word.text == ".managed") {
      continue;
    } else if ((type = parseScalarType(word.text.drop_front())) ==
               ScalarType::None) {
      diagnostics.error(word.location,
                        "expected a type, found " + word.describe());
      return false;
    }
  }
  variable.location = lexer.peek().location;
  if (lexer.peek().kind != TokenKind::Word || type == ScalarType::None) {
    diagnostics.error(variable.location,
                      "expected a type and a name of a variable, found " +
                          lexer.peek().describe());
    return false;
  }
  variable.name = lexer.take().text;
  uint64_t elementBytes = std::max(1u, sizeBytes(type)), count = vector;
  while (lexer.takeIf('[')) {
    uint64_t extent = 0;
    if (lexer.takeIf(']')) {
      variable.isUnsized = true;
      continue;
    }
    if (!expectInteger(extent) || !expect(']'))
      return false;
    constexpr uint64_t kMostElements = uint64_t(1) << 31;
    count = extent > kMostElements ? extent : count * extent;
    if (count > kMostElements) {
      diagnostics.error(variable.location,
                        "expected an array of at most 2^31 elements, found "
                        "more");
      return false;
    }
  }
  variable.align = std::max(variable.align, elementBytes);
  if (lexer.takeIf('=') && !parseInitializer(variable, elementBytes))
    return false;
  variable.sizeBytes =
      variable.isUnsized ? variable.initializer.size() : elementBytes * count;
  if (variable.initializer.size() > variable.sizeBytes) {
    diagnostics.error(variable.location,
                      "expected an initializer of at most " +
                          Twine(variable.sizeBytes) + " bytes, found " +
                          Twine(variable.initializer.size()));
    return false;
  }
  return true;
}

void StatementParser::parseDeclaration() {
  VariableSyntax variable;
  parseSpace(lexer.take().text, variable.space);
  if (!parseVariable(variable) || !expect(';'))
    return recover();
  Variable entry{variable.space, 0, variable.sizeBytes, variable.isUnsized};
  if (variable.space == Space::Global || variable.space == Space::Const) {
    diagnostics.error(variable.location,
                      "expected .global and .const variables outside of "
                      "functions");
    return;
  }
  entry.offset =
      layout.allocate(variable.space, variable.sizeBytes, variable.align);
  if (declare(variable.name, variable.location))
    scope().variables[variable.name] = entry;
}

/// Whether `name` is one of `prefix<count>`: `%r3` of `%r<9>`.
static bool isOfFamily(StringRef name, StringRef prefix, uint64_t count) {
  uint64_t number = 0;
  return name.consume_front(prefix) && !name.getAsInteger(10, number) &&
         number < count;
}

/// No register is called so.
static std::string nameFamily(StringRef prefix) {
  return (prefix + "<...>").str();
}

bool StatementParser::declareRegister(const Token &name) {
  StringRef prefix = name.text.rtrim("0123456789");
  auto family = scope().families.find(prefix);
  if (family == scope().families.end() ||
      !isOfFamily(name.text, prefix, family->second.second))
    return declare(name.text, name.location);
  Declarations::refuse(name.text, name.location,
                       scope().declarations.find(nameFamily(prefix)),
                       diagnostics);
  return false;
}

bool StatementParser::declareFamily(const Token &name, uint64_t count) {
  for (const auto &single : scope().registers)
    if (isOfFamily(single.first(), name.text, count)) {
      Declarations::refuse(single.first(), name.location,
                           scope().declarations.find(single.first()),
                           diagnostics);
      return false;
    }
  return declare(nameFamily(name.text), name.location);
}

void StatementParser::parseRegisters() {
  lexer.take();
  Token typeToken = lexer.take();
  ScalarType type = typeToken.kind == TokenKind::Word
                        ? parseScalarType(typeToken.text.drop_front())
                        : ScalarType::None;
  if (type == ScalarType::None) {
    diagnostics.error(typeToken.location, "expected a register type, found " +
                                              typeToken.describe());
    return recover();
  }
  do {
    Token name = lexer.take();
    if (name.kind != TokenKind::Word) {
      diagnostics.error(name.location,
                        "expected the name of a register, found " +
                            name.describe());
      return recover();
    }
    if (lexer.takeIf('<')) {
      uint64_t count = 0;
      if (!expectInteger(count) || !expect('>'))
        return recover();
      if (declareFamily(name, count))
        scope().families[name.text] = {type, count};
    } else if (declareRegister(name)) {
      scope().registers[name.text] = type;
    }
  } while (lexer.takeIf(','));
  if (!expect(';'))
    recover();
}

void StatementParser::parseDirective() {
  StringRef word = lexer.peek().text;
  Space space;
  if (word == ".reg")
    return parseRegisters();
  if (parseSpace(word, space))
    return parseDeclaration();
  Token token = lexer.take();
  if (word == ".loc")
    return parseLoc();
  if (word == ".file")
    return parseFile();
  if (word == ".pragma")
    return recover();
  diagnostics.error(token.location,
                    "expected a statement, found the directive " +
                        token.describe());
  recover();
}
