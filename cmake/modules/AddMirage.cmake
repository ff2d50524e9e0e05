# How Mirage's own targets are declared.
#
# Two kinds of library (docs/Architecture.md, "Layers"):
#   mirage_add_plain_library  plain C++; of LLVM only ADT and Support, which the
#                             final program links, statically (mirage-run) or as
#                             part of libLLVM.so (mirage-opt).
#   mirage_add_mlir_library   uses MLIR.

# What files of MLIR libraries include of MLIR takes most of the time that they
# are compiled. It is parsed once, by a library that is nothing else; each file
# still includes what it uses.
function(mirage_add_precompiled_headers)
  add_library(MirageMLIRHeaders OBJECT ${PROJECT_SOURCE_DIR}/cmake/PrecompiledHeaders.cpp)
  llvm_update_compile_flags(MirageMLIRHeaders)
  # So that compiler caches know it again.
  target_compile_options(MirageMLIRHeaders PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(MirageMLIRHeaders PRIVATE
    <llvm/ADT/STLExtras.h>
    <llvm/ADT/TypeSwitch.h>
    <llvm/Support/FormatVariadic.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/GPU/IR/GPUDialect.h>
    <mlir/Dialect/LLVMIR/NVVMDialect.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/IR/DialectImplementation.h>
    <mlir/IR/ImplicitLocOpBuilder.h>
    <mlir/IR/PatternMatch.h>
    <mlir/Interfaces/DestinationStyleOpInterface.h>
    <mlir/Pass/Pass.h>)
endfunction()

# Libraries are installed for other compilers to link (MirageConfig.cmake).
function(mirage_install_library name)
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${name} EXPORT MirageTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# mirage_add_plain_library(<name> <sources>... LINK_LIBS <mirage libraries>...)
function(mirage_add_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  mirage_install_library(${name})
endfunction()

# mirage_add_mlir_library(<name> <sources>...
#   DEPENDS <tablegen targets>... LINK_LIBS <mirage libraries>... MLIR_LIBS <upstream libraries>...)
function(mirage_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_mlir_library(${name} ${ARG_UNPARSED_ARGUMENTS}
    DEPENDS ${ARG_DEPENDS}
    LINK_LIBS PUBLIC ${ARG_LINK_LIBS}
    DISABLE_INSTALL)
  mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR_LIBS})
  if(TARGET MirageMLIRHeaders)
    # Where add_mlir_library compiles the sources depends on LLVM's options.
    foreach(target obj.${name} ${name})
      if(TARGET ${target})
        target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
        target_precompile_headers(${target} REUSE_FROM MirageMLIRHeaders)
        break()
      endif()
    endforeach()
  endif()
  mirage_install_library(${name})
endfunction()

# mirage_add_plain_tool(<name> <sources>... LINK_LIBS <mirage libraries>...)
# A program that needs neither libLLVM nor libMLIR at run time.
function(mirage_add_plain_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${LLVM_RUNTIME_OUTPUT_INTDIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} LLVMSupport)
  # LLVMSupport names Z3 for a part of it that is not used here.
  target_link_options(${name} PRIVATE LINKER:--as-needed)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# mirage_add_mlir_tool(<name> <sources>... ENTRY <function>
#                      LINK_LIBS <mirage libraries>... MLIR_LIBS <upstream libraries>...)
# A program that has the compiler inside, whose main is the function of
# tools/ToolMains.h. In the Python package the function is libMirage.so's.
function(mirage_add_mlir_tool name)
  cmake_parse_arguments(ARG "" "ENTRY" "LINK_LIBS;MLIR_LIBS" ${ARGN})
  set(entry ${ARG_ENTRY})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/ToolMain.c.in ${CMAKE_CURRENT_BINARY_DIR}/main.c @ONLY)
  if(MIRAGE_PYTHON_PACKAGE)
    list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(MirageC PRIVATE ${ARG_UNPARSED_ARGUMENTS})
    set(code MirageC)
    add_executable(${name} ${CMAKE_CURRENT_BINARY_DIR}/main.c)
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${LLVM_RUNTIME_OUTPUT_INTDIR})
    target_link_libraries(${name} PRIVATE MirageC)
  else()
    set(code ${name})
    add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS} ${CMAKE_CURRENT_BINARY_DIR}/main.c)
    llvm_update_compile_flags(${name})
  endif()
  target_link_libraries(${code} PRIVATE ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${code} PRIVATE ${ARG_MLIR_LIBS})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# mirage_add_benchmark(<name> <sources>... LINK_LIBS <mirage libraries>...
#                      INCLUDES <folders>...)
# A program that measures, built when it is asked for by name.
function(mirage_add_benchmark name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;INCLUDES" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${LLVM_RUNTIME_OUTPUT_INTDIR})
  target_include_directories(${name} PRIVATE ${ARG_INCLUDES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} LLVMSupport)
  target_link_options(${name} PRIVATE LINKER:--as-needed)
endfunction()

# mirage_add_unit_test(<name> <sources>... LINK_LIBS <mirage libraries>...)
# A GoogleTest program for plain libraries; lit and ctest both find it.
function(mirage_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/Unit)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} LLVMSupport GTest::gtest_main)
  add_dependencies(MirageUnitTests ${name})
  add_test(NAME ${name} COMMAND ${name})
  target_link_options(${name} PRIVATE LINKER:--as-needed)
endfunction()

# mirage_add_dialect_doc(<file.td without its ending> <dialect>)
# The page of a dialect, docs/<dialect>.md in the build folder; target mirage-doc.
function(mirage_add_dialect_doc definitions dialect)
  set(LLVM_TARGET_DEFINITIONS ${definitions}.td)
  mlir_tablegen(${dialect}.md -gen-dialect-doc -dialect=${dialect})
  set(page ${PROJECT_BINARY_DIR}/docs/${dialect}.md)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/${dialect}.md ${page}
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${dialect}.md)
  add_custom_target(${dialect}-doc DEPENDS ${page})
  add_dependencies(mirage-doc ${dialect}-doc)
endfunction()
