//===- Decoder.cpp - From statements to instructions ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;
using llvm::Twine;
using OperandKind = OperandSyntax::Kind;

bool Decoder::fail(Location location, const Twine &message) {
  diagnostics.error(location, message);
  return false;
}

bool Decoder::decodeGuard(const Statement &statement,
                          Instruction &instruction) {
  if (statement.guard.empty())
    return true;
  uint32_t scope = 0;
  if (findRegister(statement.guard, scope) != ScalarType::Pred)
    return fail(statement.guardLocation,
                "expected a predicate, found '" + statement.guard + "'");
  instruction.guard = registerSlot(statement.guard, scope, ScalarType::Pred);
  instruction.guardNegated = statement.guardNegated;
  return true;
}

void Decoder::refuseCall(const Statement &statement) {
  StringRef target = "?";
  for (const OperandSyntax &operand : statement.operands)
    if (operand.kind == OperandKind::Name) {
      target = operand.name;
      break;
    }
  fail(statement.location,
       symbols.functions.contains(target)
           ? "calls are not supported yet; expected '" + target +
                 "' to be inlined"
           : "expected a call to a function of this file, found '" + target +
                 "' (an unknown intrinsic becomes such a call)");
}

void Decoder::decodeStatement(const Statement &statement) {
  current = &statement;
  if (statement.opcode == "call" || statement.opcode.starts_with("call."))
    return refuseCall(statement);
  // A mov with braces is another instruction.
  unsigned numParts = 1;
  std::string opcode = statement.opcode.str();
  if (statement.opcode.starts_with("mov."))
    for (const OperandSyntax &operand : statement.operands)
      if (operand.kind == OperandKind::Vector) {
        bool unpacks = &operand == &statement.operands.front();
        numParts = std::min<size_t>(operand.elements.size(), 8);
        opcode.insert(3, unpacks ? "%unpack" : "%pack");
        break;
      }
  // So is one of three numbers, where others are of two.
  bool isOfNumbers = llvm::StringRef(opcode).starts_with("min.") ||
                     llvm::StringRef(opcode).starts_with("max.");
  if (isOfNumbers && statement.operands.size() == 4)
    opcode.insert(3, "%three");
  // And a reduction at a barrier of so many threads.
  bool isReduction = StringRef(opcode).contains(".red.");
  if (StringRef(opcode).starts_with("bar") && isReduction &&
      statement.operands.size() == 4)
    opcode.insert(opcode.find('.'), "%counted");
  // And a wgmma whose left operand is in registers.
  bool isMatrix = StringRef(opcode).starts_with("wgmma.mma_async.");
  if (isMatrix && statement.operands.size() > 1 &&
      statement.operands[1].kind == OperandKind::Vector)
    opcode.insert(strlen("wgmma"), "%registers");
  Form form;
  const Row *row = opcodes.find(opcode, form);
  if (!row) {
    size_t offset = 0;
    std::string message = opcodes.explain(statement.opcode, offset);
    fail(
        {statement.location.line, statement.location.column + uint32_t(offset)},
        message);
    return;
  }
  if (auto missing =
          explainMissing(target, statement.opcode, form.pieces, row->needs)) {
    fail(statement.location, *missing);
    return;
  }
  Instruction instruction;
  instruction.instructionClass = row->instructionClass;
  slots.clear();
  numMemoryOperands = 0;
  hasWideResult = false;
  instruction.vectorSize = numParts;
  if (form.has("v2"))
    instruction.vectorSize = 2;
  if (form.has("v4"))
    instruction.vectorSize = 4;
  instruction.elementBytes = std::max(1u, sizeBytes(form.type()));
  instruction.handler = row->select(form, instruction);
  if (!instruction.handler) {
    fail(statement.location, "no such combination of modifiers and types: '" +
                                 statement.opcode + "'");
    return;
  }
  if (!decodeGuard(statement, instruction) ||
      !decodeOperands(statement, *row, form, instruction))
    return;
  instruction.numSlots = slots.size();
  kernel.communicates |= instruction.communicates;
  kernel.usesAsyncProxy |=
      form.has("bulk") || form.mnemonic().starts_with("wgmma");
  kernel.slotLists.push_back(slots);
  instruction.slots = kernel.slotLists.back().data();
  kernel.code.push_back(instruction);
  kernel.places.push_back(statement.location);
  kernel.sourcePlaces.push_back(statement.sourcePlace);
}

void Decoder::nameMatrixRegisters(
    const llvm::DenseMap<uint32_t, uint32_t> &numbers) {
  kernel.matrixRegisters.names.resize(numbers.size());
  if (numbers.empty())
    return;
  for (const auto &entry : registerSlots)
    if (auto found = numbers.find(entry.second); found != numbers.end())
      kernel.matrixRegisters.names[found->second] =
          entry.first().split(':').second.str();
}

void Decoder::addReturn() {
  Statement statement;
  statement.opcode = "ret";
  if (!kernel.places.empty())
    statement.location = kernel.places.back();
  decodeStatement(statement);
}

Kernel Decoder::decode(const FunctionSyntax &syntax) {
  function = &syntax;
  placeSharedVariables();
  for (const Statement &statement : syntax.statements) {
    if (diagnostics.isFull())
      return std::move(kernel);
    decodeStatement(statement);
  }
  addReturn(); // so that running off the end, or a label there, is defined
  kernel.registerFileBytes = llvm::alignTo(kernel.registerFileBytes, 64);
  if (!diagnostics.hasErrors())
    findReconvergence(kernel);
  findUnusedParts(kernel);
  nameMatrixRegisters(findMatrixRegisters(kernel));
  return std::move(kernel);
}
