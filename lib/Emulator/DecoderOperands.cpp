//===- DecoderOperands.cpp - From operands to slots -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Handlers.h"
#include "SpecialRegisters.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;
using llvm::Twine;
using OperandKind = OperandSyntax::Kind;

/// The type of one of `count` equal parts.
static ScalarType partOf(ScalarType type, unsigned count) {
  switch (sizeBytes(type) / std::max(1u, count)) {
  case 2:
    return ScalarType::B16;
  case 4:
    return ScalarType::B32;
  case 8:
    return ScalarType::B64;
  default:
    return ScalarType::B8;
  }
}

struct Decoder::OperandSpec {
  ScalarType type = ScalarType::None;
  char special = 0; ///< 'm', 'v', 'l' or 't'
  bool isResult = false, isOptional = false, mayBeWider = false;
  bool isConstant = false;
  bool hasPredicate = false;
  unsigned count = 0; ///< registers of a vector; 0: one register, no braces

  OperandSpec(StringRef text, const Form &form, unsigned vectorSize) {
    isOptional = text.consume_front("?");
    isResult = text.consume_front("=");
    isConstant = text.consume_front("#");
    hasPredicate = text.consume_back("|");
    auto [name, stars] = text.split('*');
    if (text.contains('*'))
      count = stars.empty() ? vectorSize : stars[0] - '0';
    mayBeWider = name.consume_back("+");
    if (name == "m" || name == "v" || name == "l" || name == "t")
      special = name[0];
    else if (name == "T")
      type = form.type();
    else if (name == "D")
      type = form.resultType();
    else if (name == "P")
      type = partOf(form.type(), vectorSize);
    else
      type = parseScalarType(name);
    assert((special || type != ScalarType::None) && "a row has a bad operand");
  }
};

static StringRef typeWidthName(unsigned bytes) {
  switch (bytes) {
  case 0:
    return "predicate";
  case 1:
    return "8-bit";
  case 2:
    return "16-bit";
  case 4:
    return "32-bit";
  case 8:
    return "64-bit";
  default:
    return "128-bit";
  }
}

bool Decoder::decodeRegister(const OperandSyntax &operand,
                             const OperandSpec &spec, uint8_t &registerBytes,
                             uint32_t &slot) {
  uint32_t scope = 0;
  ScalarType type = findRegister(operand.name, scope);
  if (type == ScalarType::None)
    return fail(operand.location,
                "expected a declared register, found '" + operand.name + "'");
  unsigned wanted = sizeBytes(spec.type), found = sizeBytes(type);
  bool isPredicate = spec.type == ScalarType::Pred;
  if (isPredicate != (type == ScalarType::Pred) ||
      (spec.mayBeWider ? found < wanted : found != wanted))
    return fail(operand.location, Twine("expected a ") + typeWidthName(wanted) +
                                      " register, found '" + operand.name +
                                      "', a " + typeWidthName(found) +
                                      " register");
  registerBytes = std::max(2u, found);
  slot = registerSlot(operand.name, scope, type);
  return true;
}

bool Decoder::decodeResult(const OperandSyntax &operand,
                           const OperandSpec &spec, Instruction &instruction) {
  if (operand.kind == OperandKind::Sink) {
    // A register of its own that nothing reads, as wide as the ones behind it
    // may turn out to be.
    unsigned bytes = sizeBytes(spec.type);
    if (!hasWideResult)
      instruction.resultBytes = std::max(2u, bytes);
    slots.push_back(
        allocateSlot(spec.mayBeWider ? std::max(8u, bytes) : bytes));
    return true;
  }
  if (operand.kind != OperandKind::Name || operand.isNegated)
    return fail(operand.location, "expected a register for the result");
  uint8_t bytes = 0;
  uint32_t slot = 0;
  if (!decodeRegister(operand, spec, bytes, slot))
    return false;
  if (hasWideResult && bytes != instruction.resultBytes)
    return fail(operand.location, "expected registers of one width");
  instruction.resultBytes = bytes;
  hasWideResult = true;
  slots.push_back(slot);
  return true;
}

/// The bits of a constant as a value of a type.
static uint64_t constantBits(const OperandSyntax &operand, ScalarType type) {
  uint64_t bits = operand.value;
  if (operand.kind == OperandKind::Float64 && sizeBytes(type) == 4)
    bits = llvm::bit_cast<uint32_t>(float(llvm::bit_cast<double>(bits)));
  else if (operand.kind == OperandKind::Float32 && type == ScalarType::F64)
    bits =
        llvm::bit_cast<uint64_t>(double(llvm::bit_cast<float>(uint32_t(bits))));
  unsigned bytes = sizeBytes(type);
  return bytes >= 8 || bytes == 0 ? bits
                                  : bits & ((uint64_t(1) << (8 * bytes)) - 1);
}

bool Decoder::decodeSource(const OperandSyntax &operand,
                           const OperandSpec &spec, Instruction &instruction) {
  unsigned bytes = sizeBytes(spec.type);
  // What is no register is as wide as the registers beside it.
  auto chooseWidth = [&]() -> unsigned {
    if (spec.mayBeWider && instruction.sourceBytes == 0)
      instruction.sourceBytes = std::max(2u, bytes);
    return spec.mayBeWider ? instruction.sourceBytes : bytes;
  };
  if (operand.kind == OperandKind::Integer ||
      operand.kind == OperandKind::Float32 ||
      operand.kind == OperandKind::Float64) {
    uint64_t value = constantBits(operand, spec.type);
    slots.push_back(
        constantSlot(bytes == 0 ? value != 0 : value, chooseWidth()));
    return true;
  }
  if (spec.isConstant && operand.name != "WARP_SZ")
    return fail(operand.location, "expected a constant");
  if (operand.kind != OperandKind::Name)
    return fail(operand.location, "expected a register or a constant");
  if (operand.isNegated)
    return fail(operand.location, "'!' is not supported here");
  if (std::optional<SpecialRegister> special =
          findSpecialRegister(operand.name)) {
    if (isOfClusters(*special))
      if (auto missing =
              explainMissing(target, operand.name, {}, needsOfClusters))
        return fail(operand.location, *missing);
    bool isClock = *special >= SpecialRegister::Clock;
    bool isPredicate = *special == SpecialRegister::IsExplicitCluster;
    if (isPredicate != (bytes == 0) || bytes > 8 || (isClock && bytes < 4))
      return fail(operand.location,
                  Twine("expected a ") + typeWidthName(bytes) +
                      " register, found '" + operand.name + "'");
    if (isClock && !current->opcode.starts_with("mov."))
      return fail(operand.location,
                  "expected a mov to read '" + operand.name + "'");
    if (isClock)
      instruction.handler = readClock;
    slots.push_back(specialSlot(*special, chooseWidth()));
    return true;
  }
  if (operand.name == "WARP_SZ") {
    slots.push_back(constantSlot(32, chooseWidth()));
    return true;
  }
  uint32_t scope = 0;
  const Variable *variable =
      findRegister(operand.name, scope) == ScalarType::None
          ? findVariable(operand.name)
          : nullptr;
  if (variable) {
    // A parameter's address is one in the parameter space, and so on.
    if (bytes < 4)
      return fail(operand.location, "an address needs 32 or 64 bits");
    slots.push_back(constantSlot(variable->offset, chooseWidth()));
    return true;
  }
  uint8_t found = 0;
  uint32_t slot = 0;
  if (!decodeRegister(operand, spec, found, slot))
    return false;
  if (spec.mayBeWider) {
    if (instruction.sourceBytes != 0 && instruction.sourceBytes != found)
      return fail(operand.location, "expected registers of one width");
    instruction.sourceBytes = found;
  }
  slots.push_back(slot);
  return true;
}

bool Decoder::decodeVector(const OperandSyntax &operand,
                           const OperandSpec &spec, Instruction &instruction) {
  OperandSpec single = spec;
  single.count = 0;
  if (operand.kind != OperandKind::Vector) {
    if (spec.count != 1)
      return fail(operand.location, Twine("expected ") + Twine(spec.count) +
                                        " registers in braces");
    return decodeOperand(operand, single, instruction);
  }
  if (operand.elements.size() != spec.count)
    return fail(operand.location, Twine("expected ") + Twine(spec.count) +
                                      " registers, found " +
                                      Twine(operand.elements.size()));
  // A constant among registers takes their width.
  if (!spec.isResult && spec.mayBeWider)
    for (const OperandSyntax &element : operand.elements) {
      uint32_t scope = 0;
      ScalarType type = findRegister(element.name, scope);
      if (element.kind == OperandKind::Name && type != ScalarType::None)
        instruction.sourceBytes = std::max(2u, sizeBytes(type));
    }
  for (const OperandSyntax &element : operand.elements)
    if (!decodeOperand(element, single, instruction))
      return false;
  return true;
}

/// `[tensor map, {x, y, ...}]`: the address, then the coordinates.
bool Decoder::decodeBox(const OperandSyntax &operand,
                        Instruction &instruction) {
  unsigned rank = instruction.vectorSize;
  if (operand.kind != OperandKind::Memory || operand.elements.size() != 2)
    return fail(operand.location, "expected a tensor map and coordinates in "
                                  "brackets");
  if (!decodeAddress(operand, operand.elements[0], instruction))
    return false;
  OperandSpec coordinates("b32*", Form(), rank);
  return decodeVector(operand.elements[1], coordinates, instruction);
}

bool Decoder::decodeMemory(const OperandSyntax &operand,
                           Instruction &instruction) {
  if (operand.kind != OperandKind::Memory)
    return fail(operand.location, "expected an address in brackets");
  if (operand.elements.size() != 1)
    return fail(operand.location, "expected one address in brackets");
  return decodeAddress(operand, operand.elements.front(), instruction);
}

bool Decoder::decodeAddress(const OperandSyntax &operand,
                            const OperandSyntax &base,
                            Instruction &instruction) {
  assert(numMemoryOperands < 3 && "a row has more than three addresses");
  int64_t &displacement = instruction.displacement[numMemoryOperands];
  displacement = int64_t(operand.value);
  uint32_t scope = 0;
  ScalarType type = ScalarType::None;
  if (base.kind == OperandKind::Name)
    type = findRegister(base.name, scope);
  if (base.kind == OperandKind::Integer) {
    slots.push_back(constantSlot(base.value, 8));
  } else if (type != ScalarType::None) {
    if (sizeBytes(type) != 4 && sizeBytes(type) != 8)
      return fail(base.location, "expected a 32-bit or 64-bit register as the "
                                 "address, found '" +
                                     base.name + "', a " +
                                     typeWidthName(sizeBytes(type)) +
                                     " register");
    instruction.addressIs32 |= (sizeBytes(type) == 4) << numMemoryOperands;
    slots.push_back(registerSlot(base.name, scope, type));
  } else if (const Variable *variable = findVariable(base.name)) {
    uint64_t start =
        instruction.space == Space::Generic ? window::of(variable->space) : 0;
    slots.push_back(constantSlot(start + variable->offset, 8));
  } else {
    return fail(base.location,
                "expected a register or a variable, found '" + base.name + "'");
  }
  ++numMemoryOperands;
  return true;
}

bool Decoder::decodeLabel(const OperandSyntax &operand, uint32_t &target) {
  for (uint32_t scope = current->scope;;
       scope = function->scopes[scope].parent) {
    const Scope &names = function->scopes[scope];
    auto found = names.labels.find(operand.name);
    if (found != names.labels.end()) {
      target = found->second;
      return true;
    }
    if (scope == names.parent)
      return fail(operand.location,
                  "expected a label of this function, found '" + operand.name +
                      "'");
  }
}

bool Decoder::decodeTargets(const OperandSyntax &operand,
                            Instruction &instruction) {
  for (const Scope &scope : function->scopes) {
    auto found = scope.branchTargets.find(operand.name);
    if (found == scope.branchTargets.end())
      continue;
    constexpr size_t kMostTargets = 32768;
    if (found->second.size() > kMostTargets)
      return fail(operand.location,
                  "expected a list of at most " + Twine(kMostTargets) +
                      " labels, found " + Twine(found->second.size()));
    for (const OperandSyntax &label : found->second)
      if (!decodeLabel(label, slots.emplace_back()))
        return false;
    return true;
  }
  return fail(operand.location, "expected the name of a .branchtargets list, "
                                "found '" +
                                    operand.name + "'");
}

bool Decoder::decodeOperand(const OperandSyntax &operand,
                            const OperandSpec &spec, Instruction &instruction) {
  if (spec.count != 0)
    return decodeVector(operand, spec, instruction);
  switch (spec.special) {
  case 'm':
    return decodeMemory(operand, instruction);
  case 'v':
    return decodeBox(operand, instruction);
  case 'l':
    return decodeLabel(operand, instruction.target);
  case 't':
    return decodeTargets(operand, instruction);
  default:
    break;
  }
  if (!spec.hasPredicate)
    return spec.isResult ? decodeResult(operand, spec, instruction)
                         : decodeSource(operand, spec, instruction);
  OperandSpec first = spec, second = spec;
  first.hasPredicate = second.hasPredicate = false;
  second.type = ScalarType::Pred;
  if (operand.kind != OperandKind::Pair) {
    bool good = decodeOperand(operand, first, instruction);
    slots.push_back(noSlot);
    return good;
  }
  if (!decodeOperand(operand.elements[0], first, instruction))
    return false;
  hasWideResult = false;
  return decodeOperand(operand.elements[1], second, instruction);
}

bool Decoder::decodeOperands(const Statement &statement, const Row &row,
                             const Form &form, Instruction &instruction) {
  llvm::SmallVector<StringRef, 8> specs;
  StringRef(row.operands).split(specs, ' ', -1, /*KeepEmpty=*/false);
  size_t next = 0;
  for (StringRef text : specs) {
    OperandSpec spec(text, form, instruction.vectorSize);
    if (next == statement.operands.size()) {
      if (spec.isOptional) {
        slots.push_back(noSlot);
        continue;
      }
      return fail(statement.location, Twine("expected ") + Twine(specs.size()) +
                                          " operands of '" + statement.opcode +
                                          "', found " + Twine(next));
    }
    if (!decodeOperand(statement.operands[next++], spec, instruction))
      return false;
  }
  if (next == statement.operands.size())
    return true;
  return fail(statement.operands[next].location,
              Twine("expected ") + Twine(specs.size()) + " operands of '" +
                  statement.opcode + "', found " +
                  Twine(statement.operands.size()));
}
