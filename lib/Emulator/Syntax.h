//===- Syntax.h - Statements of a kernel as they are written ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_SYNTAX_H
#define MIRAGE_LIB_EMULATOR_SYNTAX_H

#include "Diagnostics.h"
#include "ScalarType.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <deque>
#include <optional>
#include <vector>

namespace mlir::mirage::emulator {

/// An operand before anything is known about names and types.
struct OperandSyntax {
  enum class Kind : uint8_t {
    Name,    ///< register, label, variable or special register
    Integer, ///< value holds the two's complement
    Float32,
    Float64,
    Sink,   ///< `_`
    Vector, ///< `{a, b}` or `(a, b)`
    Memory, ///< `[a+4]`, `[a, {x, y}]`: elements[0] is the base, more follow
    Pair,   ///< `%p1|%p2`
  };
  Kind kind = Kind::Sink;
  Location location;
  llvm::StringRef name;
  uint64_t value = 0;     ///< of a number; the displacement of a memory operand
  bool isNegated = false; ///< `!%p`
  std::vector<OperandSyntax> elements;
};

/// One statement up to its `;`.
struct Statement {
  Location location;
  llvm::StringRef opcode;
  llvm::StringRef guard; ///< empty without one
  Location guardLocation;
  bool guardNegated = false;
  std::vector<OperandSyntax> operands;
  uint32_t scope = 0;       ///< index into FunctionSyntax::scopes
  uint32_t sourcePlace = 0; ///< index of the `.loc` before it; 0 is none
};

/// Where a variable lives.
/// Cluster is shared memory of any block of the cluster, `.shared::cluster`.
enum class Space : uint8_t {
  Generic,
  Global,
  Shared,
  Cluster,
  Local,
  Param,
  Const
};

/// The space that a directive such as `.shared` names; false if none.
bool parseSpace(llvm::StringRef directive, Space &space);

/// A declared variable. Its address is known once the function, or the file,
/// was read.
struct Variable {
  Space space = Space::Global;
  uint64_t offset = 0; ///< inside its space
  uint64_t sizeBytes = 0;
  bool isDynamic = false; ///< `.extern .shared x[]`
};

/// Where the names of one scope are declared.
class Declarations {
public:
  /// \returns false, after an error, if the name has been declared before.
  bool add(llvm::StringRef name, Location location, Diagnostics &diagnostics) {
    auto [first, isNew] = places.try_emplace(name, location);
    if (!isNew)
      refuse(name, location, first->second, diagnostics);
    return isNew;
  }
  static void refuse(llvm::StringRef name, Location location, Location first,
                     Diagnostics &diagnostics) {
    diagnostics.error(location, "'" + name +
                                    "' is declared twice, first at line " +
                                    llvm::Twine(first.line));
  }
  Location find(llvm::StringRef name) const { return places.lookup(name); }

private:
  llvm::StringMap<Location> places;
};

/// Names visible between two braces.
struct Scope {
  uint32_t parent = 0; ///< the function's own scope is its own parent
  /// Single registers, and families such as `%r<9>` by prefix.
  llvm::StringMap<ScalarType> registers;
  llvm::StringMap<std::pair<ScalarType, uint64_t>> families;
  llvm::StringMap<uint32_t> labels; ///< to the index of the next statement
  llvm::StringMap<Variable> variables;
  llvm::StringMap<std::vector<OperandSyntax>> branchTargets;
  /// All of these, families as `%r<`.
  Declarations declarations;
};

/// The body of one function.
struct FunctionSyntax {
  std::vector<Statement> statements;
  std::deque<Scope> scopes;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_SYNTAX_H
