//===- OperatorOffers.cpp - What the operator table offers a search -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/OperatorOffers.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

bool OperatorOffer::multiplies() const {
  return row->kind == OperatorKind::Contraction ||
         (row->numOperands == 2 &&
          llvm::is_contained(positions, Position::Factor));
}

namespace {
/// The things that only operators can bring into a form.
class Features {
public:
  explicit Features(const ExpressionContext &context) : context(context) {}

  void add(FormId form) {
    for (auto [id, count] : context.get(form).monomials)
      add(context.get(id));
  }
  bool includes(const Features &other) const {
    return std::includes(set.begin(), set.end(), other.set.begin(),
                         other.set.end());
  }
  bool hasReciprocal = false;

private:
  enum Kind { Sign, Exponent, Radicand, Denominator, AtomOf };

  void add(const Monomial &monomial) {
    if (monomial.isNegative)
      set.insert({Sign, 0, 0});
    addPart(Exponent, monomial.exponent);
    addPart(Radicand, monomial.radicand);
    addPart(Denominator, monomial.denominator);
    hasReciprocal |= monomial.atoms.empty() &&
                     monomial.exponent == FormId::None &&
                     monomial.radicand == FormId::None &&
                     monomial.denominator != FormId::None;
    for (AtomId id : monomial.atoms) {
      const Atom &atom = context.get(id);
      if (atom.kind == Atom::Kind::Input)
        continue;
      set.insert({AtomOf, static_cast<uint64_t>(atom.kind), atom.payload});
      for (FormId argument : atom.arguments)
        add(argument);
    }
  }
  void addPart(Kind kind, FormId part) {
    if (part == FormId::None)
      return;
    set.insert({kind, 0, 0});
    add(part);
  }

  const ExpressionContext &context;
  std::set<std::tuple<int, uint64_t, uint64_t>> set;
};

/// An input number that no program has.
constexpr unsigned kProbe = ~0u;

class OfferCollector {
public:
  OfferCollector(ExpressionContext &context, OperatorForms &forms,
                 const TargetProgram &program, ArrayRef<FormId> levels,
                 ArrayRef<FormId> contracted)
      : context(context), forms(forms), program(program), wanted(context),
        x(context.input(kProbe, {})), y(context.input(kProbe - 1, {})) {
    for (FormId level : levels)
      wanted.add(level);
    Features read(context);
    for (FormId form : contracted)
      read.add(form);
    wanted.hasReciprocal |= read.hasReciprocal;
  }

  std::vector<OperatorOffer> run() {
    for (const OperatorInfo &row : getOperatorTable())
      if (row.existsAt(Level::Block))
        for (OperatorOffer &offer : getCandidates(row))
          consider(std::move(offer));
    if (forms.usesVariances()) {
      OperatorOffer offer;
      offer.row = &getOperatorInfo(Opcode::Variance);
      consider(std::move(offer));
    }
    for (auto [offer, form] : llvm::zip(offers, probeForms))
      classify(offer, form);
    llvm::erase_if(offers, [&](const OperatorOffer &offer) {
      return offer.isReciprocal && !wanted.hasReciprocal;
    });
    return std::move(offers);
  }

private:
  /// The parameters that the program uses the row with.
  SmallVector<ArrayRef<double>> getScalars(const OperatorInfo &row) {
    if (row.parameters.empty())
      return {ArrayRef<double>()};
    SmallVector<ArrayRef<double>> all;
    for (const Node &operation : program.graph.getNodes())
      if (operation.opcode == row.opcode &&
          !llvm::is_contained(all,
                              ArrayRef<double>(operation.attributes.scalars)))
        all.push_back(operation.attributes.scalars);
    return all;
  }

  /// The row with the parameters, and the masks, of the program.
  std::vector<OperatorOffer> getCandidates(const OperatorInfo &row) {
    std::vector<OperatorOffer> candidates;
    for (ArrayRef<double> scalars : getScalars(row)) {
      OperatorOffer &offer = candidates.emplace_back();
      offer.row = &row;
      offer.scalars.assign(scalars.begin(), scalars.end());
    }
    if (row.opcode != Opcode::CausalMask)
      return candidates;
    candidates.clear();
    for (const CausalNames &mask : program.causalMasks) {
      candidates.emplace_back().row = &row;
      candidates.back().mask = mask;
    }
    return candidates;
  }

  FormId probe(const OperatorOffer &offer) {
    const OperatorInfo &row = *offer.row;
    switch (row.kind) {
    case OperatorKind::Elementwise:
      return forms.elementwise(
          row, offer.scalars,
          ArrayRef<FormId>({x, y}).take_front(row.numOperands));
    case OperatorKind::Reduction:
      return forms.reduction(row, context.input(kProbe, {0}), {NameId(0)}, {});
    case OperatorKind::Contraction:
      return context.mul(x, y);
    case OperatorKind::Movement:
      return offer.mask ? forms.causalMask(x, *offer.mask) : FormId::None;
    case OperatorKind::Copy:
    case OperatorKind::Accumulate:
    case OperatorKind::Composed:
    case OperatorKind::Graph:
      return FormId::None;
    }
    return FormId::None;
  }

  void consider(OperatorOffer offer) {
    const OperatorInfo &row = *offer.row;
    bool needsNames = row.kind == OperatorKind::Reduction ||
                      row.kind == OperatorKind::Contraction;
    if (needsNames && program.reducedNames == 0)
      return;
    FormId form = probe(offer);
    if (form == FormId::None || form == x)
      return;
    Features needed(context);
    needed.add(form);
    bool isKnown = row.kind != OperatorKind::Contraction &&
                   llvm::is_contained(probeForms, form);
    if (isKnown || !wanted.includes(needed))
      return;
    offers.push_back(std::move(offer));
    probeForms.push_back(form);
  }

  void classify(OperatorOffer &offer, FormId form) {
    const OperatorInfo &row = *offer.row;
    if (row.kind == OperatorKind::Reduction) {
      bool isBare = row.definition.nodes().size() == 1 &&
                    row.finish.nodes().size() == 1 &&
                    row.combiner != Combiner::Moments;
      offer.joinsParts = isBare;
      offer.isLinearReduction = isBare && row.combiner == Combiner::Add;
      offer.positions = {offer.isLinearReduction
                             ? OperatorOffer::Position::Factor
                             : OperatorOffer::Position::Inside};
      return;
    }
    for (unsigned i = 0; i < row.numOperands; ++i)
      offer.positions.push_back(getPosition(form, i == 0 ? x : y));
    if (row.numOperands == 2)
      offer.refusesEqualOperands = isOtherOffersWork(offer);
    else if (row.kind == OperatorKind::Elementwise)
      classifyUnary(offer, form);
  }

  OperatorOffer::Position getPosition(FormId form, FormId operand) const {
    using Position = OperatorOffer::Position;
    MonomialId self = context.get(operand).monomials.front().first;
    AtomId atom = context.get(self).atoms.front();
    const Form &result = context.get(form);
    auto hasAtom = [&](const auto &entry) {
      return llvm::count(context.get(entry.first).atoms, atom) == 1;
    };
    if (result.total == 1)
      return hasAtom(result.monomials.front()) ? Position::Factor
                                               : Position::Inside;
    bool isSummand = llvm::any_of(result.monomials, [&](const auto &entry) {
      return hasAtom(entry) && context.get(entry.first).atoms.size() == 1;
    });
    return isSummand ? Position::Summand : Position::Inside;
  }

  bool isOtherOffersWork(const OperatorOffer &offer) {
    if (offer.row->kind != OperatorKind::Elementwise)
      return false;
    FormId form = forms.elementwise(*offer.row, offer.scalars, {x, x});
    return llvm::is_contained(probeForms, form);
  }

  /// Whether a denominator is a number, or there is none.
  bool isConstant(FormId denominator) const {
    if (denominator == FormId::None)
      return true;
    const Form &form = context.get(denominator);
    if (form.total != 1)
      return false;
    const Monomial &only = context.get(form.monomials.front().first);
    return only.exponent == FormId::None && only.radicand == FormId::None &&
           only.denominator == FormId::None &&
           llvm::all_of(only.atoms, [&](AtomId atom) {
             return context.get(atom).kind == Atom::Kind::Constant;
           });
  }

  void classifyUnary(OperatorOffer &offer, FormId form) {
    const Form &result = context.get(form);
    if (result.total != 1)
      return;
    const Monomial &only = context.get(result.monomials.front().first);
    bool isProduct = only.exponent == FormId::None &&
                     only.radicand == FormId::None &&
                     isConstant(only.denominator);
    AtomId self = context.get(context.get(x).monomials.front().first).atoms[0];
    offer.isFactor =
        isProduct && llvm::count(only.atoms, self) == 1 &&
        llvm::all_of(only.atoms, [&](AtomId atom) {
          return atom == self || context.get(atom).kind == Atom::Kind::Constant;
        });
    offer.isNegation = offer.isFactor && only.atoms.size() == 1 &&
                       only.denominator == FormId::None;
    offer.isReciprocal = only.atoms.empty() && only.exponent == FormId::None &&
                         only.radicand == FormId::None &&
                         only.denominator != FormId::None &&
                         (only.denominator == x ||
                          llvm::is_contained(probeForms, only.denominator));
  }

  ExpressionContext &context;
  OperatorForms &forms;
  const TargetProgram &program;
  Features wanted;
  FormId x, y;
  std::vector<OperatorOffer> offers;
  std::vector<FormId> probeForms;
};
} // namespace

std::vector<OperatorOffer> mlir::mirage::search::collectOffers(
    ExpressionContext &context, OperatorForms &forms,
    const TargetProgram &program, ArrayRef<FormId> levels,
    ArrayRef<FormId> contracted) {
  return OfferCollector(context, forms, program, levels, contracted).run();
}
