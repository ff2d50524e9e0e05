//===- Structure.cpp - A kernel without sizes -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Structure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

std::vector<NameSet>
Structure::computeTensorNames(llvm::ArrayRef<NameSet> inputNames) const {
  std::vector<NameSet> names(inputNames.begin(), inputNames.end());
  for (const StructureOperator &op : operators) {
    NameSet set = 0;
    for (unsigned operand : op.operands)
      set |= names[operand];
    if (op.over != kNoName)
      set &= ~toSet(op.over);
    names.push_back(set);
  }
  return names;
}

bool Structure::operator==(const Structure &other) const {
  return gridNames == other.gridNames && loopName == other.loopName &&
         inputs == other.inputs && operators == other.operators &&
         outputs == other.outputs;
}

static std::string getText(NameId name) {
  if (name == kNoName)
    return "-";
  return name < 26 ? std::string(1, char('a' + name))
                   : "n" + std::to_string(name);
}

std::string mlir::mirage::search::toString(const Structure &structure) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "grid {";
  llvm::interleave(
      structure.gridNames, os, [&](NameId n) { os << getText(n); }, ",");
  os << "} loop " << getText(structure.loopName) << " inputs";
  for (ValueId input : structure.inputs)
    os << " %" << input;
  os << '\n';
  unsigned tensor = structure.inputs.size();
  for (const StructureOperator &op : structure.operators) {
    os << "  " << tensor++ << " = " << getOperatorInfo(op.opcode).name;
    if (op.opcode == Opcode::Accumulate)
      os << ' ' << getOperatorInfo(op.reduction).name;
    for (double scalar : op.scalars)
      os << ' ' << llvm::format("%.17g", scalar);
    if (op.over != kNoName)
      os << " over " << getText(op.over);
    if (op.gridAxis)
      os << " across " << getText(structure.gridNames[*op.gridAxis]);
    os << " (";
    llvm::interleaveComma(op.operands, os);
    os << ")\n";
  }
  os << "  outputs ";
  llvm::interleaveComma(structure.outputs, os);
  os << '\n';
  return text;
}
