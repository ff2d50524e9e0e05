//===- OpcodeTable.h - The instructions that are known ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_OPCODETABLE_H
#define MIRAGE_LIB_EMULATOR_OPCODETABLE_H

#include "Program.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::mirage::emulator {

/// An opcode that fits a row: the piece taken by each group, empty where an
/// optional group is absent, and the types among them.
struct Form {
  llvm::SmallVector<llvm::StringRef, 12> pieces;
  llvm::SmallVector<ScalarType, 4> types;

  llvm::StringRef mnemonic() const { return pieces.front(); }
  bool has(llvm::StringRef piece) const {
    return llvm::is_contained(pieces, piece);
  }
  /// The last type, what most operands have.
  ScalarType type() const {
    return types.empty() ? ScalarType::None : types.back();
  }
  /// The first type: the result's where two are written.
  ScalarType resultType() const {
    return types.empty() ? ScalarType::None : types.front();
  }
};

/// One family of opcodes.
struct Row {
  /// Groups separated by points, alternatives by bars, optional groups in
  /// brackets: `add|sub[.rn|rz][.ftz].f32`.
  const char *form;
  /// Operands, separated by blanks:
  ///   `X`     a source of type X: a register or a constant
  ///   `#X`    a source that has to be a constant
  ///   `=X`    a result
  ///   `X+`    the register may be wider
  ///   `X*`    as many registers as `.vN` says
  ///   `X*4`   exactly so many registers
  ///   `X|`    a predicate may follow, as `a|p`
  ///   `m`     `[base+displacement]`
  ///   `v`     `[base, {x, y, ...}]`, as many coordinates as `.vN` would say
  ///   `l`     a label
  ///   `t`     a list of branch targets
  ///   `?...`  may be left out
  /// X is a type, `T` (the form's last type), `D` (its first), `B16` .. or
  /// `B64` for what has that many bits.
  const char *operands;
  InstructionClass instructionClass;
  /// Picks the handler for a form and sets the instruction's variant; null if
  /// the combination does not exist.
  Handler (*select)(const Form &form, Instruction &instruction);
  /// The target and version that have it, as Target.h writes them.
  const char *needs = "";
};

/// All rows, found by mnemonic.
class OpcodeTable {
public:
  OpcodeTable();

  /// The row that an opcode fits, or null.
  const Row *find(llvm::StringRef opcode, Form &form) const;

  /// What is wrong with an opcode that no row fits: a message that names the
  /// piece nobody knows and the nearest form, and that piece's offset.
  std::string explain(llvm::StringRef opcode, size_t &offset) const;

  /// All rows in their order, for those who make up statements.
  std::vector<const Row *> getRows() const;

private:
  struct Group {
    llvm::SmallVector<llvm::StringRef, 4> alternatives;
    bool isOptional = false;
  };
  struct Pattern {
    const Row *row;
    llvm::SmallVector<Group, 8> groups;
  };
  void add(llvm::ArrayRef<Row> rows);
  static bool match(const Pattern &pattern,
                    llvm::ArrayRef<llvm::StringRef> pieces, Form &form,
                    size_t &numMatched);

  std::vector<Pattern> patterns;
  llvm::StringMap<llvm::SmallVector<uint32_t, 4>> byMnemonic;
};

// The rows of each subject, in the file named Handlers<Subject>.cpp.
llvm::ArrayRef<Row> integerRows();
llvm::ArrayRef<Row> bitRows();
llvm::ArrayRef<Row> shiftRows();
llvm::ArrayRef<Row> carryRows();
llvm::ArrayRef<Row> floatRows();
llvm::ArrayRef<Row> float64Rows();
llvm::ArrayRef<Row> specialRows();
llvm::ArrayRef<Row> packedRows();
llvm::ArrayRef<Row> compareRows();
llvm::ArrayRef<Row> convertRows();
llvm::ArrayRef<Row> convertPairRows();
llvm::ArrayRef<Row> moveRows();
llvm::ArrayRef<Row> memoryRows();
llvm::ArrayRef<Row> atomicRows();
llvm::ArrayRef<Row> fenceRows();
llvm::ArrayRef<Row> proxyFenceRows();
llvm::ArrayRef<Row> asyncCopyRows();
llvm::ArrayRef<Row> bulkCopyRows();
llvm::ArrayRef<Row> tensorCopyRows();
llvm::ArrayRef<Row> mbarrierRows();
llvm::ArrayRef<Row> controlRows();
llvm::ArrayRef<Row> barrierRows();
llvm::ArrayRef<Row> clusterRows();
llvm::ArrayRef<Row> shuffleRows();
llvm::ArrayRef<Row> matrixRows();
llvm::ArrayRef<Row> multiplyRows();
llvm::ArrayRef<Row> warpgroupRows();
llvm::ArrayRef<Row> registerRows();
llvm::ArrayRef<Row> byteRows();

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_OPCODETABLE_H
