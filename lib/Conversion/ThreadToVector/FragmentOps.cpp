//===- FragmentOps.cpp - Operations on fragments --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentOps.h"
#include "Mirage/Conversion/ScalarToArith.h"
#include "Mirage/Layout/FragmentRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::mirage;

/// Coordinates of an element in the dimensions of another fragment.
static Coordinates project(ArrayRef<int64_t> coordinates, ArrayRef<int> dims) {
  Coordinates projected;
  for (int dim : dims)
    projected.push_back(dim < 0 ? 0 : coordinates[dim]);
  return projected;
}

Fragment FragmentOps::rearrange(const Fragment &fragment,
                                const LinearLayout &layout,
                                ArrayRef<int> dims) {
  Fragment result{layout, {}};
  for (unsigned number = 0; number < layout.getNumRegisters(); ++number) {
    std::optional<unsigned> source =
        fragment.layout.findRegister(project(layout.apply(number), dims));
    assert(source && "checkLanesAgree holds");
    result.registers.push_back(fragment.registers[*source]);
  }
  return result;
}

Fragment FragmentOps::broadcast(const Fragment &fragment,
                                const LinearLayout &layout) {
  return rearrange(
      fragment, layout,
      getBroadcastDims(fragment.layout.getShape(), layout.getRank()));
}

Fragment FragmentOps::cast(const Fragment &fragment, Type elementType) {
  return {fragment.layout,
          emitFloatCasts(builder, location, fragment.registers, elementType)};
}

Fragment FragmentOps::apply(Opcode opcode, const Attributes &attributes,
                            ArrayRef<Fragment> operands,
                            const LinearLayout &layout) {
  SmallVector<Fragment> arguments;
  for (const Fragment &operand : operands)
    arguments.push_back(broadcast(cast(operand, builder.getF32Type()), layout));
  Fragment result{layout, {}};
  for (unsigned number = 0; number < layout.getNumRegisters(); ++number) {
    SmallVector<Value> scalars;
    for (const Fragment &argument : arguments)
      scalars.push_back(argument.registers[number]);
    result.registers.push_back(emitElementwise(builder, location, opcode,
                                               scalars, attributes.scalars));
  }
  return result;
}

Fragment FragmentOps::mask(const Fragment &fragment, unsigned dim, Value origin,
                           int64_t extent, double value) {
  const LinearLayout &layout = fragment.layout;
  Value lanePart =
      emitLaneCoordinate(builder, location, layout, dim, position.lane);
  Value limit = emitIndex(builder, location, extent);
  Value replacement =
      emitFloatCast(builder, location, emitConstant(builder, location, value),
                    fragment.getElementType());
  Fragment result{layout, {}};
  for (auto [number, element] : llvm::enumerate(fragment.registers)) {
    Value coordinate = emitCoordinate(builder, location, layout, dim, origin,
                                      lanePart, layout.apply(number)[dim]);
    Value isInside = arith::CmpIOp::create(
        builder, location, arith::CmpIPredicate::ult, coordinate, limit);
    result.registers.push_back(arith::SelectOp::create(
        builder, location, isInside, element, replacement));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Fragment FragmentOps::reduceRegisters(const OperatorInfo &reduction,
                                      const Fragment &fragment,
                                      ArrayRef<int64_t> dims,
                                      const LinearLayout &layout,
                                      const Fragment &previous) {
  auto kept = llvm::to_vector(llvm::seq<int>(fragment.layout.getRank()));
  for (int64_t dim : dims)
    kept[dim] = -1;
  Fragment result = previous;
  result.registers.resize(layout.getNumRegisters());
  unsigned redundant = fragment.layout.getRedundantBits(LayoutInput::Register);
  for (auto [number, element] : llvm::enumerate(fragment.registers)) {
    if (number & redundant)
      continue;
    Value scalar =
        emitFloatCast(builder, location, element, builder.getF32Type());
    scalar =
        emitScalarDefinition(builder, location, reduction.definition, scalar);
    unsigned target =
        *layout.findRegister(project(fragment.layout.apply(number), kept));
    Value &joined = result.registers[target];
    joined = joined ? emitCombine(builder, location, reduction.combiner, joined,
                                  scalar)
                    : scalar;
  }
  return result;
}

Fragment FragmentOps::reduceLanes(const OperatorInfo &reduction,
                                  Fragment partial, ArrayRef<int64_t> dims,
                                  const LinearLayout &reduced, int64_t size) {
  for (auto [bit, image] :
       llvm::enumerate(reduced.getBases(LayoutInput::Lane))) {
    bool isReduced = llvm::any_of(
        dims, [&, &image = image](int64_t dim) { return image[dim]; });
    if (!isReduced)
      continue;
    for (Value &element : partial.registers) {
      Value other =
          gpu::ShuffleOp::create(builder, location, element, 1 << bit,
                                 1 << kLaneBits, gpu::ShuffleMode::XOR)
              .getShuffleResult();
      element =
          emitCombine(builder, location, reduction.combiner, element, other);
    }
  }
  for (Value &element : partial.registers)
    element = emitScalarDefinition(builder, location, reduction.finish, element,
                                   {}, size);
  return partial;
}
