//===- ExactPrinter.cpp - Canonical forms as text -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using namespace mlir::mirage::exact;

namespace {
class Printer {
public:
  Printer(const Tables &tables, llvm::raw_ostream &os)
      : tables(tables), os(os) {}

  void print(FormId form) {
    if (form == FormId::Undefined || form == FormId::MinusInfinity) {
      os << (form == FormId::Undefined ? "undefined" : "-inf");
      return;
    }
    if (form == FormId::Zero)
      os << '0';
    llvm::interleave(
        tables.getTerms(form), [&](Term term) { print(term); },
        [&] { os << " + "; });
  }

private:
  void print(Term term) {
    bool isOne = term.coefficient == Tables::kOne;
    if (!isOne || term.monomial == MonomialId::One)
      os << toString(tables.get(term.coefficient));
    if (!isOne && term.monomial != MonomialId::One)
      os << "·";
    print(tables.getPowers(term.monomial));
  }

  void print(llvm::ArrayRef<Power> powers) {
    llvm::interleave(
        powers,
        [&](Power power) {
          print(power.atom);
          if (power.exponent != Tables::kOne)
            os << '^' << toString(tables.get(power.exponent));
        },
        [&] { os << "·"; });
  }

  void print(AtomId atom) {
    llvm::ArrayRef<uint32_t> operands = tables.getOperands(atom);
    switch (tables.getKind(atom)) {
    case AtomKind::Variable:
      os << 'x' << operands[0];
      return;
    case AtomKind::Ln2:
      os << "ln2";
      return;
    case AtomKind::Integer:
      os << toString(tables.get(static_cast<NumberId>(operands[0])));
      return;
    case AtomKind::Exp:
      os << "exp(";
      print({static_cast<MonomialId>(operands[0]), Tables::kOne});
      os << ')';
      return;
    case AtomKind::Root:
      return printRoot(operands);
    case AtomKind::Abs:
      os << "abs(";
      print(static_cast<AtomId>(operands[0]));
      os << ')';
      return;
    default:
      return printFunction(getName(tables.getKind(atom)), operands);
    }
  }

  /// A factor has no name.
  static llvm::StringRef getName(AtomKind kind) {
    switch (kind) {
    case AtomKind::Max:
      return "max";
    case AtomKind::Min:
      return "min";
    case AtomKind::Log:
      return "log";
    case AtomKind::Erf:
      return "erf";
    case AtomKind::Pow:
      return "pow";
    default:
      return "";
    }
  }

  void printRoot(llvm::ArrayRef<uint32_t> operands) {
    os << "sqrt(";
    if (static_cast<RadicandSign>(operands[0]) == RadicandSign::Minus)
      os << '-';
    llvm::interleave(
        operands.drop_front(),
        [&](uint32_t atom) { print(static_cast<AtomId>(atom)); },
        [&] { os << "·"; });
    os << ')';
  }

  void printFunction(llvm::StringRef name, llvm::ArrayRef<uint32_t> operands) {
    os << name << '(';
    llvm::interleaveComma(operands, os, [&](uint32_t operand) {
      print(static_cast<FormId>(operand));
    });
    os << ')';
  }

  const Tables &tables;
  llvm::raw_ostream &os;
};
} // namespace

std::string Algebra::Functions::print(FormId form) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  Printer(tables, os).print(form);
  return text;
}
