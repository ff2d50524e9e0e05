# MLIR's static libraries name libLLVM.so, with which the packages were built. Here
# that target becomes LLVM's static libraries, of which a program takes what it needs.
if(MLIR_LINK_MLIR_DYLIB)
  message(FATAL_ERROR "expects -DMLIR_LINK_MLIR_DYLIB=OFF where LLVM is linked statically")
endif()
llvm_map_components_to_libnames(MIRAGE_STATIC_LLVM
  ${LLVM_TARGETS_TO_BUILD} analysis asmparser bitreader bitwriter codegen core coroutines
  frontendopenmp ipo irreader linker mcjit orcjit passes support target)
list(POP_FRONT MIRAGE_STATIC_LLVM first)
foreach(configuration "" _RELEASE _RELWITHDEBINFO)
  get_target_property(location ${first} IMPORTED_LOCATION_RELWITHDEBINFO)
  if(NOT location)
    get_target_property(location ${first} LOCATION)
  endif()
  set_target_properties(LLVM PROPERTIES IMPORTED_LOCATION${configuration} "${location}")
endforeach()
get_target_property(needed ${first} INTERFACE_LINK_LIBRARIES)
set_target_properties(LLVM PROPERTIES
  INTERFACE_LINK_LIBRARIES "${MIRAGE_STATIC_LLVM};${needed}" IMPORTED_SONAME "" IMPORTED_NO_SONAME ON)

# What a machine need not have, either.
find_library(SQLite3_LIBRARY NAMES libsqlite3.a REQUIRED)
find_library(MIRAGE_STATIC_ZSTD NAMES libzstd.a REQUIRED)
if(TARGET zstd::libzstd_shared)
  foreach(configuration "" _NONE _RELEASE _RELWITHDEBINFO)
    set_target_properties(zstd::libzstd_shared PROPERTIES
      IMPORTED_LOCATION${configuration} "${MIRAGE_STATIC_ZSTD}" IMPORTED_NO_SONAME ON)
  endforeach()
endif()

# What the package has inside: lib/libMirage.so, and the solver that it needs, beside
# it; lib/libMirageRuntimeC.so; the programs in bin/.
function(mirage_install_python_package)
  set_target_properties(MirageC MirageRuntimeC PROPERTIES
    INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  set(programs mirage-cache mirage-opt mirage-run mirage-verify)
  set_target_properties(${programs} PROPERTIES
    INSTALL_RPATH "$ORIGIN/../lib" BUILD_WITH_INSTALL_RPATH ON)
  foreach(target MirageC MirageRuntimeC ${programs})
    target_link_options(${target} PRIVATE LINKER:--gc-sections LINKER:--strip-all)
  endforeach()
  install(FILES $<TARGET_FILE:MirageC> $<TARGET_FILE:MirageRuntimeC>
    DESTINATION mirage/lib COMPONENT python)
  foreach(program ${programs})
    install(PROGRAMS $<TARGET_FILE:${program}> DESTINATION mirage/bin COMPONENT python)
  endforeach()
  find_library(solver z3 REQUIRED)
  file(REAL_PATH "${solver}" solver)
  install(FILES "${solver}" DESTINATION mirage/lib COMPONENT python RENAME libz3.so.4)
endfunction()
