//===- BytecodeVersion.h - Versions of our IR in files ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bytecode file says which version of each dialect it was written in. A tool
// reads its own version and older ones, which it upgrades, and refuses newer
// ones, rather than misread what it does not know.
//
// How to change the IR of a dialect: append a step to the list in its
// initialize(). The version counts the steps, so a step stands there for a
// change that leaves older files as they are, too.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_BYTECODEVERSION_H
#define MIRAGE_DIALECT_OPERATOR_BYTECODEVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::mirage {

/// The version of one dialect's IR; 1 is the first.
struct IRVersion : public DialectVersion {
  explicit IRVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

/// Brings the ops of one dialect under `root` from a version to the next.
using UpgradeStep = LogicalResult (*)(Operation *root);

/// Writes, reads and upgrades versions of one dialect. Attributes and types are
/// written as upstream does by itself.
class VersionedBytecode : public BytecodeDialectInterface {
public:
  /// \param steps  step i upgrades from version i + 1 to i + 2; they outlive
  /// the
  ///               dialect. The version written is that after all steps.
  VersionedBytecode(Dialect *dialect, ArrayRef<UpgradeStep> steps)
      : BytecodeDialectInterface(dialect), steps(steps) {}

  uint64_t getCurrentVersion() const { return steps.size() + 1; }

  /// The current version, or the one that the writer is configured with
  /// (BytecodeWriterConfig::setDialectVersion), which tests use.
  void writeVersion(DialectBytecodeWriter &writer) const override;
  /// Null, after an error that names both versions, if the file's is not one
  /// that can be read.
  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override;
  LogicalResult
  upgradeFromVersion(Operation *root,
                     const DialectVersion &version) const override;

private:
  ArrayRef<UpgradeStep> steps;
};

} // namespace mlir::mirage

#endif // MIRAGE_DIALECT_OPERATOR_BYTECODEVERSION_H
