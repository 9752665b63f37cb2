"""docs/model.schema.json says what a model.json is, of today's files and of every older one."""

import copy
import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from conftest import quick
from test_command_line import REPOSITORY

SCHEMA = json.loads((REPOSITORY / "docs/model.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
OLDER = sorted((REPOSITORY / "crates/threshnet/tests/old_models").glob("*/*.json"))
OLDER = [file for file in OLDER if not file.name.endswith(".expected.json")]

# what it is fitted with, and to what
FRESH = {
    "regression": ("regression", "y", {"hidden": (3,), "shortcut": True}),
    "draws": ("regression", "y", {"validation": "draws:3"}),
    "linear": ("regression", "y", {"hidden": (), "learning_rate": None}),
    "null": ("regression", "y", {"lambdas": [50.0], "ridges": [0.01], "validation": "none"}),
    "binary": ("classification", "classification", {}),
    "multiclass": ("classification", "three", {"activation": "gelu"}),
    "survival": ("survival", "survival", {"activation": "selu"}),
}


def written(name, data, folder):
    """A model.json of this version, with names of columns and outcome."""
    task, outcome, settings = FRESH[name]
    columns = [f"gene {j}" for j in range(data.X.shape[1])]
    X, y = pd.DataFrame(data.X, columns=columns), getattr(data, outcome)
    quick(task, **settings).fit(X, y).save(folder / "model.json")
    return json.loads((folder / "model.json").read_text())


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", FRESH)
def test_todays_models_are_valid(name, data, tmp_path):
    VALIDATOR.validate(written(name, data, tmp_path))


@pytest.mark.parametrize("file", OLDER, ids=lambda file: f"{file.parent.name} {file.stem}")
def test_older_models_are_valid(file):
    VALIDATOR.validate(json.loads(file.read_text()))


def test_an_ensemble_is_valid(data, tmp_path):
    model = quick(validation="draws:3", linear="choose", ensemble=True).fit(data.X, data.y)
    model.ensemble_.save(tmp_path / "ensemble.json")
    VALIDATOR.validate(json.loads((tmp_path / "ensemble.json").read_text()))


def test_there_are_older_models_of_every_task():
    tasks = {json.loads(file.read_text())["task"] for file in OLDER}
    assert tasks == set(SCHEMA["properties"]["task"]["enum"])


def without(field):
    return lambda model: model.pop(field)


def put(value, *place):
    def damage(model):
        for step in place[:-1]:
            model = model[step]
        model[place[-1]] = value

    return damage


DAMAGES = {
    "regression": [
        *(without(field) for field in SCHEMA["required"]),
        without("target"),
        put(2, "schema"),
        put("ranking", "task"),
        put("swish", "activation"),
        put([], "networks"),
        put([], "networks", 0, "layers"),
        put([-1], "networks", 0, "inputs"),
        put("0.5", "networks", 0, "layers", 0, "weight", 0, 0),
        put(None, "networks", 0, "layers", 0, "bias", 0),
        put(0.0, "standardisation", "scale", 0),
        put(0.0, "target", "scale"),
        put(["a", "b"], "classes"),
        put(1, "something else"),
    ],
    "binary": [without("classes"), put(["a"], "classes"), put(["a", "b", "c"], "classes")],
    "multiclass": [without("classes"), put({"center": 0, "scale": 1}, "target")],
    "survival": [without("baseline"), put([], "baseline", "time")],
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_no_model_is_not_valid(name, data, tmp_path):
    good = written(name, data, tmp_path)
    for number, damage in enumerate(DAMAGES[name]):
        model = copy.deepcopy(good)
        damage(model)
        assert not VALIDATOR.is_valid(model), f"damage {number}"


def test_every_activation_has_its_place(data, tmp_path):
    for activation in SCHEMA["properties"]["activation"]["enum"]:
        quick(activation=activation).fit(data.X, data.y).save(tmp_path / "model.json")
        VALIDATOR.validate(json.loads((tmp_path / "model.json").read_text()))


def test_a_class_type_is_valid(data, tmp_path):
    for classes in ([0, 1], [1.0, 2.0], [False, True], ["a", "b"]):
        y = np.array(classes)[data.classification]
        quick("classification").fit(data.X, y).save(tmp_path / "model.json")
        VALIDATOR.validate(json.loads((tmp_path / "model.json").read_text()))
