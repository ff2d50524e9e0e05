//===- DecoderNames.cpp - Names and slots of a kernel ---------------------===//
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

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

uint32_t Decoder::allocateSlot(unsigned sizeBytes) {
  if (sizeBytes == 0) { // a predicate
    if (predicatePiece == noSlot || predicatesInPiece == 16) {
      predicatePiece = allocateSlot(2);
      predicatesInPiece = 0;
    }
    return predicatePiece + 4 * predicatesInPiece++;
  }
  uint32_t slot = kernel.registerFileBytes;
  kernel.registerFileBytes += 32 * std::max(2u, sizeBytes);
  return slot;
}

uint32_t Decoder::constantSlot(uint64_t value, unsigned sizeBytes) {
  unsigned bytes = sizeBytes == 1 ? 2 : sizeBytes;
  auto [entry, isNew] = constantSlots.try_emplace({value, bytes}, 0);
  if (isNew) {
    entry->second = allocateSlot(bytes);
    kernel.constants.push_back({entry->second, uint8_t(bytes), value});
  }
  return entry->second;
}

uint32_t Decoder::specialSlot(SpecialRegister which, unsigned sizeBytes) {
  auto [entry, isNew] = specialSlots.try_emplace({which, sizeBytes}, 0);
  if (isNew) {
    entry->second = allocateSlot(sizeBytes);
    kernel.specials.push_back({entry->second, uint8_t(sizeBytes), which});
  }
  return entry->second;
}

uint32_t Decoder::registerSlot(StringRef name, uint32_t scope,
                               ScalarType type) {
  auto [entry, isNew] =
      registerSlots.try_emplace((Twine(scope) + ":" + name).str(), 0);
  if (isNew)
    entry->second = allocateSlot(sizeBytes(type));
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

ScalarType Decoder::findRegister(StringRef name, uint32_t &scope) const {
  StringRef prefix = name.rtrim("0123456789");
  uint64_t number = 0;
  bool hasNumber = !name.drop_front(prefix.size()).getAsInteger(10, number);
  for (scope = current->scope;; scope = function->scopes[scope].parent) {
    const Scope &names = function->scopes[scope];
    auto single = names.registers.find(name);
    if (single != names.registers.end())
      return single->second;
    auto family =
        hasNumber ? names.families.find(prefix) : names.families.end();
    if (family != names.families.end() && number < family->second.second)
      return family->second.first;
    if (scope == names.parent)
      return ScalarType::None;
  }
}

const Variable *Decoder::findVariable(StringRef name) const {
  for (uint32_t scope = current->scope;;
       scope = function->scopes[scope].parent) {
    const Scope &names = function->scopes[scope];
    auto found = names.variables.find(name);
    if (found != names.variables.end())
      return &found->second;
    if (scope == names.parent)
      break;
  }
  auto parameter = parameters.variables.find(name);
  if (parameter != parameters.variables.end())
    return &parameter->second;
  auto shared = sharedVariables.find(name);
  if (shared != sharedVariables.end())
    return &shared->second;
  auto file = symbols.variables.find(name);
  return file == symbols.variables.end() ? nullptr : &file->second.variable;
}

void Decoder::findNames(const OperandSyntax &operand,
                        llvm::function_ref<void(StringRef)> visit) {
  if (operand.kind == OperandKind::Name)
    visit(operand.name);
  for (const OperandSyntax &element : operand.elements)
    findNames(element, visit);
}

/// Shared variables of the file come behind those of the body; the dynamic
/// array, shared by all that are declared so, behind them all.
void Decoder::placeSharedVariables() {
  uint64_t dynamicAlign = 1;
  auto visit = [&](StringRef name) {
    auto found = symbols.variables.find(name);
    if (found == symbols.variables.end() ||
        found->second.variable.space != Space::Shared ||
        sharedVariables.count(name))
      return;
    Variable variable = found->second.variable;
    if (variable.isDynamic) {
      layout.usesDynamicShared = true;
      dynamicAlign = std::max(dynamicAlign, found->second.align);
    } else {
      variable.offset = layout.allocate(Space::Shared, variable.sizeBytes,
                                        found->second.align);
    }
    sharedVariables[name] = variable;
  };
  for (const Statement &statement : function->statements)
    for (const OperandSyntax &operand : statement.operands)
      findNames(operand, visit);
  if (!layout.usesDynamicShared)
    return;
  layout.sharedBytes = llvm::alignTo(layout.sharedBytes, dynamicAlign);
  for (auto &entry : sharedVariables)
    if (entry.second.isDynamic)
      entry.second.offset = layout.sharedBytes;
}
