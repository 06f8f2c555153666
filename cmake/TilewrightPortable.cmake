# Links shared libraries so that they run on machines with an older glibc than
# this one has.
#
# Their C++ library is part of them, and so is what the older glibc lacks
# (portable/glibc.c). They are linked with libraries that have its symbols and
# nothing newer (portable/stubs.py): what else would need a newer one, the linker
# says.

set(TILEWRIGHT_GLIBC 2.28 CACHE STRING
  "The oldest glibc that the Python package runs on; empty: that of this machine")

set(TILEWRIGHT_GLIBC_STUBS "${PROJECT_BINARY_DIR}/glibc-${TILEWRIGHT_GLIBC}")
if(TILEWRIGHT_GLIBC)
  set(script "${CMAKE_CURRENT_LIST_DIR}/portable/stubs.py")
  add_custom_command(OUTPUT "${TILEWRIGHT_GLIBC_STUBS}/libc.so"
    COMMAND "${Python3_EXECUTABLE}" "${script}" --glibc "${TILEWRIGHT_GLIBC}"
      --clang "${CMAKE_C_COMPILER}" --readelf "${LLVM_TOOLS_BINARY_DIR}/llvm-readelf"
      --out "${TILEWRIGHT_GLIBC_STUBS}"
    DEPENDS "${script}" VERBATIM)
  add_custom_target(TilewrightGlibcStubs DEPENDS "${TILEWRIGHT_GLIBC_STUBS}/libc.so")
  add_library(TilewrightGlibc OBJECT "${CMAKE_CURRENT_LIST_DIR}/portable/glibc.c")
  target_compile_options(TilewrightGlibc PRIVATE -Wall -Wextra -Werror -ffunction-sections -fdata-sections)
endif()

# tilewright_portable(TARGET...)
function(tilewright_portable)
  foreach(target ${ARGN})
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections)
    if(TILEWRIGHT_GLIBC)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:TilewrightGlibc>)
      add_dependencies(${target} TilewrightGlibcStubs)
      target_link_options(${target} PRIVATE "-L${TILEWRIGHT_GLIBC_STUBS}")
      set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${TILEWRIGHT_GLIBC_STUBS}/libc.so")
    endif()
  endforeach()
endfunction()
