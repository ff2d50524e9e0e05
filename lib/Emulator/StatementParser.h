//===- StatementParser.h - Reads the body of a kernel -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_STATEMENTPARSER_H
#define MIRAGE_LIB_EMULATOR_STATEMENTPARSER_H

#include "Lexer.h"
#include "Program.h"

namespace mlir::mirage::emulator {

/// Where the next variable of each space goes.
struct SpaceLayout {
  /// Bytes so far, and for shared memory what lies before its start.
  uint64_t sharedBytes = 0, localBytes = 0, paramBytes = 0;
  bool usesDynamicShared = false;
  uint64_t dynamicSharedAlign = 1;

  /// Room for a variable in its space.
  /// \returns its offset, a multiple of `align`.
  uint64_t allocate(Space space, uint64_t sizeBytes, uint64_t align);
};

/// A variable declaration: `.shared .align 4 .b8 name[16];` and what follows
/// its name. Used in bodies and at file level.
struct VariableSyntax {
  Location location;
  llvm::StringRef name;
  Space space = Space::Global;
  uint64_t sizeBytes = 0, align = 1;
  bool isExtern = false, isUnsized = false;
  std::vector<uint8_t> initializer;
};

/// Reads the statements between the braces of one kernel, declarations
/// included. Names are resolved later, when all labels are known.
class StatementParser {
public:
  StatementParser(Lexer &lexer, Diagnostics &diagnostics, Program &program,
                  SpaceLayout &layout)
      : lexer(lexer), diagnostics(diagnostics), program(program),
        layout(layout) {}

  /// Reads from behind `{` to the matching `}`. Parameters are declared in the
  /// same scope as what stands between the two.
  FunctionSyntax parseBody(const Declarations &parameters);

  /// Reads a declaration from its space on, `;` included.
  bool parseVariable(VariableSyntax &variable);

  /// Reads `.loc` behind its word and adds it to the program.
  void parseLoc();
  /// Reads `.file` behind its word.
  void parseFile();
  /// Takes tokens up to the `}` that closes a brace already taken.
  void skipBraces();
  bool expect(char c);
  bool expectInteger(uint64_t &value);
  /// Takes tokens up to and with the next `;`, but not past `}`.
  void recover();

private:
  void parseDeclaration();
  void parseRegisters();
  bool declareRegister(const Token &name);
  bool declareFamily(const Token &name, uint64_t count);
  void parseDirective();
  void parseInstruction();
  void parseLabel(const Token &name);
  bool parseOperand(OperandSyntax &operand);
  bool parseOperandPart(OperandSyntax &operand);
  bool parseNumber(OperandSyntax &operand);
  bool parseList(OperandSyntax &operand, char close);
  bool parseMemory(OperandSyntax &operand);
  bool parseInitializer(VariableSyntax &variable, unsigned elementBytes);
  bool declare(llvm::StringRef name, Location location) {
    return scope().declarations.add(name, location, diagnostics);
  }
  Scope &scope() { return function.scopes[currentScope]; }

  Lexer &lexer;
  Diagnostics &diagnostics;
  Program &program;
  SpaceLayout &layout;
  FunctionSyntax function;
  uint32_t currentScope = 0;
  uint32_t currentSource = 0;
  unsigned operandDepth = 0;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_STATEMENTPARSER_H
