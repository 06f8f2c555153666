# Finds what the Python bindings are built with: a Python with its headers, and
# nanobind in it. TILEWRIGHT_HAS_NANOBIND says whether both are there.
#
# The Python is the one of -DPython_EXECUTABLE, or that of scripts/setup.sh.
if(NOT DEFINED Python_EXECUTABLE AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python" CACHE FILEPATH
    "The Python whose package is built")
endif()
find_package(Python 3.10 COMPONENTS Interpreter Development.Module
  OPTIONAL_COMPONENTS Development.SABIModule)
# CMake knows the stable ABI since 3.26; nanobind asks for what it would say.
if(CMAKE_VERSION VERSION_LESS 3.26 AND Python_VERSION VERSION_GREATER_EQUAL 3.12
   AND TARGET Python::Module AND NOT TARGET Python::SABIModule)
  add_library(Python::SABIModule INTERFACE IMPORTED)
  target_link_libraries(Python::SABIModule INTERFACE Python::Module)
  set(Python_SOSABI abi3)
endif()
set(TILEWRIGHT_HAS_NANOBIND OFF)
if(Python_Development.Module_FOUND)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE status ERROR_QUIET)
  if(status EQUAL 0)
    find_package(nanobind CONFIG REQUIRED)
    set(TILEWRIGHT_HAS_NANOBIND ON)
  endif()
endif()
