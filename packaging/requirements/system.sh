#!/bin/sh
# Installs what some tests need and no Python package brings: a browser, simulators of networks and of hardware.
# Only as root on Debian and its kin; elsewhere, or without a registry, those tests are skipped with a reason.
missing=""
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || missing="$missing chromium"
/usr/bin/python3 -c "import simgrid" >/dev/null 2>&1 || missing="$missing python3-simgrid"
command -v iverilog >/dev/null 2>&1 || missing="$missing iverilog"
command -v ghdl >/dev/null 2>&1 || command -v ghdl-mcode >/dev/null 2>&1 || missing="$missing ghdl-mcode"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing$missing for the tests"
    for package in $missing; do
        { DEBIAN_FRONTEND=noninteractive timeout 600 apt-get install -qq -y --no-install-recommends "$package" >/dev/null 2>&1 ||
            { timeout 200 apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive timeout 600 apt-get install -qq -y --no-install-recommends "$package" >/dev/null 2>&1; }; } ||
            echo "$package cannot be installed; its tests will be skipped"
    done
else
    echo "not installed:$missing; their tests will be skipped"
fi
exit 0
