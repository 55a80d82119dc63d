#!/bin/sh
# Installs the SDKs of package-lock.json, about 60 MB, beside their tests. No
# install script runs. Done already: nothing happens, and no network is needed.
set -eu
cd "$(dirname "$0")"

fail() { echo "make test-clients: $*" >&2; exit 1; }

command -v node >/dev/null || fail 'node is missing; install Node.js 22 or newer (https://nodejs.org)'
command -v npm >/dev/null || fail 'npm is missing; it comes with Node.js (https://nodejs.org)'
# The SDKs ask for 22; what is used of them here runs on 20 too.
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || fail "node $(node -v) is too old; install Node.js 22 or newer"

cmp -s package-lock.json node_modules/.installed && exit 0
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || fail 'npm could not install the SDKs; is its registry within reach (npm ping)?'
cp package-lock.json node_modules/.installed
