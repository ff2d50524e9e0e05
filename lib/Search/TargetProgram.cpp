//===- TargetProgram.cpp - What a search looks for ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/TargetProgram.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::SmallVector;

/// The names of the operands that the result does not have.
static NameSet getLostNames(const TargetProgram &program,
                            const Node &operation) {
  NameSet lost = 0;
  for (ValueId operand : operation.operands)
    lost |= program.getNames(operand);
  return lost & ~program.getNames(operation.results[0]);
}

/// What the outputs depend on.
static SmallVector<ValueId> findUsedInputs(const Graph &graph,
                                           llvm::ArrayRef<ValueId> outputs) {
  llvm::BitVector used(graph.getNumValues());
  for (ValueId output : outputs)
    used.set(output);
  for (const Node &operation : llvm::reverse(graph.getNodes()))
    if (used[operation.results[0]])
      for (ValueId operand : operation.operands)
        used.set(operand);
  SmallVector<ValueId> inputs;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    if (used[input])
      inputs.push_back(input);
  return inputs;
}

llvm::Expected<TargetProgram>
mlir::mirage::search::makeTargetProgram(const Graph &graph) {
  llvm::Expected<DimensionNames> names = nameProgram(graph);
  if (!names)
    return names.takeError();
  TargetProgram program;
  program.graph = graph;
  program.names = std::move(*names);
  program.inputs = findUsedInputs(graph, graph.getOutputs());
  for (ValueId output : graph.getOutputs())
    program.inputsOfOutputs.push_back(findUsedInputs(graph, output));
  if (program.inputs.empty())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "expects an output that depends on an input, got none");
  for (ValueId value = 0; value < graph.getNumValues(); ++value) {
    NameSet own = program.getNames(value);
    if (!llvm::is_contained(program.valueNames, own))
      program.valueNames.push_back(own);
    program.maxTensorNames =
        std::max<unsigned>(program.maxTensorNames, llvm::popcount(own));
  }
  for (const Node &operation : graph.getNodes()) {
    program.reducedNames |= getLostNames(program, operation);
    program.hasRowProducts |=
        getOperatorInfo(operation.opcode).kind == OperatorKind::Contraction &&
        program.getNames(operation.operands[0]) ==
            program.getNames(operation.operands[1]);
    program.hasOuterOperations |=
        getOperatorInfo(operation.opcode).kind == OperatorKind::Elementwise &&
        llvm::none_of(operation.operands, [&](ValueId operand) {
          return program.getNames(operand) ==
                 program.getNames(operation.results[0]);
        });
    if (operation.opcode != Opcode::CausalMask)
      continue;
    CausalNames mask = program.getCausalMask(operation);
    if (!llvm::is_contained(program.causalMasks, mask))
      program.causalMasks.push_back(mask);
  }
  return program;
}

CausalNames TargetProgram::getCausalMask(const Node &operation) const {
  llvm::ArrayRef<NameId> dimensions =
      getDimensions(operation.operands[0]).take_back(2);
  return {dimensions[0], dimensions[1], operation.attributes.offset};
}

//===----------------------------------------------------------------------===//
// Names of parts
//===----------------------------------------------------------------------===//

/// Names above `name` in a set do not count.
static unsigned countBelow(NameSet set, NameId name) {
  return llvm::popcount(set & (toSet(name) - 1));
}

NameId TargetProgram::getPartName(unsigned kernel, NameId of) const {
  assert(contains(reducedNames, of) && "parts are of something reduced");
  return names.getNumNames() + kernel * llvm::popcount(reducedNames) +
         countBelow(reducedNames, of);
}

std::optional<TargetProgram::Part> TargetProgram::getPart(NameId name) const {
  if (name < names.getNumNames() || name == kNoName)
    return std::nullopt;
  unsigned perKernel = llvm::popcount(reducedNames);
  unsigned number = name - names.getNumNames();
  return Part{number / perKernel, toList(reducedNames)[number % perKernel]};
}

bool TargetProgram::isPartOf(NameId name, unsigned kernel) const {
  std::optional<Part> part = getPart(name);
  return part && part->kernel == kernel;
}

unsigned TargetProgram::getMaxKernels() const {
  unsigned perKernel = llvm::popcount(reducedNames);
  if (perKernel == 0)
    return kMaxKernels;
  return std::min(kMaxKernels,
                  1 + (kMaxNames - names.getNumNames()) / perKernel);
}

unsigned TargetProgram::getNumAllNames() const {
  return names.getNumNames() +
         (getMaxKernels() - 1) * llvm::popcount(reducedNames);
}

bool TargetProgram::mayMeet(NameSet lhs, NameSet rhs) const {
  NameSet both = lhs | rhs;
  if (both == lhs || both == rhs || hasValueWithNames(both))
    return true;
  return !(both & reducedNames) &&
         unsigned(llvm::popcount(both)) <= maxTensorNames;
}

NameSet TargetProgram::getPartNames() const {
  NameSet all = 0;
  for (NameId name = names.getNumNames(); name < getNumAllNames(); ++name)
    all |= toSet(name);
  return all;
}

SmallVector<int64_t> TargetProgram::getExtents() const {
  SmallVector<int64_t> extents = names.extents;
  extents.resize(getNumAllNames(), 0);
  return extents;
}

DimensionList TargetProgram::getLayout(NameSet set) const {
  NameSet own = set & ~getPartNames();
  DimensionList layout;
  llvm::append_range(layout, toList(set & getPartNames()));
  SmallVector<NameId> order = toList(own);
  for (ValueId value = 0; value < graph.getNumValues(); ++value)
    if (getNames(value) == own) {
      order.assign(getDimensions(value).begin(), getDimensions(value).end());
      break;
    }
  llvm::copy_if(order, std::back_inserter(layout),
                [](NameId name) { return name != kNoName; });
  if (layout.empty())
    layout.push_back(kNoName); // tensors have a dimension
  return layout;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

void mlir::mirage::search::declareNames(ExpressionContext &context,
                                        const TargetProgram &program) {
  for (unsigned number = 0; number < program.names.getNumNames(); ++number) {
    std::string text = number < 26 ? std::string(1, char('a' + number))
                                   : "n" + std::to_string(number);
    NameId name = context.addName(text);
    SymbolId loop = context.addSymbol("l" + text, name);
    assert(name == number && loop == getLoopSymbol(name) &&
           "names go into an empty context");
    (void)loop;
    for (unsigned kernel = 0; kernel < kMaxKernels; ++kernel)
      context.addSymbol(std::string(kernel + 1, 'g') + text, name);
  }
}

namespace {
class FormBuilder {
public:
  FormBuilder(ExpressionContext &context, const TargetProgram &program,
              AtomReading reading)
      : context(context), program(program),
        forms(context, reading, kMaxProgramTotal) {}

  TargetForms run() {
    addInputs(result);
    for (const Node &operation : program.graph.getNodes())
      result.ofValues.push_back(build(operation));
    return std::move(result);
  }

  /// As run(), with what is known to equal an atom read as that atom.
  TargetForms runRecognizing(const TargetForms &writtenOut) {
    addInputs(result);
    for (const Node &operation : program.graph.getNodes())
      result.hasVariances |=
          findOperand(operation.results[0], getOperatorInfo(Opcode::Variance),
                      writtenOut)
              .has_value();
    if (result.hasVariances)
      forms.useVariances();
    for (const Node &operation : program.graph.getNodes()) {
      FormId recognized = recognize(operation.results[0], writtenOut);
      result.ofValues.push_back(recognized != FormId::None ? recognized
                                                           : build(operation));
    }
    return std::move(result);
  }

private:
  void addInputs(TargetForms &to) {
    for (unsigned input = 0; input < program.graph.getNumInputs(); ++input) {
      DimensionList named;
      for (NameId name : program.getDimensions(input))
        if (name != kNoName)
          named.push_back(name);
      to.ofValues.push_back(context.input(input, named));
    }
  }

  FormId build(const Node &operation) {
    SmallVector<FormId, 2> operands;
    for (ValueId operand : operation.operands)
      operands.push_back(result.ofValues[operand]);
    if (llvm::is_contained(operands, FormId::None))
      return FormId::None;
    const OperatorInfo &row = getOperatorInfo(operation.opcode);
    result.hasAtoms |= row.isAtom;
    SmallVector<NameId> lost = toList(getLostNames(program, operation));
    switch (row.kind) {
    case OperatorKind::Elementwise:
      return forms.elementwise(row, operation.attributes.scalars, operands);
    case OperatorKind::Reduction:
      return forms.reduction(row, operands[0], lost, {});
    case OperatorKind::Contraction:
      return lost.empty()
                 ? forms.product(operands[0], operands[1]) // K is 1
                 : forms.contraction(operands[0], operands[1], lost[0], {});
    case OperatorKind::Movement:
      return operation.opcode == Opcode::CausalMask
                 ? forms.causalMask(operands[0],
                                    program.getCausalMask(operation))
                 : operands[0];
    case OperatorKind::Copy:
      return operands[0];
    case OperatorKind::Accumulate:
    case OperatorKind::Composed:
    case OperatorKind::Graph:
      break;
    }
    assert(false && "nameProgram refuses other operations");
    return FormId::None;
  }

  /// The names that a value lost on the way from an operand, if it has no
  /// others and a row of this kind may lose them.
  std::optional<SmallVector<NameId>> findLost(ValueId operand, ValueId value,
                                              const OperatorInfo &row) const {
    NameSet names = program.getNames(operand), kept = program.getNames(value);
    SmallVector<NameId> lost = toList(names & ~kept);
    bool isReduction = row.kind == OperatorKind::Reduction;
    if ((kept & ~names) || lost.empty() == isReduction)
      return std::nullopt;
    return lost;
  }

  /// Before forms are built, which takes long of long ones. Nothing cancels:
  /// (x − mean x)² has 4·t² terms where x has t.
  bool mayBe(const OperatorInfo &row, FormId wanted, FormId from) const {
    uint64_t terms = context.get(from).total;
    return row.opcode != Opcode::Variance ||
           context.get(wanted).total == 4 * terms * terms;
  }

  /// The earlier value of which `value` is what the row makes, if any.
  std::optional<ValueId> findOperand(ValueId value, const OperatorInfo &row,
                                     const TargetForms &writtenOut) {
    FormId wanted = writtenOut.ofValues[value];
    OperatorForms definitions(context, AtomReading::WrittenOut,
                              kMaxProgramTotal);
    for (ValueId operand = 0; operand < value; ++operand) {
      FormId from = writtenOut.ofValues[operand];
      auto lost = findLost(operand, value, row);
      if (wanted == FormId::None || from == FormId::None || !lost ||
          !mayBe(row, wanted, from))
        continue;
      FormId built = lost->empty()
                         ? definitions.elementwise(row, {}, {from})
                         : definitions.reduction(row, from, *lost, {});
      if (built == wanted)
        return operand;
    }
    return std::nullopt;
  }

  FormId readAs(const OperatorInfo &row, ValueId value,
                const TargetForms &writtenOut) {
    std::optional<ValueId> operand = findOperand(value, row, writtenOut);
    if (!operand || result.ofValues[*operand] == FormId::None)
      return FormId::None;
    result.hasAtoms = true;
    FormId from = result.ofValues[*operand];
    SmallVector<NameId> lost = *findLost(*operand, value, row);
    return lost.empty() ? forms.elementwise(row, {}, {from})
                        : forms.reduction(row, from, lost, {});
  }

  /// The atom row of an earlier value that `value` is by its definition, if
  /// any.
  FormId recognize(ValueId value, const TargetForms &writtenOut) {
    for (const OperatorInfo &row : getOperatorTable()) {
      if (!row.isAtom || row.numOperands != 1)
        continue;
      FormId read = readAs(row, value, writtenOut);
      if (read != FormId::None)
        return read;
    }
    return FormId::None;
  }

  ExpressionContext &context;
  const TargetProgram &program;
  OperatorForms forms;
  TargetForms result;
};
} // namespace

TargetForms mlir::mirage::search::computeForms(ExpressionContext &context,
                                               const TargetProgram &program,
                                               AtomReading reading) {
  TargetForms writtenOut =
      FormBuilder(context, program, AtomReading::WrittenOut).run();
  if (reading == AtomReading::WrittenOut)
    return writtenOut;
  return FormBuilder(context, program, reading).runRecognizing(writtenOut);
}
