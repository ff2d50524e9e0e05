//===- StructureJSON.cpp - Structures in JSON -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/StructureJSON.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "StructureChecker.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static int64_t toNumber(NameId name) {
  return name == kNoName ? -1 : int64_t(name);
}

static Array toNumbers(llvm::ArrayRef<unsigned> values) {
  return Array(llvm::map_range(values, [](unsigned v) { return int64_t(v); }));
}

static Array toNames(llvm::ArrayRef<NameId> names) {
  return Array(llvm::map_range(names, toNumber));
}

static Value toJSON(const StructureOperator &op) {
  Object object{{"operator", getOperatorInfo(op.opcode).name},
                {"operands", toNumbers(op.operands)}};
  if (op.opcode == Opcode::Accumulate)
    object["reduction"] = getOperatorInfo(op.reduction).name;
  if (!op.scalars.empty())
    object["scalars"] = Array(llvm::map_range(op.scalars, scalarToJSON));
  if (op.over != kNoName)
    object["over"] = toNumber(op.over);
  if (op.gridAxis)
    object["axis"] = int64_t(*op.gridAxis);
  if (op.mask)
    object["mask"] = Object{{"rows", toNumber(op.mask->rows)},
                            {"columns", toNumber(op.mask->columns)},
                            {"offset", op.mask->offset}};
  if (op.stored != ElementType::F32)
    object["stored"] = getElementTypeName(op.stored);
  return object;
}

Value mlir::mirage::search::toJSON(const KernelStructure &kernel) {
  Array operators;
  for (const StructureOperator &op : kernel.operators)
    operators.push_back(::toJSON(op));
  return Object{{"grid", toNames(kernel.gridNames)},
                {"loop", toNumber(kernel.loopName)},
                {"inputs", toNumbers(kernel.inputs)},
                {"operators", std::move(operators)},
                {"results", toNumbers(kernel.results)}};
}

static Value toJSON(llvm::ArrayRef<StoredTensor> tensors) {
  Array array;
  for (const StoredTensor &tensor : tensors)
    array.push_back(Object{{"layout", toNames(tensor.layout)},
                           {"element", getElementTypeName(tensor.element)}});
  return array;
}

Value mlir::mirage::search::toJSON(const Structure &structure) {
  Array kernels;
  for (const KernelStructure &kernel : structure.kernels)
    kernels.push_back(toJSON(kernel));
  return Object{{"kernels", std::move(kernels)},
                {"results", ::toJSON(structure.results)},
                {"outputs", toNumbers(structure.outputs)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Numbers of tensors are looked at closely once all are there.
static constexpr size_t kMaxDeviceTensors = 1 << 16;

static NameId readName(const JSONCursor &cursor, unsigned numNames,
                       bool mayBeNone) {
  int64_t name = cursor.integer(mayBeNone ? -1 : 0, int64_t(numNames) - 1);
  return cursor.failed() || name < 0 ? kNoName : NameId(name);
}

/// \param end  what the numbers are below.
template <typename List>
static void readNumbers(const JSONCursor &cursor, size_t end, List &list) {
  for (const JSONCursor &element : cursor.array())
    list.push_back(element.integer(0, int64_t(end) - 1));
}

static StoredTensor readStored(const JSONCursor &cursor,
                               const TargetProgram &program) {
  cursor.allow({"layout", "element"});
  StoredTensor stored;
  NameSet seen = 0;
  for (const JSONCursor &element : cursor["layout"].array()) {
    NameId name =
        readName(element, program.getNumAllNames(), /*mayBeNone=*/true);
    if (name != kNoName && contains(seen, name))
      element.fail("expects names that differ, got " + llvm::Twine(name) +
                   " twice");
    seen |= name == kNoName ? 0 : toSet(name);
    stored.layout.push_back(name);
  }
  stored.element = readElementType(cursor["element"]);
  return stored;
}

static std::vector<StoredTensor>
readStoredTensors(const JSONCursor &cursor, const TargetProgram &program) {
  std::vector<StoredTensor> tensors;
  for (const JSONCursor &tensor : cursor.array())
    tensors.push_back(readStored(tensor, program));
  return tensors;
}

/// One of a kind that structures have.
static const OperatorInfo *readRow(const JSONCursor &cursor, bool isReduction) {
  if (std::optional<Opcode> opcode = parseOpcode(cursor.string())) {
    const OperatorInfo &row = getOperatorInfo(*opcode);
    bool isOther = row.kind == OperatorKind::Elementwise ||
                   row.kind == OperatorKind::Accumulate ||
                   *opcode == Opcode::Matmul || *opcode == Opcode::CausalMask;
    if (row.kind == OperatorKind::Reduction || (isOther && !isReduction))
      return &row;
  }
  cursor.expect(isReduction ? "the name of a reduction"
                            : "the name of an operator of the search");
  return nullptr;
}

namespace {
class KernelReader {
public:
  KernelReader(const JSONCursor &cursor, const TargetProgram *program)
      : cursor(cursor), program(program),
        numNames(program ? program->getNumAllNames() : kMaxNames) {}

  KernelStructure run() {
    cursor.allow({"grid", "loop", "inputs", "operators", "results"});
    readAxes();
    readNumbers(cursor["inputs"], kMaxDeviceTensors, kernel.inputs);
    for (const JSONCursor &op : cursor["operators"].array())
      if (!cursor.failed())
        kernel.operators.push_back(readOperator(op));
    readNumbers(cursor["results"], getNumTensors(), kernel.results);
    return std::move(kernel);
  }

private:
  size_t getNumTensors() const {
    return kernel.inputs.size() + kernel.operators.size();
  }

  void readAxes() {
    for (const JSONCursor &element : cursor["grid"].array()) {
      NameId name = readName(element, numNames, /*mayBeNone=*/false);
      if (llvm::is_contained(kernel.gridNames, name))
        element.fail("expects axes of different names, got " +
                     llvm::Twine(name) + " twice");
      kernel.gridNames.push_back(name);
    }
    if (kernel.gridNames.size() > kMaxGridAxes)
      cursor["grid"].fail("expects at most 3 axes, got " +
                          llvm::Twine(uint64_t(kernel.gridNames.size())));
    kernel.loopName = readName(cursor["loop"], numNames, /*mayBeNone=*/true);
  }

  StructureOperator readOperator(const JSONCursor &cursor) {
    cursor.allow({"operator", "reduction", "operands", "scalars", "over",
                  "axis", "mask", "stored"});
    StructureOperator op;
    const OperatorInfo *row = readRow(cursor["operator"], false);
    readNumbers(cursor["operands"], getNumTensors(), op.operands);
    if (cursor.has("scalars"))
      for (const JSONCursor &scalar : cursor["scalars"].array())
        op.scalars.push_back(readScalar(scalar));
    if (cursor.has("over"))
      op.over = readName(cursor["over"], numNames, /*mayBeNone=*/false);
    if (cursor.has("stored"))
      op.stored = readElementType(cursor["stored"]);
    if (cursor.failed())
      return op;
    op.opcode = row->opcode;
    if (row->kind == OperatorKind::Accumulate)
      readAccumulation(cursor, op);
    else
      for (llvm::StringRef member : {"reduction", "axis"})
        if (cursor.has(member))
          cursor.fail("expects '" + member + "' of an accumulate only, got " +
                      row->name);
    readMask(cursor, op);
    checkMembers(cursor, *row, op);
    return op;
  }

  /// One of those that the program has.
  void readMask(const JSONCursor &cursor, StructureOperator &op) {
    if (cursor.has("mask") != (op.opcode == Opcode::CausalMask))
      return cursor.fail("expects 'mask' of a causal mask, and of no other");
    if (op.opcode != Opcode::CausalMask)
      return;
    JSONCursor mask = cursor["mask"];
    mask.allow({"rows", "columns", "offset"});
    op.mask = {readName(mask["rows"], numNames, /*mayBeNone=*/true),
               readName(mask["columns"], numNames, /*mayBeNone=*/true),
               mask["offset"].integer()};
    if (program && !llvm::is_contained(program->causalMasks, *op.mask))
      mask.fail("expects a mask that the program has, got another one");
  }

  void readAccumulation(const JSONCursor &cursor, StructureOperator &op) {
    if (const OperatorInfo *reduction = readRow(cursor["reduction"], true))
      op.reduction = reduction->opcode;
    if (cursor.has("axis"))
      op.gridAxis =
          cursor["axis"].integer(0, int64_t(kernel.gridNames.size()) - 1);
    if (op.gridAxis && op.reduction == Opcode::Variance)
      cursor.fail("expects a variance over the loop, got one over an axis");
  }

  /// Accumulations are not rescaled: instances have such.
  static void checkMembers(const JSONCursor &cursor, const OperatorInfo &row,
                           const StructureOperator &op) {
    if (op.operands.size() != row.numOperands)
      cursor["operands"].fail(
          "expects " + llvm::Twine(unsigned(row.numOperands)) +
          " operands, got " + llvm::Twine(uint64_t(op.operands.size())));
    if (op.scalars.size() != row.parameters.size())
      cursor.fail("expects " + llvm::Twine(uint64_t(row.parameters.size())) +
                  " scalars, got " + llvm::Twine(uint64_t(op.scalars.size())));
    bool isElementwise = row.kind == OperatorKind::Elementwise ||
                         row.kind == OperatorKind::Movement;
    if (row.kind != OperatorKind::Accumulate &&
        isElementwise != (op.over == kNoName))
      cursor.fail(isElementwise ? "expects no name to reduce, got one"
                                : "expects a name to reduce, got none");
  }

  const JSONCursor &cursor;
  const TargetProgram *program; ///< null where it is not known
  unsigned numNames;
  KernelStructure kernel;
};
} // namespace

KernelStructure mlir::mirage::search::readKernel(const JSONCursor &cursor,
                                                 const TargetProgram *program) {
  return KernelReader(cursor, program).run();
}

/// Fails where the structure does not fit together.
static void check(const JSONCursor &cursor, const Structure &structure,
                  const TargetProgram &program) {
  if (cursor.failed())
    return;
  std::string problem = explainBadStructure(program, structure);
  if (!problem.empty())
    cursor.fail(problem);
}

Structure mlir::mirage::search::readStructure(const JSONCursor &cursor,
                                              const TargetProgram &program) {
  cursor.allow({"kernels", "results", "outputs"});
  Structure structure;
  for (const JSONCursor &kernel : cursor["kernels"].array())
    structure.kernels.push_back(readKernel(kernel, &program));
  structure.results = readStoredTensors(cursor["results"], program);
  readNumbers(cursor["outputs"], kMaxDeviceTensors, structure.outputs);
  check(cursor, structure, program);
  return structure;
}

llvm::Expected<Structure>
mlir::mirage::search::structureFromJSON(const Value &value,
                                        const TargetProgram &program) {
  std::string error;
  Structure structure = readStructure(JSONCursor(value, error), program);
  if (!error.empty())
    return llvm::createStringError(error);
  return structure;
}
