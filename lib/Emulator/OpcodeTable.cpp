//===- OpcodeTable.cpp - The instructions that the emulator knows ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpcodeTable.h"

#include "llvm/ADT/Twine.h"

using namespace mlir::mirage::emulator;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

OpcodeTable::OpcodeTable() {
  add(integerRows());
  add(bitRows());
  add(shiftRows());
  add(carryRows());
  add(floatRows());
  add(float64Rows());
  add(specialRows());
  add(packedRows());
  add(compareRows());
  add(convertPairRows());
  add(convertRows());
  add(moveRows());
  add(memoryRows());
  add(atomicRows());
  add(fenceRows());
  add(proxyFenceRows());
  add(asyncCopyRows());
  add(bulkCopyRows());
  add(tensorCopyRows());
  add(mbarrierRows());
  add(controlRows());
  add(barrierRows());
  add(clusterRows());
  add(shuffleRows());
  add(matrixRows());
  add(multiplyRows());
  add(warpgroupRows());
  add(registerRows());
  add(byteRows());
}

std::vector<const Row *> OpcodeTable::getRows() const {
  std::vector<const Row *> rows;
  for (const Pattern &pattern : patterns)
    rows.push_back(pattern.row);
  return rows;
}

/// Cuts `a|b[.c|d].e` into groups.
void OpcodeTable::add(llvm::ArrayRef<Row> rows) {
  for (const Row &row : rows) {
    Pattern pattern{&row, {}};
    StringRef rest = row.form;
    while (!rest.empty()) {
      Group group;
      group.isOptional = rest.consume_front("[");
      rest.consume_front(".");
      size_t end = rest.find_first_of(group.isOptional ? "]" : ".[");
      rest.take_front(end).split(group.alternatives, '|');
      rest = rest.substr(std::min(end, rest.size()));
      if (group.isOptional)
        rest.consume_front("]");
      pattern.groups.push_back(std::move(group));
    }
    for (StringRef mnemonic : pattern.groups.front().alternatives)
      byMnemonic[mnemonic].push_back(patterns.size());
    patterns.push_back(std::move(pattern));
  }
}

bool OpcodeTable::match(const Pattern &pattern,
                        llvm::ArrayRef<StringRef> pieces, Form &form,
                        size_t &numMatched) {
  form = Form();
  numMatched = 0;
  for (const Group &group : pattern.groups) {
    bool fits = numMatched < pieces.size() &&
                llvm::is_contained(group.alternatives, pieces[numMatched]);
    if (!fits && !group.isOptional)
      return false;
    form.pieces.push_back(fits ? pieces[numMatched++] : StringRef());
    ScalarType type = parseScalarType(form.pieces.back());
    if (type != ScalarType::None)
      form.types.push_back(type);
  }
  return numMatched == pieces.size();
}

const Row *OpcodeTable::find(StringRef opcode, Form &form) const {
  SmallVector<StringRef, 12> pieces;
  opcode.split(pieces, '.');
  auto candidates = byMnemonic.find(pieces.front());
  if (candidates == byMnemonic.end())
    return nullptr;
  size_t numMatched = 0;
  for (uint32_t index : candidates->second)
    if (match(patterns[index], pieces, form, numMatched))
      return patterns[index].row;
  return nullptr;
}

std::string OpcodeTable::explain(StringRef opcode, size_t &offset) const {
  offset = 0;
  SmallVector<StringRef, 12> pieces;
  opcode.split(pieces, '.');
  auto candidates = byMnemonic.find(pieces.front());
  if (candidates == byMnemonic.end()) {
    StringRef nearest;
    unsigned least = 3;
    for (const Pattern &pattern : patterns)
      for (StringRef mnemonic : pattern.groups.front().alternatives) {
        unsigned distance = mnemonic.edit_distance(pieces.front(), true, least);
        if (distance < least) {
          least = distance;
          nearest = mnemonic;
        }
      }
    std::string text = ("unknown instruction '" + opcode + "'").str();
    return nearest.empty() ? text
                           : (text + "; did you mean '" + nearest + "'?").str();
  }
  size_t most = 0;
  const Row *nearest = patterns[candidates->second.front()].row;
  for (uint32_t index : candidates->second) {
    Form form;
    size_t numMatched = 0;
    match(patterns[index], pieces, form, numMatched);
    if (numMatched > most) {
      most = numMatched;
      nearest = patterns[index].row;
    }
  }
  for (StringRef piece : llvm::ArrayRef(pieces).take_front(most))
    offset += piece.size() + 1;
  std::string found = most < pieces.size()
                          ? ("unexpected '." + pieces[most] + "' in '").str()
                          : std::string("missing modifier or type in '");
  offset = most < pieces.size() ? offset - 1 : 0;
  return (found + opcode + "'; the nearest known form is '" + nearest->form +
          "'")
      .str();
}
