"""Platforms of SimGrid."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.io.formats.samples import SIMGRID
from tests.io.formats.test_samples import read


def test_shared_links_of_simgrid_are_told(tmp_path: Path) -> None:
    """The default policy of SimGrid is half duplex, which is a rule here and no property of a network."""
    (tmp_path / "p").write_text(SIMGRID.replace(' sharing_policy="SPLITDUPLEX"', ""))
    assert any("`duplex='half'`" in said for said in read(tmp_path / "p")[1])


def test_a_cluster_of_simgrid_is_a_star(tmp_path: Path) -> None:
    """Hosts of a flat cluster hang at one switch."""
    (tmp_path / "p").write_text(
        '<platform version="4.1"><zone id="z" routing="Full"><cluster id="c" prefix="h" suffix=".org" '
        'radical="0-2,7" speed="1Gf" bw="1GBps" lat="1us"/></zone></platform>'
    )
    found = read(tmp_path / "p")[0]
    assert found.routers == ("c_router", "h0.org", "h1.org", "h2.org", "h7.org")
    assert found.router_of.tolist() == [1, 2, 3, 4]
    assert Counter(map(tuple, found.channels.tolist())) == {way: 1 for h in range(1, 5) for way in ((0, h), (h, 0))}


def test_a_fatpipe_beside_a_link_says_how_fast_one_message_goes(tmp_path: Path) -> None:
    """A route over a shared link and a FATPIPE is a channel, as wide as the one is faster than the other."""
    text = (
        '<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
        '<link id="c" bandwidth="3GBps" latency="0s"/>'
        '<link id="one" bandwidth="1GBps" latency="0s" sharing_policy="FATPIPE"/>'
        '<route src="a" dst="b"><link_ctn id="c"/><link_ctn id="one"/></route></zone></platform>'
    )
    (tmp_path / "p").write_text(text)
    made = read(tmp_path / "p")[0]
    assert made.channels.tolist() == [[0, 1], [1, 0]]
    assert made.capacity.tolist() == [3, 3]
