//===- ExactFunctions.cpp - Functions of polynomials ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactFunctions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::exact;
using llvm::DynamicAPInt;

FormId Algebra::Functions::makeAtom(AtomKind kind,
                                    llvm::ArrayRef<uint32_t> operands,
                                    Sign sign) {
  AtomId atom = tables.makeAtom(kind, operands, sign);
  return polynomials.makeProduct(Tables::kOne, {{atom, Tables::kOne}});
}

FormId Algebra::Functions::makeConstant(const Rational &value) {
  return polynomials.makeProduct(tables.intern(value), {});
}

FormId Algebra::Functions::invert(FormId x) {
  Content content = polynomials.takeContent(x);
  if (content.primitive == FormId::Zero)
    return FormId::Undefined;
  Powers powers = content.powers;
  for (Power &power : powers)
    power.exponent = tables.negate(power.exponent);
  if (content.primitive != FormId::One) {
    AtomId factor = polynomials.makeFactor(content.primitive);
    polynomials.addPower(powers, factor, Tables::kMinusOne);
  }
  for (Power power : powers)
    if (!tables.getSign(power.atom).isPositive)
      require(Condition::Nonzero, static_cast<uint32_t>(power.atom));
  return polynomials.makeProduct(tables.invert(content.coefficient),
                                 std::move(powers));
}

FormId Algebra::Functions::exp(FormId x) {
  Powers powers;
  for (Term term : tables.getTerms(polynomials.reduce(x))) {
    AtomId atom =
        tables.makeAtom(AtomKind::Exp, {static_cast<uint32_t>(term.monomial)},
                        {/*isNonnegative=*/true, /*isPositive=*/true});
    polynomials.addPower(powers, atom, term.coefficient);
  }
  return polynomials.makeProduct(Tables::kOne, std::move(powers));
}

//===----------------------------------------------------------------------===//
// Roots and absolute values
//===----------------------------------------------------------------------===//

std::optional<Algebra::Functions::Parts>
Algebra::Functions::takeParts(FormId form) {
  Content content = polynomials.takeContent(form);
  if (content.primitive == FormId::Zero || tables.isExhausted())
    return std::nullopt;
  Parts parts;
  parts.isNegative = tables.getSign(content.coefficient) < 0;
  parts.magnitude =
      tables.get(content.coefficient) * Rational(parts.isNegative ? -1 : 1);
  parts.powers = content.powers;
  if (content.primitive != FormId::One)
    addFactor(content.primitive, parts);
  return parts;
}

/// What is c times a square is a factor to the power of two.
void Algebra::Functions::addFactor(FormId primitive, Parts &parts) {
  Rational leading = tables.get(polynomials.findLeading(primitive).coefficient);
  FormId monic =
      polynomials.multiply(primitive, makeConstant(leading.getInverse()));
  std::optional<FormId> root = polynomials.findRoot(monic);
  if (tables.isExhausted())
    return;
  Content content = polynomials.takeContent(root.value_or(FormId::One));
  if (!root || !content.powers.empty()) {
    polynomials.addPower(parts.powers, polynomials.makeFactor(primitive),
                         Tables::kOne);
    return;
  }
  Rational coefficient = tables.get(content.coefficient);
  Rational magnitude = leading * coefficient * coefficient;
  if (magnitude.getSign() < 0) {
    parts.isNegative = !parts.isNegative;
    magnitude = Rational(-1) * magnitude;
  }
  parts.magnitude = parts.magnitude * magnitude;
  polynomials.addPower(parts.powers, polynomials.makeFactor(content.primitive),
                       tables.intern(Rational(2)));
}

static constexpr int64_t kMaxTrialDivisor = 100;

/// Roots of small primes apart, so that √6 is √2·√3.
void Algebra::Functions::addRootOfInteger(DynamicAPInt number,
                                          Rational &coefficient,
                                          Powers &powers) {
  auto addRadicand = [&](const DynamicAPInt &radicand) {
    NumberId base = tables.intern(Rational(radicand, DynamicAPInt(1)));
    AtomId atom =
        tables.makeAtom(AtomKind::Integer, {static_cast<uint32_t>(base)},
                        {/*isNonnegative=*/true, /*isPositive=*/true});
    polynomials.addPower(powers, makeRoot(RadicandSign::Plus, {atom}),
                         Tables::kOne);
  };
  for (int64_t divisor = 2; divisor <= kMaxTrialDivisor; ++divisor) {
    bool isOdd = false;
    for (; number % divisor == 0; number = number / divisor) {
      tables.charge(1);
      if (isOdd)
        coefficient = coefficient * Rational(divisor);
      isOdd = !isOdd;
    }
    if (isOdd)
      addRadicand(DynamicAPInt(divisor));
  }
  DynamicAPInt root = takeFloorOfRoot(number);
  if (root * root == number)
    coefficient = coefficient * Rational(root, DynamicAPInt(1));
  else
    addRadicand(number);
}

/// √(n/d) = √(n·d)/d.
void Algebra::Functions::addRoot(const Rational &number, Rational &coefficient,
                                 Powers &powers) {
  coefficient =
      coefficient * Rational(DynamicAPInt(1), number.getDenominator());
  addRootOfInteger(number.getNumerator() * number.getDenominator(), coefficient,
                   powers);
}

AtomId Algebra::Functions::makeRoot(RadicandSign sign,
                                    llvm::ArrayRef<AtomId> radicand) {
  llvm::SmallVector<uint32_t> operands = {static_cast<uint32_t>(sign)};
  for (AtomId atom : radicand)
    operands.push_back(static_cast<uint32_t>(atom));
  bool isPositive = llvm::all_of(
      radicand, [&](AtomId atom) { return tables.getSign(atom).isPositive; });
  return tables.makeAtom(
      AtomKind::Root, operands,
      {/*isNonnegative=*/true, isPositive && sign == RadicandSign::Plus});
}

void Algebra::Functions::addMagnitude(AtomId atom, int64_t exponent,
                                      Powers &powers) {
  bool needsBars = exponent % 2 != 0 && !tables.getSign(atom).isNonnegative;
  if (needsBars)
    atom = tables.makeAtom(AtomKind::Abs, {static_cast<uint32_t>(atom)},
                           {/*isNonnegative=*/true, /*isPositive=*/false});
  polynomials.addPower(powers, atom, tables.intern(exponent));
}

/// What leaves the root: squares, and what is not negative.
/// \returns the other atoms, whose exponents are odd, with half of the even
/// part of these.
Powers Algebra::Functions::takeKnownRoots(const Parts &parts, Powers &powers) {
  Powers unknown;
  for (Power power : parts.powers) {
    if (tables.getKind(power.atom) == AtomKind::Exp) {
      NumberId half = tables.intern(Rational(2).getInverse());
      polynomials.addPower(powers, power.atom,
                           tables.multiply(power.exponent, half));
      continue;
    }
    int64_t exponent = tables.getWhole(power.exponent), odd = exponent & 1;
    int64_t half = (exponent - odd) / 2;
    if (odd && !tables.getSign(power.atom).isNonnegative) {
      unknown.push_back({power.atom, tables.intern(half)});
      continue;
    }
    addMagnitude(power.atom, half, powers);
    if (odd)
      polynomials.addPower(powers, makeRoot(RadicandSign::Plus, {power.atom}),
                           Tables::kOne);
  }
  return unknown;
}

/// With x the product of the atoms of unknown sign: the root exists only if x,
/// with the sign of the coefficient, is not negative. If it is one atom, its
/// other powers need no bars.
FormId Algebra::Functions::takeRoot(const Parts &parts) {
  Rational coefficient = 1;
  Powers powers;
  addRoot(parts.magnitude, coefficient, powers);
  Powers unknown = takeKnownRoots(parts, powers);
  if (unknown.empty() && parts.isNegative)
    return FormId::Undefined;
  llvm::SmallVector<AtomId> radicand;
  for (auto [atom, half] : unknown) {
    radicand.push_back(atom);
    int64_t exponent = tables.getWhole(half);
    if (unknown.size() > 1) {
      addMagnitude(atom, exponent, powers);
      continue;
    }
    polynomials.addPower(powers, atom, half);
    if (parts.isNegative && exponent % 2 != 0)
      coefficient = coefficient * Rational(-1);
  }
  if (!radicand.empty()) {
    AtomId root = makeRoot(
        parts.isNegative ? RadicandSign::Minus : RadicandSign::Plus, radicand);
    polynomials.addPower(powers, root, Tables::kOne);
    require(Condition::Nonnegative, static_cast<uint32_t>(root));
  }
  return polynomials.makeProduct(tables.intern(coefficient), std::move(powers));
}

FormId Algebra::Functions::sqrt(FormId x) {
  std::optional<Parts> parts = takeParts(x);
  return parts ? takeRoot(*parts) : FormId::Zero;
}

FormId Algebra::Functions::abs(FormId x) {
  std::optional<Parts> parts = takeParts(x);
  if (!parts)
    return FormId::Zero;
  Powers powers;
  for (Power power : parts->powers)
    if (tables.getSign(power.atom).isNonnegative)
      polynomials.addPower(powers, power.atom, power.exponent);
    else
      addMagnitude(power.atom, tables.getWhole(power.exponent), powers);
  return polynomials.makeProduct(tables.intern(parts->magnitude),
                                 std::move(powers));
}

//===----------------------------------------------------------------------===//
// Maxima, and functions of which little is known
//===----------------------------------------------------------------------===//

llvm::ArrayRef<uint32_t> Algebra::Functions::getOperandsIf(AtomKind kind,
                                                           FormId form) const {
  llvm::ArrayRef<Term> terms = tables.getTerms(form);
  if (terms.size() != 1 || terms[0].coefficient != Tables::kOne)
    return {};
  llvm::ArrayRef<Power> powers = tables.getPowers(terms[0].monomial);
  if (powers.size() != 1 || powers[0].exponent != Tables::kOne ||
      tables.getKind(powers[0].atom) != kind)
    return {};
  return tables.getOperands(powers[0].atom);
}

void Algebra::Functions::flatten(AtomKind kind, FormId operand,
                                 llvm::SmallVectorImpl<FormId> &flat) {
  operand = polynomials.reduce(operand);
  llvm::ArrayRef<uint32_t> nested = getOperandsIf(kind, operand);
  if (nested.empty())
    flat.push_back(operand);
  for (uint32_t inner : nested)
    flat.push_back(static_cast<FormId>(inner));
}

/// max(x, min(x, y)) = x, and the same the other way round.
void Algebra::Functions::absorb(AtomKind kind,
                                llvm::SmallVectorImpl<FormId> &operands) {
  AtomKind dual = kind == AtomKind::Max ? AtomKind::Min : AtomKind::Max;
  llvm::SmallVector<FormId> all(operands.begin(), operands.end());
  llvm::erase_if(operands, [&](FormId operand) {
    return llvm::any_of(getOperandsIf(dual, operand), [&](uint32_t inner) {
      return llvm::is_contained(all, static_cast<FormId>(inner));
    });
  });
}

/// One constant in place of all.
void Algebra::Functions::joinConstants(
    AtomKind kind, llvm::SmallVectorImpl<FormId> &operands) {
  std::optional<Rational> best;
  llvm::erase_if(operands, [&](FormId operand) {
    std::optional<Rational> value = tables.getConstant(operand);
    if (value && (!best || (*best < *value) == (kind == AtomKind::Max)))
      best = value;
    return value.has_value();
  });
  if (best)
    operands.push_back(makeConstant(*best));
}

FormId Algebra::Functions::pick(AtomKind kind,
                                llvm::ArrayRef<FormId> operands) {
  llvm::SmallVector<FormId> flat;
  for (FormId operand : operands)
    flatten(kind, operand, flat);
  joinConstants(kind, flat);
  llvm::sort(flat);
  flat.erase(llvm::unique(flat), flat.end());
  absorb(kind, flat);
  tables.charge(flat.size());
  if (flat.size() == 1)
    return flat[0];
  llvm::SmallVector<uint32_t> list;
  bool isMaximum = kind == AtomKind::Max;
  Sign sign = isMaximum ? Sign{} : Sign{true, true};
  for (FormId operand : flat) {
    list.push_back(static_cast<uint32_t>(operand));
    Sign own = polynomials.findSign(operand);
    sign.isNonnegative = isMaximum ? sign.isNonnegative || own.isNonnegative
                                   : sign.isNonnegative && own.isNonnegative;
    sign.isPositive = isMaximum ? sign.isPositive || own.isPositive
                                : sign.isPositive && own.isPositive;
  }
  return makeAtom(kind, list, sign);
}

FormId Algebra::Functions::log(FormId x) {
  x = polynomials.reduce(x);
  if (!polynomials.findSign(x).isPositive)
    require(Condition::OfLog, static_cast<uint32_t>(x));
  return makeAtom(AtomKind::Log, {static_cast<uint32_t>(x)});
}

FormId Algebra::Functions::erf(FormId x) {
  return makeAtom(AtomKind::Erf,
                  {static_cast<uint32_t>(polynomials.reduce(x))});
}

FormId Algebra::Functions::pow(FormId x, FormId y) {
  x = polynomials.reduce(x);
  y = polynomials.reduce(y);
  FormId power = makeAtom(AtomKind::Pow,
                          {static_cast<uint32_t>(x), static_cast<uint32_t>(y)});
  if (!polynomials.findSign(x).isPositive)
    require(Condition::OfPow, static_cast<uint32_t>(power));
  return power;
}
