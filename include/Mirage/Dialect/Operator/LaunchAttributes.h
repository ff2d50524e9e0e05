//===- LaunchAttributes.h - What a launch says of itself --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled function is a list of `gpu.launch_func`s on memrefs. What an
// artifact's manifest needs to know stands in attributes alone:
//
//   func.func @f(%x: memref<8x64xf16> {mirage.role = "input"},
//                %y: memref<8x64xf16> {mirage.role = "output"}) {
//     gpu.launch_func @f_kernels::@f_0 ... {mirage.launch = {
//       kernel = "f_0", grid = array<i64: 4, 1, 1>,
//       block = array<i64: 128, 1, 1>, cluster = array<i64: 1, 1, 1>,
//       dynamic_shared_bytes = 2048,
//       arguments = [{role = "input", index = 0, offset_bytes = 0},
//                    {role = "output", index = 0, offset_bytes = 0}]}}
//
// A launch that may begin before the one before it has ended has one member
// more, `dependent`, a unit attribute; one whose blocks ask for more shared
// memory than they use another, `requested_shared_bytes`.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_LAUNCHATTRIBUTES_H
#define MIRAGE_DIALECT_OPERATOR_LAUNCHATTRIBUTES_H

#include "Mirage/Layout/TensorMap.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::mirage {

inline constexpr llvm::StringLiteral kLaunchAttr = "mirage.launch";
inline constexpr llvm::StringLiteral kLaunchDependent = "dependent";
inline constexpr llvm::StringLiteral kLaunchRequestedBytes =
    "requested_shared_bytes";
/// Of an argument of the function: "input", "output" or "workspace".
inline constexpr llvm::StringLiteral kRoleAttr = "mirage.role";
/// Of the function: the program that it computed before it was optimized, in
/// JSON.
inline constexpr llvm::StringLiteral kProgramAttr = "mirage.program";
/// Of a kernel graph: what the verifier proved of it, a dictionary. Of the
/// function that it becomes: those of all its graphs, an array.
inline constexpr llvm::StringLiteral kCertificateAttr = "mirage.certificate";
/// Of an argument or result: what people call it.
inline constexpr llvm::StringLiteral kNameAttr = "mirage.name";
/// A place in device memory: a buffer of the caller, or a part of the
/// workspace. As an attribute `{role = "workspace", index = 0, offset_bytes =
/// 256}`; what a kernel takes as a tensor map has another member, `tensor_map =
/// {element_bytes = 2, sizes = array<i64: 72, 100>, stride_bytes = array<i64:
/// 144>, box = array<i64: 64, 8>, swizzle_bytes = 128}`.
struct DeviceBuffer {
  enum class Role : uint8_t { Input, Output, Workspace };
  Role role = Role::Input;
  unsigned index = 0;      ///< among inputs or outputs
  int64_t offsetBytes = 0; ///< in the workspace, or of a tensor map's tensor
  std::optional<TensorMap> tensorMap = std::nullopt;

  DictionaryAttr getAttr(MLIRContext *context) const;
  /// \returns none where `attribute` has another form; `missing` then names the
  /// first member that is not as it should be.
  static std::optional<DeviceBuffer> read(Attribute attribute,
                                          std::string &missing);
};
/// "input", "output" or "workspace", as in `mirage.role`.
StringRef getRoleName(DeviceBuffer::Role role);
std::optional<DeviceBuffer::Role> parseRole(StringRef name);

} // namespace mlir::mirage

#endif // MIRAGE_DIALECT_OPERATOR_LAUNCHATTRIBUTES_H
