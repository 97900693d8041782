"""Workload files: what is read, and what is refused with the path of its key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pavane.campaign.workload_model.workload import MOST_PHASES, Communicate, Compute, Loop
from pavane.campaign.workload_model.workload_file import EXAMPLES, example_text, workload, workload_of
from pavane.errors import InputError
from pavane.io.files import File


def of(*phases: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """Return a workload of some phases."""
    return {"workload": 1, "phases": list(phases), **keys}


def read(text: str) -> object:
    """Read a workload from the text of a file."""
    return workload_of(File.of(text.encode(), "mine.yaml"))


def test_all_that_a_file_can_say() -> None:
    """Computing, collectives in groups, pairs and loops are read, with their sizes and repetitions."""
    found = workload(
        of(
            {"compute": "10us", "times": 3},
            {"compute": {"operations": "5*n", "speed": "1GFLOP/s"}, "name": "solve"},
            {
                "loop": "n",
                "phases": [
                    {"collective": "alltoallv", "bytes": "1KiB", "sizes": {"to": [1, 2]}, "groups": "rows"},
                    {"pairs": [[0, 1], [1, 0]], "bytes": 4},
                    {"pairs": "0>1,2>3", "bytes": 4},
                    {"collective": "reduce", "bytes": "P", "groups": "half", "root": 1},
                ],
            },
            name="mine",
            parameters={"n": "2*P"},
            groups={"shape": [2, "P/2"], "half": ["0-3", [4, 5, 6, 7]]},
        )
    )
    compute, solve, loop = found.phases
    assert isinstance(compute, Compute)
    assert isinstance(solve, Compute)
    assert isinstance(loop, Loop)
    assert found.groups == {"half": ((0, 1, 2, 3), (4, 5, 6, 7))}
    assert found.names((2, 4)) == {"P": 8.0, "rows": 2.0, "columns": 4.0, "n": 16.0}
    exchange, back, listed, _ = loop.phases
    assert isinstance(exchange, Communicate)
    assert exchange.sizes is not None
    assert [exchange.sizes.units(0, receiver) for receiver in range(4)] == [1, 2, 1, 2]
    assert isinstance(back, Communicate)
    assert isinstance(listed, Communicate)
    assert (back.pairs, listed.pairs) == (((0, 1), (1, 0)), ((0, 1), (2, 3)))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "workload: the key is missing"),
        ({"workload": 2, "phases": []}, "workload: version '2' is not known"),
        (of(), r"phases: list at least one phase"),
        (of({}), r"phases\[0\]: nothing says what it does"),
        (of({"compute": "1us", "pairs": []}), r"phases\[0\]: compute and pairs stand together"),
        (of({"compute": "1us"}, {"collective": "alltoall"}), r"phases\[1\]\.bytes: the key is missing"),
        (of({"collective": "alltoall", "byte": 4}), r"phases\[0\]\.byte: the key is not known; did you mean bytes"),
        (of({"collective": "alltoal", "bytes": 4}), r"phases\[0\]\.collective: .*did you mean alltoall"),
        (of({"collective": "mnb", "bytes": 4}), r"phases\[0\]\.collective: mnb does not go in groups"),
        (of({"collective": "alltoall", "bytes": "4q"}), r"phases\[0\]\.bytes: '4q' is not a size"),
        (of({"collective": "alltoall", "bytes": "m*2"}), r"phases\[0\]\.bytes: m is not known"),
        (of({"collective": "alltoall", "bytes": 4, "root": 1}), r"phases\[0\]\.root: alltoall has no root"),
        (of({"collective": "alltoallv", "bytes": 4}), r"phases\[0\]\.sizes: alltoallv needs sizes"),
        (of({"collective": "reduce", "bytes": 4, "sizes": [[1]]}), r"phases\[0\]\.sizes: reduce has messages of one"),
        (of({"collective": "alltoall", "bytes": 4, "sizes": [[1, 2], [1]]}), r"phases\[0\]\.sizes\[1\]: the row has 1"),
        (of({"collective": "alltoall", "bytes": 4, "groups": "lines"}), r"phases\[0\]\.groups: 'lines' is not known"),
        (of({"collective": "alltoall", "bytes": 4, "groups": [[0, 1], [1, 2]]}), "processor 1 is listed twice"),
        (of({"pairs": [[0, 0]], "bytes": 4}), r"phases\[0\]\.pairs\[0\]: processor 0 would send to itself"),
        (of({"pairs": "friends", "bytes": 4}), r"phases\[0\]\.pairs: 'friends' is not known; write neighbours"),
        (of({"loop": 3, "phases": [{"compute": "x"}]}), r"phases\[0\]\.phases\[0\]\.compute: x is not known"),
        (of({"loop": 3}), r"phases\[0\]\.phases: list at least one phase"),
        (of({"compute": {"speed": "1GFLOP/s"}}), r"phases\[0\]\.compute: give seconds, or operations"),
        (of({"compute": "1us"}, parameters={"P": 3}), r"parameters\.P: a parameter is a word"),
        (of({"compute": "1us"}, parameters={"a": "b", "b": 1}), r"parameters\.a: b is not known"),
        (of({"compute": "1us"}, groups={"shape": [1, 2, 3]}), r"groups\.shape: give rows and columns"),
        (of({"compute": "1us"}, groups={"rows": [[1]]}), r"groups\.rows: this name is taken"),
        (
            of({"collective": "alltoall", "bytes": 4, "groups": []}),
            r"phases\[0\]\.groups: list the groups, as in \[\[0, 1\], \[2, 3\]\]",
        ),
        (
            of({"collective": "alltoall", "bytes": 4, "groups": ["0-3,x"]}),
            r"phases\[0\]\.groups\[0\]: 'x' is not a processor or a range; write a list like 0-7,9",
        ),
        (of({"collective": "alltoall", "bytes": 4, "groups": ["3-0"]}), "'3-0' is not a processor or a range"),
        (
            of({"compute": "1us"}, groups={"some": ["0-99999", "100000-100001"]}),
            r"groups\.some: 100,002 processors are too many to list; at most 100,000 are",
        ),
        (
            of({"compute": {"seconds": "1us", "speed": "1GFLOP/s"}}),
            r"phases\[0\]\.compute\.speed: a speed goes with operations",
        ),
        (of({"pairs": [], "bytes": 4}), r"phases\[0\]\.pairs: list the pairs, as in"),
        (
            of({"pairs": [[0, 1, 2]], "bytes": 4}),
            r"phases\[0\]\.pairs\[0\]: .* is not a pair; write sender",
        ),
        (of({"pairs": [[0, 1], [0, 1]], "bytes": 4}), r"phases\[0\]\.pairs: a pair is listed twice"),
        (of({"collective": "alltoall", "bytes": 4, "sizes": {}}), r"phases\[0\]\.sizes: give units by sender or by"),
        (
            of({"collective": "alltoall", "bytes": 4, "sizes": []}),
            r"phases\[0\]\.sizes: give \{to: \[1, 2, 4\]\}, or",
        ),
        (
            of({"collective": "alltoall", "bytes": 4, "sizes": {"to": []}}),
            r"phases\[0\]\.sizes\.to: list whole number",
        ),
        (
            of({"collective": "alltoall", "bytes": 4, "sizes": {"to": [10_001]}}),
            r"phases\[0\]\.sizes\.to: 10001 units are too many; give at most 10,000",
        ),
        (
            of(*({"compute": "1us"} for _ in range(MOST_PHASES + 1))),
            rf"phases\[{MOST_PHASES}\]: there are too many phases; at most {MOST_PHASES} are read, so use loops",
        ),
        (of({"compute": True}), r"phases\[0\]\.compute: True cannot be read"),
        (of({"compute": "1us"}, phase=[]), r"phase: the key is not known; did you mean phases"),
        (of({"compute": "1us", "too long " * 50: 1}), r"phases\[0\]\.(too long ){6}too lo\.\.\.: the key is not known"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(wrong: dict[str, Any], said: str) -> None:
    """A bad workload gets one line with the path of the key and how to mend it, as a dict and as a file."""
    with pytest.raises(InputError, match=said):
        workload(wrong)
    if "cannot be read" not in said:
        with pytest.raises(InputError, match=said):
            read(yaml.safe_dump(wrong))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("workload: 1\nworkload: 1\n", "line 2: workload is there twice"),
        ("a: &x [1]\nb: *x\n", r"line 2: aliases \(\*x\) are not read"),
        ("workload: [", "line .*: not YAML that can be read"),
        ("- 1\n", "was found where keys with values were expected"),
        ("workload: !!python/object/apply:os.system ['true']\n", "workload: version .* is not known"),
        ("[" * 100 + "]" * 100, "nested too deeply"),
        ("[" * 100_000, "nested too deeply|not YAML"),
        ("a: 1\n" * 100_000, "are too many for this format"),
        ("? [a]\n: b\n", "a key is a word"),
    ],
)
def test_files_that_are_no_workloads_are_refused(text: str, said: str) -> None:
    """Broken, hostile and foreign files get one line that names the file."""
    with pytest.raises(InputError, match=said) as told:
        read(text)
    assert str(told.value).startswith("mine.yaml")


def test_names_of_nothing_are_refused(tmp_path: Path) -> None:
    """What is neither a file nor a workload of the package gets the nearest name, or all."""
    with pytest.raises(InputError, match="there is no workload or file 'fftt'; did you mean fft"):
        workload("fftt")
    with pytest.raises(InputError, match=r"none\.yaml: cannot be read"):
        workload(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="`workload` is 3"):
        workload(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", EXAMPLES)
def test_workloads_of_the_package_are_files_like_any_other(name: str, tmp_path: Path) -> None:
    """A workload of the package can be copied to a file, and says the same there."""
    file = tmp_path / f"{name}.yaml"
    file.write_text(example_text(name))
    assert workload(file) == workload(name)
    assert workload(name).name == name
    assert workload(name).about


LEAVES = st.sampled_from(
    ["1", "4KiB", "10us", "P", "n*2", "rows", "alltoall", "neighbours", "", "x", "0>1", "-1", "1/0", "2**9999"]
)
KEYS = st.sampled_from(
    *[
        [
            "workload",
            "phases",
            "compute",
            "collective",
            "bytes",
            "groups",
            "loop",
            "pairs",
            "sizes",
            "times",
            "to",
            "shape",
        ]
    ]
)
TREES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4))


@given(st.dictionaries(KEYS, TREES, max_size=5))
def test_any_tree_is_a_workload_or_is_refused(tree: dict[str, Any]) -> None:
    """Whatever a file says, it is read or refused with one line, as a dict and as YAML."""
    for source in (tree, {**tree, "workload": "1"}):
        try:
            workload(source)
        except InputError:
            with pytest.raises(InputError, match=r"^[^\n]*$"):
                read(yaml.safe_dump(source))


@given(st.binary(min_size=1, max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Bytes that are no workload never raise anything else."""
    with pytest.raises(InputError):
        workload_of(File.of(data, "mine.yaml"))
