"""Labels of classes are kept by the module, as text and through passes."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.context import context


@pytest.mark.parametrize("labels", [["cat", 'a "dog"', "Bär"], [-3, 0, 2**40]])
def test_labels_survive_text_and_clones(labels: list[str | int]):
    module = ModuleOp([])
    assert tdsl.classes_of(module) is None
    tdsl.set_classes(module, labels)
    assert tdsl.classes_of(module.clone()) == labels
    assert tdsl.classes_of(Parser(context(), str(module)).parse_module()) == labels


@pytest.mark.parametrize("labels", [[], ["one"], [1, 1], ["a", "a"], ["a", 1]])
def test_labels_that_name_no_classes_are_refused(labels: list[str | int]):
    with pytest.raises(VerifyException, match="two or more different labels"):
        tdsl.set_classes(ModuleOp([]), labels)


def test_attribute_of_another_kind_is_refused():
    module = ModuleOp([], {tdsl.CLASSES: StringAttr("cat")})
    with pytest.raises(VerifyException, match="expected an array"):
        tdsl.classes_of(module)
