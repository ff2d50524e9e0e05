//===- Decoder.h - From statements to instructions --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_DECODER_H
#define MIRAGE_LIB_EMULATOR_DECODER_H

#include "OpcodeTable.h"
#include "StatementParser.h"
#include "Target.h"

#include "llvm/ADT/StringSet.h"

namespace mlir::mirage::emulator {

/// A variable declared outside of functions. A shared one is placed in each
/// kernel anew.
struct FileSymbol {
  Variable variable;
  uint64_t align = 1;
};

/// Names known in the whole file.
struct FileSymbols {
  llvm::StringMap<FileSymbol> variables;
  llvm::StringSet<> functions;
};

/// Decodes one kernel: finds the table row of each statement, gives registers,
/// constants and special registers their slots, and resolves names and labels.
class Decoder {
public:
  Decoder(const OpcodeTable &opcodes, const FileSymbols &symbols,
          const Scope &parameters, const Target &target, SpaceLayout &layout,
          Diagnostics &diagnostics)
      : opcodes(opcodes), symbols(symbols), parameters(parameters),
        target(target), layout(layout), diagnostics(diagnostics) {}

  Kernel decode(const FunctionSyntax &function);

private:
  /// One entry of Row::operands, taken apart.
  struct OperandSpec;

  void placeSharedVariables();
  void findNames(const OperandSyntax &operand,
                 llvm::function_ref<void(llvm::StringRef)> visit);
  void decodeStatement(const Statement &statement);
  void refuseCall(const Statement &statement);
  bool decodeGuard(const Statement &statement, Instruction &instruction);
  bool decodeOperands(const Statement &statement, const Row &row,
                      const Form &form, Instruction &instruction);
  bool decodeOperand(const OperandSyntax &operand, const OperandSpec &spec,
                     Instruction &instruction);
  bool decodeVector(const OperandSyntax &operand, const OperandSpec &spec,
                    Instruction &instruction);
  bool decodeMemory(const OperandSyntax &operand, Instruction &instruction);
  bool decodeBox(const OperandSyntax &operand, Instruction &instruction);
  bool decodeAddress(const OperandSyntax &operand, const OperandSyntax &base,
                     Instruction &instruction);
  bool decodeTargets(const OperandSyntax &operand, Instruction &instruction);
  bool decodeLabel(const OperandSyntax &operand, uint32_t &target);
  bool decodeResult(const OperandSyntax &operand, const OperandSpec &spec,
                    Instruction &instruction);
  bool decodeSource(const OperandSyntax &operand, const OperandSpec &spec,
                    Instruction &instruction);
  bool decodeRegister(const OperandSyntax &operand, const OperandSpec &spec,
                      uint8_t &registerBytes, uint32_t &slot);
  bool fail(Location location, const llvm::Twine &message);

  /// The innermost register of this name; None if there is none.
  ScalarType findRegister(llvm::StringRef name, uint32_t &scope) const;
  const Variable *findVariable(llvm::StringRef name) const;
  uint32_t registerSlot(llvm::StringRef name, uint32_t scope, ScalarType type);
  uint32_t constantSlot(uint64_t value, unsigned sizeBytes);
  uint32_t specialSlot(SpecialRegister which, unsigned sizeBytes);
  uint32_t allocateSlot(unsigned sizeBytes);
  void addReturn();
  void nameMatrixRegisters(const llvm::DenseMap<uint32_t, uint32_t> &numbers);

  const OpcodeTable &opcodes;
  const FileSymbols &symbols;
  const Scope &parameters;
  const Target &target;
  SpaceLayout &layout;
  Diagnostics &diagnostics;
  const FunctionSyntax *function = nullptr;
  const Statement *current = nullptr;
  Kernel kernel;
  std::vector<uint32_t> slots; ///< of the statement at hand
  unsigned numMemoryOperands = 0;
  bool hasWideResult = false;
  llvm::StringMap<Variable> sharedVariables;
  llvm::StringMap<uint32_t> registerSlots; ///< by `scope:name`
  std::map<std::pair<uint64_t, unsigned>, uint32_t> constantSlots;
  std::map<std::pair<SpecialRegister, unsigned>, uint32_t> specialSlots;
  /// Predicates share 64-byte pieces.
  uint32_t predicatePiece = noSlot, predicatesInPiece = 0;
};

/// Fills Instruction::reconvergence of every branch: the first instruction that
/// all ways from the branch to an exit pass (its immediate post-dominator), or
/// noPc if they only meet at the exit. Branches from which no way leads to an
/// exit become findings.
void findReconvergence(Kernel &kernel);

/// Fills Kernel::matrixRegisters but for the names, and lets instructions that
/// touch those registers be checked. \returns their numbers by slot.
llvm::DenseMap<uint32_t, uint32_t> findMatrixRegisters(Kernel &kernel);

/// Fills Instruction::unusedParts. LLVM widens loads of adjacent places to one
/// vector where the alignment allows, even beyond what the program reads.
void findUnusedParts(Kernel &kernel);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_DECODER_H
