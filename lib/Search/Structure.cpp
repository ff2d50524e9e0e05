//===- Structure.cpp - A µGraph without sizes -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Structure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

bool KernelStructure::operator==(const KernelStructure &other) const {
  return gridNames == other.gridNames && loopName == other.loopName &&
         inputs == other.inputs && operators == other.operators &&
         results == other.results;
}

bool Structure::operator==(const Structure &other) const {
  return kernels == other.kernels && results == other.results &&
         outputs == other.outputs;
}

unsigned Structure::getNumOperators() const {
  unsigned number = 0;
  for (const KernelStructure &kernel : kernels)
    number += kernel.operators.size();
  return number;
}

unsigned Structure::getFirstResult(unsigned numProgramInputs,
                                   unsigned kernel) const {
  unsigned first = numProgramInputs;
  for (const KernelStructure &before :
       llvm::ArrayRef(kernels).take_front(kernel))
    first += before.results.size();
  return first;
}

static std::string getText(NameId name) {
  if (name == kNoName)
    return "-";
  return name < 26 ? std::string(1, char('a' + name))
                   : "n" + std::to_string(name);
}

static void print(llvm::raw_ostream &os, const StructureOperator &op,
                  const KernelStructure &kernel) {
  os << getOperatorInfo(op.opcode).name;
  if (op.opcode == Opcode::Accumulate)
    os << ' ' << getOperatorInfo(op.reduction).name;
  for (double scalar : op.scalars)
    os << ' ' << llvm::format("%.17g", scalar);
  if (op.mask)
    os << " of " << getText(op.mask->rows) << ',' << getText(op.mask->columns)
       << " offset " << op.mask->offset;
  if (op.over != kNoName)
    os << " over " << getText(op.over);
  if (op.gridAxis)
    os << " across " << getText(kernel.gridNames[*op.gridAxis]);
  os << " (";
  llvm::interleaveComma(op.operands, os);
  os << ")";
}

std::string mlir::mirage::search::toString(const KernelStructure &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "grid {";
  llvm::interleave(
      kernel.gridNames, os, [&](NameId n) { os << getText(n); }, ",");
  os << "} loop " << getText(kernel.loopName) << " inputs";
  for (unsigned input : kernel.inputs)
    os << " %" << input;
  os << '\n';
  unsigned tensor = kernel.inputs.size();
  for (const StructureOperator &op : kernel.operators) {
    os << "  " << tensor++ << " = ";
    print(os, op, kernel);
    os << '\n';
  }
  os << "  results ";
  llvm::interleaveComma(kernel.results, os);
  os << '\n';
  return text;
}

std::string mlir::mirage::search::toString(const Structure &structure) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const KernelStructure &kernel : structure.kernels)
    os << toString(kernel);
  os << "stored";
  for (const StoredTensor &result : structure.results) {
    os << ' ' << getElementTypeName(result.element) << '{';
    llvm::interleave(
        result.layout, os, [&](NameId n) { os << getText(n); }, ",");
    os << '}';
  }
  os << " outputs";
  for (unsigned output : structure.outputs)
    os << " %" << output;
  os << '\n';
  return text;
}

std::string mlir::mirage::search::getHash(const Structure &structure) {
  llvm::SHA256 hash;
  hash.update(toString(structure));
  auto digest = hash.final();
  return llvm::toHex(llvm::ArrayRef<uint8_t>(digest).take_front(8),
                     /*LowerCase=*/true);
}
