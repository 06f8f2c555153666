# How every target of the project is built: warnings, linker, precompiled
# headers, and the two ways of linking LLVM.

find_program(TILEWRIGHT_CCACHE ccache)
if(TILEWRIGHT_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TILEWRIGHT_CCACHE}")
  # Precompiled headers carry time stamps that ccache must not hash.
  set(ENV{CCACHE_SLOPPINESS} "pch_defines,time_macros,include_file_mtime,include_file_ctime")
endif()

find_program(TILEWRIGHT_LLD NAMES ld.lld-22 ld.lld PATHS "${LLVM_TOOLS_BINARY_DIR}")
if(TILEWRIGHT_LLD)
  add_link_options("-fuse-ld=lld" "-B${LLVM_TOOLS_BINARY_DIR}")
endif()

# Our warnings. The headers of LLVM and MLIR are system headers: not ours to fix.
set(TILEWRIGHT_WARNINGS -Wall -Wextra -Wpedantic -Werror -Wno-unused-parameter)

if(TILEWRIGHT_STATIC)
  # The static MLIR archives name the shared libLLVM in their interface; one
  # binary must not hold both.
  foreach(target ${MLIR_EXPORTED_TARGETS})
    if(TARGET ${target})
      get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
      if(libs)
        list(REMOVE_ITEM libs LLVM)
        set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
      endif()
    endif()
  endforeach()
  set(TILEWRIGHT_LLVM LLVMSupport)
else()
  set(TILEWRIGHT_LLVM LLVM)
endif()

function(tilewright_target_options target)
  target_compile_options(${target} PRIVATE ${TILEWRIGHT_WARNINGS}
    -fno-exceptions -fvisibility-inlines-hidden -ffunction-sections -fdata-sections)
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
  target_include_directories(${target} PUBLIC
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
endfunction()

# tilewright_library(NAME [MLIR] SOURCES a.cpp ... [LINK lib ...] [DEPENDS target ...])
# MLIR: the library includes MLIR headers and shares their precompiled header.
function(tilewright_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  tilewright_target_options(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${TILEWRIGHT_LLVM})
  if(ARG_MLIR)
    target_precompile_headers(${name} REUSE_FROM TilewrightPCH)
    add_dependencies(${name} TilewrightTableGen)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
list(TRANSFORM LLVM_DEFINITIONS_LIST REPLACE "^-D" "")
