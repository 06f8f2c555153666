"""scripts/build.sh configures a build folder that an earlier failure left half-made.

With real CMake and a project without sources; the compiler is one that the
test puts in place or takes away.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRESETS = """{ "version": 3, "configurePresets": [ { "name": "dev", "generator": "Ninja",
  "cacheVariables": { "CMAKE_C_COMPILER": "our-cc" } } ] }"""
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(Small LANGUAGES C)
add_custom_target(all_of_it ALL COMMAND ${CMAKE_COMMAND} -E echo built)
"""


@pytest.fixture
def project(tmp_path):
    compiler = next(filter(None, map(shutil.which, ("clang-22", "clang", "cc"))), None)
    if compiler is None or not shutil.which("cmake") or not shutil.which("ninja"):
        pytest.skip("there is no compiler, CMake or Ninja")
    (tmp_path / "scripts").mkdir()
    for script in ("build.sh", "common.sh"):
        shutil.copy(ROOT / "scripts" / script, tmp_path / "scripts")
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "CMakePresets.json").write_text(PRESETS)
    (tmp_path / "path").mkdir()
    return Project(tmp_path, compiler)


class Project:
    def __init__(self, folder, compiler):
        self.folder = folder
        self.real = compiler
        self.compiler = folder / "path/our-cc"

    def install(self):
        self.compiler.unlink(missing_ok=True)
        self.compiler.symlink_to(self.real)

    def build(self):
        path = f"{self.folder}/path:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "TILEWRIGHT_JOBS": "1"}
        environment.pop("TILEWRIGHT_BUILD", None)
        command = ["bash", self.folder / "scripts/build.sh"]
        return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_a_compiler_that_comes_later(project):
    failed = project.build()
    assert failed.returncode == 1
    assert "our-cc" in failed.stderr
    assert "scripts/setup.sh installs what a build needs; then run this again" in failed.stderr
    assert (project.folder / "build/CMakeCache.txt").exists()
    # One that is there and does not work, before the one that does.
    project.compiler.write_text("#!/bin/sh\nexit 1\n")
    project.compiler.chmod(0o755)
    assert project.build().returncode == 1
    project.install()
    built = project.build()
    assert built.returncode == 0, built.stdout + built.stderr
    assert "afresh: configuring it did not succeed" in built.stdout
    # And then no more.
    assert "afresh" not in project.build().stdout


def test_a_compiler_that_is_gone(project):
    project.install()
    assert project.build().returncode == 0
    cache = project.folder / "build/CMakeCache.txt"
    text = cache.read_text().replace(str(project.compiler), str(project.folder / "path/gone"))
    assert "path/gone" in text
    cache.write_text(text)
    built = project.build()
    assert built.returncode == 0, built.stdout + built.stderr
    assert f"afresh: its compiler {project.folder}/path/gone is gone" in built.stdout


def test_another_generator(project):
    project.install()
    build = project.folder / "build"
    build.mkdir()
    (build / "CMakeCache.txt").write_text(
        f"CMAKE_GENERATOR:INTERNAL=Unix Makefiles\nCMAKE_HOME_DIRECTORY:INTERNAL={project.folder}\n"
    )
    built = project.build()
    assert built.returncode == 0, built.stdout + built.stderr
    assert "afresh: it was configured for Unix Makefiles, not for Ninja" in built.stdout


def test_what_is_built_is_kept(project):
    project.install()
    assert project.build().returncode == 0
    kept = project.folder / "build/kept.o"
    kept.write_text("")
    (project.folder / "build/build.ninja").unlink()
    assert project.build().returncode == 0
    assert kept.exists()
