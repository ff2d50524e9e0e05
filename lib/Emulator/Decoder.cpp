//===- Decoder.cpp - From statements to instructions ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "Handlers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

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
  char special = 0; ///< 'm', 'l' or 't'
  bool isResult = false, isOptional = false, mayBeWider = false;
  bool hasPredicate = false;
  unsigned count = 0; ///< registers of a vector; 0: one register, no braces

  OperandSpec(StringRef text, const Form &form, unsigned vectorSize) {
    isOptional = text.consume_front("?");
    isResult = text.consume_front("=");
    hasPredicate = text.consume_back("|");
    auto [name, stars] = text.split('*');
    if (text.contains('*'))
      count = stars.empty() ? vectorSize : stars[0] - '0';
    mayBeWider = name.consume_back("+");
    if (name == "m" || name == "l" || name == "t")
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

bool Decoder::fail(Location location, const Twine &message) {
  diagnostics.error(location, message);
  return false;
}

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

static SpecialRegister findSpecial(StringRef name, bool &found) {
  using R = SpecialRegister;
  int index = llvm::StringSwitch<int>(name)
                  .Case("%tid.x", int(R::TidX))
                  .Case("%tid.y", int(R::TidY))
                  .Case("%tid.z", int(R::TidZ))
                  .Case("%ntid.x", int(R::NtidX))
                  .Case("%ntid.y", int(R::NtidY))
                  .Case("%ntid.z", int(R::NtidZ))
                  .Case("%ctaid.x", int(R::CtaidX))
                  .Case("%ctaid.y", int(R::CtaidY))
                  .Case("%ctaid.z", int(R::CtaidZ))
                  .Case("%nctaid.x", int(R::NctaidX))
                  .Case("%nctaid.y", int(R::NctaidY))
                  .Case("%nctaid.z", int(R::NctaidZ))
                  .Case("%laneid", int(R::LaneId))
                  .Case("%warpid", int(R::WarpId))
                  .Case("%nwarpid", int(R::NumWarps))
                  .Case("%smid", int(R::SmId))
                  .Case("%nsmid", int(R::NumSms))
                  .Case("%gridid", int(R::GridId))
                  .Case("%lanemask_eq", int(R::LaneMaskEq))
                  .Case("%lanemask_le", int(R::LaneMaskLe))
                  .Case("%lanemask_lt", int(R::LaneMaskLt))
                  .Case("%lanemask_ge", int(R::LaneMaskGe))
                  .Case("%lanemask_gt", int(R::LaneMaskGt))
                  .Case("%clusterid.x", int(R::ClusterIdX))
                  .Case("%clusterid.y", int(R::ClusterIdY))
                  .Case("%clusterid.z", int(R::ClusterIdZ))
                  .Case("%nclusterid.x", int(R::NumClusterX))
                  .Case("%nclusterid.y", int(R::NumClusterY))
                  .Case("%nclusterid.z", int(R::NumClusterZ))
                  .Case("%cluster_ctaid.x", int(R::ClusterCtaidX))
                  .Case("%cluster_ctaid.y", int(R::ClusterCtaidY))
                  .Case("%cluster_ctaid.z", int(R::ClusterCtaidZ))
                  .Case("%cluster_nctaid.x", int(R::ClusterNctaidX))
                  .Case("%cluster_nctaid.y", int(R::ClusterNctaidY))
                  .Case("%cluster_nctaid.z", int(R::ClusterNctaidZ))
                  .Case("%cluster_ctarank", int(R::ClusterCtarank))
                  .Case("%cluster_nctarank", int(R::ClusterNctarank))
                  .Case("%dynamic_smem_size", int(R::DynamicSharedSize))
                  .Case("%total_smem_size", int(R::TotalSharedSize))
                  .Case("%clock", int(R::Clock))
                  .Case("%clock64", int(R::Clock64))
                  .Case("%globaltimer", int(R::GlobalTimer))
                  .Default(-1);
  found = index >= 0;
  return static_cast<SpecialRegister>(index);
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

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

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
    // A register of its own that nothing reads.
    if (!hasWideResult)
      instruction.resultBytes = std::max(2u, sizeBytes(spec.type));
    slots.push_back(allocateSlot(
        std::max<unsigned>(instruction.resultBytes, sizeBytes(spec.type))));
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
  if (operand.kind == OperandKind::Integer ||
      operand.kind == OperandKind::Float32 ||
      operand.kind == OperandKind::Float64) {
    if (spec.mayBeWider && instruction.sourceBytes == 0)
      instruction.sourceBytes = std::max(2u, bytes);
    unsigned width =
        spec.mayBeWider ? unsigned(instruction.sourceBytes) : bytes;
    uint64_t value = constantBits(operand, spec.type);
    slots.push_back(constantSlot(bytes == 0 ? value != 0 : value, width));
    return true;
  }
  if (operand.kind != OperandKind::Name)
    return fail(operand.location, "expected a register or a constant");
  if (operand.isNegated)
    return fail(operand.location, "'!' is not supported here");
  bool isSpecial = false;
  SpecialRegister special = findSpecial(operand.name, isSpecial);
  if (isSpecial) {
    if (special >= SpecialRegister::Clock)
      instruction.handler = readClock;
    slots.push_back(specialSlot(special, bytes));
    return true;
  }
  if (operand.name == "WARP_SZ") {
    slots.push_back(constantSlot(32, bytes));
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
    slots.push_back(constantSlot(variable->offset, bytes));
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

bool Decoder::decodeMemory(const OperandSyntax &operand,
                           Instruction &instruction) {
  if (operand.kind != OperandKind::Memory)
    return fail(operand.location, "expected an address in brackets");
  if (operand.elements.size() != 1)
    return fail(operand.location, "expected one address in brackets");
  assert(numMemoryOperands < 2 && "a row has more than two addresses");
  const OperandSyntax &base = operand.elements.front();
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

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

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

void Decoder::decodeStatement(const Statement &statement) {
  current = &statement;
  if (statement.opcode == "call" || statement.opcode.starts_with("call.")) {
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
    return;
  }
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
  kernel.slotLists.push_back(slots);
  instruction.slots = kernel.slotLists.back().data();
  kernel.code.push_back(instruction);
  kernel.places.push_back(statement.location);
  kernel.sourcePlaces.push_back(statement.sourcePlace);
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
  return std::move(kernel);
}
