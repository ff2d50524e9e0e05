//===- EnumerationSpace.cpp - What is fixed while structures change -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/EnumerationSpace.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

/// What offers bring into forms, subexpressions may have.
static SubexpressionOptions
getSubexpressionOptions(llvm::ArrayRef<OperatorOffer> offers) {
  SubexpressionOptions options;
  unsigned numOwnSigns = 0;
  for (const OperatorOffer &offer : offers) {
    bool isFunction = !offer.isNegation && offer.row->numOperands == 1;
    options.flipsDifferences |= offer.hasSign && isFunction;
    options.onesInQuotients |= offer.addsOne;
    numOwnSigns += offer.hasSign && offer.isOwn;
  }
  options.flipsTerms = options.flipsDifferences && numOwnSigns > 1;
  return options;
}

EnumerationSpace::EnumerationSpace(const TargetProgram &program,
                                   AtomReading reading,
                                   const PrunerChoice &pruner)
    : program(program), partNames(program.getPartNames()),
      forms(context, reading, kMaxProgramTotal), keepsAll(pruner.keepsAll) {
  declareNames(context, program);
  TargetForms all = computeForms(context, program, reading);
  hasAtomFunctions = all.hasAtoms;
  if (all.hasVariances)
    forms.useVariances();
  valueForms = all.ofValues;
  for (ValueId output : program.graph.getOutputs())
    targets.push_back(all.ofValues[output]);
  if (llvm::is_contained(targets, FormId::None))
    return;
  test.emplace(context, targets);
  if (pruner.make)
    otherPruner = pruner.make(context, targets);
  if (!keepsAll)
    forms.setMaxTotal(test->getMaxTotal());
  functions.emplace(context, test->getLevelForms());
  offers = collectOffers(context, forms, program, test->getLevelForms(),
                         listContracted());
  // What offers bring, subexpressions have.
  SubexpressionOptions options = getSubexpressionOptions(offers);
  test.emplace(context, targets, options);
  pairs.emplace(context, targets, options);
  hasRootReductions = llvm::any_of(offers, [](const OperatorOffer &offer) {
    return offer.row->kind == OperatorKind::Reduction &&
           llvm::any_of(offer.row->finish.nodes(), [](const ScalarNode &node) {
             return node.function == ScalarFunction::Sqrt;
           });
  });
}

llvm::SmallVector<FormId> EnumerationSpace::listContracted() const {
  llvm::SmallVector<FormId> read;
  for (const Node &operation : program.graph.getNodes())
    if (getOperatorInfo(operation.opcode).kind == OperatorKind::Contraction)
      for (ValueId operand : operation.operands)
        if (valueForms[operand] != FormId::None)
          read.push_back(valueForms[operand]);
  return read;
}

double EnumerationSpace::getStateWeight() const {
  constexpr double kUsualLength = 10; // factors of attention on normed tensors
  double length = kUsualLength;
  for (FormId target : targets)
    if (target != FormId::None)
      length = std::max(length, double(context.get(target).length));
  return length * length / (kUsualLength * kUsualLength);
}

/// Some thousandths of a second; a solver takes that and more for one trial.
uint64_t EnumerationSpace::getTrialsPerQuestion() const {
  constexpr double kOfUsualPrograms = 1024;
  if (otherPruner)
    return 1;
  return std::max<uint64_t>(1, kOfUsualPrograms / getStateWeight());
}

DeviceTensor EnumerationSpace::getInput(ValueId input) const {
  return {input, valueForms[input], program.getNames(input)};
}

/// What the program stores of an equal value, or f32.
StoredTensor EnumerationSpace::getStored(FormId form, NameSet names) const {
  StoredTensor stored = {program.getLayout(names), ElementType::F32};
  for (ValueId value = 0; value < valueForms.size(); ++value)
    if (valueForms[value] == form && program.getNames(value) == names)
      stored.element = program.graph.getType(value).element;
  return stored;
}

/// Whether no other form has had that text.
bool EnumerationSpace::isOnlyFormOf(const std::string &text, FormId form) {
  return described.try_emplace(text, form).first->second == form;
}

const std::string &EnumerationSpace::getText(FormId form) {
  auto [text, isNew] = texts.try_emplace(static_cast<uint32_t>(form));
  if (isNew) {
    text->second = context.toString(form);
    assert(isOnlyFormOf(text->second, form) &&
           "tensors of different meaning would be one boundary");
  }
  return text->second;
}

BoundaryTensor EnumerationSpace::describe(const KernelResult &tensor) {
  BoundaryTensor result = {getText(tensor.form), tensor.names,
                           getStored(tensor.form, tensor.names), std::nullopt};
  llvm::ArrayRef<ValueId> outputs = program.graph.getOutputs();
  for (unsigned output = 0; output < outputs.size(); ++output) {
    if (tensor.form != targets[output] ||
        tensor.names != program.getNames(outputs[output]))
      continue;
    result.stored = program.getStored(outputs[output]);
    result.output = output;
    break;
  }
  return result;
}

bool EnumerationSpace::isOutput(FormId form, NameSet names,
                                unsigned output) const {
  ValueId value = program.graph.getOutputs()[output];
  if (keepsAll && targets.size() == 1)
    return names == program.getNames(value);
  return form == targets[output] && !(names & ~program.getNames(value));
}
