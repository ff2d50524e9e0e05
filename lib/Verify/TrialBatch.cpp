//===- TrialBatch.cpp - Sixteen trials over one tower ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialBatch.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using kernels::kLanes;

/// The inputs below a term in its own component, in the numbering of
/// RootGroups::getInputs.
static std::vector<uint32_t> collectInputs(const TermTable &table, TermId root,
                                           unsigned numInputs) {
  std::vector<uint32_t> found;
  std::vector<TermId> stack = {root};
  llvm::BitVector seen(table.size());
  while (!stack.empty()) {
    TermId term = stack.back();
    stack.pop_back();
    if (seen[term])
      continue;
    seen.set(term);
    if (table[term].kind == TermKind::Input)
      found.push_back(table[term].index);
    else if (table[term].kind == TermKind::Exp)
      found.push_back(numInputs);
    else if (table[term].kind == TermKind::Ln2)
      found.push_back(numInputs + 1);
    else
      llvm::append_range(stack, table.getOperands(term));
  }
  return found;
}

RootGroups::RootGroups(const TermTable &table, const LiveTerms &live,
                       unsigned component, unsigned numInputs) {
  llvm::IntEqClasses classes(numInputs + 2);
  std::vector<uint32_t> anyInput; ///< by root
  for (TermId term = 0; term < table.size(); ++term) {
    if (table[term].kind != TermKind::Sqrt || !live.isLive(term, component))
      continue;
    std::vector<uint32_t> found = collectInputs(table, term, numInputs);
    if (found.empty()) {
      fixedRoots.push_back(term);
      continue;
    }
    roots.push_back(term);
    anyInput.push_back(found.front());
    for (uint32_t input : found)
      classes.join(found.front(), input);
  }
  classes.compress();
  // Number only those classes that have a root.
  std::vector<int> numbers(classes.getNumClasses(), -1);
  for (uint32_t input : anyInput) {
    int &number = numbers[classes[input]];
    if (number < 0) {
      number = inputs.size();
      inputs.emplace_back();
    }
    groups.push_back(number);
  }
  numRoots.resize(inputs.size());
  for (unsigned group : groups)
    ++numRoots[group];
  inputGroups.assign(numInputs + 2, -1);
  for (uint32_t input = 0; input < numInputs + 2; ++input)
    if (int number = numbers[classes[input]]; number >= 0) {
      inputs[number].push_back(input);
      if (isRedrawn(number))
        inputGroups[input] = number;
    }
}

unsigned RootGroups::getMaxDraws() const {
  unsigned most = 0;
  for (unsigned group = 0; group < getNumGroups(); ++group)
    if (isRedrawn(group))
      most = std::max(most, numRoots[group]);
  return 16u << most;
}

TrialBatch::TrialBatch(const TermTable &table, const LiveTerms &live,
                       llvm::ArrayRef<RootGroups> groups, FieldTower tower,
                       unsigned numInputs, const Seed &seed)
    : table(table), numInputs(numInputs),
      fields(std::move(tower), kLanes, deriveSeed(seed, "fields", 0)),
      values(table, live, fields) {
  unsigned height = std::min<unsigned>(groups.size(), fields.tower.getHeight());
  inputs.resize(fields.tower.getHeight());
  for (TermId term = 0; term < table.size(); ++term)
    if (live.isLive(term, 0) && (table[term].kind == TermKind::Sqrt ||
                                 table[term].kind == TermKind::Abs))
      signedTerms.push_back(term);
  // An exponential needs its argument's component first.
  for (unsigned component = inputs.size(); component-- > 0;) {
    RandomStream random(deriveSeed(seed, "inputs", component));
    inputs[component].resize(size_t(numInputs) * kLanes);
    random.fillUniform(inputs[component], fields.tower[component].getPrime());
    if (component < height)
      draw(component, groups[component], random);
  }
}

bool TrialBatch::isMissing(TermId root, unsigned component,
                           unsigned lane) const {
  TermId radicand = table.getOperands(root)[0];
  return values.get(root, component)[lane] == kernels::kNonSquare &&
         !kernels::isSpecial(values.get(radicand, component)[lane]);
}

void TrialBatch::draw(unsigned component, const RootGroups &groups,
                      RandomStream &random) {
  // Exponents and what picks in them are asked for later, of component 0 but
  // whether its roots exist.
  if (component == 0 && signedTerms.empty())
    return;
  llvm::BitVector wanted = findWanted(component, groups);
  values.evaluate(component, inputs[component], &wanted);
  for (TermId root : groups.getFixedRoots())
    for (unsigned lane = 0; lane < kLanes; ++lane)
      fixedRootsExist &= !isMissing(root, component, lane);
  std::vector<MissingRoots> seen(groups.getNumGroups());
  std::vector<uint16_t> drawn(groups.getNumGroups(), UINT16_MAX); ///< lanes
  for (unsigned round = 0; round < groups.getMaxDraws(); ++round) {
    if (component == 0)
      addSamples();
    std::vector<MissingByLane> missing = findMissing(component, groups);
    bool goesOn = false;
    for (unsigned group = 0; group < missing.size(); ++group) {
      uint16_t lanes = 0;
      // What maxima pick is one for all points of exponents.
      bool isOneDraw = component > 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!(drawn[group] >> lane & 1))
          continue;
        seen[group].add(missing[group][lane], /*isNewDraw=*/!isOneDraw);
        lanes |= uint16_t(missing[group][lane] != 0) << lane;
      }
      if (isOneDraw)
        seen[group].addDraw();
      drawn[group] = seen[group].areHopeless() ? 0 : lanes;
      if (drawn[group])
        redraw(component, groups.getInputs(group), drawn[group], random);
      goesOn |= drawn[group] != 0;
    }
    if (!goesOn)
      break;
    values.evaluate(component, inputs[component], &wanted);
  }
  values.evaluate(component, inputs[component]);
}

uint32_t MissingRoots::reduce(uint32_t roots) const {
  for (uint32_t vector : basis)
    roots = std::min(roots, roots ^ vector);
  return roots;
}

void MissingRoots::add(uint32_t roots, bool isNewDraw) {
  if (isNewDraw)
    addDraw();
  if (!first)
    first = roots;
  uint32_t rest = reduce(roots ^ *first);
  if (rest == 0)
    return;
  numSinceNew = 0;
  basis.push_back(rest);
  llvm::sort(basis, std::greater<>());
}

bool MissingRoots::areHopeless() const {
  return first && numSinceNew >= kEnoughDraws && reduce(*first) != 0;
}

llvm::BitVector TrialBatch::findWanted(unsigned component,
                                       const RootGroups &groups) const {
  llvm::BitVector wanted(table.size());
  for (TermId root :
       llvm::concat<const TermId>(groups.getRoots(), groups.getFixedRoots()))
    wanted.set(root);
  if (component == 0)
    for (TermId term : signedTerms)
      wanted.set(term);
  for (TermId term = table.size(); term-- > 0;)
    if (wanted[term] && table[term].kind != TermKind::Exp)
      for (TermId operand : table.getOperands(term))
        wanted.set(operand);
  return wanted;
}

std::vector<TrialBatch::MissingByLane>
TrialBatch::findMissing(unsigned component, const RootGroups &groups) const {
  std::vector<MissingByLane> missing(groups.getNumGroups());
  std::vector<unsigned> numRoots(groups.getNumGroups());
  for (auto [number, root] : llvm::enumerate(groups.getRoots())) {
    unsigned group = groups.getGroup(number);
    if (!groups.isRedrawn(group))
      continue;
    uint32_t bit = uint32_t(1) << numRoots[group]++;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (isMissing(root, component, lane))
        missing[group][lane] |= bit;
  }
  return missing;
}

void TrialBatch::redraw(unsigned component, llvm::ArrayRef<uint32_t> elements,
                        uint16_t lanes, RandomStream &random) {
  const PrimeField &field = fields.tower[component];
  ComponentDraw &draw = *fields.draws[component];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    for (uint32_t element : elements) {
      if (element < numInputs) {
        inputs[component][size_t(element) * kLanes + lane] =
            random.uniform(field.getPrime());
      } else if (element == numInputs) {
        uint32_t order = fields.tower[component + 1].getPrime();
        for (unsigned point = 0; point < kLanes; ++point)
          draw.weights[point][lane] = random.uniform(order);
      } else {
        draw.ln2[lane] = 1 + random.uniform(field.getPrime() - 1);
        draw.inverseLn2[lane] = field.inverse(draw.ln2[lane]);
      }
    }
  }
}

/// The character of the operand of a root or an absolute value.
static int8_t getCharacter(TermKind kind, uint32_t operand, uint32_t value) {
  if (operand == 0 || kernels::isSpecial(operand))
    return 0;
  bool isSquare =
      kind == TermKind::Abs ? value == operand : value != kernels::kNonSquare;
  return isSquare ? 1 : -1;
}

void TrialBatch::addSamples() {
  for (unsigned lane = 0; lane < kLanes && samples.size() < kMaxSamples;
       ++lane) {
    CharacterSample sample;
    for (TermId term : signedTerms)
      sample.characters.push_back(getCharacter(
          table[term].kind, values.get(table.getOperands(term)[0], 0)[lane],
          values.get(term, 0)[lane]));
    samples.push_back(std::move(sample));
  }
}
