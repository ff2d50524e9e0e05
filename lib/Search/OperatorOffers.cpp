//===- OperatorOffers.cpp - What the operator table offers a search -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/OperatorOffers.h"
#include "Mirage/Search/FunctionBound.h"
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
  bool hasSign() const { return set.count({Sign, 0, 0}); }
  bool includes(const Features &other) const {
    return std::includes(set.begin(), set.end(), other.set.begin(),
                         other.set.end());
  }
  bool hasReciprocal = false;
  bool hasOne = false; ///< as a term somewhere

private:
  /// Whether a number stands above the denominator.
  bool isNumerator(const Monomial &monomial) const {
    Monomial above = monomial;
    above.denominator = FormId::None;
    above.bound.clear();
    above.symbols.clear();
    return context.isConstant(above);
  }

  enum Kind { Sign, Exponent, Radicand, Denominator, AtomOf };

  void add(const Monomial &monomial) {
    if (monomial.isNegative)
      set.insert({Sign, 0, 0});
    addPart(Exponent, monomial.exponent);
    addPart(Radicand, monomial.radicand);
    addPart(Denominator, monomial.denominator);
    hasOne |= monomial.isOne();
    hasReciprocal |=
        monomial.denominator != FormId::None && isNumerator(monomial);
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

  /// Whether the program has the operator itself: of two signs nothing is left
  /// in its form.
  bool isOwn(const OperatorOffer &offer) const {
    return llvm::any_of(program.graph.getNodes(), [&](const Node &operation) {
      return operation.opcode == offer.row->opcode &&
             ArrayRef<double>(operation.attributes.scalars) ==
                 ArrayRef<double>(offer.scalars);
    });
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

  /// Bounds add up the functions and the roots that are missing, so an operator
  /// must bring one of them all at most.
  bool bringsOneFunction(FormId form) const {
    FunctionBound bound(context, form);
    return llvm::popcount(bound.find(form)) + bound.getRootDepth(form) <= 1;
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
    assert(bringsOneFunction(form) && "more would be more operators to bounds");
    Features needed(context);
    needed.add(form);
    bool isKnown = row.kind != OperatorKind::Contraction &&
                   llvm::is_contained(probeForms, form);
    if (isKnown || !(wanted.includes(needed) || isOwn(offer)))
      return;
    offer.hasSign = needed.hasSign();
    offer.isOwn = isOwn(offer);
    offer.addsOne = needed.hasOne;
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

  bool mentions(FormId form, AtomId atom) const {
    return form != FormId::None &&
           llvm::any_of(context.get(form).monomials, [&](const auto &entry) {
             return mentions(context.get(entry.first), atom);
           });
  }
  bool mentions(const Monomial &monomial, AtomId atom) const {
    return llvm::any_of(monomial.atoms,
                        [&](AtomId id) {
                          return id == atom ||
                                 llvm::any_of(context.get(id).arguments,
                                              [&](FormId argument) {
                                                return mentions(argument, atom);
                                              });
                        }) ||
           mentions(monomial.exponent, atom) ||
           mentions(monomial.radicand, atom) ||
           mentions(monomial.denominator, atom);
  }

  /// By the one term that mentions the operand, as a factor, if there is one.
  OperatorOffer::Position getPosition(FormId form, FormId operand) const {
    using Position = OperatorOffer::Position;
    MonomialId self = context.get(operand).monomials.front().first;
    AtomId atom = context.get(self).atoms.front();
    const Monomial *only = nullptr;
    for (auto [id, count] : context.get(form).monomials) {
      const Monomial &monomial = context.get(id);
      if (!mentions(monomial, atom))
        continue;
      if (only || count > 1)
        return Position::Inside;
      only = &monomial;
    }
    if (!only || llvm::count(only->atoms, atom) != 1)
      return Position::Inside;
    Monomial others = *only;
    llvm::erase(others.atoms, atom);
    if (mentions(others, atom))
      return Position::Inside;
    if (context.get(form).total == 1)
      return Position::Factor;
    return only->atoms.size() == 1 ? Position::Summand : Position::Inside;
  }

  bool isOtherOffersWork(const OperatorOffer &offer) {
    if (offer.row->kind != OperatorKind::Elementwise)
      return false;
    FormId form = forms.elementwise(*offer.row, offer.scalars, {x, x});
    return llvm::is_contained(probeForms, form);
  }

  void classifyUnary(OperatorOffer &offer, FormId form) {
    const Form &result = context.get(form);
    if (result.total != 1)
      return;
    const Monomial &only = context.get(result.monomials.front().first);
    Monomial others = only;
    AtomId self = context.get(context.get(x).monomials.front().first).atoms[0];
    llvm::erase(others.atoms, self);
    offer.isFactor = only.atoms.size() == others.atoms.size() + 1 &&
                     context.isConstant(others);
    offer.isNegation = offer.isFactor && others.isOnlySize();
    bool isInverse = only.denominator != FormId::None && only.atoms.empty() &&
                     only.exponent == FormId::None &&
                     only.radicand == FormId::None;
    offer.invertsFunction =
        isInverse && llvm::is_contained(probeForms, only.denominator);
    offer.isReciprocal =
        isInverse && (only.denominator == x || offer.invertsFunction);
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
