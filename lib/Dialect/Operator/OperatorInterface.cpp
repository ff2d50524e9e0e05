//===- OperatorInterface.cpp - Ops that are rows of the table -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "Mirage/Graph/LevelRules.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

#include "Mirage/Dialect/Operator/OperatorEnums.cpp.inc"
#include "Mirage/Dialect/Operator/OperatorInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type mlir::mirage::convertElementType(MLIRContext *context, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementType::F8E5M2:
    return Float8E5M2Type::get(context);
  }
  llvm_unreachable("unknown element type");
}

std::optional<ElementType> mlir::mirage::convertElementType(Type type) {
  for (ElementType element : kElementTypes)
    if (convertElementType(type.getContext(), element) == type)
      return element;
  return std::nullopt;
}

std::optional<std::string> mlir::mirage::explainUnsupportedTensor(Type type) {
  std::string message;
  llvm::raw_string_ostream os(message);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    os << "expects a ranked tensor, got " << type;
  else if (tensor.getRank() == 0)
    os << "expects a tensor of rank 1 or more, got " << type;
  else if (!tensor.hasStaticShape())
    os << "expects a static shape, got " << type;
  else if (llvm::is_contained(tensor.getShape(), 0))
    os << "expects sizes of at least 1, got " << type;
  else if (!multiplyCounts(tensor.getShape()))
    os << "expects at most 2^40 elements, got " << type;
  else if (!convertElementType(tensor.getElementType()))
    os << "expects elements of " << kElementTypeNames << ", got " << type;
  else
    return std::nullopt;
  return message;
}

bool mlir::mirage::isGraphTensor(Type type) {
  return !explainUnsupportedTensor(type);
}

bool mlir::mirage::isGraphBuffer(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && convertElementType(memref.getElementType()) &&
         isGraphTensor(
             RankedTensorType::get(memref.getShape(), memref.getElementType()));
}

TensorSpec mlir::mirage::convertTensor(Type type) {
  assert(isGraphTensor(type) && "checked by the op's type constraint");
  auto tensor = cast<RankedTensorType>(type);
  return {Shape(tensor.getShape()),
          *convertElementType(tensor.getElementType())};
}

RankedTensorType mlir::mirage::convertTensor(MLIRContext *context,
                                             const TensorSpec &type) {
  return RankedTensorType::get(type.shape,
                               convertElementType(context, type.element));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// TableGen makes enumerations of its own; their numbers are those of Axis, and
// of the table's reductions counted from Sum.

static_assert(AxisKind(Axis::X) == AxisKind::X &&
              AxisKind(Axis::Y) == AxisKind::Y &&
              AxisKind(Axis::Z) == AxisKind::Z &&
              AxisKind(Axis::Loop) == AxisKind::Loop);

static constexpr ReductionKind convertReduction(Opcode opcode) {
  return ReductionKind(unsigned(opcode) - unsigned(Opcode::Sum));
}
static constexpr Opcode convertReduction(ReductionKind kind) {
  return Opcode(unsigned(kind) + unsigned(Opcode::Sum));
}
static_assert(convertReduction(Opcode::Sum) == ReductionKind::Sum &&
              convertReduction(Opcode::Mean) == ReductionKind::Mean &&
              convertReduction(Opcode::Max) == ReductionKind::Max &&
              convertReduction(Opcode::Rms) == ReductionKind::Rms &&
              convertReduction(Opcode::Variance) == ReductionKind::Variance);

/// The attributes that list axes: of a mask, and of a causal mask by dimension.
static constexpr StringLiteral kAxesNames[] = {"axes", "rows", "columns"};

/// The axes that a list names; `explainAxes` says which entries name none.
static void readAxes(ArrayAttr list, SmallVectorImpl<Axis> &axes) {
  for (Attribute entry : list)
    if (auto name = dyn_cast<StringAttr>(entry))
      if (std::optional<Axis> axis = parseAxis(name.getValue()))
        axes.push_back(*axis);
}

static Attributes readAttributes(Opcode opcode, DictionaryAttr attributes) {
  Attributes read;
  for (StringRef parameter : getOperatorInfo(opcode).parameters)
    if (auto value = attributes.getAs<FloatAttr>(parameter))
      read.scalars.push_back(value.getValueAsDouble());
  if (auto count = attributes.getAs<IntegerAttr>("count"))
    read.count = count.getInt();
  if (auto extent = attributes.getAs<IntegerAttr>("extent"))
    read.extent = extent.getInt();
  if (auto axis = attributes.getAs<AxisKindAttr>("axis"))
    read.axis = static_cast<Axis>(axis.getValue());
  for (StringRef name : kAxesNames) {
    if (auto list = attributes.getAs<ArrayAttr>(name))
      readAxes(list, name == "columns" ? read.columnAxes : read.axes);
  }
  if (auto offset = attributes.getAs<IntegerAttr>("offset"))
    read.offset = offset.getInt();
  auto readList = [&](StringRef name, SmallVectorImpl<int64_t> &list) {
    if (auto integers = attributes.getAs<DenseI64ArrayAttr>(name))
      list.assign(integers.asArrayRef().begin(), integers.asArrayRef().end());
  };
  readList("dims", read.dims);
  readList("offsets", read.offsets);
  readList("strides", read.strides);
  if (auto reduction = attributes.getAs<ReductionKindAttr>("reduction"))
    read.reduction = convertReduction(reduction.getValue());
  return read;
}

/// Null for an op without any.
static DictionaryAttr readInherentAttributes(Operation *op) {
  return dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
}

Attributes mlir::mirage::readOperatorAttributes(Operation *op) {
  auto row = dyn_cast<OperatorOpInterface>(op);
  DictionaryAttr attributes = row ? readInherentAttributes(op) : nullptr;
  return attributes ? readAttributes(row.getTableOpcode(), attributes)
                    : Attributes();
}

SmallVector<NamedAttribute>
mlir::mirage::writeOperatorAttributes(MLIRContext *context, Opcode opcode,
                                      const Attributes &attributes) {
  Builder builder(context);
  SmallVector<NamedAttribute> written;
  auto write = [&](StringRef name, Attribute value) {
    written.push_back(builder.getNamedAttr(name, value));
  };
  const OperatorInfo &info = getOperatorInfo(opcode);
  for (auto [name, value] :
       llvm::zip_equal(info.parameters, attributes.scalars))
    write(name, builder.getF64FloatAttr(value));
  if (!attributes.dims.empty())
    write("dims", builder.getDenseI64ArrayAttr(attributes.dims));
  if (attributes.count)
    write("count", builder.getI64IntegerAttr(attributes.count));
  auto writeAxes = [&](StringRef name, ArrayRef<Axis> axes) {
    write(name, builder.getStrArrayAttr(
                    llvm::map_to_vector(axes, mirage::getAxisName)));
  };
  if (opcode == Opcode::Mask) {
    write("extent", builder.getI64IntegerAttr(attributes.extent));
    writeAxes("axes", attributes.axes);
  }
  if (opcode == Opcode::CausalMask) {
    write("offset", builder.getI64IntegerAttr(attributes.offset));
    // The kernel level has none of these.
    if (!attributes.axes.empty())
      writeAxes("rows", attributes.axes);
    if (!attributes.columnAxes.empty())
      writeAxes("columns", attributes.columnAxes);
  }
  if (opcode == Opcode::Slice) {
    write("offsets", builder.getDenseI64ArrayAttr(attributes.offsets));
    write("strides", builder.getDenseI64ArrayAttr(attributes.strides));
  }
  if (opcode == Opcode::Accumulate) {
    write("axis",
          AxisKindAttr::get(context, static_cast<AxisKind>(attributes.axis)));
    assert(isReduction(attributes.reduction) && "checked by the shape rule");
    write("reduction", ReductionKindAttr::get(
                           context, convertReduction(attributes.reduction)));
  }
  return written;
}

//===----------------------------------------------------------------------===//
// Verification and inference by the table
//===----------------------------------------------------------------------===//

/// Axes are strings in IR, since an array of an enumeration prints badly.
/// \returns what is wrong with those of an op, if anything is.
static std::optional<std::string> explainAxes(DictionaryAttr attributes) {
  std::string message;
  llvm::raw_string_ostream os(message);
  for (StringRef list : kAxesNames)
    if (auto axes = attributes.getAs<ArrayAttr>(list))
      for (Attribute entry : axes) {
        auto name = dyn_cast<StringAttr>(entry);
        if (name && parseAxis(name.getValue()))
          continue;
        os << "expects axes among x, y, z and loop, got " << entry;
        return message;
      }
  return std::nullopt;
}

/// The level of an op, which is that of its dialect.
static Level getOperatorLevel(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  for (Level level : {Level::Kernel, Level::Block})
    if (dialect == ("mirage_" + getLevelName(level)).str())
      return level;
  return Level::Thread;
}

static LogicalResult verifyShape(OperatorOpInterface row,
                                 const Attributes &attributes,
                                 ArrayRef<TensorSpec> operands) {
  ArrayRef<int64_t> result =
      cast<RankedTensorType>(row->getResult(0).getType()).getShape();
  llvm::Expected<Shape> shape =
      inferShape(row.getTableOpcode(), attributes, operands, result);
  if (!shape)
    return row->emitOpError() << llvm::toString(shape.takeError());
  if (ArrayRef(*shape) != result)
    return row->emitOpError() << "expects a result of shape [" << *shape
                              << "], got [" << result << "]";
  return success();
}

/// What joins iterations or blocks, or asks which one it is in, stands in a
/// graph of its level, which has them.
static LogicalResult verifyPlace(Operation *op, Opcode opcode,
                                 const Attributes &attributes) {
  bool namesAxes = opcode == Opcode::Accumulate || !attributes.axes.empty() ||
                   !attributes.columnAxes.empty();
  Operation *parent = op->getParentOp();
  if (!namesAxes || (isa_and_present<TileGraphOpInterface>(parent) &&
                     parent->getDialect() == op->getDialect()))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "expects to stand in a "
                                  << op->getName().getDialectNamespace()
                                  << ".graph, whose axes it names, got ";
  if (parent)
    diagnostic << parent->getName() << " around it";
  else
    diagnostic << "nothing around it";
  return diagnostic;
}

LogicalResult mlir::mirage::detail::verifyOperatorOp(Operation *op) {
  auto row = cast<OperatorOpInterface>(op);
  Opcode opcode = row.getTableOpcode();
  assert(getOperatorInfo(opcode).existsAt(getOperatorLevel(op)) &&
         "a dialect has the operators of its level");
  if (DictionaryAttr inherent = readInherentAttributes(op))
    if (std::optional<std::string> reason = explainAxes(inherent))
      return op->emitOpError() << *reason;
  Attributes attributes = readOperatorAttributes(op);
  SmallVector<TensorSpec> operands;
  for (Type type : op->getOperandTypes())
    operands.push_back(convertTensor(type));
  if (failed(verifyShape(row, attributes, operands)))
    return failure();
  if (llvm::Error error =
          checkCarried(opcode, getOperatorLevel(op), attributes))
    return op->emitOpError() << llvm::toString(std::move(error));
  if (llvm::Error error =
          checkElement(opcode, getOperatorLevel(op), attributes, operands,
                       convertTensor(op->getResult(0).getType()).element))
    return op->emitOpError() << llvm::toString(std::move(error));
  return verifyPlace(op, opcode, attributes);
}

LogicalResult mlir::mirage::detail::inferTileType(
    Opcode opcode, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, SmallVectorImpl<Type> &types) {
  SmallVector<TensorSpec> operandTypes;
  for (Type type : operands.getTypes()) {
    if (std::optional<std::string> reason = explainUnsupportedTensor(type))
      return emitOptionalError(location, *reason);
    operandTypes.push_back(convertTensor(type));
  }
  MLIRContext *context =
      attributes ? attributes.getContext() : operands.front().getContext();
  if (!attributes)
    attributes = DictionaryAttr::get(context);
  if (std::optional<std::string> reason = explainAxes(attributes))
    return emitOptionalError(location, *reason);
  llvm::Expected<Shape> shape =
      inferShape(opcode, readAttributes(opcode, attributes), operandTypes);
  if (!shape)
    return emitOptionalError(location, llvm::toString(shape.takeError()));
  types.push_back(convertTensor(
      context, TensorSpec{*shape, inferTileElement(opcode, operandTypes)}));
  return success();
}
