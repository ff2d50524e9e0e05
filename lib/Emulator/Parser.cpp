//===- Parser.cpp - Reads a PTX file --------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Emulator/Parser.h"

#include "Decoder.h"
#include "StatementParser.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;
using llvm::Twine;

/// Made once: to make it takes as long as to parse a small file.
static const OpcodeTable &getOpcodes() {
  static const OpcodeTable table;
  return table;
}

namespace {

/// What stands outside of function bodies.
class FileParser {
public:
  FileParser(StringRef text, Diagnostics &diagnostics, Program &program)
      : lexer(text, diagnostics), diagnostics(diagnostics), program(program),
        statements(lexer, diagnostics, program, fileLayout) {}

  void parse();

private:
  void parseTopLevel();
  void parseVersionNumber();
  void parseTargetName();
  void parseHeader(const Token &word);
  void wantHead(const Token &word);
  void parseGlobalVariable(Space space, bool isExtern);
  void parseEntry();
  void parseFunction();
  void skipFunction();
  bool parseParameter(KernelInfo &info, Scope &scope, SpaceLayout &layout);
  bool parseExtents(std::array<uint32_t, 3> &counts);
  bool parseEntryDirectives(KernelInfo &info);
  void wantClusters(const Token &word);
  void checkSizes(const Token &name, const SpaceLayout &layout);
  void place(std::vector<uint8_t> &image, uint64_t base,
             const VariableSyntax &variable);

  Lexer lexer;
  Diagnostics &diagnostics;
  Program &program;
  SpaceLayout fileLayout;
  StatementParser statements;
  const OpcodeTable &opcodes = getOpcodes();
  FileSymbols symbols;
  Declarations declarations; ///< of variables and functions
  Target target;
  bool hasVersion = false, hasTarget = false, lacksHead = false;
};

void FileParser::parse() {
  if (lexer.peek().kind == TokenKind::End)
    diagnostics.error(lexer.peek().location,
                      "expected PTX text, found an empty file");
  while (lexer.peek().kind != TokenKind::End && !diagnostics.isFull())
    parseTopLevel();
  if (!diagnostics.hasErrors() && !(hasVersion && hasTarget))
    diagnostics.error({1, 1}, Twine("expected a ") +
                                  (hasVersion ? ".target" : ".version") +
                                  " directive, found none");
}

/// What is behind `.version`; the lexer takes its point for the start of a
/// word.
void FileParser::parseVersionNumber() {
  Token major = lexer.take();
  std::string text = major.text.str();
  bool hasMinor = lexer.peek().kind == TokenKind::Word &&
                  lexer.peek().location.line == major.location.line;
  if (hasMinor)
    text += lexer.take().text.str();
  std::optional<PTXVersion> version = parseVersion(text);
  if (!version || version->major == 0)
    diagnostics.error(major.location,
                      "expected a version such as 8.6, found '" + text + "'");
  else if (latestVersion < *version)
    diagnostics.fatalError(major.location,
                           "expected a version up to " + latestVersion.str() +
                               ", the latest that is known, found " +
                               version->str());
  else
    target.version = *version;
}

void FileParser::parseTargetName() {
  Token name = lexer.take();
  if (!parseTarget(name.text, target)) {
    diagnostics.error(name.location,
                      "expected a known target such as sm_90a, found " +
                          name.describe());
    return;
  }
  // The system keeps 1 KiB of shared memory of each block on sm_90 and later.
  program.sharedStart = target.number >= 90 ? 1024 : 0;
  program.target = target;
  PTXVersion first = firstVersionOf(target);
  if (target.version.major != 0 && target.version < first)
    diagnostics.error(name.location, "expected .version " + first.str() +
                                         " or later for .target " +
                                         target.name + ", found " +
                                         target.version.str());
}

void FileParser::parseHeader(const Token &word) {
  uint64_t bits = 0;
  if (word.text == ".version") {
    hasVersion = true;
    return parseVersionNumber();
  }
  if (word.text == ".target") {
    hasTarget = true;
    parseTargetName();
    while (lexer.takeIf(',')) // options such as debug
      lexer.take();
  } else if (statements.expectInteger(bits) && bits != 64) {
    diagnostics.error(word.location,
                      "expected .address_size 64, found " + Twine(bits));
  }
}

/// What may be used follows from them.
void FileParser::wantHead(const Token &word) {
  if ((hasVersion && hasTarget) || lacksHead)
    return;
  lacksHead = true;
  diagnostics.error(word.location, Twine("expected a ") +
                                       (hasVersion ? ".target" : ".version") +
                                       " directive before " + word.describe());
}

void FileParser::parseTopLevel() {
  Token word = lexer.take();
  bool isExtern = false;
  while (word.isWord(".extern") || word.isWord(".visible") ||
         word.isWord(".weak") || word.isWord(".common")) {
    isExtern |= word.isWord(".extern");
    word = lexer.take();
  }
  Space space;
  if (word.isWord(".version") || word.isWord(".target") ||
      word.isWord(".address_size"))
    return parseHeader(word);
  if (word.isWord(".entry") || word.isWord(".func"))
    wantHead(word);
  if (word.isWord(".entry"))
    return parseEntry();
  if (word.isWord(".func"))
    return parseFunction();
  if (word.isWord(".file"))
    return statements.parseFile();
  if (word.isWord(".loc"))
    return statements.parseLoc();
  if (word.isWord(".pragma"))
    return statements.recover();
  if (word.isWord(".section")) {
    lexer.take();
    if (statements.expect('{'))
      statements.skipBraces();
    return;
  }
  if (word.kind == TokenKind::Word && parseSpace(word.text, space))
    return parseGlobalVariable(space, isExtern);
  diagnostics.error(word.location, "expected a directive such as .version, "
                                   ".entry or .shared, found " +
                                       word.describe());
  statements.recover();
  lexer.takeIf('}');
}

void FileParser::place(std::vector<uint8_t> &image, uint64_t base,
                       const VariableSyntax &variable) {
  // Each launch has a copy of its own. Constants have 64 KiB (PTX ISA,
  // "Constant State Space").
  const bool isConst = variable.space == Space::Const;
  const uint64_t mostBytes = uint64_t(isConst ? 64 : 256 << 10) << 10;
  uint64_t offset = llvm::alignTo(image.size(), variable.align);
  if (offset + variable.sizeBytes > mostBytes) {
    diagnostics.error(
        variable.location,
        Twine("expected at most ") +
            (isConst ? "64 KiB of .const" : "256 MiB of .global") +
            " variables, found " + Twine(offset + variable.sizeBytes) +
            " bytes up to '" + variable.name + "'");
    return;
  }
  image.resize(offset + variable.sizeBytes);
  std::copy(variable.initializer.begin(), variable.initializer.end(),
            image.begin() + offset);
  symbols.variables[variable.name].variable =
      Variable{variable.space, base + offset, variable.sizeBytes, false};
}

void FileParser::parseGlobalVariable(Space space, bool isExtern) {
  VariableSyntax variable;
  variable.space = space;
  variable.isExtern = isExtern;
  if (!statements.parseVariable(variable) || !statements.expect(';'))
    return statements.recover();
  if (!declarations.add(variable.name, variable.location, diagnostics))
    return;
  if (space == Space::Global && !isExtern)
    return place(program.globalImage, window::moduleGlobal, variable);
  if (space == Space::Const && !isExtern)
    return place(program.constImage, 0, variable);
  if (space != Space::Shared) {
    diagnostics.error(variable.location, "expected a definition of '" +
                                             variable.name + "' in this file");
    return;
  }
  // Shared variables of the file are given their place in each kernel that uses
  // them.
  FileSymbol &symbol = symbols.variables[variable.name];
  symbol.variable =
      Variable{space, 0, variable.sizeBytes, variable.isUnsized && isExtern};
  symbol.align = variable.align;
}

bool FileParser::parseParameter(KernelInfo &info, Scope &scope,
                                SpaceLayout &layout) {
  KernelParameter parameter;
  if (!lexer.peek().isWord(".param")) {
    diagnostics.error(lexer.peek().location,
                      "expected .param, found " + lexer.peek().describe());
    return false;
  }
  lexer.take();
  uint64_t align = 1, count = 1, bytes = 0;
  while (lexer.peek().kind == TokenKind::Word &&
         lexer.peek().text.starts_with(".")) {
    Token word = lexer.take();
    Space space;
    if (word.text == ".align") {
      if (!statements.expectInteger(align))
        return false;
      if (!llvm::isPowerOf2_64(align) || align > 65536) {
        diagnostics.error(word.location,
                          "expected an alignment that is a power "
                          "of two, found " +
                              Twine(align));
        return false;
      }
    } else if (word.text == ".ptr") {
      parameter.isPointer = true;
    } else if (!parameter.isPointer || !parseSpace(word.text, space)) {
      bytes = sizeBytes(parseScalarType(word.text.drop_front()));
      if (bytes == 0) {
        diagnostics.error(word.location, "expected a parameter type, found " +
                                             word.describe());
        return false;
      }
    }
  }
  // The alignment of a `.ptr` is that of what it points to.
  if (parameter.isPointer)
    align = 1;
  Token name = lexer.take();
  if (name.kind != TokenKind::Word || bytes == 0) {
    diagnostics.error(name.location,
                      "expected a type and a name of a parameter, found " +
                          name.describe());
    return false;
  }
  if (lexer.takeIf('['))
    if (!statements.expectInteger(count) || !statements.expect(']'))
      return false;
  if (count > 65536) {
    diagnostics.error(name.location, "expected a parameter of at most 65536 "
                                     "elements, found " +
                                         Twine(count));
    return false;
  }
  if (!scope.declarations.add(name.text, name.location, diagnostics))
    return false;
  parameter.name = name.text.str();
  parameter.sizeBytes = bytes * count;
  parameter.alignBytes = std::max(align, bytes);
  parameter.offsetBytes =
      layout.allocate(Space::Param, parameter.sizeBytes, parameter.alignBytes);
  scope.variables[name.text] =
      Variable{Space::Param, parameter.offsetBytes, parameter.sizeBytes, false};
  info.parameters.push_back(std::move(parameter));
  return true;
}

bool FileParser::parseExtents(std::array<uint32_t, 3> &counts) {
  counts = {1, 1, 1};
  for (unsigned axis = 0; axis < 3; ++axis) {
    uint64_t value = 0;
    Location location = lexer.peek().location;
    if (!statements.expectInteger(value))
      return false;
    if (value == 0 || value > INT32_MAX) {
      diagnostics.error(location, "expected a number from 1 to 2147483647, "
                                  "found " +
                                      Twine(value));
      return false;
    }
    counts[axis] = value;
    if (!lexer.takeIf(','))
      return true;
  }
  return true;
}

void FileParser::wantClusters(const Token &word) {
  if (auto missing = explainMissing(target, word.text, {}, needsOfClusters))
    diagnostics.error(word.location, *missing);
}

bool FileParser::parseEntryDirectives(KernelInfo &info) {
  while (lexer.peek().kind == TokenKind::Word) {
    Token word = lexer.take();
    std::array<uint32_t, 3> extents;
    if (word.text == ".maxntid") {
      if (!parseExtents(info.maxThreads))
        return false;
    } else if (word.text == ".reqntid") {
      if (!parseExtents(info.requiredThreads))
        return false;
    } else if (word.text == ".reqnctapercluster") {
      wantClusters(word);
      if (!parseExtents(info.requiredCluster))
        return false;
    } else if (word.text == ".explicitcluster") {
      wantClusters(word);
      // The launch states a cluster; LaunchCheck.cpp wants the required one.
    } else if (word.text == ".minnctapersm" || word.text == ".maxnreg") {
      if (!parseExtents(extents))
        return false;
      uint32_t &stated =
          word.text == ".maxnreg" ? info.maxRegisters : info.minBlocks;
      stated = extents[0];
    } else if (word.text == ".noreturn" || word.text == ".pragma") {
      if (lexer.peek().kind == TokenKind::String)
        lexer.take();
      lexer.takeIf(';');
    } else {
      diagnostics.error(word.location,
                        "expected '{' or a directive such as .maxntid, found " +
                            word.describe());
      return false;
    }
  }
  return true;
}

/// What one kernel declares of each space: as PTX ISA, "Kernel Function
/// Parameters", and the CUDA C++ Programming Guide, "Technical Specifications
/// per Compute Capability", limit it. Shared memory is the device's to limit.
void FileParser::checkSizes(const Token &name, const SpaceLayout &layout) {
  auto check = [&](StringRef what, uint64_t bytes, uint64_t most) {
    if (bytes > most)
      diagnostics.error(name.location, "expected at most " + Twine(most) +
                                           " bytes of " + what + " in '" +
                                           name.text + "', found " +
                                           Twine(bytes));
  };
  check("parameters", layout.paramBytes, 32764);
  check("local variables of a thread", layout.localBytes, 512 << 10);
  check("shared variables", layout.sharedBytes - program.sharedStart, 1 << 30);
}

/// Takes what is left of a kernel whose head is wrong.
void FileParser::skipFunction() {
  auto startsAnother = [](const Token &token) {
    return token.isWord(".visible") || token.isWord(".weak") ||
           token.isWord(".entry") || token.isWord(".func");
  };
  while (lexer.peek().kind != TokenKind::End && !lexer.peek().is('{') &&
         !lexer.peek().is('}') && !startsAnother(lexer.peek()))
    lexer.take();
  if (lexer.takeIf('{'))
    statements.skipBraces();
  else
    lexer.takeIf('}');
}

void FileParser::parseEntry() {
  KernelInfo info;
  Token name = lexer.take();
  if (name.kind != TokenKind::Word) {
    diagnostics.error(name.location, "expected the name of a kernel, found " +
                                         name.describe());
    return skipFunction();
  }
  if (!declarations.add(name.text, name.location, diagnostics))
    return skipFunction();
  info.name = name.text.str();
  SpaceLayout layout;
  layout.sharedBytes = program.sharedStart;
  Scope parameters;
  bool good = true;
  if (lexer.takeIf('(') && !lexer.takeIf(')')) {
    do
      good = parseParameter(info, parameters, layout);
    while (good && lexer.takeIf(','));
    good = good && statements.expect(')');
  }
  info.parameterBytes = layout.paramBytes;
  good = good && parseEntryDirectives(info) && statements.expect('{');
  if (!good)
    return skipFunction();
  StatementParser body(lexer, diagnostics, program, layout);
  FunctionSyntax function = body.parseBody(parameters.declarations);
  if (diagnostics.hasErrors() && lexer.peek().kind == TokenKind::End)
    return;
  Decoder decoder(opcodes, symbols, parameters, target, layout, diagnostics);
  Kernel kernel = decoder.decode(function);
  checkSizes(name, layout);
  info.staticSharedBytes = layout.sharedBytes - program.sharedStart;
  info.usesDynamicShared = layout.usesDynamicShared;
  info.localBytes = layout.localBytes;
  info.numInstructions = kernel.code.size();
  if (info.numInstructions > maxInstructions)
    diagnostics.error(name.location,
                      "expected at most " + Twine(maxInstructions) +
                          " instructions in '" + name.text + "', found " +
                          Twine(info.numInstructions));
  program.infos.push_back(std::move(info));
  program.kernels.push_back(std::move(kernel));
}

void FileParser::parseFunction() {
  Token name;
  while (lexer.peek().kind != TokenKind::End && !lexer.peek().is('{') &&
         !lexer.peek().is(';')) {
    Token token = lexer.take();
    if (token.is('(')) {
      while (lexer.peek().kind != TokenKind::End && !lexer.takeIf(')'))
        lexer.take();
    } else if (token.kind == TokenKind::Word && !token.text.starts_with(".")) {
      name = token;
    }
  }
  if (lexer.takeIf(';'))
    return;
  declarations.add(name.text, name.location, diagnostics);
  symbols.functions.insert(name.text);
  if (statements.expect('{'))
    statements.skipBraces();
}

} // namespace

llvm::Expected<std::unique_ptr<Module>>
mlir::mirage::emulator::parsePTX(StringRef text, StringRef fileName) {
  Diagnostics diagnostics(fileName);
  auto program = std::make_unique<Program>();
  program->fileName = fileName.str();
  FileParser(text, diagnostics, *program).parse();
  if (llvm::Error error = diagnostics.takeError())
    return std::move(error);
  return std::make_unique<Module>(std::move(program));
}
