# How every target of the project is built: warnings, linker, precompiled
# headers, and how much of LLVM it has in it.

find_program(TILEWRIGHT_CCACHE ccache)
if(TILEWRIGHT_CCACHE)
  # What ccache needs to be told before it caches precompiled headers; Clang
  # must leave its time stamp out of them (tilewright_target_options). Clones
  # share what they have compiled: paths are relative to the source folder. What
  # a file includes the compiler says; to preprocess it first takes up to a second.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_DEPEND=1"
    "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
    "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "CCACHE_NOHASHDIR=1"
    "${TILEWRIGHT_CCACHE}")
endif()

find_program(TILEWRIGHT_LLD NAMES ld.lld-22 ld.lld PATHS "${LLVM_TOOLS_BINARY_DIR}")
if(TILEWRIGHT_LLD)
  add_link_options("-fuse-ld=lld" "-B${LLVM_TOOLS_BINARY_DIR}")
endif()

# Our warnings. The headers of LLVM and MLIR are system headers: not ours to fix.
set(TILEWRIGHT_WARNINGS -Wall -Wextra -Wpedantic -Werror -Wno-unused-parameter)

# LLVM's support code, static, with what it asks for but Z3, which nothing here
# calls.
find_library(TILEWRIGHT_ZLIB libz.a REQUIRED)
find_library(TILEWRIGHT_ZSTD libzstd.a REQUIRED)
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES
  "${TILEWRIGHT_ZLIB};${TILEWRIGHT_ZSTD};dl;m;LLVMDemangle")

# The static MLIR archives name the shared libLLVM and libMLIR in their
# interface; one binary must not hold both.
foreach(target ${MLIR_EXPORTED_TARGETS})
  get_target_property(type ${target} TYPE)
  get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
  if(libs AND NOT type STREQUAL "SHARED_LIBRARY")
    list(REMOVE_ITEM libs LLVM MLIR "$<LINK_ONLY:LLVM>")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
  endif()
endforeach()

# LLVM and MLIR are part of each binary: starting a tool with the shared libraries takes six times
# as long (docs/decisions/0119-what-ci-takes.md). Of archives, the linker takes only what is used.
add_library(TilewrightLLVM INTERFACE)
target_link_libraries(TilewrightLLVM INTERFACE LLVMSupport)
# To link a module of a GPU, and its code generator.
add_library(TilewrightNVPTX INTERFACE)
target_link_libraries(TilewrightNVPTX INTERFACE LLVMNVPTXCodeGen LLVMNVPTXDesc LLVMNVPTXInfo
  LLVMPasses LLVMCodeGen LLVMBitReader LLVMBitWriter LLVMMC LLVMTarget LLVMTargetParser
  LLVMAnalysis LLVMCore)
# Every dialect and conversion may be named.
get_property(dialects GLOBAL PROPERTY MLIR_DIALECT_LIBS)
get_property(conversions GLOBAL PROPERTY MLIR_CONVERSION_LIBS)
add_library(TilewrightMLIR INTERFACE)
target_link_libraries(TilewrightMLIR INTERFACE ${dialects} ${conversions}
  MLIRTargetLLVMIRExport MLIRLLVMToLLVMIRTranslation MLIRNVVMToLLVMIRTranslation
  MLIRBuiltinToLLVMIRTranslation MLIRFuncInlinerExtension MLIRTransforms MLIROptLib MLIRLspServerLib
  # What these need of LLVM, which their interface no longer says.
  LLVMSupportLSP LLVMFrontendOpenMP LLVMIRReader LLVMTransformUtils LLVMCore)

# tilewright_batches(TARGET): files of it are compiled together, which make what they use of templates
# and inline functions of headers once (docs/decisions/0162-what-ci-compiles.md). A batch is as large
# as what one waits for after a change.
function(tilewright_batches target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TILEWRIGHT_BATCHES} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# tilewright_alone(SOURCE...): what is in no batch.
function(tilewright_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(tilewright_target_options target)
  # -fPIC in executables too: they use the libraries' precompiled header.
  target_compile_options(${target} PRIVATE ${TILEWRIGHT_WARNINGS} -fPIC
    -fno-exceptions -fvisibility-inlines-hidden -ffunction-sections -fdata-sections
    "SHELL:-Xclang -fno-pch-timestamp" $<$<BOOL:${TILEWRIGHT_ASSERTIONS}>:-UNDEBUG>)
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
  target_include_directories(${target} PUBLIC
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
endfunction()

# tilewright_library(NAME [MLIR] SOURCES a.cpp ... [LINK lib ...] [DEPENDS target ...])
# MLIR: the library includes MLIR headers.
function(tilewright_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  tilewright_target_options(${name})
  tilewright_batches(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} TilewrightLLVM)
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC TilewrightMLIR)
    target_precompile_headers(${name} REUSE_FROM TilewrightPCH)
    add_dependencies(${name} TilewrightTableGen)
  else()
    target_precompile_headers(${name} REUSE_FROM TilewrightSupportPCH)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tilewright_tool(NAME ENTRY function SOURCES a.cpp ... [LINK lib ...])
# A command-line tool whose main is `int tilewright::function(int, char **)`,
# declared in tools/Tools.h. In development each tool is an executable; the
# package puts all of them into one, tools/tilewright, that goes by the name it is
# called by.
function(tilewright_tool name)
  cmake_parse_arguments(ARG "" "ENTRY" "SOURCES;LINK" ${ARGN})
  if(TILEWRIGHT_STATIC)
    string(REPLACE "-" "_" library ${name})
    tilewright_library(tool_${library} MLIR SOURCES ${ARG_SOURCES} LINK ${ARG_LINK})
    target_include_directories(tool_${library} PRIVATE "${PROJECT_SOURCE_DIR}/tools")
    set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_TOOL_LIBRARIES tool_${library})
    set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_TOOL_TABLE
      "TILEWRIGHT_TOOL(\"${name}\", ${ARG_ENTRY})")
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES} "${PROJECT_SOURCE_DIR}/tools/main.cpp")
  tilewright_target_options(${name})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tools")
  target_compile_definitions(${name} PRIVATE TILEWRIGHT_ENTRY=${ARG_ENTRY}
    TILEWRIGHT_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_precompile_headers(${name} REUSE_FROM TilewrightPCH)
  tilewright_batches(${name})
  tilewright_alone("${PROJECT_SOURCE_DIR}/tools/main.cpp")
  set_source_files_properties("${PROJECT_SOURCE_DIR}/tools/main.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  add_dependencies(${name} TilewrightTableGen)
endfunction()

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
list(TRANSFORM LLVM_DEFINITIONS_LIST REPLACE "^-D" "")

# tilewright_precompiled_headers(NAME [HEADER]): those of HEADER.h, by default
# NAME.h, for what says REUSE_FROM NAME. Parsing headers is most of a file's time.
function(tilewright_precompiled_headers name)
  set(header ${name} ${ARGN})
  list(GET header -1 header)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${name}.cpp" CONTENT "")
  add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/${name}.cpp")
  tilewright_target_options(${name})
  target_precompile_headers(${name} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/${header}.h")
endfunction()

tilewright_precompiled_headers(TilewrightSupportPCH)
tilewright_precompiled_headers(TilewrightPCH)
add_dependencies(TilewrightPCH TilewrightTableGen)
